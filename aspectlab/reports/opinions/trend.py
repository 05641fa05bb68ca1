"""Trends: the share of positive opinions over time, with its interval and the number of opinions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from aspectlab.insight.aggregate import Counts
from aspectlab.reports.shares import SIGNS, Share, say_share, share_positive

MAX_PERIODS = 48
"""More months than this are joined to quarters, more quarters to years."""

_MONTH = re.compile(r"[0-9]{4}-(0[1-9]|1[0-2])")
_SLIP_SHARE = 0.01
_WIDTH, _HEIGHT = 320, 132
_LEFT, _RIGHT, _TOP, _BOTTOM = 42, 312, 8, 84
_BASE, _COLUMN = 112, 20


class Period(NamedTuple):
    """A month, quarter or year and its opinions; the numbers of neighbours differ by one."""

    name: str
    counts: Counts
    number: int


@dataclass(frozen=True, slots=True)
class Axis:
    """The periods that trends have in common, so that their pictures can be compared."""

    size: int
    numbers: tuple[int, ...]

    def join(self, months: Mapping[str, Counts]) -> list[Period]:
        """Join the counts of months (`2025-03`) to those of periods; a period may have none."""
        joined = _join(months, self.size)
        return [Period(self._name(number), joined.get(number, Counts()), number) for number in self.numbers]

    def _name(self, number: int) -> str:
        year, part = divmod(number, 12 // self.size)
        return {1: f"{year:04}-{part + 1:02}", 3: f"{year:04} Q{part + 1}", 12: f"{year:04}"}[self.size]


def make_axis(months: Mapping[str, Counts]) -> Axis:
    """Choose months with those between them or, where these are many, quarters or years.

    >>> axis = make_axis({"2025-01": Counts(1), "2025-03": Counts(1)})
    >>> [period.name for period in axis.join({})]
    ['2025-01', '2025-02', '2025-03']
    """
    kept = _leave_out_slips(months)
    for size in (1, 3, 12):
        joined = _join(kept, size)
        first, last = min(joined, default=0), max(joined, default=-1)
        if last - first < MAX_PERIODS:
            return Axis(size, tuple(range(first, last + 1)))
    # dates decades apart: the years with most opinions, without those between
    largest = Counter({number: counts.total for number, counts in joined.items()})
    return Axis(size, tuple(sorted(number for number, _ in largest.most_common(MAX_PERIODS))))


def is_month(name: str) -> bool:
    """Tell a month from what only looks like one.

    >>> is_month("2025-12"), is_month("2025-13"), is_month("soon")
    (True, False, False)
    """
    return _MONTH.fullmatch(name) is not None


def _leave_out_slips(months: Mapping[str, Counts]) -> dict[str, Counts]:
    """Leave out months that are years away from the others and hold hardly an opinion, as 1970 may."""
    far, few = MAX_PERIODS, _SLIP_SHARE * sum(counts.total for counts in months.values())
    runs: list[list[str]] = []
    for month in sorted(months):
        if not runs or _number(month) - _number(runs[-1][-1]) >= far:
            runs.append([])
        runs[-1].append(month)
    return {
        month: months[month]
        for run in runs
        if sum(months[month].total for month in run) >= few
        for month in run
    }


def _number(month: str) -> int:
    """Count the months since the year 0."""
    return int(month[:4]) * 12 + int(month[5:7]) - 1


def _join(months: Mapping[str, Counts], size: int) -> dict[int, Counts]:
    joined: dict[int, Counts] = {}
    for month, counts in months.items():
        number = _number(month) // size
        before = joined.get(number, Counts())
        sums = {kind: getattr(before, kind) + getattr(counts, kind) for kind in SIGNS}
        joined[number] = Counts(**sums)
    return joined


def draw_trend(periods: list[Period]) -> str:
    """Draw one line of shares with its interval as a band, over columns of counts."""
    shares = [share_positive(period.counts) for period in periods]
    parts = [*_draw_axes(periods), *_draw_columns(periods)]
    drawn = [k for k, period in enumerate(periods) if period.counts.total]
    # a period without opinions breaks the line: neighbours differ by one within a run
    for _, run in groupby(enumerate(drawn), key=lambda pair: periods[pair[1]].number - pair[0]):
        places = [k for _, k in run]
        parts += _draw_run(places, [shares[k] for k in places], len(periods))
    parts += [_draw_dot(k, periods[k], shares[k], len(periods)) for k in drawn]
    return (
        f'<svg class="trend" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{_say(periods)}">'
        + "".join(parts)
        + "</svg>"
    )


def _say(periods: list[Period]) -> str:
    """Describe a picture for those who do not see it."""
    ends = (period for period in (periods[0], periods[-1]) if period.counts.total)
    return "Share of positive opinions. " + "; ".join(map(_say_period, ends))


def _say_period(period: Period) -> str:
    return f"{period.name}: {say_share(share_positive(period.counts))} of {period.counts.total:,}"


def _draw_axes(periods: list[Period]) -> Iterator[str]:
    for percent in (0, 50, 100):
        y = _y(percent / 100)
        yield f'<line class="axis" x1="{_LEFT}" x2="{_RIGHT}" y1="{y}" y2="{y}"/>'
        yield f'<text class="end" x="{_LEFT - 4}" y="{y + 4:g}">{percent} %</text>'
    y = _HEIGHT - 4
    yield f'<text x="{_LEFT}" y="{y}">{periods[0].name}</text>'
    if len(periods) > 1:
        yield f'<text class="end" x="{_RIGHT}" y="{y}">{periods[-1].name}</text>'


def _draw_columns(periods: list[Period]) -> Iterator[str]:
    largest = max(1, *(period.counts.total for period in periods))
    width = min(12.0, 0.7 * (_RIGHT - _LEFT) / len(periods))
    for k, period in enumerate(periods):
        height = _COLUMN * period.counts.total / largest
        x, y = _x(k, len(periods)) - width / 2, _BASE - height
        if height:
            yield f'<rect class="column" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"/>'
    yield f'<text class="end" x="{_LEFT - 4}" y="{_BASE - _COLUMN + 8}">{largest:,}</text>'


def _draw_run(places: list[int], shares: list[Share], number: int) -> Iterator[str]:
    """Draw the band and the line of neighbouring periods."""
    columns = [_x(k, number) for k in places]
    high = [f"{x:.1f},{_y(share.high)}" for x, share in zip(columns, shares, strict=True)]
    low = [f"{x:.1f},{_y(share.low)}" for x, share in zip(columns, shares, strict=True)]
    line = [f"{x:.1f},{_y(share.value)}" for x, share in zip(columns, shares, strict=True)]
    if len(places) == 1:
        x = f"{columns[0]:.1f}"
        yield f'<line class="reach" x1="{x}" x2="{x}" y1="{_y(shares[0].high)}" y2="{_y(shares[0].low)}"/>'
        return
    yield f'<polygon class="band" points="{" ".join([*high, *reversed(low)])}"/>'
    yield f'<polyline class="line" points="{" ".join(line)}"/>'


def _draw_dot(place: int, period: Period, share: Share, number: int) -> str:
    return (
        f'<circle class="dot" cx="{_x(place, number):.1f}" cy="{_y(share.value)}" r="2.5">'
        f"<title>{_say_period(period)}</title></circle>"
    )


def _x(place: int, number: int) -> float:
    """Give the middle of a period's column; periods share the width equally."""
    return _LEFT + (_RIGHT - _LEFT) * (place + 0.5) / number


def _y(share: float) -> float:
    return round(_BOTTOM - (_BOTTOM - _TOP) * share, 1)
