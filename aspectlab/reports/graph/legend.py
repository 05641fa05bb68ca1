"""The head and the legend of pictures of a knowledge graph."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aspectlab.data import Polarity
from aspectlab.insight.knowledge import Said
from aspectlab.reports.graph.labels import fit, width_of_opinion
from aspectlab.reports.graph.shapes import Point, draw_link, draw_opinion
from aspectlab.reports.runs.plots.axes import write

_WORDS = {Polarity.POSITIVE: "praise", Polarity.NEGATIVE: "blame", Polarity.NEUTRAL: "neither"}
_TITLE = 560.0


def draw_head(title: str, lines: Sequence[str], left: float) -> tuple[list[str], float]:
    """Write a title and lines below it; gives them and where the picture may begin."""
    # letters of the title are larger than those that are measured
    parts = [write(left, 28, fit(title, _TITLE), "title")]
    parts += [write(left, 48 + 17 * number, text, "quiet") for number, text in enumerate(lines)]
    return parts, 48 + 17 * len(lines) + 6


def draw_legend(left: float, top: float, *, neutral: bool) -> Iterator[str]:
    """Show how praise and blame look; thicker links are said more often."""
    x, y = left, top + 11
    for polarity, word in list(_WORDS.items())[: 3 if neutral else 2]:
        said = Said(word, polarity, 1)
        width = width_of_opinion(said, 200)
        yield draw_link(Point(x, y), Point(x + 30, y), 2.0, polarity)
        yield draw_opinion(said, Point(x + 30, y), width)
        x += 30 + width + 18
    yield write(x, y + 4.5, "+3 −1: praised 3 times, blamed once; a thick link: said often", "quiet")
