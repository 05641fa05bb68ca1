"""Every picture that a corpus allows: bars, box plots of lengths, and word clouds."""

from collections.abc import Iterator, Mapping, Sequence
from math import log10, sqrt
from pathlib import Path
from typing import NamedTuple

from aspectlab.data.statistics import LABELS, Breakdown, LabelCounts, Lengths
from aspectlab.errors import MissingPartError
from aspectlab.reports import escape_html, truncate_text
from aspectlab.reports.svg import (
    WIDTH,
    Picture,
    Scale,
    StackedBar,
    draw_box,
    draw_diamond,
    draw_legend,
    draw_line,
    draw_stacked_bars,
    draw_text,
)

MAX_TERMS, MAX_TOPICS = 15, 20
"""So many bars a picture has at most; a note says how many are not shown."""

_PLURALS = {"aspect": "aspects", "opinion": "opinions", "either": "aspect or opinion"}


def list_figures(found: Breakdown) -> list[Picture]:
    """Return the pictures that need nothing but this package."""
    drawn = [
        draw_box_plots(found.lengths),
        draw_stacked_bars(
            "segments", "Segments with and without opinions", _empty_bars(found.whole), whole=1
        ),
        draw_stacked_bars("polarities", "Rows by polarity", _polarity_bars(found.whole)),
        draw_stacked_bars("multiword", "Terms of several words", _multiword_bars(found.multiword), whole=1),
        *_draw_topics(found.topics),
        *(_draw_terms(part, terms, found.unique[part]) for part, terms in found.terms.items()),
    ]
    return [picture for picture in drawn if picture is not None]


def list_clouds(found: Breakdown) -> list[Picture]:
    """Return the clouds of terms; they need the package wordcloud."""
    drawn = [
        draw_cloud(f"cloud-{_PLURALS[part]}", f"The most frequent {_PLURALS[part]}", terms)
        for part, terms in found.terms.items()
    ]
    return [picture for picture in drawn if picture is not None]


def format_part(part: int, whole: int) -> str:
    """Format a number and its share of another.

    >>> format_part(4082, 5507)
    '4,082 (74.1 %)'
    """
    return f"{part:,} ({100 * part / whole:.1f} %)" if whole else f"{part:,}"


def _empty_bars(whole: LabelCounts) -> list[StackedBar]:
    """Return the share that says something, of segments and, where empty rows are kept, of rows."""
    pairs = {"segments": (whole.nonempty_segments, whole.segments)}
    if whole.empty_rows:
        pairs["rows"] = (whole.rows, whole.rows + whole.empty_rows)
    return [
        StackedBar(name, {"here": full / total, "empty": 1 - full / total}, format_part(full, total))
        for name, (full, total) in pairs.items()
        if full
    ]


def _polarity_bars(whole: LabelCounts) -> list[StackedBar]:
    return [
        StackedBar(label, {label: number}, format_part(number, whole.rows))
        for label, number in whole.polarities.items()
    ]


def _multiword_bars(multiword: Mapping[str, tuple[int, int]]) -> list[StackedBar]:
    return [
        StackedBar(_PLURALS[part], {"here": several / total}, format_part(several, total))
        for part, (several, total) in multiword.items()
    ]


def _draw_topics(topics: Sequence[LabelCounts]) -> Iterator[Picture | None]:
    shown, note = topics[:MAX_TOPICS], _describe_rest(len(topics), MAX_TOPICS, "topics")
    rows = [StackedBar(topic.name, _in_order(topic), f"{topic.rows:,}") for topic in shown if topic.rows]
    yield draw_stacked_bars("topics", "Rows by topic", rows, note=note)
    if any(topic.nonempty_segments < topic.segments for topic in topics):
        segments = [
            StackedBar(
                topic.name,
                {"here": topic.nonempty_segments, "empty": topic.segments - topic.nonempty_segments},
                f"{topic.segments:,}",
            )
            for topic in shown
        ]
        yield draw_stacked_bars("topic-segments", "Segments by topic", segments, note=note)


