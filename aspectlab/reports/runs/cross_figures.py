"""Pictures across test sets: mean ranks, violation rates against F1, and accuracy by number of additions."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import fsum
from typing import NamedTuple

from aspectlab.reports.runs.significance import group_by_split, is_lower_better, name_metric, order_metric
from aspectlab.reports.runs.summary import Section
from aspectlab.reports.runs.table import make_slug
from aspectlab.reports.svg import (
    AXES_BOTTOM,
    WIDTH,
    Axes,
    Picture,
    Scale,
    draw_axes,
    draw_curve,
    draw_dot,
    draw_line,
    draw_marker,
    draw_scale,
    draw_series_legend,
    draw_text,
    draw_title,
    fit_axes,
    fit_label,
    series_legend_height,
)
from aspectlab.stats import critical_difference, friedman, mean_ranks


def list_joint_figures(sections: Sequence[Section]) -> list[Picture]:
    """Return the pictures that several test sets make together: ranks, violations and additions."""
    return [*_list_ranks(sections), *_list_corpus_figures(sections)]


def _list_ranks(sections: Sequence[Section]) -> Iterator[Picture]:
    """Return a ranking over corpora per task, kind of test set and metric."""
    kinds = sorted({(section.target.task, section.target.test) for section in sections})
    for task, test in kinds:
        if additions_of(test) is not None:
            continue
        members = [section for section in sections if section.target[::2] == (task, test)]
        for metric in sorted({metric for section in members for metric in section.columns}, key=order_metric):
            ranking = rank_systems(metric, members)
            if ranking:
                yield draw_ranks(task, test, metric, ranking)


def _list_corpus_figures(sections: Sequence[Section]) -> Iterator[Picture]:
    for (task, corpus), group in groupby(sections, key=lambda section: section.target[:2]):
        members = list(group)
        for draw in (draw_violations, draw_additions):
            picture = draw(task, corpus, members)
            if picture is not None:
                yield picture


MIN_SYSTEMS, MIN_BLOCKS = 3, 4
"""With fewer, ranks say nothing."""

_RANKS_LABELS, _RANKS_RIGHT = 178, WIDTH - 8
_SMALL_LETTER = 0.77  # how wide a small letter is, of one of the usual size
_RANKS_TOP, _RANKS_ROW, _GROUP_STEP, _GROUPS_WIDTH = 54, 17, 7.0, 36.0

CorpusSplit = tuple[str, int]
"""A corpus and a split."""


@dataclass(frozen=True, slots=True)
class SystemRanking:
    """Systems in the order of their mean ranks over the blocks that all of them have."""

    systems: tuple[str, ...]
    ranks: tuple[float, ...]
    blocks: tuple[CorpusSplit, ...]
    difference: float  # mean ranks closer than this cannot be told apart
    p: float  # of all systems being alike, by Friedman's test

    @property
    def groups(self) -> list[tuple[int, int]]:
        """First and last rank of every largest group of systems that cannot be told apart."""
        last = [
            max(k for k, rank in enumerate(self.ranks) if rank - first <= self.difference)
            for first in self.ranks
        ]
        return [
            (start, end)
            for start, end in enumerate(last)
            if end > start and (start == 0 or end > last[start - 1])
        ]


def rank_systems(metric: str, sections: Sequence[Section]) -> SystemRanking | None:
    """Rank systems over corpora x splits, runs of a split averaged; None where too few have enough."""
    sign = -1 if is_lower_better(metric) else 1
    scores: dict[str, dict[CorpusSplit, float]] = {}
    for section in sections:
        for cell in section.columns.get(metric, ()):
            for split, values in group_by_split(cell.values).items():
                block = (section.target.corpus, split)
                # the exact sum: the same values in another order must stay a tie
                scores.setdefault(cell.system.name, {})[block] = sign * fsum(values) / len(values)
    names, blocks = _largest_complete_table(scores)
    if len(names) < MIN_SYSTEMS or len(blocks) < MIN_BLOCKS:
        return None
    table = [[scores[name][block] for name in names] for block in blocks]
    found = sorted(zip(mean_ranks(table).tolist(), names, strict=True))
    return SystemRanking(
        systems=tuple(name for _, name in found),
        ranks=tuple(rank for rank, _ in found),
        blocks=tuple(blocks),
        difference=critical_difference(len(names), len(blocks)),
        p=friedman(table).p,
    )


def draw_ranks(task: str, test: str, metric: str, ranking: SystemRanking) -> Picture:
    """Draw the mean ranks, the critical difference, and a bar for each group that lies within it."""
    count = len(ranking.systems)
    groups = ranking.groups
    step = min(_GROUP_STEP, _GROUPS_WIDTH / max(len(groups), 1))
    scale = Scale(1, count, _RANKS_LABELS, _RANKS_RIGHT - step * max(len(groups), 1) - 6)
    bottom = _RANKS_TOP + _RANKS_ROW * count
    title = f"{_name_ranking(task, test)}: mean ranks by {name_metric(metric)}"
    return Picture(
        name=make_slug("ranks", task, test, metric),
        title=title,
        words=_describe_ranking(ranking),
        height=bottom + 32,
        elements=(
            draw_title(title),
            *draw_scale(Scale(1, count, scale.start, scale.end), _RANKS_TOP - 4, bottom),
            *_draw_difference(ranking.difference, scale),
            *_draw_systems(ranking, scale),
            *_draw_groups(groups, scale.end + 10, step),
            draw_text(
                _RANKS_LABELS, bottom + 27, f"mean rank over {len(ranking.blocks)} corpora × splits", "quiet"
            ),
        ),
    )


def _largest_complete_table(
    scores: Mapping[str, Mapping[CorpusSplit, float]],
) -> tuple[list[str], list[CorpusSplit]]:
    """Choose systems and blocks so that every system has every block and the table is as large as can be."""
    blocks = sorted(
        {block for row in scores.values() for block in row},
        key=lambda block: (-sum(block in row for row in scores.values()), block),
    )
    best: tuple[list[str], list[CorpusSplit]] = ([], [])
    for number in range(MIN_BLOCKS, len(blocks) + 1):
        chosen = blocks[:number]
        names = sorted(name for name, row in scores.items() if all(block in row for block in chosen))
        if len(names) >= MIN_SYSTEMS and len(names) * number > len(best[0]) * len(best[1]):
            best = (names, sorted(chosen))
    return best


def _draw_difference(difference: float, scale: Scale) -> Iterator[str]:
    """Draw how far two ranks must lie apart, cut at the end of the scale."""
    y, end = _RANKS_TOP - 18, scale(min(1 + difference, scale.high))
    yield draw_line((scale.start, y), (end, y), "reach")
    yield from (draw_line((x, y - 4), (x, y + 4), "reach") for x in (scale.start, end))
    more = "" if 1 + difference <= scale.high else " (beyond the scale)"
    yield draw_text(scale.start, y - 8, f"critical difference {difference:.2f}{more}", "quiet")


def _draw_systems(ranking: SystemRanking, scale: Scale) -> Iterator[str]:
    for number, (name, rank) in enumerate(zip(ranking.systems, ranking.ranks, strict=True)):
        y = _RANKS_TOP + _RANKS_ROW * (number + 0.5)
        yield _write_name(name, y + 4)
        yield draw_text(_RANKS_LABELS - 8, y + 4, f"{rank:.2f}", "quiet end")
        yield draw_dot(scale(rank), y, "run", 4)


def _draw_groups(groups: Sequence[tuple[int, int]], x: float, step: float) -> Iterator[str]:
    kind = "group" if step == _GROUP_STEP else "group fine"
    for number, (first, last) in enumerate(groups):
        left = x + step * number
        yield draw_line(
            (left, _RANKS_TOP + _RANKS_ROW * (first + 0.3)),
            (left, _RANKS_TOP + _RANKS_ROW * (last + 0.7)),
            kind,
        )


def _name_ranking(task: str, test: str) -> str:
    return " · ".join(part for part in (task.upper(), test) if part)


def _describe_ranking(ranking: SystemRanking) -> str:
    ranks = ", ".join(f"{name} {rank:.2f}" for name, rank in zip(ranking.systems, ranking.ranks, strict=True))
    alike = "; ".join(
        f"{ranking.systems[first]} to {ranking.systems[last]}" for first, last in ranking.groups
    )
    return (
        f"Mean ranks, 1 being best: {ranks}. Critical difference {ranking.difference:.2f} by Nemenyi's test "
        f"at 5 %; Friedman's p {ranking.p:.2g}. Not told apart: {alike or 'none'}."
    )


def _write_name(name: str, y: float) -> str:
    """Draw a name before its rank; a long one in small letters, since two may differ in the middle only."""
    room = _RANKS_LABELS - 54
    is_long = fit_label(name, room) != name
    label = fit_label(name, room / _SMALL_LETTER) if is_long else name
    return draw_text(_RANKS_LABELS - 42, y, label, "end small" if is_long else "end")


_RATE_METRIC, _SCORE_METRIC = "vr", "f1"
_MIN_POINTS = 2
_NUMBER_OFFSETS = ((11.0, 0.0), (-11.0, 0.0), (0.0, -11.0), (0.0, 11.0), (9.0, -9.0), (-9.0, 9.0))
_MIN_DISTANCE = 10.0


class _Point(NamedTuple):
    """One system: its name, its mean F1 and its mean violation rate."""

    name: str
    score: float
    rate: float


def draw_violations(task: str, corpus: str, sections: Sequence[Section]) -> Picture | None:
    """Draw the systems of one corpus that have both; they may come from two test sets. None if too few do."""
    points = _list_points(sections)
    if len(points) < _MIN_POINTS:
        return None
    frame = fit_axes([point.score for point in points], [point.rate for point in points])
    names = [f"{number} {point.name}" for number, point in enumerate(points, start=1)]
    positions = [(frame.across(point.score), frame.up(point.rate)) for point in points]
    title = f"{task.upper()} · {corpus}: violation rate against F1"
    said = (f"{point.name} F1 {point.score:.2f}, violation rate {point.rate:.2f}" for point in points)
    return Picture(
        name=make_slug("violations", task, corpus),
        title=title,
        words="; ".join(said) + ".",
        height=AXES_BOTTOM + 40 + series_legend_height(names),
        elements=(
            draw_title(title),
            *draw_axes(frame, "F1, percent", "violation rate, percent: lower is better"),
            *(draw_marker(number, *position) for number, position in enumerate(positions)),
            *_draw_point_numbers(positions),
            *draw_series_legend(names, AXES_BOTTOM + 44),
        ),
    )


def _draw_point_numbers(positions: Sequence[tuple[float, float]]) -> Iterator[str]:
    """Draw its number beside each point, where no point and no other number stands."""
    taken = list(positions)
    for number, (x, y) in enumerate(positions, start=1):
        spots = [(x + right, y + down) for right, down in _NUMBER_OFFSETS]
        others = [position for position in taken if position != (x, y)]
        spot = max(
            spots, key=lambda spot: min((_distance(spot, other) for other in others), default=_MIN_DISTANCE)
        )
        near = next(
            (spot for spot in spots if all(_distance(spot, other) >= _MIN_DISTANCE for other in others)), spot
        )
        taken.append(near)
        yield draw_text(near[0], near[1] + 3.5, str(number), "quiet middle")


def _distance(first: tuple[float, float], second: tuple[float, float]) -> float:
    return max(abs(first[0] - second[0]), abs(first[1] - second[1]))


def _list_points(sections: Sequence[Section]) -> list[_Point]:
    """Return the systems that have both values, those with the lowest rate first."""
    means: dict[str, dict[str, float]] = {_RATE_METRIC: {}, _SCORE_METRIC: {}}
    # the same metric may be there of other test sets too: the usual one goes first
    for section in sorted(sections, key=lambda section: section.target.test != "test"):
        for metric, found in means.items():
            for cell in section.columns.get(metric, ()):
                found.setdefault(cell.system.name, cell.spread.mean)
    scores, rates = means[_SCORE_METRIC], means[_RATE_METRIC]
    points = [_Point(name, scores[name], rates[name]) for name in scores if name in rates]
    return sorted(points, key=lambda point: (point.rate, point.name))


_ADDITIONS_TEST = re.compile(r"adddiff-(\d+)")
_ADDITIONS_METRIC = "accuracy"
_MIN_CURVE = 2
_MIN_K_RANGE = 5  # a narrower scale would have ticks between the whole numbers

AccuracyByK = Mapping[int, float]


def additions_of(test: str) -> int | None:
    """Return k of a test set with that many additions; None for any other.

    >>> additions_of("adddiff-3"), additions_of("test")
    (3, None)
    """
    found = _ADDITIONS_TEST.fullmatch(test)
    return int(found.group(1)) if found else None


def draw_additions(task: str, corpus: str, sections: Sequence[Section]) -> Picture | None:
    """Draw a line per system over k; None where there are fewer than two k."""
    curves = {name: curve for name, curve in _list_curves(sections).items() if len(curve) >= _MIN_CURVE}
    if not curves:
        return None
    frame = fit_axes(
        [k for curve in curves.values() for k in curve],
        [value for curve in curves.values() for value in curve.values()],
        least=_MIN_K_RANGE,
    )
    title = f"{task.upper()} · {corpus}: accuracy against k of ADDDIFF"
    return Picture(
        name=make_slug("additions", task, corpus),
        title=title,
        words="; ".join(f"{name}: {_describe_curve(curve)}" for name, curve in curves.items()) + ".",
        height=AXES_BOTTOM + 40 + series_legend_height([*curves]),
        elements=(
            draw_title(title),
            *draw_axes(frame, "sentences added (k)", "accuracy, percent"),
            *(
                part
                for number, curve in enumerate(curves.values())
                for part in _draw_curve_points(number, curve, frame)
            ),
            *draw_series_legend([*curves], AXES_BOTTOM + 44),
        ),
    )


def _list_curves(sections: Sequence[Section]) -> dict[str, AccuracyByK]:
    """Return the means by k of every system, the best at the largest k first."""
    curves: dict[str, dict[int, float]] = {}
    for section in sections:
        k = additions_of(section.target.test)
        if k is not None:
            for cell in section.columns.get(_ADDITIONS_METRIC, ()):
                curves.setdefault(cell.system.name, {})[k] = cell.spread.mean
    return dict(sorted(curves.items(), key=lambda item: (-item[1][max(item[1])], item[0])))


def _draw_curve_points(number: int, curve: AccuracyByK, frame: Axes) -> list[str]:
    points = [(frame.across(k), frame.up(curve[k])) for k in sorted(curve)]
    return [draw_curve(number, points), *(draw_marker(number, x, y) for x, y in points)]


def _describe_curve(curve: AccuracyByK) -> str:
    return ", ".join(f"{curve[k]:.2f} at k = {k}" for k in sorted(curve))
