"""Boxes: how long texts, aspects and opinions are, on one scale that gives short terms room."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import log10

from aspectlab.data.statistics import Lengths
from aspectlab.reports.runs.plots.axes import Scale, box, diamond, line, write
from aspectlab.reports.runs.plots.picture import WIDTH, Picture

_LEFT, _RIGHT = 12, WIDTH - 14
_TOP, _ROW, _BOX = 24, 54, 16
_TICKS = (1, 2, 5)


def draw_boxes(lengths: Mapping[str, Lengths]) -> Picture | None:
    """Draw a box plot per part; the scale is logarithmic: a text has a hundred times the words of a term."""
    if not lengths:
        return None
    longest = max(2.0, *(found.five.max for found in lengths.values()))
    scale = Scale(0, log10(longest), _LEFT, _RIGHT)
    bottom = _TOP + _ROW * len(lengths) + 4
    title = "Length in words"
    rows = (
        part
        for number, (name, found) in enumerate(lengths.items())
        for part in _draw_row(name, found, scale, _TOP + _ROW * number)
    )
    return Picture(
        name="lengths",
        title=title,
        words=" ".join(f"{name.capitalize()}: {say_lengths(found)}." for name, found in lengths.items()),
        height=bottom + 50,
        elements=(
            write(0, 12, title, "strong"),
            *_draw_ticks(scale, longest, bottom),
            *rows,
            *_draw_key(bottom + 40),
        ),
    )


def say_lengths(found: Lengths) -> str:
    """Write the numbers of a box plot.

    >>> from aspectlab.data.statistics.breakdown import measure_lengths
    >>> say_lengths(measure_lengths(["a b", "c", "d e"]))
    'min 1, quartiles 1.5, 2, 2, max 2, mean 1.67'
    """
    five = found.five
    quartiles = ", ".join(f"{value:,g}" for value in (five.q1, five.median, five.q3))
    return f"min {five.min:,g}, quartiles {quartiles}, max {five.max:,g}, mean {found.mean:.2f}"


def _draw_row(name: str, found: Lengths, scale: Scale, y: float) -> Iterator[str]:
    five, middle = found.five, y + 26 + _BOX / 2
    at = {value: scale(log10(value)) for value in (five.min, five.q1, five.median, five.q3, five.max)}
    low, high = (scale(log10(fence)) for fence in found.fences)
    yield write(_LEFT, y + 9, f"{name} ({found.number:,})", "strong")
    yield write(_LEFT, y + 21, say_lengths(found), "quiet")
    yield line((at[five.min], middle), (at[five.max], middle), "grid fine")
    yield line((low, middle), (high, middle), "reach")
    yield from (line((x, middle - 4), (x, middle + 4), "reach") for x in (low, high))
    yield line((at[five.max], middle - 3), (at[five.max], middle + 3), "grid fine")
    # a band alone would let the lines below show through
    for kind in ("printed", "band"):
        yield box(at[five.q1], middle - _BOX / 2, at[five.q3] - at[five.q1], _BOX, kind)
    yield line((at[five.median], middle - _BOX / 2), (at[five.median], middle + _BOX / 2), "group")
    yield diamond(scale(log10(max(found.mean, 1))), middle, "print", 3.5)


def _draw_ticks(scale: Scale, longest: float, bottom: float) -> Iterator[str]:
    powers = range(int(log10(longest)) + 1)
    for tick in (factor * 10**power for power in powers for factor in _TICKS):
        if tick <= longest * 1.0001:
            x = scale(log10(tick))
            yield line((x, bottom - 3), (x, bottom + 3), "axis")
            yield write(x, bottom + 14, f"{tick:,}", "quiet middle")
    yield line((_LEFT, bottom), (_RIGHT, bottom), "axis")


def _draw_key(y: float) -> Iterator[str]:
    """Say what the signs mean."""
    yield from (box(4, y - 9, 12, 10, kind) for kind in ("printed", "band"))
    yield line((10, y - 9), (10, y + 1), "group")
    yield write(20, y, "quartiles", "quiet")
    yield diamond(80, y - 4, "print", 3.5)
    yield write(88, y, "mean", "quiet")
    yield line((122, y - 4), (140, y - 4), "reach")
    yield write(144, y, "up to 1.5 boxes away", "quiet")
    yield line((266, y - 4), (284, y - 4), "grid fine")
    yield write(288, y, "extremes", "quiet")
