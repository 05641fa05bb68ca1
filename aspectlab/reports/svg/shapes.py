"""Scales, axes, legends and the few shapes that all pictures are made of."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import NamedTuple

from aspectlab.reports import escape_html
from aspectlab.reports.svg.picture import HUES, WIDTH

_LETTER_WIDTH = 6.3  # the width of an average letter of a label, in pixels, on the safe side
_BOLD_LETTER_WIDTH = 7.2  # and of one of a title


@dataclass(frozen=True, slots=True)
class Scale:
    """Where values lie on a picture: `low` at `start`, `high` at `end`."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Return the coordinate of a value.

        >>> Scale(0, 10, 100, 200)(5)
        150.0
        """
        return self.start + (self.end - self.start) * (value - self.low) / (self.high - self.low)

    def ticks(self, number: int = 5) -> list[float]:
        """Return about so many round values within the scale.

        >>> Scale(71.2, 78.9, 0, 100).ticks()
        [72.0, 74.0, 76.0, 78.0]
        """
        step = _round_step((self.high - self.low) / number)
        first, last = ceil(self.low / step - 1e-9), floor(self.high / step + 1e-9)
        return [round(k * step, 10) for k in range(first, last + 1)]


def fit_scale(values: Iterable[float], start: float, end: float, least: float = 2.0) -> Scale:
    """Make a scale that holds all values with a little room, at least so many units wide.

    >>> fit_scale([70.0, 80.0], 0, 100)
    Scale(low=69.5, high=80.5, start=0, end=100)
    """
    found = list(values)
    low, high = min(found), max(found)
    room = max(0.05 * (high - low), (least - (high - low)) / 2, 0.0)
    return Scale(low - room, high + room, start, end)


def draw_text(x: float, y: float, text: str, kind: str = "") -> str:
    """Draw a text; kinds are the classes of the style."""
    return f'<text{_class_attribute(kind)} x="{x:.1f}" y="{y:.1f}">{escape_html(text)}</text>'


def draw_line(start: tuple[float, float], end: tuple[float, float], kind: str) -> str:
    """Draw a line."""
    return (
        f'<line{_class_attribute(kind)} x1="{start[0]:.1f}" y1="{start[1]:.1f}" x2="{end[0]:.1f}" '
        f'y2="{end[1]:.1f}"/>'
    )


def draw_box(x: float, y: float, width: float, height: float, kind: str) -> str:
    """Draw a rectangle."""
    return (
        f'<rect{_class_attribute(kind)} x="{x:.1f}" y="{y:.1f}" width="{max(width, 0):.1f}" '
        f'height="{height:.1f}"/>'
    )


def draw_dot(x: float, y: float, kind: str, radius: float = 2.6) -> str:
    """Draw a dot."""
    return f'<circle{_class_attribute(kind)} cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}"/>'


def draw_diamond(x: float, y: float, kind: str, radius: float = 4.5) -> str:
    """Draw a square that stands on a corner."""
    corners = ((x, y - radius), (x + radius, y), (x, y + radius), (x - radius, y))
    points = " ".join(f"{right:.1f},{down:.1f}" for right, down in corners)
    return f'<polygon{_class_attribute(kind)} points="{points}"/>'


def draw_scale(scale: Scale, top: float, bottom: float) -> Iterator[str]:
    """Draw the ticks of a scale that runs from left to right, their lines up and their numbers below."""
    ticks = scale.ticks()
    for tick in ticks:
        yield draw_line((scale(tick), top), (scale(tick), bottom), "grid")
        text = format_tick(tick, ticks)
        # a number of four digits at the very edge would lose the last one
        yield draw_text(
            min(scale(tick), WIDTH - _LETTER_WIDTH * len(text) / 2), bottom + 12, text, "quiet middle"
        )
    yield draw_line((scale.start, bottom), (scale.end, bottom), "axis")


def format_tick(tick: float, ticks: list[float]) -> str:
    """Format a tick with as many digits as its neighbours need."""
    digits = max((len(f"{value:g}".partition(".")[2]) for value in ticks), default=0)
    return f"{tick:.{digits}f}".replace("-", "−")


def draw_title(text: str) -> str:
    """Draw the title of a picture, cut where it would leave the picture: its letters are bold, and wide.

    >>> draw_title("Runs")
    '<text class="strong" x="0.0" y="12.0">Runs</text>'
    """
    return draw_text(0, 12, fit_label(text, WIDTH * _LETTER_WIDTH / _BOLD_LETTER_WIDTH), "strong")


def fit_label(text: str, width: float) -> str:
    """Cut a label that would be wider than so many pixels, in the middle: names differ at their ends.

    >>> fit_label("capsnet-bert/minilm", 60)
    'capsn…ilm'
    """
    most = max(3, int(width / _LETTER_WIDTH))
    if len(text) <= most:
        return text
    tail = (most - 1) * 2 // 5
    return f"{text[: most - 1 - tail]}…{text[len(text) - tail :]}"


def _round_step(step: float) -> float:
    """Return the round number, of 1, 2 and 5, that is nearest above."""
    size = 10.0 ** floor(log10(step))
    return next(factor * size for factor in (1, 2, 5, 10) if factor * size >= step - 1e-12)


def _class_attribute(kind: str) -> str:
    return f' class="{kind}"' if kind else ""


_AXES_LEFT, _AXES_RIGHT, _AXES_TOP, AXES_BOTTOM = 36, WIDTH - 12, 40, 230
"""The edges of the field, in pixels."""


class Axes(NamedTuple):
    """Where values lie: `across` from left to right, `up` from bottom to top."""

    across: Scale
    up: Scale


def fit_axes(across: Iterable[float], up: Iterable[float], least: float = 2.0) -> Axes:
    """Make a frame that holds all values and is at least so many units wide."""
    return Axes(fit_scale(across, _AXES_LEFT, _AXES_RIGHT, least), fit_scale(up, AXES_BOTTOM, _AXES_TOP))


def draw_axes(frame: Axes, across: str, up: str) -> Iterator[str]:
    """Draw the scales and their names."""
    yield from draw_scale(frame.across, _AXES_TOP, AXES_BOTTOM)
    yield draw_text((_AXES_LEFT + _AXES_RIGHT) / 2, AXES_BOTTOM + 26, across, "quiet middle")
    yield from draw_upright(frame.up)
    yield draw_text(_AXES_LEFT, _AXES_TOP - 8, up, "quiet")


def draw_upright(scale: Scale) -> Iterator[str]:
    """Draw the ticks of the scale that runs upwards, their lines to the right."""
    ticks = scale.ticks()
    for tick in ticks:
        yield draw_line((_AXES_LEFT, scale(tick)), (_AXES_RIGHT, scale(tick)), "grid")
        yield draw_text(_AXES_LEFT - 5, scale(tick) + 3.5, format_tick(tick, ticks), "quiet end")
    yield draw_line((_AXES_LEFT, _AXES_TOP), (_AXES_LEFT, AXES_BOTTOM), "axis")


_LEGEND_ROW = 15
"""The height of a row of a key."""

_UP = ((0.0, -4.4), (4.2, 3.4), (-4.2, 3.4))
_DOWN = ((0.0, 4.4), (4.2, -3.4), (-4.2, -3.4))
_DASHES = ("", "6 3", "2 3", "8 3 2 3")


def draw_marker(number: int, x: float, y: float) -> str:
    """Draw a point of a series: shapes go round by fives, colours by eights."""
    hue = f"point hue{number % HUES}"
    if number % 5 == 0:
        return draw_dot(x, y, hue, 3.6)
    if number % 5 == 1:
        return draw_diamond(x, y, hue)
    shape = {2: ((-3.3, -3.3), (3.3, -3.3), (3.3, 3.3), (-3.3, 3.3)), 3: _UP}.get(number % 5, _DOWN)
    points = " ".join(f"{x + right:.1f},{y + down:.1f}" for right, down in shape)
    return f'<polygon class="{hue}" points="{points}"/>'


def draw_curve(number: int, points: Sequence[tuple[float, float]]) -> str:
    """Draw the line of a series."""
    dash = _DASHES[number % len(_DASHES)]
    style = f' stroke-dasharray="{dash}"' if dash else ""
    coordinates = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline class="curve hue{number % HUES}"{style} points="{coordinates}"/>'


def draw_series_legend(names: Sequence[str], top: float) -> Iterator[str]:
    """Draw the legend of the series, two to a row."""
    half = WIDTH / 2
    for number, name in enumerate(names):
        x, y = half * (number % 2) + 6, top + _LEGEND_ROW * (number // 2)
        yield draw_marker(number, x + 4, y)
        yield draw_text(x + 14, y + 4, fit_label(name, half - 24))


def series_legend_height(names: Sequence[str]) -> float:
    """Return the height of a legend."""
    return _LEGEND_ROW * ((len(names) + 1) // 2)
