"""Bars: what papers printed, what a paper reproduced, and what the runs here gave, one under another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from aspectlab.reports.runs.measures import name_metric
from aspectlab.reports.runs.plots.axes import Scale, box, draw_scale, fit_label, line, write, write_title
from aspectlab.reports.runs.plots.picture import WIDTH, Picture
from aspectlab.reports.runs.summary import Cell, Section
from aspectlab.reports.runs.table import make_slug, say_spread

_LEFT, _END = 4, 200
_TOP, _LABEL, _BAR, _GAP = 24, 15, 12, 9


class _Bar(NamedTuple):
    """One bar: its length, its deviation, the kind that the style knows, and whose value it is."""

    value: float
    std: float | None
    kind: str
    whose: str


def draw_bars(section: Section, metric: str) -> Picture | None:
    """Draw the systems that papers have printed values for; None if there is none."""
    known = [(cell.system.name, _list_bars(cell)) for cell in section.columns[metric] if cell.gaps]
    if not known:
        return None
    scale = Scale(0, 100, _LEFT, _END)
    elements: list[str] = []
    y = float(_TOP)
    for name, bars in known:
        elements += _draw_row(name, bars, scale, y)
        y += _LABEL + _BAR * len(bars) + _GAP
    title = f"{section.target}: {name_metric(metric)} here and in papers"
    return Picture(
        name=make_slug("papers", *section.target, metric),
        title=title,
        words="; ".join(f"{name}: {', '.join(map(_say, bars))}" for name, bars in known) + ".",
        height=y + 18,
        elements=(
            write_title(title),
            *draw_scale(scale, _TOP - 4, y),
            *elements,
        ),
    )


def _list_bars(cell: Cell) -> list[_Bar]:
    bars = [_Bar(cell.spread.mean, cell.spread.std, "here", "here")]
    for kind, style in (("reproduced", "again"), ("published", "printed")):
        bars += [
            _Bar(gap.fact.value, gap.fact.std, style, f"{kind}{'!' if gap.fact.is_misprint else ''}")
            for gap in cell.gaps
            if gap.fact.kind == kind
        ]
    return bars


def _draw_row(name: str, bars: list[_Bar], scale: Scale, y: float) -> Iterator[str]:
    yield write(_LEFT, y + 10, fit_label(name, WIDTH - _LEFT))
    for number, bar in enumerate(bars):
        top = y + _LABEL + _BAR * number
        middle = top + (_BAR - 2) / 2
        yield box(_LEFT, top, scale(bar.value) - _LEFT, _BAR - 2, bar.kind)
        if bar.std is not None:
            low, high = scale(max(bar.value - bar.std, 0)), scale(min(bar.value + bar.std, 100))
            yield line((low, middle), (high, middle), "reach")
            yield from (line((x, middle - 3), (x, middle + 3), "reach") for x in (low, high))
        yield write(_END + 10, middle + 3.5, f"{say_spread(bar.value, bar.std)} {bar.whose}", "quiet")


def _say(bar: _Bar) -> str:
    return f"{say_spread(bar.value, bar.std)} {bar.whose.removesuffix('!')}"