def _draw_terms(part: str, terms: Sequence[LabelCounts], unique: int) -> Picture | None:
    bars = [StackedBar(term.name, _in_order(term), f"{term.rows:,}") for term in terms[:MAX_TERMS]]
    note = _describe_rest(unique, MAX_TERMS, f"different {_PLURALS[part]}")
    return draw_stacked_bars(_PLURALS[part], f"The most frequent {_PLURALS[part]}", bars, note=note)


def _in_order(tally: LabelCounts) -> dict[str, float]:
    return {label: tally.polarities[label] for label in LABELS if label in tally.polarities}


def _describe_rest(number: int, most: int, what: str) -> str:
    return f"{most} of {number:,} {what} are shown" if number > most else ""


_BOXES_LEFT, _BOXES_RIGHT = 12, WIDTH - 14
_BOXES_TOP, _BOXES_ROW, _BOX_HEIGHT = 24, 54, 16
_LOG_TICKS = (1, 2, 5)


def draw_box_plots(lengths: Mapping[str, Lengths]) -> Picture | None:
    """Draw a box plot per part; the scale is logarithmic: a text has a hundred times the words of a term."""
    if not lengths:
        return None
    longest = max(2.0, *(found.five.max for found in lengths.values()))
    scale = Scale(0, log10(longest), _BOXES_LEFT, _BOXES_RIGHT)
    bottom = _BOXES_TOP + _BOXES_ROW * len(lengths) + 4
    title = "Length in words"
    rows = (
        part
        for number, (name, found) in enumerate(lengths.items())
        for part in _draw_box_plot(name, found, scale, _BOXES_TOP + _BOXES_ROW * number)
    )
    return Picture(
        name="lengths",
        title=title,
        words=" ".join(f"{name.capitalize()}: {format_lengths(found)}." for name, found in lengths.items()),
        height=bottom + 50,
        elements=(
            draw_text(0, 12, title, "strong"),
            *_draw_log_ticks(scale, longest, bottom),
            *rows,
            *_draw_boxes_legend(bottom + 40),
        ),
    )


def format_lengths(found: Lengths) -> str:
    """Format the numbers of a box plot.

    >>> from aspectlab.data.statistics.breakdown import measure_lengths
    >>> format_lengths(measure_lengths(["a b", "c", "d e"]))
    'min 1, quartiles 1.5, 2, 2, max 2, mean 1.67'
    """
    five = found.five
    quartiles = ", ".join(f"{value:,g}" for value in (five.q1, five.median, five.q3))
    return f"min {five.min:,g}, quartiles {quartiles}, max {five.max:,g}, mean {found.mean:.2f}"


def _draw_box_plot(name: str, found: Lengths, scale: Scale, y: float) -> Iterator[str]:
    five, middle = found.five, y + 26 + _BOX_HEIGHT / 2
    at = {value: scale(log10(value)) for value in (five.min, five.q1, five.median, five.q3, five.max)}
    low, high = (scale(log10(fence)) for fence in found.fences)
    yield draw_text(_BOXES_LEFT, y + 9, f"{name} ({found.number:,})", "strong")
    yield draw_text(_BOXES_LEFT, y + 21, format_lengths(found), "quiet")
    yield draw_line((at[five.min], middle), (at[five.max], middle), "grid fine")
    yield draw_line((low, middle), (high, middle), "reach")
    yield from (draw_line((x, middle - 4), (x, middle + 4), "reach") for x in (low, high))
    yield draw_line((at[five.max], middle - 3), (at[five.max], middle + 3), "grid fine")
    # a band alone would let the lines below show through
    for kind in ("printed", "band"):
        yield draw_box(at[five.q1], middle - _BOX_HEIGHT / 2, at[five.q3] - at[five.q1], _BOX_HEIGHT, kind)
    yield draw_line(
        (at[five.median], middle - _BOX_HEIGHT / 2), (at[five.median], middle + _BOX_HEIGHT / 2), "group"
    )
    yield draw_diamond(scale(log10(max(found.mean, 1))), middle, "print", 3.5)


