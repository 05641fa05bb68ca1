"""Trends: the share of positive opinions over time, with its confidence interval and the number of
opinions.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from aspectlab.analysis.aggregate import Aggregate
from aspectlab.analysis.tables import MAX_NAME
from aspectlab.data import PolarityCounts
from aspectlab.reports import (
    POLARITY_SIGNS,
    ShareEstimate,
    escape_html,
    estimate_positive,
    format_count,
    format_share,
    order_by_polarity,
)

_ASPECTS, _GROUPS = 8, 6
_ENOUGH = 4
"""So many opinions a period, on average, make a trend; the line of fewer only jumps between 0 and 100 %."""


def render_trends(aggregate: Aggregate) -> str:
    """Return the pictures over time and the figures of the first; a sentence if there are no dates."""
    months = [part for part in aggregate.months if is_month(part.name)]
    everything = {part.name: part.counts for part in months}
    axis = make_time_axis(everything)
    periods = axis.join(everything)
    if len(periods) < 2:
        why = f"all dates lie in {periods[0].name}" if periods else "the reviews carry no dates"
        return f"<p>There is no trend to show: {why}.</p>"
    aspects = {
        category.name: {part.name: part.categories.get(category.name, PolarityCounts()) for part in months}
        for category in aggregate.categories[:_ASPECTS]
    }
    groups = {
        group.name: dict(filter(_has_month, group.months.items())) for group in aggregate.groups[:_GROUPS]
    }
    pictures = [_render_card("All aspects", periods), *_render_cards(aspects, axis)]
    by_group = _render_cards(groups, axis) if len(groups) > 1 else []
    missing = sum(counts.total for counts in everything.values()) - sum(each.counts.total for each in periods)
    return f"{_format_axis(axis, missing)}\n{_join_cards(pictures)}\n{_render_figures(periods)}" + (
        f"<h3>By group</h3>\n{_join_cards(by_group)}" if by_group else ""
    )


def _render_cards(months: Mapping[str, Mapping[str, PolarityCounts]], axis: TimeAxis) -> list[str]:
    """Draw those of which enough is said for a trend."""
    joined = {name: axis.join(found) for name, found in months.items()}
    return [
        _render_card(name, periods)
        for name, periods in joined.items()
        if sum(period.counts.total for period in periods) >= _ENOUGH * len(periods)
    ]


def _has_month(item: tuple[str, PolarityCounts]) -> bool:
    return is_month(item[0])


def _join_cards(cards: list[str]) -> str:
    return '<div class="cards">\n' + "\n".join(cards) + "\n</div>"


def _format_axis(axis: TimeAxis, missing: int) -> str:
    unit = {1: "month", 3: "quarter", 12: "year"}[axis.size]
    far = f" Left out: {format_count(missing, 'opinion')}, dated years away from the others."
    return (
        f"<p>Share of positive opinions in each {unit} with its 95 % confidence interval; "
        "the columns are the number of opinions, the highest with its figure. Aspects and groups with fewer "
        f"than {_ENOUGH} opinions a {unit} are not drawn.{far if missing else ''}</p>"
    )


def _render_card(name: str, periods: list[Period]) -> str:
    caption = f"<figcaption><bdi>{escape_html(name, MAX_NAME)}</bdi></figcaption>"
    return f"<figure>{caption}{draw_trend(periods)}</figure>"


def _render_figures(periods: list[Period]) -> str:
    """Return the figures of all aspects as a table, for those who do not see pictures."""
    heads = "".join(
        f'<th scope="col">{POLARITY_SIGNS[polarity]} {polarity}</th>' for polarity in POLARITY_SIGNS
    )
    rows = "".join(
        f'<tr><th scope="row">{period.name}</th>'
        + "".join(f"<td>{count:,}</td>" for count in order_by_polarity(period.counts).values())
        + f"<td>{format_share(estimate_positive(period.counts)) if period.counts.total else ''}</td></tr>"
        for period in periods
    )
    head = f'<tr><th scope="col">Period</th>{heads}<th scope="col">Positive share</th></tr>'
    return f"<details><summary>All aspects in figures</summary><table>{head}{rows}</table></details>\n"


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
    counts: PolarityCounts
    number: int


@dataclass(frozen=True, slots=True)
class TimeAxis:
    """The periods that trends have in common, so that their pictures can be compared."""

    size: int
    numbers: tuple[int, ...]

    def join(self, months: Mapping[str, PolarityCounts]) -> list[Period]:
        """Join the counts of months (`2025-03`) to those of periods; a period may have none."""
        joined = _join(months, self.size)
        return [
            Period(self._name(number), joined.get(number, PolarityCounts()), number)
            for number in self.numbers
        ]

    def _name(self, number: int) -> str:
        year, part = divmod(number, 12 // self.size)
        return {1: f"{year:04}-{part + 1:02}", 3: f"{year:04} Q{part + 1}", 12: f"{year:04}"}[self.size]


def make_time_axis(months: Mapping[str, PolarityCounts]) -> TimeAxis:
    """Choose months with those between them or, where these are many, quarters or years.

    >>> axis = make_time_axis({"2025-01": PolarityCounts(1), "2025-03": PolarityCounts(1)})
    >>> [period.name for period in axis.join({})]
    ['2025-01', '2025-02', '2025-03']
    """
    kept = _leave_out_slips(months)
    for size in (1, 3, 12):
        joined = _join(kept, size)
        first, last = min(joined, default=0), max(joined, default=-1)
        if last - first < MAX_PERIODS:
            return TimeAxis(size, tuple(range(first, last + 1)))
    # dates decades apart: the years with most opinions, without those between
    largest = Counter({number: counts.total for number, counts in joined.items()})
    return TimeAxis(size, tuple(sorted(number for number, _ in largest.most_common(MAX_PERIODS))))


def time_axis_of(aggregate: Aggregate) -> TimeAxis:
    """Return the periods of an analysis."""
    return make_time_axis({part.name: part.counts for part in aggregate.months if is_month(part.name)})


def is_month(name: str) -> bool:
    """Return whether a name is a month.

    >>> is_month("2025-12"), is_month("2025-13"), is_month("soon")
    (True, False, False)
    """
    return _MONTH.fullmatch(name) is not None


def _leave_out_slips(months: Mapping[str, PolarityCounts]) -> dict[str, PolarityCounts]:
    """Leave out months that are years away from the others and hold hardly an opinion, as 1970 may."""
    far, few = MAX_PERIODS, _SLIP_SHARE * sum(counts.total for counts in months.values())
    runs: list[list[str]] = []
    for month in sorted(months):
        if not runs or month_number(month) - month_number(runs[-1][-1]) >= far:
            runs.append([])
        runs[-1].append(month)
    return {
        month: months[month]
        for run in runs
        if sum(months[month].total for month in run) >= few
        for month in run
    }


def month_number(month: str) -> int:
    """Count the months since the year 0."""
    return int(month[:4]) * 12 + int(month[5:7]) - 1


def _join(months: Mapping[str, PolarityCounts], size: int) -> dict[int, PolarityCounts]:
    joined: dict[int, PolarityCounts] = {}
    for month, counts in months.items():
        number = month_number(month) // size
        before = joined.get(number, PolarityCounts())
        sums = {kind: getattr(before, kind) + getattr(counts, kind) for kind in POLARITY_SIGNS}
        joined[number] = PolarityCounts(**sums)
    return joined


def draw_trend(periods: list[Period]) -> str:
    """Draw one line of shares with its confidence interval as a band, over columns of counts."""
    shares = [estimate_positive(period.counts) for period in periods]
    parts = [*_draw_axes(periods), *_draw_columns(periods)]
    drawn = [k for k, period in enumerate(periods) if period.counts.total]
    # a period without opinions breaks the line: neighbours differ by one within a run
    for _, run in groupby(enumerate(drawn), key=lambda pair: periods[pair[1]].number - pair[0]):
        indices = [k for _, k in run]
        parts += _draw_run(indices, [shares[k] for k in indices], len(periods))
    parts += [_draw_dot(k, periods[k], shares[k], len(periods)) for k in drawn]
    return (
        f'<svg class="trend" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'aria-label="{_format_label(periods)}">' + "".join(parts) + "</svg>"
    )


def _format_label(periods: list[Period]) -> str:
    """Describe a picture for those who do not see it."""
    ends = (period for period in (periods[0], periods[-1]) if period.counts.total)
    return "Share of positive opinions. " + "; ".join(map(_format_period, ends))


def _format_period(period: Period) -> str:
    return f"{period.name}: {format_share(estimate_positive(period.counts))} of {period.counts.total:,}"


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


def _draw_run(indices: list[int], shares: list[ShareEstimate], number: int) -> Iterator[str]:
    """Draw the band and the line of neighbouring periods."""
    columns = [_x(k, number) for k in indices]
    high = [f"{x:.1f},{_y(share.high)}" for x, share in zip(columns, shares, strict=True)]
    low = [f"{x:.1f},{_y(share.low)}" for x, share in zip(columns, shares, strict=True)]
    line = [f"{x:.1f},{_y(share.value)}" for x, share in zip(columns, shares, strict=True)]
    if len(indices) == 1:
        x = f"{columns[0]:.1f}"
        yield f'<line class="reach" x1="{x}" x2="{x}" y1="{_y(shares[0].high)}" y2="{_y(shares[0].low)}"/>'
        return
    yield f'<polygon class="band" points="{" ".join([*high, *reversed(low)])}"/>'
    yield f'<polyline class="line" points="{" ".join(line)}"/>'


def _draw_dot(index: int, period: Period, share: ShareEstimate, number: int) -> str:
    return (
        f'<circle class="dot" cx="{_x(index, number):.1f}" cy="{_y(share.value)}" r="2.5">'
        f"<title>{_format_period(period)}</title></circle>"
    )


def _x(index: int, number: int) -> float:
    """Return the middle of a period's column; periods share the width equally."""
    return _LEFT + (_RIGHT - _LEFT) * (index + 0.5) / number


def _y(share: float) -> float:
    return round(_BOTTOM - (_BOTTOM - _TOP) * share, 1)
