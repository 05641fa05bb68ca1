"""The picture of two entities: aspects in the middle, what is said of the one left, of the other right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from aspectlab.insight.knowledge import Aspect, Entity, Said
from aspectlab.insight.knowledgejoin import Pair, join_aspects
from aspectlab.reports.graph.choosing import Branch, choose_opinions
from aspectlab.reports.graph.labels import fit, say_signs, thickness, width_of, width_of_opinion
from aspectlab.reports.graph.legend import draw_head, draw_legend
from aspectlab.reports.graph.shapes import HEIGHT, Point, draw_link, draw_node, draw_opinion, render_svg
from aspectlab.reports.runs.plots.axes import write
from aspectlab.reports.shares import say_number

_ROW, _GAP, _GUTTER, _EDGE, _COUNTS = HEIGHT + 4, 12.0, 56.0, 16.0, 58.0
_NAME, _OPINION, _SIDE = 190.0, 300.0, 390.0


class _Sides(NamedTuple):
    """The middle column: its left and its right side."""

    left: float
    right: float


def draw_butterfly(first: Entity, second: Entity, most: int, *, inline: bool = False) -> str:
    """Draw two entities as SVG, joined at their aspects; those of both come first."""
    pairs = join_aspects(first, second)
    shown = pairs[:most]
    width = 2 * _COUNTS + max((width_of(fit(pair.name, _NAME)) for pair in shown), default=_NAME)
    sides = _Sides(_EDGE + _SIDE + _GUTTER, _EDGE + _SIDE + _GUTTER + width)
    whole = sides.right + _GUTTER + _SIDE + _EDGE
    title = f"{fit(first.name, 250)} and {fit(second.name, 250)}"
    elements, y = draw_head(title, _say_shown(pairs, shown), _EDGE)
    elements += _draw_names(first, second, sides, y + HEIGHT / 2)
    y += HEIGHT + _GAP
    if not shown:
        elements.append(write(sides.left, y, "no aspect is named", "quiet"))
    for pair in shown:
        branches = _choose(pair.first), _choose(pair.second)
        rows = max(len(branch.shown) for branch in branches if branch)
        elements += _draw_pair(pair, branches, sides, y + rows * _ROW / 2)
        y += rows * _ROW + _GAP
    elements += draw_legend(_EDGE, y, neutral=bool(first.counts.neutral + second.counts.neutral))
    said = f"Knowledge graph of {first.name} and {second.name}"
    return render_svg(said, whole, y + 36, elements, inline=inline)


def _say_shown(pairs: Sequence[Pair], shown: Sequence[Pair]) -> list[str]:
    both = sum(1 for pair in pairs if pair.first and pair.second)
    lines = [f"{say_number(len(pairs), 'aspect')}, {both:,} of both; these come first"]
    if len(shown) < len(pairs):
        left = say_number(len(pairs) - len(shown), "aspect")
        lines.append(f"Shown is what is said most; left out: {left}. The page and the GraphML file hold all.")
    return lines


def _draw_names(first: Entity, second: Entity, sides: _Sides, y: float) -> Iterator[str]:
    for entity, is_left in ((first, True), (second, False)):
        name, note = fit(entity.name, 250), say_signs(entity.counts)
        width = width_of(name, note)
        x = sides.left - _GUTTER - width if is_left else sides.right + _GUTTER
        yield draw_node("entity", name, Point(x, y), width, note)


def _choose(aspect: Aspect | None) -> Branch | None:
    return choose_opinions(aspect) if aspect else None


def _draw_pair(
    pair: Pair, branches: tuple[Branch | None, Branch | None], sides: _Sides, y: float
) -> Iterator[str]:
    for branch, is_left in zip(branches, (True, False), strict=True):
        if branch is not None:
            yield from _draw_side(branch, sides, y, is_left=is_left)
    yield draw_node("aspect", "", Point(sides.left, y), sides.right - sides.left)
    yield write((sides.left + sides.right) / 2, y + 4.5, fit(pair.name, _NAME), "strong middle")
    for aspect, x, kind in (
        (pair.first, sides.left + 8, "quiet"),
        (pair.second, sides.right - 8, "quiet end"),
    ):
        yield write(x, y + 4.5, say_signs(aspect.counts) if aspect else "–", kind)


def _draw_side(branch: Branch, sides: _Sides, y: float, *, is_left: bool) -> Iterator[str]:
    top = y - (len(branch.shown) - 1) * _ROW / 2
    for number, said in enumerate(branch.shown):
        width, row = width_of_opinion(said, _OPINION), top + number * _ROW
        x = sides.left - _GUTTER - width if is_left else sides.right + _GUTTER
        start, end = (sides.left, x + width) if is_left else (sides.right, x)
        yield draw_link(Point(start, y), Point(end, row), thickness(said.count, 1), said.polarity)
        yield draw_opinion(said, Point(x, row), width)
        if branch.hidden and number == len(branch.shown) - 1:
            yield _draw_more(branch, said, Point(x, row), is_left=is_left)


def _draw_more(branch: Branch, said: Said, left: Point, *, is_left: bool) -> str:
    text = f"and {branch.hidden:,} more"
    if is_left:
        return write(left.x - 8, left.y + 4.5, text, "quiet end")
    return write(left.x + width_of_opinion(said, _OPINION) + 8, left.y + 4.5, text, "quiet")
