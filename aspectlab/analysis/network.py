"""The network of the report on opinions: aspects and the words that are said of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import fsum
from typing import NamedTuple
from unicodedata import east_asian_width
from urllib.parse import urlencode

import numpy as np
from numpy.typing import NDArray

from aspectlab.analysis.aggregate import Aggregate, Category, OpinionPair as Pair
from aspectlab.analysis.tables import MAX_WORD, render_chip
from aspectlab.data import PolarityCounts
from aspectlab.readers import NOT_NAMED, REST
from aspectlab.reports import POLARITY_SIGNS, escape_html, order_by_polarity, truncate_text

MAX_ASPECTS, MAX_WORDS = 12, 26
"""So many nodes of each kind: more cannot be read on one screen."""

_WORDS_OF_ONE = 6
_POLARITIES = tuple(POLARITY_SIGNS)
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
    counts: PolarityCounts

    @property
    def polarity(self) -> str:
        counts = order_by_polarity(self.counts)
        return max(counts, key=lambda kind: counts[kind])


@dataclass(frozen=True, slots=True)
class _Network:
    """Aspects with their position in the report, words with their usual polarity, and the links between."""

    aspects: dict[str, int]
    words: dict[str, str]
    links: list[_Link]

    @property
    def labels(self) -> list[str]:
        words = (
            f"{POLARITY_SIGNS[polarity]} {truncate_text(word, _LABEL)}"
            for word, polarity in self.words.items()
        )
        return [*(truncate_text(name, _LABEL) for name in self.aspects), *words]


def render_network(aggregate: Aggregate) -> str:
    """Draw the graph for wide and for narrow screens, with a table of the most frequent pairs."""
    graph = _choose(aggregate.categories)
    if not graph.links:
        return "<p>There are too few opinions for a graph.</p>"
    pictures = "\n".join(_draw(graph, name, width, height) for name, width, height in _AREAS)
    return f'<div class="graph">{pictures}</div>\n{_render_pairs(aggregate.edges[:_PAIRS])}'


def _choose(categories: Sequence[Category]) -> _Network:
    """Take the links that are used most, but of no aspect more than a few, until the picture is full."""
    positions = {category.name: number for number, category in enumerate(categories)}
    named = [category for category in categories if category.name not in REST][:MAX_ASPECTS]
    links = [
        _Link(category.name, word.name, word.counts)
        for category in named
        for word in category.opinions[:_WORDS_OF_ONE]
        if word.counts.total
    ]
    words: dict[str, Counter[str]] = {}
    for link in sorted(links, key=lambda link: -link.counts.total):
        if link.word in words or len(words) < MAX_WORDS:
            words.setdefault(link.word, Counter()).update(order_by_polarity(link.counts))
    kept = [link for link in links if link.word in words]
    aspects = {link.aspect: positions[link.aspect] for link in kept}
    return _Network(aspects, {word: found.most_common(1)[0][0] for word, found in words.items()}, kept)


def _draw(graph: _Network, name: str, width: float, height: float) -> str:
    labels = graph.labels
    sizes = np.array([[_measure(label), _HEIGHT] for label in labels])
    numbers = {word: len(graph.aspects) + k for k, word in enumerate(graph.words)}
    order = {aspect: k for k, aspect in enumerate(graph.aspects)}
    # a word that is said of everything pulls less, or it would draw all aspects into one heap
    uses = Counter(link.word for link in graph.links)
    edges = [BoxLink(order[link.aspect], numbers[link.word], 1 / uses[link.word]) for link in graph.links]
    layout = layout_boxes(sizes, edges, width, height)
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


def _draw_links(links: Sequence[_Link], edges: Sequence[BoxLink], layout: BoxLayout) -> Iterator[str]:
    largest = max(link.counts.total for link in links)
    for link, edge in zip(links, edges, strict=True):
        (x1, y1), (x2, y2) = layout.centres[edge.first], layout.centres[edge.second]
        thick = 1 + 5 * (link.counts.total / largest) ** 0.5
        yield (
            f'<line class="link {link.polarity}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
            f'stroke-width="{thick:.1f}" data-ends="{edge.first} {edge.second}"/>'
        )


def _draw_nodes(
    graph: _Network, labels: Sequence[str], widths: Sequence[float], layout: BoxLayout
) -> Iterator[str]:
    kinds = [*("aspect" for _ in graph.aspects), *graph.words.values()]
    names = [*graph.aspects, *graph.words]
    for number, (kind, label) in enumerate(zip(kinds, labels, strict=True)):
        x, y = layout.centres[number]
        left, top = x - widths[number] / 2, y - _HEIGHT / 2
        # a word counts where it is said of any aspect of the picture
        wanted = (
            f"category={graph.aspects[names[number]]}"
            if kind == "aspect"
            else urlencode({"word": names[number], "polarity": _POLARITIES.index(kind)}, errors="replace")
        )
        yield (
            f'<g class="node {kind}" data-node="{number}" data-drill="{escape_html(wanted)}" tabindex="0" '
            f'role="button" aria-label="{escape_html(label)}: show the quotes">'
            f'<rect x="{left:.1f}" y="{top:.1f}" width="{widths[number]:.1f}" height="{_HEIGHT:g}" rx="6"/>'
            f'<text x="{x:.1f}" y="{y + 4.5:.1f}">{escape_html(label)}</text></g>'
        )


def _measure(label: str) -> float:
    """Guess the width of a label in pixels; letters of East Asia are twice as wide."""
    # Pythons add up in two ways, and the layout turns a last bit into another picture
    return 16 + fsum(14.0 if east_asian_width(letter) in "WF" else 7.6 for letter in label)


def _render_pairs(pairs: Sequence[Pair]) -> str:
    """Return the pairs of a term and an opinion that are most frequent."""
    rows = "".join(
        f'<tr><th scope="row">{_render_word(pair.aspect, pair.category)}</th>'
        f"<td>{_render_word(pair.opinion, NOT_NAMED)}</td>"
        f'<td class="{pair.polarity}">{POLARITY_SIGNS[pair.polarity]} {pair.polarity}</td>'
        f"<td>{pair.count:,}</td></tr>"
        for pair in pairs
        if pair.polarity in POLARITY_SIGNS
    )
    heads = "".join(f'<th scope="col">{head}</th>' for head in ("Aspect", "Opinion", "Polarity", "Times"))
    return (
        "<details><summary>The most frequent pairs of aspect and opinion</summary>"
        f"<table><tr>{heads}</tr>{rows}</table></details>"
    )


def _render_word(word: str, instead: str) -> str:
    return f"<bdi>{escape_html(word, MAX_WORD)}</bdi>" if word else render_chip(instead)


FloatArray = NDArray[np.float64]

GAP = 6.0
"""Between any two boxes at least so many pixels are left."""

_STEPS = 250
_PUSHES = 60
_GRID = 6.0
# labels are wider than high: forces act as if the area were narrower than it is
_STRETCH = np.array([1.6, 1.0])


class BoxLink(NamedTuple):
    """A link between two boxes, by their numbers; a heavier one pulls more."""

    first: int
    second: int
    weight: float


class BoxLayout(NamedTuple):
    """The centres of the boxes and the area that holds them all."""

    centres: FloatArray  # [N, 2]
    width: float
    height: float


def layout_boxes(sizes: FloatArray, edges: Sequence[BoxLink], width: float, height: float) -> BoxLayout:
    """Place boxes of these sizes, [N, 2]; the area grows downwards where it proves too small.

    >>> layout = layout_boxes(np.array([[40.0, 20.0], [60.0, 20.0]]), [BoxLink(0, 1, 1.0)], 200, 100)
    >>> bool(np.all(np.abs(layout.centres[0] - layout.centres[1]) < [50 + GAP, 20 + GAP]))
    False
    """
    widest = sizes.max(axis=0, initial=0.0) + 2 * GAP
    area = np.maximum(widest, [width, height])
    while True:
        wishes = _push_apart(_spread(sizes, edges, area), sizes, area)
        centres = _settle(wishes, sizes, area)
        if centres is not None:
            return BoxLayout(centres, float(area[0]), float(area[1]))
        area = area * [1.0, 1.2]


def _spread(sizes: FloatArray, edges: Sequence[BoxLink], area: FloatArray) -> FloatArray:
    """Move boxes that repel each other and are pulled by links, in ever smaller steps.

    This is the method of Fruchterman and Reingold (1991).
    """
    n = len(sizes)
    low, high = (bound / _STRETCH for bound in _bounds(sizes, area))
    centres = low + _start(n) * (high - low)  # [N, 2]
    pull = np.zeros((n, n))
    for first, second, weight in edges:
        pull[first, second] = pull[second, first] = weight
    room = area / _STRETCH
    reach = 0.9 * np.sqrt(room[0] * room[1] / max(n, 1))
    for step in range(_STEPS):
        apart = centres[None, :, :] - centres[:, None, :]  # [N, N, 2], from the first to the second
        distance = np.sqrt(np.maximum(apart[..., 0] ** 2 + apart[..., 1] ** 2, 1e-3))  # [N, N]
        # boxes far apart leave each other alone, or everything would end at the rim
        push = np.where(distance < 2 * reach, reach**2 / distance**2, 0.0) - pull * distance / reach
        # summed over the first axis: row by row, so the order of the sum is fixed
        move = (apart * push[..., None]).sum(axis=0) + 0.05 * (room / 2 - centres)  # [N, 2]
        length = np.sqrt(np.maximum(move[:, :1] ** 2 + move[:, 1:] ** 2, 1e-9))
        limit = reach * (1 - step / _STEPS)
        centres = np.clip(centres + move / length * np.minimum(length, limit), low, high)
    spread: FloatArray = centres * _STRETCH
    return spread


def _start(n: int) -> FloatArray:
    """Start with a spiral in the unit square, without sines: their last bit differs among machines."""
    turn_x, turn_y = -0.7373688, 0.6754903  # the golden angle
    centres, x, y = np.empty((n, 2)), 1.0, 0.0
    for k in range(n):
        centres[k] = 0.5 + 0.45 * np.sqrt((k + 0.5) / n) * np.array([x, y])
        x, y = x * turn_x - y * turn_y, x * turn_y + y * turn_x
    return centres


def _push_apart(centres: FloatArray, sizes: FloatArray, area: FloatArray) -> FloatArray:
    """Push boxes that touch apart, along the axis that needs less; in a full area some may go on touching."""
    low, high = _bounds(sizes, area)
    for _ in range(_PUSHES):
        apart = centres[None] - centres[:, None]  # [N, N, 2]
        excess = (sizes[:, None] + sizes[None]) / 2 + GAP - np.abs(apart)
        first, second = np.nonzero(np.triu((excess > 0).all(axis=2), k=1))
        if not len(first):
            break
        for i, j in zip(first.tolist(), second.tolist(), strict=True):
            axis = int(excess[i, j, 1] <= excess[i, j, 0])
            step = (excess[i, j, axis] / 2 + 0.5) * (1 if apart[i, j, axis] >= 0 else -1)
            centres[i, axis] -= step
            centres[j, axis] += step
        centres = np.clip(centres, low, high)
    return centres


def _settle(wishes: FloatArray, sizes: FloatArray, area: FloatArray) -> FloatArray | None:
    """Move each box in turn to the free spot nearest to its wish; None if the area is too full."""
    low, high = _bounds(sizes, area)
    grid = np.mgrid[0 : area[0] : _GRID, 0 : area[1] : _GRID].reshape(2, -1).T  # [G, 2]
    centres = np.empty_like(wishes)
    for k, wish in enumerate(wishes):
        spots = np.clip(np.vstack([wish, grid]), low[k], high[k])  # [G + 1, 2]
        apart = np.abs(spots[:, None] - centres[None, :k])  # [G + 1, k, 2]
        is_free = (apart >= (sizes[k] + sizes[:k]) / 2 + GAP - 1e-6).any(axis=2).all(axis=1)
        if not is_free.any():
            return None
        free = spots[is_free]
        centres[k] = free[((free - wish) ** 2).sum(axis=1).argmin()]
    return centres


def _bounds(sizes: FloatArray, area: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the smallest and largest centres that keep each box within the area."""
    return (sizes + GAP) / 2, area - (sizes + GAP) / 2
