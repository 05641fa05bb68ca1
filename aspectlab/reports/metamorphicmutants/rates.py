"""Rates: what share of its cases every relation notices of each mutant, beside what gold labels notice."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from aspectlab.metamorphic.mutantruns import MutantRun
from aspectlab.reports.metamorphicmutants.grid import list_names
from aspectlab.reports.metamorphicmutants.signs import draw_title
from aspectlab.reports.runs.plots.axes import (
    Scale,
    diamond,
    dot,
    draw_scale,
    fit_label,
    fit_scale,
    line,
    write,
)
from aspectlab.reports.runs.plots.picture import WIDTH, Picture
from aspectlab.reports.runs.table import make_slug

_LEFT, _RIGHT, _TOP = 46, WIDTH - 10, 42
_LABEL, _LANE, _GAP = 15, 12, 5
_GOLD = "gold labels"


class _Lane(NamedTuple):
    """One kind of mutants: what each loses, the mean, and what gold labels have for the mean."""

    operator: str
    values: tuple[float, ...]
    mean: float
    gold: float | None = None


def draw_rates(run: MutantRun) -> Picture:
    """Draw a lane per relation and operator: every mutant, their mean, and the mean of gold labels."""
    lanes = _list_lanes(run)
    shares = [100 * rate for rows in lanes.values() for lane in rows for rate in (*lane.values, lane.mean)]
    scale = fit_scale([0.0, *shares], _LEFT, _RIGHT)
    elements: list[str] = []
    y = float(_TOP)
    for name, rows in lanes.items():
        elements.append(write(0, y + 10, name, "strong"))
        for number, lane in enumerate(rows):
            elements += _draw_lane(lane, scale, y + _LABEL + _LANE * (number + 0.5))
        y += _LABEL + _LANE * len(rows) + _GAP
    what = "what each mutant loses, percent"
    return Picture(
        name=make_slug("rates", run.model, run.corpus),
        title=f"{run.name}: {what}",
        words=_say(run),
        height=y + 36,
        elements=(
            *draw_title(run.name, what),
            *draw_scale(scale, _TOP - 6, y),
            *elements,
            *_draw_key(y + 30),
        ),
    )


def _list_lanes(run: MutantRun) -> dict[str, list[_Lane]]:
    """Give the lanes of gold labels, which are the same for all relations, and those of every relation."""
    relations, _ = list_names(run)
    gold = {each.operator: _Lane(each.operator, each.references, each.reference) for each in run.comparisons}
    lanes = {_GOLD: [*gold.values()]}
    for relation in relations:
        rows = [each for each in run.comparisons if each.relation == relation]
        lanes[relation] = [_Lane(each.operator, each.values, each.vr, each.reference) for each in rows]
    return lanes


def _draw_lane(lane: _Lane, scale: Scale, y: float) -> Iterator[str]:
    yield write(_LEFT - 6, y + 3, fit_label(lane.operator, _LEFT), "quiet end")
    mean = scale(100 * lane.mean)
    if lane.gold is not None:
        yield line((scale(100 * lane.gold), y), (mean, y), "mean")
    yield from (dot(scale(100 * value), y, "run", 2.2) for value in lane.values)
    yield line((mean, y - 5), (mean, y + 5), "mean")
    if lane.gold is not None:
        yield diamond(scale(100 * lane.gold), y, "print", 4.0)


def _draw_key(y: float) -> Iterator[str]:
    """Say what the signs mean."""
    yield dot(6, y - 3.5, "run", 2.2)
    yield write(14, y, "a mutant", "quiet")
    yield line((80, y - 8.5), (80, y + 1.5), "mean")
    yield write(86, y, "mean of the mutants", "quiet")
    yield diamond(206, y - 3.5, "print", 4.0)
    yield write(215, y, "their mean by gold labels", "quiet")


def _say(run: MutantRun) -> str:
    """Give the means in words."""
    said = (
        f"{each.relation} {each.operator} {100 * each.vr:.1f} %, gold {100 * each.reference:.1f} %"
        for each in run.comparisons
    )
    return "; ".join(said) + "."