def _draw_log_ticks(scale: Scale, longest: float, bottom: float) -> Iterator[str]:
    powers = range(int(log10(longest)) + 1)
    for tick in (factor * 10**power for power in powers for factor in _LOG_TICKS):
        if tick <= longest * 1.0001:
            x = scale(log10(tick))
            yield draw_line((x, bottom - 3), (x, bottom + 3), "axis")
            yield draw_text(x, bottom + 14, f"{tick:,}", "quiet middle")
    yield draw_line((_BOXES_LEFT, bottom), (_BOXES_RIGHT, bottom), "axis")


def _draw_boxes_legend(y: float) -> Iterator[str]:
    """Draw the legend."""
    yield from (draw_box(4, y - 9, 12, 10, kind) for kind in ("printed", "band"))
    yield draw_line((10, y - 9), (10, y + 1), "group")
    yield draw_text(20, y, "quartiles", "quiet")
    yield draw_diamond(80, y - 4, "print", 3.5)
    yield draw_text(88, y, "mean", "quiet")
    yield draw_line((122, y - 4), (140, y - 4), "reach")
    yield draw_text(144, y, "up to 1.5 boxes away", "quiet")
    yield draw_line((266, y - 4), (284, y - 4), "grid fine")
    yield draw_text(288, y, "extremes", "quiet")


_CLOUD_TOP, _CLOUD_HEIGHT, _CLOUD_MARGIN = 22, 330, 4
_MIN_FONT, _MAX_FONT = 8, 44
_MAX_WORD_CHARS = 40
_MAX_LAYOUTS = 5
_MIN_WORDS = 20  # so many words must all find room
_PICTURE_FONT = 11  # the size of a letter of a picture, in pixels
_WORD_SHIFTS = (-2, 2, -4, 4, -6, 6)
_FONT_NARROWING = 0.9  # most fonts of screens are narrower than the one that words are measured with


class PlacedWord(NamedTuple):
    """One term of a cloud: its size, where its baseline begins, its width, and the box of its ink."""

    text: str
    size: int
    x: float
    y: float
    width: float
    ink: tuple[float, float, float, float]


def draw_cloud(name: str, title: str, terms: Sequence[LabelCounts]) -> Picture | None:
    """Draw a cloud; terms that find no room at a size that can be read are left out. None without terms."""
    if not terms:
        return None
    known = {_clean_term(term.name): term for term in reversed(terms) if term.name.strip()}
    placed = layout_cloud({text: term.rows for text, term in known.items()})
    kinds = [_majority_polarity(known[word.text]) for word in placed]
    return Picture(
        name=name,
        title=title,
        words=", ".join(f"{term.name} {term.rows:,}" for term in terms) + ".",
        height=_CLOUD_TOP + _CLOUD_HEIGHT + 26,
        elements=(
            draw_text(0, 12, title, "strong"),
            *(_draw_word(word, kind) for word, kind in zip(placed, kinds, strict=True)),
            *draw_legend(_by_frequency(kinds), _CLOUD_TOP + _CLOUD_HEIGHT + 18, "mostly "),
        ),
    )


def layout_cloud(counts: dict[str, int]) -> list[PlacedWord]:
    """Lay out words with the package wordcloud, at the largest sizes at which most words have room."""
    best: list[PlacedWord] = []
    size, enough = choose_font_size(counts), min(len(counts), max(_MIN_WORDS, round(0.8 * len(counts))))
    for _ in range(_MAX_LAYOUTS):
        placed = _layout_words(counts, round(size))
        if len(placed) > len(best):
            best = placed
        if len(best) >= enough or size <= _MIN_FONT:
            break
        size *= 0.85
    return best


