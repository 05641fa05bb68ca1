"""Scales, ticks and the few shapes that all pictures are made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import ceil, floor, log10

from aspectlab.reports.page import show
from aspectlab.reports.runs.plots.picture import WIDTH

_LETTER = 6.3  # the width of an average letter of a label, in pixels, on the safe side
_BOLD = 7.2  # and of one of a title


@dataclass(frozen=True, slots=True)
class Scale:
    """Where values lie on a picture: `low` at `start`, `high` at `end`."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Give the place of a value.

        >>> Scale(0, 10, 100, 200)(5)
        150.0
        """
        return self.start + (self.end - self.start) * (value - self.low) / (self.high - self.low)

    def ticks(self, number: int = 5) -> list[float]:
        """Give about so many round values within the scale.

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


def write(x: float, y: float, text: str, kind: str = "") -> str:
    """Write a text; kinds are the classes of the style."""
    return f'<text{_kind(kind)} x="{x:.1f}" y="{y:.1f}">{show(text)}</text>'


def line(start: tuple[float, float], end: tuple[float, float], kind: str) -> str:
    """Draw a line."""
    return f'<line{_kind(kind)} x1="{start[0]:.1f}" y1="{start[1]:.1f}" x2="{end[0]:.1f}" y2="{end[1]:.1f}"/>'


def box(x: float, y: float, width: float, height: float, kind: str) -> str:
    """Draw a rectangle."""
    return f'<rect{_kind(kind)} x="{x:.1f}" y="{y:.1f}" width="{max(width, 0):.1f}" height="{height:.1f}"/>'


def dot(x: float, y: float, kind: str, radius: float = 2.6) -> str:
    """Draw a dot."""
    return f'<circle{_kind(kind)} cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}"/>'


def diamond(x: float, y: float, kind: str, radius: float = 4.5) -> str:
    """Draw a square that stands on a corner."""
    corners = ((x, y - radius), (x + radius, y), (x, y + radius), (x - radius, y))
    points = " ".join(f"{right:.1f},{down:.1f}" for right, down in corners)
    return f'<polygon{_kind(kind)} points="{points}"/>'


def draw_scale(scale: Scale, top: float, bottom: float) -> Iterator[str]:
    """Draw the ticks of a scale that runs from left to right, their lines up and their numbers below."""
    ticks = scale.ticks()
    for tick in ticks:
        yield line((scale(tick), top), (scale(tick), bottom), "grid")
        text = say_tick(tick, ticks)
        # a number of four digits at the very edge would lose the last one
        yield write(min(scale(tick), WIDTH - _LETTER * len(text) / 2), bottom + 12, text, "quiet middle")
    yield line((scale.start, bottom), (scale.end, bottom), "axis")


def say_tick(tick: float, ticks: list[float]) -> str:
    """Write a tick with as many digits as its neighbours need."""
    digits = max((len(f"{value:g}".partition(".")[2]) for value in ticks), default=0)
    return f"{tick:.{digits}f}".replace("-", "−")


def write_title(text: str) -> str:
    """Write the title of a picture, cut where it would leave the picture: its letters are bold, and wide.

    >>> write_title("Runs")
    '<text class="strong" x="0.0" y="12.0">Runs</text>'
    """
    return write(0, 12, fit_label(text, WIDTH * _LETTER / _BOLD), "strong")


def fit_label(text: str, width: float) -> str:
    """Cut a label that would be wider than so many pixels, in the middle: names differ at their ends.

    >>> fit_label("capsnet-bert/minilm", 60)
    'capsn…ilm'
    """
    most = max(3, int(width / _LETTER))
    if len(text) <= most:
        return text
    tail = (most - 1) * 2 // 5
    return f"{text[: most - 1 - tail]}…{text[len(text) - tail :]}"


def _round_step(step: float) -> float:
    """Give the round number, of 1, 2 and 5, that is nearest above."""
    size = 10.0 ** floor(log10(step))
    return next(factor * size for factor in (1, 2, 5, 10) if factor * size >= step - 1e-12)


def _kind(kind: str) -> str:
    return f' class="{kind}"' if kind else ""
