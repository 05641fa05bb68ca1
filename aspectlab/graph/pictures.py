"""Pictures of a knowledge graph: one entity as a tree, two of them joined at their aspects."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from aspectlab.data import Polarity
from aspectlab.graph.comparison import AspectPair, join_aspects
from aspectlab.graph.model import IMPLICIT, CountedOpinion, Entity, EntityAspect
from aspectlab.graph.shapes import (
    HEIGHT,
    Point,
    box_width,
    draw_head,
    draw_legend,
    draw_link,
    draw_node,
    draw_opinion,
    format_signs,
    link_width,
    opinion_box_width,
    render_svg,
    truncate,
)
from aspectlab.reports import draw_text, format_count

_ROW = HEIGHT + 4
_GAP, _TOPIC_GAP, _GUTTER, _EDGE = 8.0, 14.0, 44.0, 16.0
_MUCH = 0.3
_NAME, _OPINION, _MORE, _LEAST = 190.0, 330.0, 80.0, 680.0


class _Placed(NamedTuple):
    """A branch and where the middle of its aspect and the first of its rows are."""

    branch: AspectBranch
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
    head, top = draw_head(entity.name, _describe_tree(entity, branches), _EDGE)
    placed, bottom = _place_branches(topics, top)
    columns = _measure_columns(entity, topics)
    elements = [*head, *_draw_tree_links(entity, placed, columns), *_draw_tree_nodes(entity, placed, columns)]
    elements += draw_legend(_EDGE, bottom + 12, neutral=bool(entity.counts.neutral))
    width = max(columns.right(3) + _MORE + _EDGE, _LEAST)
    return render_svg(f"Knowledge graph of {entity.name}", width, bottom + 44, elements)


def _describe_tree(entity: Entity, branches: Sequence[AspectBranch]) -> list[str]:
    counts = entity.counts
    lines = [
        f"{format_count(len(entity.aspects), 'aspect')}, "
        f"{format_count(entity.opinions, 'distinct opinion')}, "
        f"said {format_count(counts.total, 'time')}: {format_signs(counts)}"
    ]
    missing = {
        "aspect": len(entity.aspects) - len(branches),
        "opinion": entity.opinions - count_opinions(branches),
    }
    left = " and ".join(format_count(number, noun) for noun, number in missing.items() if number)
    if left:
        lines.append(f"Shown is what is said most; left out: {left}. The page and the GraphML file hold all.")
    return lines


def _place_branches(topics: dict[str, list[AspectBranch]], top: float) -> tuple[list[_Placed], float]:
    placed, y = [], top
    for topic, branches in topics.items():
        for branch in branches:
            rows = len(branch.shown)
            placed.append(_Placed(branch, topic, y + rows * _ROW / 2, y + _ROW / 2))
            y += rows * _ROW + _GAP
        y += _TOPIC_GAP
    return placed, y


def _measure_columns(entity: Entity, topics: dict[str, list[AspectBranch]]) -> _Columns:
    branches = list(chain.from_iterable(topics.values()))
    named = [
        box_width(truncate(topic, _NAME), format_signs(entity.topics[topic])) for topic in topics if topic
    ]
    widths = (
        box_width(truncate(entity.name, _NAME), format_signs(entity.counts)),
        max(named, default=0.0),
        max(box_width(_name(branch), format_signs(branch.aspect.counts)) for branch in branches),
        max(opinion_box_width(said, _OPINION) for branch in branches for said in branch.shown),
    )
    lefts, x = [], _EDGE
    for width in widths:
        lefts.append(x)
        x += width + (_GUTTER if width else 0.0)
    return _Columns(tuple(lefts), widths)


def _draw_tree_links(entity: Entity, placed: Sequence[_Placed], columns: _Columns) -> Iterator[str]:
    topics, root = _middle_topics(placed), _middle(placed)
    largest = max(said.count for each in placed for said in each.branch.shown)
    for topic, y in topics.items():
        thick = link_width(entity.topics[topic].total, entity.counts.total)
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
            thick = link_width(said.count, largest)
            yield draw_link(Point(columns.right(2), each.y), end, thick, said.polarity)


def _draw_tree_nodes(entity: Entity, placed: Sequence[_Placed], columns: _Columns) -> Iterator[str]:
    lefts, widths = columns
    name = truncate(entity.name, _NAME)
    yield draw_node("entity", name, Point(lefts[0], _middle(placed)), widths[0], format_signs(entity.counts))
    for topic, y in _middle_topics(placed).items():
        note = format_signs(entity.topics[topic])
        yield draw_node("topic", truncate(topic, _NAME), Point(lefts[1], y), widths[1], note)
    for branch, _, y, top in placed:
        note = format_signs(branch.aspect.counts)
        yield draw_node("aspect", _name(branch), Point(lefts[2], y), widths[2], note)
        for number, said in enumerate(branch.shown):
            left = Point(lefts[3], top + number * _ROW)
            yield draw_opinion(said, left, opinion_box_width(said, _OPINION))
        if branch.hidden:
            x = left.x + opinion_box_width(branch.shown[-1], _OPINION) + 8
            yield draw_text(x, left.y + 4.5, f"and {branch.hidden:,} more", "quiet")


def _list_main(aspect: EntityAspect) -> list[str]:
    """Return the topics in which much is said of an aspect: links to all would hide them."""
    return [name for name, counts in aspect.topics.items() if counts.total >= _MUCH * aspect.counts.total]


def _middle_topics(placed: Sequence[_Placed]) -> dict[str, float]:
    """Return the height of each topic: the middle of its aspects."""
    names = dict.fromkeys(each.topic for each in placed if each.topic)
    return {name: _middle([each for each in placed if each.topic == name]) for name in names}


def _middle(placed: Sequence[_Placed]) -> float:
    return (placed[0].y + placed[-1].y) / 2


def _name(branch: AspectBranch) -> str:
    return truncate(branch.aspect.name or IMPLICIT, _NAME)


_PAIR_ROW, _PAIR_GAP, _PAIR_GUTTER, _PAIR_EDGE, _COUNTS = HEIGHT + 4, 12.0, 56.0, 16.0, 58.0
_PAIR_NAME, _PAIR_OPINION, _SIDE = 190.0, 300.0, 390.0


class _Sides(NamedTuple):
    """The middle column: its left and its right side."""

    left: float
    right: float


def draw_butterfly(first: Entity, second: Entity, most: int, *, inline: bool = False) -> str:
    """Draw two entities as SVG, joined at their aspects; those of both come first."""
    pairs = join_aspects(first, second)
    shown = pairs[:most]
    width = 2 * _COUNTS + max(
        (box_width(truncate(pair.name, _PAIR_NAME)) for pair in shown), default=_PAIR_NAME
    )
    sides = _Sides(_PAIR_EDGE + _SIDE + _PAIR_GUTTER, _PAIR_EDGE + _SIDE + _PAIR_GUTTER + width)
    whole = sides.right + _PAIR_GUTTER + _SIDE + _PAIR_EDGE
    title = f"{truncate(first.name, 250)} and {truncate(second.name, 250)}"
    elements, y = draw_head(title, _describe_pairs(pairs, shown), _PAIR_EDGE)
    elements += _draw_names(first, second, sides, y + HEIGHT / 2)
    y += HEIGHT + _PAIR_GAP
    if not shown:
        elements.append(draw_text(sides.left, y, "no aspect is named", "quiet"))
    for pair in shown:
        branches = _choose_branch(pair.first), _choose_branch(pair.second)
        rows = max(len(branch.shown) for branch in branches if branch)
        elements += _draw_pair(pair, branches, sides, y + rows * _PAIR_ROW / 2)
        y += rows * _PAIR_ROW + _PAIR_GAP
    elements += draw_legend(_PAIR_EDGE, y, neutral=bool(first.counts.neutral + second.counts.neutral))
    said = f"Knowledge graph of {first.name} and {second.name}"
    return render_svg(said, whole, y + 36, elements, inline=inline)


def _describe_pairs(pairs: Sequence[AspectPair], shown: Sequence[AspectPair]) -> list[str]:
    both = sum(1 for pair in pairs if pair.first and pair.second)
    lines = [f"{format_count(len(pairs), 'aspect')}, {both:,} of both; these come first"]
    if len(shown) < len(pairs):
        left = format_count(len(pairs) - len(shown), "aspect")
        lines.append(f"Shown is what is said most; left out: {left}. The page and the GraphML file hold all.")
    return lines


def _draw_names(first: Entity, second: Entity, sides: _Sides, y: float) -> Iterator[str]:
    for entity, is_left in ((first, True), (second, False)):
        name, note = truncate(entity.name, 250), format_signs(entity.counts)
        width = box_width(name, note)
        x = sides.left - _PAIR_GUTTER - width if is_left else sides.right + _PAIR_GUTTER
        yield draw_node("entity", name, Point(x, y), width, note)


def _choose_branch(aspect: EntityAspect | None) -> AspectBranch | None:
    return choose_opinions(aspect) if aspect else None


def _draw_pair(
    pair: AspectPair, branches: tuple[AspectBranch | None, AspectBranch | None], sides: _Sides, y: float
) -> Iterator[str]:
    for branch, is_left in zip(branches, (True, False), strict=True):
        if branch is not None:
            yield from _draw_side(branch, sides, y, is_left=is_left)
    yield draw_node("aspect", "", Point(sides.left, y), sides.right - sides.left)
    yield draw_text((sides.left + sides.right) / 2, y + 4.5, truncate(pair.name, _PAIR_NAME), "strong middle")
    for aspect, x, kind in (
        (pair.first, sides.left + 8, "quiet"),
        (pair.second, sides.right - 8, "quiet end"),
    ):
        yield draw_text(x, y + 4.5, format_signs(aspect.counts) if aspect else "–", kind)


def _draw_side(branch: AspectBranch, sides: _Sides, y: float, *, is_left: bool) -> Iterator[str]:
    top = y - (len(branch.shown) - 1) * _PAIR_ROW / 2
    for number, said in enumerate(branch.shown):
        width, row = opinion_box_width(said, _PAIR_OPINION), top + number * _PAIR_ROW
        x = sides.left - _PAIR_GUTTER - width if is_left else sides.right + _PAIR_GUTTER
        start, end = (sides.left, x + width) if is_left else (sides.right, x)
        yield draw_link(Point(start, y), Point(end, row), link_width(said.count, 1), said.polarity)
        yield draw_opinion(said, Point(x, row), width)
        if branch.hidden and number == len(branch.shown) - 1:
            yield _draw_more(branch, said, Point(x, row), is_left=is_left)


def _draw_more(branch: AspectBranch, said: CountedOpinion, left: Point, *, is_left: bool) -> str:
    text = f"and {branch.hidden:,} more"
    if is_left:
        return draw_text(left.x - 8, left.y + 4.5, text, "quiet end")
    return draw_text(left.x + opinion_box_width(said, _PAIR_OPINION) + 8, left.y + 4.5, text, "quiet")


MOST_ASPECTS, MOST_OPINIONS = 20, 3
"""A picture with more is too high for one page."""


class AspectBranch(NamedTuple):
    """An aspect with the opinions that are shown of it, and how many are not."""

    aspect: EntityAspect
    shown: tuple[CountedOpinion, ...]

    @property
    def hidden(self) -> int:
        """How many opinions are not shown."""
        return len(self.aspect.opinions) - len(self.shown)


def choose_branches(entity: Entity, most: int) -> dict[str, list[AspectBranch]]:
    """Return the most frequent aspects by their main topics, the topics in the order of the entity."""
    topics: dict[str, list[AspectBranch]] = defaultdict(list)
    for aspect in entity.aspects[:most]:
        topics[aspect.topic].append(choose_opinions(aspect))
    return {topic: topics[topic] for topic in entity.topics if topic in topics}


def choose_opinions(aspect: EntityAspect, most: int = MOST_OPINIONS) -> AspectBranch:
    """Choose opinions of every polarity in turn: praise must not hide blame."""
    ranks: Counter[Polarity] = Counter()
    ranked: list[tuple[int, CountedOpinion]] = []
    for said in aspect.opinions:
        ranked.append((ranks[said.polarity], said))
        ranks[said.polarity] += 1
    chosen = sorted(ranked, key=lambda item: (item[0], -item[1].count))[:most]
    shown = {id(said) for _, said in chosen}
    return AspectBranch(aspect, tuple(said for said in aspect.opinions if id(said) in shown))


def count_opinions(branches: Iterable[AspectBranch]) -> int:
    """Count the opinions that are shown."""
    return sum(len(branch.shown) for branch in branches)
