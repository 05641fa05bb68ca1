"""Ranks: a critical-difference diagram over corpora and splits, after Demšar (2006).

Systems are listed by their mean rank, which reads on a phone as well as on a wall; bars join those that
Nemenyi's test cannot tell apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum

from aspectlab.reports.runs.measures import is_lower_better, name_metric
from aspectlab.reports.runs.plots.axes import Scale, dot, draw_scale, fit_label, line, write, write_title
from aspectlab.reports.runs.plots.picture import WIDTH, Picture
from aspectlab.reports.runs.splits import split_values
from aspectlab.reports.runs.summary import Section
from aspectlab.reports.runs.table import make_slug
from aspectlab.stats import critical_difference, friedman, mean_ranks

LEAST_SYSTEMS, LEAST_BLOCKS = 3, 4
"""With fewer, ranks say nothing."""

_LABELS, _RIGHT = 178, WIDTH - 8
_SMALL = 0.77  # how wide a small letter is, of one of the usual size
_TOP, _ROW, _BARS, _ROOM = 54, 17, 7.0, 36.0

Block = tuple[str, int]
"""A corpus and a split."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """Systems in the order of their mean ranks over the blocks that all of them have."""

    systems: tuple[str, ...]
    ranks: tuple[float, ...]
    blocks: tuple[Block, ...]
    difference: float  # mean ranks closer than this cannot be told apart
    p: float  # of all systems being alike, by Friedman's test

    @property
    def groups(self) -> list[tuple[int, int]]:
        """First and last place of every largest group of systems that cannot be told apart."""
        last = [
            max(k for k, rank in enumerate(self.ranks) if rank - first <= self.difference)
            for first in self.ranks
        ]
        return [
            (start, end)
            for start, end in enumerate(last)
            if end > start and (start == 0 or end > last[start - 1])
        ]


def rank_systems(metric: str, sections: Sequence[Section]) -> Ranking | None:
    """Rank systems over corpora x splits, runs of a split averaged; None where too few have enough."""
    sign = -1 if is_lower_better(metric) else 1
    scores: dict[str, dict[Block, float]] = {}
    for section in sections:
        for cell in section.columns.get(metric, ()):
            for split, values in split_values(cell.values).items():
                block = (section.target.corpus, split)
                # the exact sum: the same values in another order must stay a tie
                scores.setdefault(cell.system.name, {})[block] = sign * fsum(values) / len(values)
    names, blocks = _choose(scores)
    if len(names) < LEAST_SYSTEMS or len(blocks) < LEAST_BLOCKS:
        return None
    table = [[scores[name][block] for name in names] for block in blocks]
    found = sorted(zip(mean_ranks(table).tolist(), names, strict=True))
    return Ranking(
        systems=tuple(name for _, name in found),
        ranks=tuple(rank for rank, _ in found),
        blocks=tuple(blocks),
        difference=critical_difference(len(names), len(blocks)),
        p=friedman(table).p,
    )


def draw_ranks(task: str, test: str, metric: str, ranking: Ranking) -> Picture:
    """Draw the mean ranks, the critical difference, and a bar for each group that lies within it."""
    count = len(ranking.systems)
    groups = ranking.groups
    step = min(_BARS, _ROOM / max(len(groups), 1))
    scale = Scale(1, count, _LABELS, _RIGHT - step * max(len(groups), 1) - 6)
    bottom = _TOP + _ROW * count
    title = f"{_name(task, test)}: mean ranks by {name_metric(metric)}"
    return Picture(
        name=make_slug("ranks", task, test, metric),
        title=title,
        words=_say(ranking),
        height=bottom + 32,
        elements=(
            write_title(title),
            *draw_scale(Scale(1, count, scale.start, scale.end), _TOP - 4, bottom),
            *_draw_difference(ranking.difference, scale),
            *_draw_systems(ranking, scale),
            *_draw_groups(groups, scale.end + 10, step),
            write(_LABELS, bottom + 27, f"mean rank over {len(ranking.blocks)} corpora × splits", "quiet"),
        ),
    )


def _choose(scores: Mapping[str, Mapping[Block, float]]) -> tuple[list[str], list[Block]]:
    """Choose systems and blocks so that every system has every block and the table is as large as can be."""
    blocks = sorted(
        {block for row in scores.values() for block in row},
        key=lambda block: (-sum(block in row for row in scores.values()), block),
    )
    best: tuple[list[str], list[Block]] = ([], [])
    for number in range(LEAST_BLOCKS, len(blocks) + 1):
        chosen = blocks[:number]
        names = sorted(name for name, row in scores.items() if all(block in row for block in chosen))
        if len(names) >= LEAST_SYSTEMS and len(names) * number > len(best[0]) * len(best[1]):
            best = (names, sorted(chosen))
    return best


def _draw_difference(difference: float, scale: Scale) -> Iterator[str]:
    """Draw how far two ranks must lie apart, cut at the end of the scale."""
    y, end = _TOP - 18, scale(min(1 + difference, scale.high))
    yield line((scale.start, y), (end, y), "reach")
    yield from (line((x, y - 4), (x, y + 4), "reach") for x in (scale.start, end))
    more = "" if 1 + difference <= scale.high else " (beyond the scale)"
    yield write(scale.start, y - 8, f"critical difference {difference:.2f}{more}", "quiet")


def _draw_systems(ranking: Ranking, scale: Scale) -> Iterator[str]:
    for number, (name, rank) in enumerate(zip(ranking.systems, ranking.ranks, strict=True)):
        y = _TOP + _ROW * (number + 0.5)
        yield _write_name(name, y + 4)
        yield write(_LABELS - 8, y + 4, f"{rank:.2f}", "quiet end")
        yield dot(scale(rank), y, "run", 4)


def _draw_groups(groups: Sequence[tuple[int, int]], x: float, step: float) -> Iterator[str]:
    kind = "group" if step == _BARS else "group fine"
    for number, (first, last) in enumerate(groups):
        place = x + step * number
        yield line((place, _TOP + _ROW * (first + 0.3)), (place, _TOP + _ROW * (last + 0.7)), kind)


def _name(task: str, test: str) -> str:
    return " · ".join(part for part in (task.upper(), test) if part)


def _say(ranking: Ranking) -> str:
    ranks = ", ".join(f"{name} {rank:.2f}" for name, rank in zip(ranking.systems, ranking.ranks, strict=True))
    alike = "; ".join(
        f"{ranking.systems[first]} to {ranking.systems[last]}" for first, last in ranking.groups
    )
    return (
        f"Mean ranks, 1 being best: {ranks}. Critical difference {ranking.difference:.2f} by Nemenyi's test "
        f"at 5 %; Friedman's p {ranking.p:.2g}. Not told apart: {alike or 'none'}."
    )


def _write_name(name: str, y: float) -> str:
    """Write a name before its rank; a long one in small letters, since two may differ in the middle only."""
    room = _LABELS - 54
    is_long = fit_label(name, room) != name
    label = fit_label(name, room / _SMALL) if is_long else name
    return write(_LABELS - 42, y, label, "end small" if is_long else "end")
