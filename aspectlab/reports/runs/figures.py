"""Pictures of one test set: every run of every system, and what papers printed beside what the runs gave."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from aspectlab.reports.runs.significance import group_by_split, is_lower_better, name_metric
from aspectlab.reports.runs.summary import Cell, Section
from aspectlab.reports.runs.table import format_spread, make_slug
from aspectlab.reports.svg import (
    WIDTH,
    Picture,
    Scale,
    draw_box,
    draw_diamond,
    draw_dot,
    draw_line,
    draw_scale,
    draw_text,
    draw_title,
    fit_label,
    fit_scale,
)

_STRIPS_LEFT, _STRIPS_RIGHT = 22, WIDTH - 8
_STRIPS_LABEL, _STRIPS_LANE, _STRIPS_GAP, _STRIPS_TOP = 15, 10, 8, 24
_STRIPS_FOOT = 34


def list_section_figures(section: Section) -> list[Picture]:
    """Return the pictures of one test set: runs of every metric, and bars where papers say something."""
    return [
        picture
        for metric in section.columns
        for picture in (draw_strips(section, metric), draw_bars(section, metric))
        if picture is not None
    ]


def draw_strips(section: Section, metric: str) -> Picture:
    """Draw the runs of all systems by one metric, the best on top."""
    cells = _best_first(metric, section.columns[metric])
    printed = [_published_values(cell) for cell in cells]
    scale = fit_scale(
        [*_extremes(cells), *(value for values in printed for value in values)], _STRIPS_LEFT, _STRIPS_RIGHT
    )
    elements: list[str] = []
    y = float(_STRIPS_TOP)
    for cell, values in zip(cells, printed, strict=True):
        elements += _draw_strip(cell, values, scale, y)
        y += _strip_height(cell)
    title = f"{section.target}: {name_metric(metric)} of every run"
    return Picture(
        name=make_slug("runs", *section.target, metric),
        title=title,
        words=_describe_strips(cells),
        height=y + _STRIPS_FOOT,
        elements=(
            draw_title(title),
            *draw_scale(scale, _STRIPS_TOP - 4, y),
            *elements,
            *_draw_strips_legend(
                y + 27, any(printed), any(len(group_by_split(cell.values)) > 1 for cell in cells)
            ),
        ),
    )


def _best_first(metric: str, cells: Sequence[Cell]) -> list[Cell]:
    sign = 1 if is_lower_better(metric) else -1
    return sorted(cells, key=lambda cell: (sign * cell.spread.mean, cell.system))


def _published_values(cell: Cell) -> list[float]:
    return [gap.fact.value for gap in cell.gaps if gap.fact.kind == "published"]


def _extremes(cells: Sequence[Cell]) -> Iterator[float]:
    for cell in cells:
        spread = cell.spread
        yield from cell.values.values()
        yield from (spread.mean - (spread.std or 0), spread.mean + (spread.std or 0))


def _strip_height(cell: Cell) -> float:
    return _STRIPS_LABEL + _STRIPS_LANE * len(group_by_split(cell.values)) + _STRIPS_GAP


def _draw_strip(cell: Cell, printed: Sequence[float], scale: Scale, y: float) -> Iterator[str]:
    """Draw one system: its name and mean, and below them a lane per split."""
    spread, splits = cell.spread, group_by_split(cell.values)
    top, bottom = y + _STRIPS_LABEL, y + _STRIPS_LABEL + _STRIPS_LANE * len(splits)
    said = format_spread(spread.mean, spread.std)
    yield draw_text(_STRIPS_LEFT, y + 10, fit_label(cell.system.name, _STRIPS_RIGHT - _STRIPS_LEFT - 90))
    yield draw_text(_STRIPS_RIGHT, y + 10, said, "end")
    if spread.std is not None:
        low, high = scale(spread.mean - spread.std), scale(spread.mean + spread.std)
        yield draw_box(low, top, high - low, bottom - top, "band")
    for number, (split, values) in enumerate(splits.items()):
        middle = top + _STRIPS_LANE * (number + 0.5)
        if len(splits) > 1:
            yield draw_text(_STRIPS_LEFT - 5, middle + 3, str(split), "quiet end small")
            mean = scale(sum(values) / len(values))
            yield draw_line((mean, middle - 4), (mean, middle + 4), "tick")
        yield from (draw_dot(scale(value), middle, "run") for value in values)
    yield draw_line((scale(spread.mean), top - 1), (scale(spread.mean), bottom + 1), "mean")
    yield from (draw_diamond(scale(value), (top + bottom) / 2, "print") for value in printed)


def _draw_strips_legend(y: float, has_printed: bool, has_splits: bool) -> Iterator[str]:
    """Draw the legend."""
    items = ["run", "mean", "std"]
    items += ["split mean"] if has_splits else []
    items += ["published"] if has_printed else []
    x = 4.0
    for item in items:
        yield from _draw_sign(item, x + 6, y - 3.5)
        text = "± std" if item == "std" else item
        yield draw_text(x + 16, y, text, "quiet")
        x += 25 + 6.0 * len(text)


def _draw_sign(item: str, x: float, y: float) -> Iterator[str]:
    if item == "run":
        yield draw_dot(x, y, "run")
    elif item == "mean":
        yield draw_line((x, y - 5), (x, y + 5), "mean")
    elif item == "std":
        yield draw_box(x - 6, y - 5, 12, 10, "band")
    elif item == "split mean":
        yield draw_line((x, y - 4), (x, y + 4), "tick")
    else:
        yield draw_diamond(x, y, "print")


def _describe_strips(cells: Sequence[Cell]) -> str:
    """Return the same in words: the mean, the deviation and the range of every system."""
    said = (
        f"{cell.system.name} {format_spread(cell.spread.mean, cell.spread.std)}, "
        f"{cell.spread.n} runs from {cell.spread.minimum:.2f} to {cell.spread.maximum:.2f}"
        for cell in cells
    )
    return "; ".join(said) + "."


_BARS_LEFT, _BARS_END = 4, 200
_BARS_TOP, _BARS_LABEL, _BAR_HEIGHT, _BARS_GAP = 24, 15, 12, 9


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
    scale = Scale(0, 100, _BARS_LEFT, _BARS_END)
    elements: list[str] = []
    y = float(_BARS_TOP)
    for name, bars in known:
        elements += _draw_system_bars(name, bars, scale, y)
        y += _BARS_LABEL + _BAR_HEIGHT * len(bars) + _BARS_GAP
    title = f"{section.target}: {name_metric(metric)} here and in papers"
    return Picture(
        name=make_slug("papers", *section.target, metric),
        title=title,
        words="; ".join(f"{name}: {', '.join(map(_describe_bar, bars))}" for name, bars in known) + ".",
        height=y + 18,
        elements=(
            draw_title(title),
            *draw_scale(scale, _BARS_TOP - 4, y),
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


def _draw_system_bars(name: str, bars: list[_Bar], scale: Scale, y: float) -> Iterator[str]:
    yield draw_text(_BARS_LEFT, y + 10, fit_label(name, WIDTH - _BARS_LEFT))
    for number, bar in enumerate(bars):
        top = y + _BARS_LABEL + _BAR_HEIGHT * number
        middle = top + (_BAR_HEIGHT - 2) / 2
        yield draw_box(_BARS_LEFT, top, scale(bar.value) - _BARS_LEFT, _BAR_HEIGHT - 2, bar.kind)
        if bar.std is not None:
            low, high = scale(max(bar.value - bar.std, 0)), scale(min(bar.value + bar.std, 100))
            yield draw_line((low, middle), (high, middle), "reach")
            yield from (draw_line((x, middle - 3), (x, middle + 3), "reach") for x in (low, high))
        yield draw_text(
            _BARS_END + 10, middle + 3.5, f"{format_spread(bar.value, bar.std)} {bar.whose}", "quiet"
        )


def _describe_bar(bar: _Bar) -> str:
    return f"{format_spread(bar.value, bar.std)} {bar.whose.removesuffix('!')}"
