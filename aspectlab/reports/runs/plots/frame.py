"""Frame: two scales with their ticks and names, as pictures of points and curves have them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from aspectlab.reports.runs.plots.axes import Scale, draw_scale, fit_scale, line, say_tick, write
from aspectlab.reports.runs.plots.picture import WIDTH

LEFT, RIGHT, TOP, BOTTOM = 36, WIDTH - 12, 40, 230
"""The edges of the field, in pixels."""


class Frame(NamedTuple):
    """Where values lie: `across` from left to right, `up` from bottom to top."""

    across: Scale
    up: Scale


def fit_frame(across: Iterable[float], up: Iterable[float], least: float = 2.0) -> Frame:
    """Make a frame that holds all values and is at least so many units wide."""
    return Frame(fit_scale(across, LEFT, RIGHT, least), fit_scale(up, BOTTOM, TOP))


def draw_frame(frame: Frame, across: str, up: str) -> Iterator[str]:
    """Draw the scales and their names."""
    yield from draw_scale(frame.across, TOP, BOTTOM)
    yield write((LEFT + RIGHT) / 2, BOTTOM + 26, across, "quiet middle")
    yield from draw_upright(frame.up)
    yield write(LEFT, TOP - 8, up, "quiet")


def draw_upright(scale: Scale) -> Iterator[str]:
    """Draw the ticks of the scale that runs upwards, their lines to the right."""
    ticks = scale.ticks()
    for tick in ticks:
        yield line((LEFT, scale(tick)), (RIGHT, scale(tick)), "grid")
        yield write(LEFT - 5, scale(tick) + 3.5, say_tick(tick, ticks), "quiet end")
    yield line((LEFT, TOP), (LEFT, BOTTOM), "axis")