def choose_font_size(counts: Mapping[str, int]) -> float:
    """Return the size of the first word at which all would fill half of the field, if they had one.

    >>> choose_font_size({"seat": 3, "engine": 1})
    44
    """
    share, before, area = 1.0, 0, 0.0
    for text, count in sorted(counts.items(), key=lambda item: -item[1]):
        share *= 0.5 * count / before + 0.5 if before else 1  # as the package shrinks them
        area += share**2 * 0.8 * len(text)
        before = count
    first = max(counts, key=lambda text: counts[text])
    fitting = (WIDTH - 2 * _CLOUD_MARGIN) / (0.68 * len(first))
    return max(_MIN_FONT, min(_MAX_FONT, fitting, sqrt(0.5 * WIDTH * _CLOUD_HEIGHT / area)))


def _layout_words(counts: dict[str, int], largest: int) -> list[PlacedWord]:
    """Place the words; one that would overlap another moves a little or is left out."""
    try:
        import matplotlib
        from PIL import ImageFont
        from wordcloud import WordCloud
    except ImportError:
        raise MissingPartError(
            "word clouds: wordcloud is not installed; get it with: pip install 'aspectlab[clouds]'"
        ) from None
    font = str(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf")
    cloud = WordCloud(
        width=WIDTH - 2 * _CLOUD_MARGIN,
        height=_CLOUD_HEIGHT,
        font_path=font,
        prefer_horizontal=1,
        max_words=len(counts),
        min_font_size=_MIN_FONT,
        max_font_size=largest,
        margin=4,
        random_state=0,
    )
    placed: list[PlacedWord] = []
    for (text, _), size, (row, column), *_ in cloud.generate_from_frequencies(counts).layout_:
        face = ImageFont.truetype(font, size)
        left, top, right, bottom = face.getbbox(text, anchor="ls")
        x, y = _CLOUD_MARGIN + int(column), _CLOUD_TOP + int(row) + face.getmetrics()[0]
        # the package measures a word and draws it a little lower: look whether it is really free there
        for shift in (0, top + face.getmetrics()[0], *_WORD_SHIFTS):
            ink = (x + left, y - shift + top, x + right, y - shift + bottom)
            if _is_free(ink, placed):
                placed.append(PlacedWord(text, size, x, y - shift, right - left, ink))
                break
    return placed


def _is_free(ink: tuple[float, float, float, float], placed: Sequence[PlacedWord]) -> bool:
    left, top, right, bottom = ink
    inside = (
        left >= 0 and top >= _CLOUD_TOP - 4 and right <= WIDTH and bottom <= _CLOUD_TOP + _CLOUD_HEIGHT + 4
    )
    return inside and not any(
        left < other.ink[2] and other.ink[0] < right and top < other.ink[3] and other.ink[1] < bottom
        for other in placed
    )


def _majority_polarity(term: LabelCounts) -> str:
    """Return the polarity of most rows of a term; of equal ones the first in the order of the key."""
    return max(term.polarities, key=lambda label: term.polarities[label])


def _draw_word(word: PlacedWord, kind: str) -> str:
    # sizes stand in the style of all pictures, so this one is zoomed; its width must not depend on the font
    zoom, width = word.size / _PICTURE_FONT, _FONT_NARROWING * word.width
    x = word.x + (word.width - width) / 2
    return (
        f'<text class="{kind}" transform="translate({x:.1f} {word.y:.1f}) scale({zoom:.3f})" '
        f'textLength="{width / zoom:.1f}" lengthAdjust="spacingAndGlyphs">{escape_html(word.text)}</text>'
    )


def _by_frequency(kinds: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(sorted(kinds, key=kinds.count, reverse=True)))


def _clean_term(text: str) -> str:
    """Return a term on one line that can be drawn; a sentence would leave no room for the rest."""
    return truncate_text(" ".join(text.encode("utf-8", "replace").decode().split()), _MAX_WORD_CHARS)
