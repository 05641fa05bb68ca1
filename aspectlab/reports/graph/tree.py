"""The picture of one entity: a tree from left to right, entity, topics, aspects, opinions.

A column holds one kind of node and links run between columns only, so no label is ever crossed or covered.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from aspectlab.insight.knowledge import IMPLICIT, Aspect, Entity
from aspectlab.reports.graph.choosing import Branch, choose_branches, count_opinions
from aspectlab.reports.graph.labels import fit, say_signs, thickness, width_of, width_of_opinion
from aspectlab.reports.graph.legend import draw_head, draw_legend
from aspectlab.reports.graph.shapes import HEIGHT, Point, draw_link, draw_node, draw_opinion, render_svg
from aspectlab.reports.runs.plots.axes import write
from aspectlab.reports.shares import say_number

_ROW = HEIGHT + 4
_GAP, _TOPIC_GAP, _GUTTER, _EDGE = 8.0, 14.0, 44.0, 16.0
_MUCH = 0.3
_NAME, _OPINION, _MORE, _LEAST = 190.0, 330.0, 80.0, 680.0


class _Placed(NamedTuple):
    """A branch and where the middle of its aspect and the first of its rows are."""

    branch: Branch
    topic: str
    y: float
    top: float


class _Columns(NamedTuple):
    """The left sides and widths of the columns: entity, topic, aspect, opinion."""

    lefts: tuple[float, ...]
    widths: tuple[float, ...]

    def right(self, column: int) -> float:
        return self.lefts[column] + self.widths[column]


def draw_tree(entity: Entity, most: int) -> str:
    """Draw an entity as SVG with its most frequent aspects, and say what is left out."""
    topics = choose_branches(entity, most)
    branches = list(chain.from_iterable(topics.values()))
    head, top = draw_head(entity.name, _say_shown(entity, branches), _EDGE)
    placed, bottom = _place(topics, top)
    columns = _measure_columns(entity, topics)
    elements = [*head, *_draw_links(entity, placed, columns), *_draw_nodes(entity, placed, columns)]
    elements += draw_legend(_EDGE, bottom + 12, neutral=bool(entity.counts.neutral))
    width = max(columns.right(3) + _MORE + _EDGE, _LEAST)
    return render_svg(f"Knowledge graph of {entity.name}", width, bottom + 44, elements)


def _say_shown(entity: Entity, branches: Sequence[Branch]) -> list[str]:
    counts = entity.counts
    lines = [
        f"{say_number(len(entity.aspects), 'aspect')}, {say_number(entity.opinions, 'distinct opinion')}, "
        f"said {say_number(counts.total, 'time')}: {say_signs(counts)}"
    ]
    missing = {
        "aspect": len(entity.aspects) - len(branches),
        "opinion": entity.opinions - count_opinions(branches),
    }
    left = " and ".join(say_number(number, noun) for noun, number in missing.items() if number)
    if left:
        lines.append(f"Shown is what is said most; left out: {left}. The page and the GraphML file hold all.")
    return lines


def _place(topics: dict[str, list[Branch]], top: float) -> tuple[list[_Placed], float]:
    placed, y = [], top
    for topic, branches in topics.items():
        for branch in branches:
            rows = len(branch.shown)
            placed.append(_Placed(branch, topic, y + rows * _ROW / 2, y + _ROW / 2))
            y += rows * _ROW + _GAP
        y += _TOPIC_GAP
    return placed, y


def _measure_columns(entity: Entity, topics: dict[str, list[Branch]]) -> _Columns:
    branches = list(chain.from_iterable(topics.values()))
    named = [width_of(fit(topic, _NAME), say_signs(entity.topics[topic])) for topic in topics if topic]
    widths = (
        width_of(fit(entity.name, _NAME), say_signs(entity.counts)),
        max(named, default=0.0),
        max(width_of(_name(branch), say_signs(branch.aspect.counts)) for branch in branches),
        max(width_of_opinion(said, _OPINION) for branch in branches for said in branch.shown),
    )
    lefts, x = [], _EDGE
    for width in widths:
        lefts.append(x)
        x += width + (_GUTTER if width else 0.0)
    return _Columns(tuple(lefts), widths)


def _draw_links(entity: Entity, placed: Sequence[_Placed], columns: _Columns) -> Iterator[str]:
    topics, root = _middle_topics(placed), _middle(placed)
    largest = max(said.count for each in placed for said in each.branch.shown)
    for topic, y in topics.items():
        thick = thickness(entity.topics[topic].total, entity.counts.total)
        yield draw_link(Point(columns.right(0), root), Point(columns.lefts[1], y), thick)
    for each in placed:
        for topic in _list_main(each.branch.aspect):
            start = Point(columns.right(1), topics[topic]) if topic in topics else None
            if topic == "":
                start = Point(columns.right(0), root)
            if start is not None:
                yield draw_link(start, Point(columns.lefts[2], each.y), 1.5 if topic == each.topic else 0.8)
        for number, said in enumerate(each.branch.shown):
            end = Point(columns.lefts[3], each.top + number * _ROW)
            thick = thickness(said.count, largest)
            yield draw_link(Point(columns.right(2), each.y), end, thick, said.polarity)


def _draw_nodes(entity: Entity, placed: Sequence[_Placed], columns: _Columns) -> Iterator[str]:
    lefts, widths = columns
    name = fit(entity.name, _NAME)
    yield draw_node("entity", name, Point(lefts[0], _middle(placed)), widths[0], say_signs(entity.counts))
    for topic, y in _middle_topics(placed).items():
        note = say_signs(entity.topics[topic])
        yield draw_node("topic", fit(topic, _NAME), Point(lefts[1], y), widths[1], note)
    for branch, _, y, top in placed:
        note = say_signs(branch.aspect.counts)
        yield draw_node("aspect", _name(branch), Point(lefts[2], y), widths[2], note)
        for number, said in enumerate(branch.shown):
            left = Point(lefts[3], top + number * _ROW)
            yield draw_opinion(said, left, width_of_opinion(said, _OPINION))
        if branch.hidden:
            x = left.x + width_of_opinion(branch.shown[-1], _OPINION) + 8
            yield write(x, left.y + 4.5, f"and {branch.hidden:,} more", "quiet")


def _list_main(aspect: Aspect) -> list[str]:
    """Give the topics in which much is said of an aspect: links to all would hide them."""
    return [name for name, counts in aspect.topics.items() if counts.total >= _MUCH * aspect.counts.total]


def _middle_topics(placed: Sequence[_Placed]) -> dict[str, float]:
    """Give the height of each topic: the middle of its aspects."""
    names = dict.fromkeys(each.topic for each in placed if each.topic)
    return {name: _middle([each for each in placed if each.topic == name]) for name in names}


def _middle(placed: Sequence[_Placed]) -> float:
    return (placed[0].y + placed[-1].y) / 2


def _name(branch: Branch) -> str:
    return fit(branch.aspect.name or IMPLICIT, _NAME)
