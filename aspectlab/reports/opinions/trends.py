"""Trends of the report on opinions: everything, the main aspects and the main groups over time."""

from __future__ import annotations

from collections.abc import Mapping

from aspectlab.insight.aggregate import Aggregate, Counts
from aspectlab.reports.opinions.tables import MAX_NAME
from aspectlab.reports.opinions.trend import Axis, Period, draw_trend, is_month, make_axis
from aspectlab.reports.page import show
from aspectlab.reports.shares import SIGNS, in_order, say_number, say_share, share_positive

_ASPECTS, _GROUPS = 8, 6
_ENOUGH = 4
"""So many opinions a period, on average, make a trend; the line of fewer only jumps between 0 and 100 %."""


def render_trends(aggregate: Aggregate) -> str:
    """Give the pictures over time and the figures of the first; a sentence if there are no dates."""
    months = [part for part in aggregate.months if is_month(part.name)]
    everything = {part.name: part.counts for part in months}
    axis = make_axis(everything)
    periods = axis.join(everything)
    if len(periods) < 2:
        why = f"all dates lie in {periods[0].name}" if periods else "the reviews carry no dates"
        return f"<p>There is no trend to show: {why}.</p>"
    aspects = {
        category.name: {part.name: part.categories.get(category.name, Counts()) for part in months}
        for category in aggregate.categories[:_ASPECTS]
    }
    groups = {
        group.name: dict(filter(_has_month, group.months.items())) for group in aggregate.groups[:_GROUPS]
    }
    pictures = [_render_card("All aspects", periods), *_render_cards(aspects, axis)]
    by_group = _render_cards(groups, axis) if len(groups) > 1 else []
    missing = sum(counts.total for counts in everything.values()) - sum(each.counts.total for each in periods)
    return f"{_say_axis(axis, missing)}\n{_join_cards(pictures)}\n{_render_figures(periods)}" + (
        f"<h3>By group</h3>\n{_join_cards(by_group)}" if by_group else ""
    )


def _render_cards(months: Mapping[str, Mapping[str, Counts]], axis: Axis) -> list[str]:
    """Draw those of which enough is said for a trend."""
    joined = {name: axis.join(found) for name, found in months.items()}
    return [
        _render_card(name, periods)
        for name, periods in joined.items()
        if sum(period.counts.total for period in periods) >= _ENOUGH * len(periods)
    ]


def _has_month(item: tuple[str, Counts]) -> bool:
    return is_month(item[0])


def _join_cards(cards: list[str]) -> str:
    return '<div class="cards">\n' + "\n".join(cards) + "\n</div>"


def _say_axis(axis: Axis, missing: int) -> str:
    unit = {1: "month", 3: "quarter", 12: "year"}[axis.size]
    far = f" Left out: {say_number(missing, 'opinion')}, dated years away from the others."
    return (
        f"<p>Share of positive opinions in each {unit} with its 95 % interval; "
        "the columns are the number of opinions, the highest with its figure. Aspects and groups with fewer "
        f"than {_ENOUGH} opinions a {unit} are not drawn.{far if missing else ''}</p>"
    )


def _render_card(name: str, periods: list[Period]) -> str:
    caption = f"<figcaption><bdi>{show(name, MAX_NAME)}</bdi></figcaption>"
    return f"<figure>{caption}{draw_trend(periods)}</figure>"


def _render_figures(periods: list[Period]) -> str:
    """Give the figures of all aspects as a table, for those who do not see pictures."""
    heads = "".join(f'<th scope="col">{SIGNS[polarity]} {polarity}</th>' for polarity in SIGNS)
    rows = "".join(
        f'<tr><th scope="row">{period.name}</th>'
        + "".join(f"<td>{count:,}</td>" for count in in_order(period.counts).values())
        + f"<td>{say_share(share_positive(period.counts)) if period.counts.total else ''}</td></tr>"
        for period in periods
    )
    head = f'<tr><th scope="col">Period</th>{heads}<th scope="col">Positive share</th></tr>'
    return f"<details><summary>All aspects in figures</summary><table>{head}{rows}</table></details>\n"
