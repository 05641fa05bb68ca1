"""Strips: every run of every system as a point, a lane per split, with means and a band of one deviation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aspectlab.reports.runs.measures import is_lower_better, name_metric
from aspectlab.reports.runs.plots.axes import (
    Scale,
    box,
    diamond,
    dot,
    draw_scale,
    fit_label,
    fit_scale,
    line,
    write,
    write_title,
)
from aspectlab.reports.runs.plots.picture import WIDTH, Picture
from aspectlab.reports.runs.splits import split_values
from aspectlab.reports.runs.summary import Cell, Section
from aspectlab.reports.runs.table import make_slug, say_spread

_LEFT, _RIGHT = 22, WIDTH - 8
_LABEL, _LANE, _GAP, _TOP = 15, 10, 8, 24
_FOOT = 34


def draw_strips(section: Section, metric: str) -> Picture:
    """Draw the runs of all systems by one metric, the best on top."""
    cells = _sort(metric, section.columns[metric])
    printed = [_published(cell) for cell in cells]
    scale = fit_scale([*_extremes(cells), *(value for values in printed for value in values)], _LEFT, _RIGHT)
    elements: list[str] = []
    y = float(_TOP)
    for cell, values in zip(cells, printed, strict=True):
        elements += _draw_row(cell, values, scale, y)
        y += _height(cell)
    title = f"{section.target}: {name_metric(metric)} of every run"
    return Picture(
        name=make_slug("runs", *section.target, metric),
        title=title,
        words=_say(cells),
        height=y + _FOOT,
        elements=(
            write_title(title),
            *draw_scale(scale, _TOP - 4, y),
            *elements,
            *_draw_key(y + 27, any(printed), any(len(split_values(cell.values)) > 1 for cell in cells)),
        ),
    )


def _sort(metric: str, cells: Sequence[Cell]) -> list[Cell]:
    sign = 1 if is_lower_better(metric) else -1
    return sorted(cells, key=lambda cell: (sign * cell.spread.mean, cell.system))


def _published(cell: Cell) -> list[float]:
    return [gap.fact.value for gap in cell.gaps if gap.fact.kind == "published"]


def _extremes(cells: Sequence[Cell]) -> Iterator[float]:
    for cell in cells:
        spread = cell.spread
        yield from cell.values.values()
        yield from (spread.mean - (spread.std or 0), spread.mean + (spread.std or 0))


def _height(cell: Cell) -> float:
    return _LABEL + _LANE * len(split_values(cell.values)) + _GAP


def _draw_row(cell: Cell, printed: Sequence[float], scale: Scale, y: float) -> Iterator[str]:
    """Draw one system: its name and mean, and below them a lane per split."""
    spread, splits = cell.spread, split_values(cell.values)
    top, bottom = y + _LABEL, y + _LABEL + _LANE * len(splits)
    said = say_spread(spread.mean, spread.std)
    yield write(_LEFT, y + 10, fit_label(cell.system.name, _RIGHT - _LEFT - 90))
    yield write(_RIGHT, y + 10, said, "end")
    if spread.std is not None:
        low, high = scale(spread.mean - spread.std), scale(spread.mean + spread.std)
        yield box(low, top, high - low, bottom - top, "band")
    for number, (split, values) in enumerate(splits.items()):
        middle = top + _LANE * (number + 0.5)
        if len(splits) > 1:
            yield write(_LEFT - 5, middle + 3, str(split), "quiet end small")
            mean = scale(sum(values) / len(values))
            yield line((mean, middle - 4), (mean, middle + 4), "tick")
        yield from (dot(scale(value), middle, "run") for value in values)
    yield line((scale(spread.mean), top - 1), (scale(spread.mean), bottom + 1), "mean")
    yield from (diamond(scale(value), (top + bottom) / 2, "print") for value in printed)


def _draw_key(y: float, has_printed: bool, has_splits: bool) -> Iterator[str]:
    """Say what the signs mean."""
    items = ["run", "mean", "std"]
    items += ["split mean"] if has_splits else []
    items += ["published"] if has_printed else []
    x = 4.0
    for item in items:
        yield from _draw_sign(item, x + 6, y - 3.5)
        text = "± std" if item == "std" else item
        yield write(x + 16, y, text, "quiet")
        x += 25 + 6.0 * len(text)


def _draw_sign(item: str, x: float, y: float) -> Iterator[str]:
    if item == "run":
        yield dot(x, y, "run")
    elif item == "mean":
        yield line((x, y - 5), (x, y + 5), "mean")
    elif item == "std":
        yield box(x - 6, y - 5, 12, 10, "band")
    elif item == "split mean":
        yield line((x, y - 4), (x, y + 4), "tick")
    else:
        yield diamond(x, y, "print")


def _say(cells: Sequence[Cell]) -> str:
    """Give the same in words: the mean, the deviation and the range of every system."""
    said = (
        f"{cell.system.name} {say_spread(cell.spread.mean, cell.spread.std)}, "
        f"{cell.spread.n} runs from {cell.spread.minimum:.2f} to {cell.spread.maximum:.2f}"
        for cell in cells
    )
    return "; ".join(said) + "."
