"""Clouds: the most frequent terms, the larger the more frequent, in the colour of their usual polarity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from pathlib import Path
from typing import NamedTuple

from aspectlab.data.statistics import Tally
from aspectlab.errors import MissingPartError
from aspectlab.reports.corpus.stacks import draw_key
from aspectlab.reports.page import shorten, show
from aspectlab.reports.runs.plots.axes import write
from aspectlab.reports.runs.plots.picture import WIDTH, Picture

_TOP, _HEIGHT, _EDGE = 22, 330, 4
_SMALLEST, _LARGEST = 8, 44
_LONGEST = 40
_TRIES = 5
_FEW = 20  # so many words must all find room
_FONT = 11  # the size of a letter of a picture, in pixels
_SHIFTS = (-2, 2, -4, 4, -6, 6)
_NARROW = 0.9  # most fonts of screens are narrower than the one that words are measured with


class Word(NamedTuple):
    """One term of a cloud: its size, where its baseline begins, its width, and the box of its ink."""

    text: str
    size: int
    x: float
    y: float
    width: float
    ink: tuple[float, float, float, float]


def draw_cloud(name: str, title: str, terms: Sequence[Tally]) -> Picture | None:
    """Draw a cloud; terms that find no room at a size that can be read are left out. None without terms."""
    if not terms:
        return None
    known = {_clean(term.name): term for term in reversed(terms) if term.name.strip()}
    placed = place_words({text: term.rows for text, term in known.items()})
    kinds = [_usual(known[word.text]) for word in placed]
    return Picture(
        name=name,
        title=title,
        words=", ".join(f"{term.name} {term.rows:,}" for term in terms) + ".",
        height=_TOP + _HEIGHT + 26,
        elements=(
            write(0, 12, title, "strong"),
            *(_draw_word(word, kind) for word, kind in zip(placed, kinds, strict=True)),
            *draw_key(_by_number(kinds), _TOP + _HEIGHT + 18, "mostly "),
        ),
    )


def place_words(counts: dict[str, int]) -> list[Word]:
    """Find places with the package wordcloud, at the largest sizes at which most words have room."""
    best: list[Word] = []
    size, enough = choose_size(counts), min(len(counts), max(_FEW, round(0.8 * len(counts))))
    for _ in range(_TRIES):
        placed = _place(counts, round(size))
        if len(placed) > len(best):
            best = placed
        if len(best) >= enough or size <= _SMALLEST:
            break
        size *= 0.85
    return best


def choose_size(counts: Mapping[str, int]) -> float:
    """Give the size of the first word at which all would fill half of the field, if they had one.

    >>> choose_size({"seat": 3, "engine": 1})
    44
    """
    share, before, area = 1.0, 0, 0.0
    for text, count in sorted(counts.items(), key=lambda item: -item[1]):
        share *= 0.5 * count / before + 0.5 if before else 1  # as the package shrinks them
        area += share**2 * 0.8 * len(text)
        before = count
    first = max(counts, key=lambda text: counts[text])
    fitting = (WIDTH - 2 * _EDGE) / (0.68 * len(first))
    return max(_SMALLEST, min(_LARGEST, fitting, sqrt(0.5 * WIDTH * _HEIGHT / area)))


def _place(counts: dict[str, int], largest: int) -> list[Word]:
    """Place the words; one that would overlap another moves a little or is left out."""
    try:
        import matplotlib
        from PIL import ImageFont
        from wordcloud import WordCloud
    except ImportError:
        raise MissingPartError(
            "word clouds: wordcloud is not installed: get it with: pip install 'aspectlab[clouds]'"
        ) from None
    font = str(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf")
    cloud = WordCloud(
        width=WIDTH - 2 * _EDGE,
        height=_HEIGHT,
        font_path=font,
        prefer_horizontal=1,
        max_words=len(counts),
        min_font_size=_SMALLEST,
        max_font_size=largest,
        margin=4,
        random_state=0,
    )
    placed: list[Word] = []
    for (text, _), size, (row, column), *_ in cloud.generate_from_frequencies(counts).layout_:
        face = ImageFont.truetype(font, size)
        left, top, right, bottom = face.getbbox(text, anchor="ls")
        x, y = _EDGE + int(column), _TOP + int(row) + face.getmetrics()[0]
        # the package measures a word and draws it a little lower: look whether it is really free there
        for shift in (0, top + face.getmetrics()[0], *_SHIFTS):
            ink = (x + left, y - shift + top, x + right, y - shift + bottom)
            if _is_free(ink, placed):
                placed.append(Word(text, size, x, y - shift, right - left, ink))
                break
    return placed


def _is_free(ink: tuple[float, float, float, float], placed: Sequence[Word]) -> bool:
    left, top, right, bottom = ink
    inside = left >= 0 and top >= _TOP - 4 and right <= WIDTH and bottom <= _TOP + _HEIGHT + 4
    return inside and not any(
        left < other.ink[2] and other.ink[0] < right and top < other.ink[3] and other.ink[1] < bottom
        for other in placed
    )


def _usual(term: Tally) -> str:
    """Give the polarity of most rows of a term; of equal ones the first in the order of the key."""
    return max(term.polarities, key=lambda label: term.polarities[label])


def _draw_word(word: Word, kind: str) -> str:
    # sizes stand in the style of all pictures, so this one is zoomed; its width must not depend on the font
    zoom, width = word.size / _FONT, _NARROW * word.width
    x = word.x + (word.width - width) / 2
    return (
        f'<text class="{kind}" transform="translate({x:.1f} {word.y:.1f}) scale({zoom:.3f})" '
        f'textLength="{width / zoom:.1f}" lengthAdjust="spacingAndGlyphs">{show(word.text)}</text>'
    )


def _by_number(kinds: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(sorted(kinds, key=kinds.count, reverse=True)))


def _clean(text: str) -> str:
    """Give a term on one line that can be drawn; a sentence would leave no room for the rest."""
    return shorten(" ".join(text.encode("utf-8", "replace").decode().split()), _LONGEST)
