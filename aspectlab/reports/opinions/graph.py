"""The graph of the report on opinions: aspects and the words that are said of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import fsum
from unicodedata import east_asian_width

import numpy as np

from aspectlab.insight.aggregate import Aggregate, Category, Counts
from aspectlab.insight.aggregate import Edge as Pair
from aspectlab.insight.grouping import OTHER
from aspectlab.reports.opinions.layout import Edge, Layout, place_boxes
from aspectlab.reports.opinions.tables import MAX_WORD
from aspectlab.reports.page import shorten, show
from aspectlab.reports.shares import SIGNS, in_order

MAX_ASPECTS, MAX_WORDS = 12, 26
"""So many nodes of each kind: more cannot be read on one screen."""

_WORDS_OF_ONE = 6
_LABEL = 18
_PAIRS = 40
# one picture for wide screens, one for phones: scaling one down would make its labels too small to read
_AREAS = (("wide", 960.0, 560.0), ("tall", 310.0, 660.0))
_HEIGHT = 24.0


@dataclass(frozen=True, slots=True)
class _Link:
    """A word that is said of an aspect, with its counts."""

    aspect: str
    word: str
    counts: Counts

    @property
    def polarity(self) -> str:
        counts = in_order(self.counts)
        return max(counts, key=lambda kind: counts[kind])


@dataclass(frozen=True, slots=True)
class _Graph:
    """Aspects with their place in the report, words with their usual polarity, and the links between."""

    aspects: dict[str, int]
    words: dict[str, str]
    links: list[_Link]

    @property
    def labels(self) -> list[str]:
        words = (f"{SIGNS[polarity]} {shorten(word, _LABEL)}" for word, polarity in self.words.items())
        return [*(shorten(name, _LABEL) for name in self.aspects), *words]


def render_graph(aggregate: Aggregate) -> str:
    """Draw the graph for wide and for narrow screens, with a table of the most frequent pairs."""
    graph = _choose(aggregate.categories)
    if not graph.links:
        return "<p>There are too few opinions for a graph.</p>"
    pictures = "\n".join(_draw(graph, name, width, height) for name, width, height in _AREAS)
    return f'<div class="graph">{pictures}</div>\n{_render_pairs(aggregate.edges[:_PAIRS])}'


def _choose(categories: Sequence[Category]) -> _Graph:
    """Take the links that are used most, but of no aspect more than a few, until the picture is full."""
    places = {category.name: number for number, category in enumerate(categories)}
    named = [category for category in categories if category.name != OTHER][:MAX_ASPECTS]
    links = [
        _Link(category.name, word.name, word.counts)
        for category in named
        for word in category.opinions[:_WORDS_OF_ONE]
        if word.counts.total
    ]
    words: dict[str, Counter[str]] = {}
    for link in sorted(links, key=lambda link: -link.counts.total):
        if link.word in words or len(words) < MAX_WORDS:
            words.setdefault(link.word, Counter()).update(in_order(link.counts))
    kept = [link for link in links if link.word in words]
    aspects = {link.aspect: places[link.aspect] for link in kept}
    return _Graph(aspects, {word: found.most_common(1)[0][0] for word, found in words.items()}, kept)


def _draw(graph: _Graph, name: str, width: float, height: float) -> str:
    labels = graph.labels
    sizes = np.array([[_measure(label), _HEIGHT] for label in labels])
    numbers = {word: len(graph.aspects) + k for k, word in enumerate(graph.words)}
    order = {aspect: k for k, aspect in enumerate(graph.aspects)}
    # a word that is said of everything pulls less, or it would draw all aspects into one heap
    uses = Counter(link.word for link in graph.links)
    edges = [Edge(order[link.aspect], numbers[link.word], 1 / uses[link.word]) for link in graph.links]
    layout = place_boxes(sizes, edges, width, height)
    parts = [
        *_draw_links(graph.links, edges, layout),
        *_draw_nodes(graph, labels, sizes[:, 0].tolist(), layout),
    ]
    return (
        f'<svg class="{name}" viewBox="0 0 {layout.width:g} {layout.height:g}" role="img" '
        'aria-label="Aspects and the words that are said of them; the table below has the same in text">'
        + "".join(parts)
        + "</svg>"
    )


def _draw_links(links: Sequence[_Link], edges: Sequence[Edge], layout: Layout) -> Iterator[str]:
    largest = max(link.counts.total for link in links)
    for link, edge in zip(links, edges, strict=True):
        (x1, y1), (x2, y2) = layout.centres[edge.first], layout.centres[edge.second]
        thick = 1 + 5 * (link.counts.total / largest) ** 0.5
        yield (
            f'<line class="link {link.polarity}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
            f'stroke-width="{thick:.1f}" data-ends="{edge.first} {edge.second}"/>'
        )


def _draw_nodes(
    graph: _Graph, labels: Sequence[str], widths: Sequence[float], layout: Layout
) -> Iterator[str]:
    kinds = [*("aspect" for _ in graph.aspects), *graph.words.values()]
    for number, (kind, label) in enumerate(zip(kinds, labels, strict=True)):
        x, y = layout.centres[number]
        left, top = x - widths[number] / 2, y - _HEIGHT / 2
        yield (
            f'<g class="node {kind}" data-node="{number}">'
            f'<rect x="{left:.1f}" y="{top:.1f}" width="{widths[number]:.1f}" height="{_HEIGHT:g}" rx="6"/>'
            f'<text x="{x:.1f}" y="{y + 4.5:.1f}">{show(label)}</text></g>'
        )


def _measure(label: str) -> float:
    """Guess the width of a label in pixels; letters of East Asia are twice as wide."""
    # Pythons add up in two ways, and the layout turns a last bit into another picture
    return 16 + fsum(14.0 if east_asian_width(letter) in "WF" else 7.6 for letter in label)


def _render_pairs(pairs: Sequence[Pair]) -> str:
    """Give the pairs of a term and an opinion that are most frequent."""
    rows = "".join(
        f'<tr><th scope="row"><bdi>{show(pair.aspect, MAX_WORD)}</bdi></th>'
        f"<td><bdi>{show(pair.opinion, MAX_WORD)}</bdi></td>"
        f'<td class="{pair.polarity}">{SIGNS[pair.polarity]} {pair.polarity}</td><td>{pair.count:,}</td></tr>'
        for pair in pairs
        if pair.polarity in SIGNS
    )
    heads = "".join(f'<th scope="col">{head}</th>' for head in ("Aspect", "Opinion", "Polarity", "Times"))
    return (
        "<details><summary>The most frequent pairs of aspect and opinion</summary>"
        f"<table><tr>{heads}</tr>{rows}</table></details>"
    )
