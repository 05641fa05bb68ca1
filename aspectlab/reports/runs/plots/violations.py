"""Violations: the violation rate of every system against its F1, as in Figure 3 of the MATO paper."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from aspectlab.reports.runs.plots.axes import write, write_title
from aspectlab.reports.runs.plots.frame import BOTTOM, draw_frame, fit_frame
from aspectlab.reports.runs.plots.picture import Picture
from aspectlab.reports.runs.plots.series import draw_key, draw_marker, key_height
from aspectlab.reports.runs.summary import Section
from aspectlab.reports.runs.table import make_slug

_RATE, _SCORE = "vr", "f1"
_LEAST = 2
_BESIDE = ((11.0, 0.0), (-11.0, 0.0), (0.0, -11.0), (0.0, 11.0), (9.0, -9.0), (-9.0, 9.0))
_FAR = 10.0


class _Point(NamedTuple):
    """One system: its name, its mean F1 and its mean violation rate."""

    name: str
    score: float
    rate: float


def draw_violations(task: str, corpus: str, sections: Sequence[Section]) -> Picture | None:
    """Draw the systems of one corpus that have both; they may come from two test sets. None if too few do."""
    points = _list_points(sections)
    if len(points) < _LEAST:
        return None
    frame = fit_frame([point.score for point in points], [point.rate for point in points])
    names = [f"{number} {point.name}" for number, point in enumerate(points, start=1)]
    places = [(frame.across(point.score), frame.up(point.rate)) for point in points]
    title = f"{task.upper()} · {corpus}: violation rate against F1"
    said = (f"{point.name} F1 {point.score:.2f}, violation rate {point.rate:.2f}" for point in points)
    return Picture(
        name=make_slug("violations", task, corpus),
        title=title,
        words="; ".join(said) + ".",
        height=BOTTOM + 40 + key_height(names),
        elements=(
            write_title(title),
            *draw_frame(frame, "F1, percent", "violation rate, percent: lower is better"),
            *(draw_marker(number, *place) for number, place in enumerate(places)),
            *_draw_numbers(places),
            *draw_key(names, BOTTOM + 44),
        ),
    )


def _draw_numbers(places: Sequence[tuple[float, float]]) -> Iterator[str]:
    """Write its number beside each point, where no point and no other number stands."""
    taken = list(places)
    for number, (x, y) in enumerate(places, start=1):
        spots = [(x + right, y + down) for right, down in _BESIDE]
        others = [place for place in taken if place != (x, y)]
        spot = max(spots, key=lambda spot: min((_distance(spot, other) for other in others), default=_FAR))
        near = next((spot for spot in spots if all(_distance(spot, other) >= _FAR for other in others)), spot)
        taken.append(near)
        yield write(near[0], near[1] + 3.5, str(number), "quiet middle")


def _distance(first: tuple[float, float], second: tuple[float, float]) -> float:
    return max(abs(first[0] - second[0]), abs(first[1] - second[1]))


def _list_points(sections: Sequence[Section]) -> list[_Point]:
    """Give the systems that have both values, those with the lowest rate first."""
    means: dict[str, dict[str, float]] = {_RATE: {}, _SCORE: {}}
    # the same metric may be there of other test sets too: the usual one goes first
    for section in sorted(sections, key=lambda section: section.target.test != "test"):
        for metric, found in means.items():
            for cell in section.columns.get(metric, ()):
                found.setdefault(cell.system.name, cell.spread.mean)
    scores, rates = means[_SCORE], means[_RATE]
    points = [_Point(name, scores[name], rates[name]) for name in scores if name in rates]
    return sorted(points, key=lambda point: (point.rate, point.name))
