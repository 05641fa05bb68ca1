"""Figures: every picture that a corpus allows; one without topics or opinions has fewer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from aspectlab.data.statistics import Breakdown, Tally
from aspectlab.data.statistics.breakdown import LABELS
from aspectlab.reports.corpus.boxes import draw_boxes
from aspectlab.reports.corpus.clouds import draw_cloud
from aspectlab.reports.corpus.stacks import Bar, draw_stacks
from aspectlab.reports.runs.plots.picture import Picture

MOST_TERMS, MOST_TOPICS = 15, 20
"""So many bars a picture has at most; a note says how many are not shown."""

_PLURALS = {"aspect": "aspects", "opinion": "opinions", "either": "aspect or opinion"}


def list_figures(found: Breakdown) -> list[Picture]:
    """Give the pictures that need nothing but this package."""
    drawn = [
        draw_boxes(found.lengths),
        draw_stacks("segments", "Segments with and without opinions", _empty_bars(found.whole), whole=1),
        draw_stacks("polarities", "Rows by polarity", _polarity_bars(found.whole)),
        draw_stacks("multiword", "Terms of several words", _multiword_bars(found.multiword), whole=1),
        *_draw_topics(found.topics),
        *(_draw_terms(part, terms, found.unique[part]) for part, terms in found.terms.items()),
    ]
    return [picture for picture in drawn if picture is not None]


def list_clouds(found: Breakdown) -> list[Picture]:
    """Give the clouds of terms; they need the package wordcloud."""
    drawn = [
        draw_cloud(f"cloud-{_PLURALS[part]}", f"The most frequent {_PLURALS[part]}", terms)
        for part, terms in found.terms.items()
    ]
    return [picture for picture in drawn if picture is not None]


def say_share(part: int, whole: int) -> str:
    """Write a number and its share of another.

    >>> say_share(4082, 5507)
    '4,082 (74.1 %)'
    """
    return f"{part:,} ({100 * part / whole:.1f} %)" if whole else f"{part:,}"


def _empty_bars(whole: Tally) -> list[Bar]:
    """Give the share that says something, of segments and, where empty rows are kept, of rows."""
    pairs = {"segments": (whole.nonempty_segments, whole.segments)}
    if whole.empty_rows:
        pairs["rows"] = (whole.rows, whole.rows + whole.empty_rows)
    return [
        Bar(name, {"here": full / total, "empty": 1 - full / total}, say_share(full, total))
        for name, (full, total) in pairs.items()
        if full
    ]


def _polarity_bars(whole: Tally) -> list[Bar]:
    return [
        Bar(label, {label: number}, say_share(number, whole.rows))
        for label, number in whole.polarities.items()
    ]


def _multiword_bars(multiword: Mapping[str, tuple[int, int]]) -> list[Bar]:
    return [
        Bar(_PLURALS[part], {"here": several / total}, say_share(several, total))
        for part, (several, total) in multiword.items()
    ]


def _draw_topics(topics: Sequence[Tally]) -> Iterator[Picture | None]:
    shown, note = topics[:MOST_TOPICS], _say_rest(len(topics), MOST_TOPICS, "topics")
    rows = [Bar(topic.name, _in_order(topic), f"{topic.rows:,}") for topic in shown if topic.rows]
    yield draw_stacks("topics", "Rows by topic", rows, note=note)
    if any(topic.nonempty_segments < topic.segments for topic in topics):
        segments = [
            Bar(
                topic.name,
                {"here": topic.nonempty_segments, "empty": topic.segments - topic.nonempty_segments},
                f"{topic.segments:,}",
            )
            for topic in shown
        ]
        yield draw_stacks("topic-segments", "Segments by topic", segments, note=note)


def _draw_terms(part: str, terms: Sequence[Tally], unique: int) -> Picture | None:
    bars = [Bar(term.name, _in_order(term), f"{term.rows:,}") for term in terms[:MOST_TERMS]]
    note = _say_rest(unique, MOST_TERMS, f"different {_PLURALS[part]}")
    return draw_stacks(_PLURALS[part], f"The most frequent {_PLURALS[part]}", bars, note=note)


def _in_order(tally: Tally) -> dict[str, float]:
    return {label: tally.polarities[label] for label in LABELS if label in tally.polarities}


def _say_rest(number: int, most: int, what: str) -> str:
    return f"{most} of {number:,} {what} are shown" if number > most else ""
