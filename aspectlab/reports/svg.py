"""Pictures drawn by hand in SVG: scales, axes, legends and shapes, within a page, as a file and as PNG."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import ceil, floor, log10
from typing import NamedTuple, Protocol, TypeVar
from unicodedata import east_asian_width

from aspectlab.errors import MissingPartError
from aspectlab.reports import PICTURE_STYLES, POLARITY_SIGNS, escape_html


class HasName(Protocol):
    """What a file or a label is named after."""

    @property
    def name(self) -> str:
        """A name that may stand in a file name."""


T = TypeVar("T", bound=HasName)

WIDTH = 360
"""All pictures are as wide as the column of a phone: none has to shrink below a size that can be read."""

HUES = 8
"""So many series have a colour of their own; shapes and dashes tell them apart as well.

The colours, in colours.css, are after Okabe and Ito: any kind of colour blindness can tell them apart.
"""

_LETTER_WIDTH = 6.3  # the width of an average letter of a label, in pixels, on the safe side
_BOLD_LETTER_WIDTH = 7.2  # and of one of a title

_PAPER = "#ffffff"
_VARIABLE = re.compile(r"--(\w+): (#\w+);")


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawing: its name for a file, its title, what it shows in words, its height and its elements."""

    name: str
    title: str
    words: str
    height: float
    elements: tuple[str, ...]

    def inline(self) -> str:
        """Return the drawing for a page, with its words for those who do not see it."""
        return f'<svg class="plot" viewBox="0 0 {WIDTH} {self.height:g}" {self._said()}>{self._body()}</svg>'

    def as_file(self) -> str:
        """Return the drawing as a file of its own, on white."""
        size = f'width="{WIDTH}" height="{self.height:g}" viewBox="0 0 {WIDTH} {self.height:g}"'
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="plot" {size} {self._said()}>\n'
            f"<style>{_file_style()}</style>\n"
            f'<rect width="{WIDTH}" height="{self.height:g}" fill="{_PAPER}"/>\n'
            f"{self._body()}\n</svg>\n"
        )

    def _said(self) -> str:
        return f'role="img" aria-label="{escape_html(f"{self.title}. {self.words}")}"'

    def _body(self) -> str:
        return "\n".join(self.elements)


@cache
def _file_style() -> str:
    """Return the rules with colours instead of their names: few programs but browsers know variables."""
    colours, rules = (path.read_text(encoding="utf-8") for path in PICTURE_STYLES)
    for name, colour in _VARIABLE.findall(colours.partition("@media")[0]):
        rules = rules.replace(f"var(--{name})", colour)
    return rules


def unique_names(things: Iterable[T]) -> Iterator[tuple[str, T]]:
    """Return every picture or table with a name of its own, also where two differ by odd characters only."""
    seen: Counter[str] = Counter()
    for thing in things:
        seen[thing.name] += 1
        number = seen[thing.name]
        yield (thing.name if number == 1 else f"{thing.name}-{number}"), thing


_ZOOM = 2
"""Twice the size in pixels, for screens and print of today."""


def render_png(svg: str) -> bytes:
    """Draw an SVG as PNG with resvg; the default install does without it."""
    try:
        from resvg_py import svg_to_bytes
    except ImportError:
        raise MissingPartError(
            "--format png: resvg-py is not installed; get it with: pip install 'aspectlab[png]'; or use svg"
        ) from None
    return bytes(svg_to_bytes(svg_string=svg, zoom=_ZOOM))


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


_NAME, _START, _END = 121, 127, 268
_TOP, _ROW, _BAR = 24, 18, 12

_WIDE, _FULL = 0.22, 0.8  # how much wider than an average letter


class StackedBar(NamedTuple):
    """A row of the picture: its name, its parts by kind, and what is written at its end."""

    name: str
    parts: Mapping[str, float]
    said: str


def draw_stacked_bars(
    name: str, title: str, bars: Sequence[StackedBar], *, whole: float | None = None, note: str = ""
) -> Picture | None:
    """Draw the bars on a scale that ends at `whole`, or at the longest bar; None without bars.

    The kinds of the parts are the classes of the style. A key names them where there is more than one.
    """
    if not bars:
        return None
    longest = whole or max(sum(bar.parts.values()) for bar in bars) or 1
    kinds = list(dict.fromkeys(kind for bar in bars for kind in bar.parts))
    bottom = _TOP + _ROW * len(bars)
    elements = [draw_text(0, 12, fit_label(title, WIDTH), "strong")]
    for number, bar in enumerate(bars):
        elements += _draw_bar(bar, longest, _TOP + _ROW * number)
    elements.append(draw_line((_START, _TOP - 4), (_START, bottom), "axis"))
    has_key = len(kinds) > 1
    if has_key:
        elements += draw_legend(kinds, bottom + 16)
    if note:
        elements.append(draw_text(0, bottom + 16 * has_key + 14, fit_label(note, WIDTH), "quiet"))
    height = bottom + 20 * has_key + 18 * bool(note) + 6
    said = (f"{bar.name}: {bar.said}" + ("" if whole else _describe_parts(bar)) for bar in bars)
    return Picture(name, title, "; ".join(said) + ".", height, tuple(elements))


def fit_name(text: str, width: float) -> str:
    """Cut a name that would be wider than so many pixels; capitals are wider than other letters.

    >>> fit_name("interior-features", 118), fit_name("HOTEL#LOBBY#BAR#SEATS", 118)
    ('interior-features', 'HOTEL#LO…SEATS')
    """
    wide = sum(_FULL if east_asian_width(letter) in "WF" else _WIDE * _is_wide(letter) for letter in text)
    room = width / (1 + wide / max(len(text), 1))
    # the mark of a cut is as wide as two letters
    return text if fit_label(text, room) == text else fit_label(text, room - 8)


def _is_wide(letter: str) -> bool:
    return letter.isupper() or letter in "#%&@_"


def _draw_bar(bar: StackedBar, longest: float, y: float) -> Iterator[str]:
    yield draw_text(_NAME, y + 10, fit_name(bar.name, _NAME), "end")
    x, unit = float(_START), (_END - _START) / longest
    for kind, value in bar.parts.items():
        if value:
            yield draw_box(x, y, value * unit, _BAR, kind)
            x += value * unit
    yield draw_text(x + 5, y + 10, bar.said, "quiet")


def draw_legend(kinds: Iterable[str], y: float, lead: str = "") -> Iterator[str]:
    """Draw the legend of the kinds, with the sign of a polarity: colour is never the only sign."""
    x = 4.0
    for kind in kinds:
        text = f"{lead}{_name_kind(kind)} {POLARITY_SIGNS.get(kind, '')}".strip()
        yield draw_box(x, y - 9, 10, 10, kind)
        yield draw_text(x + 14, y, text, "quiet")
        x += 28 + 5.2 * len(text)


def _name_kind(kind: str) -> str:
    return {"here": "with opinions", "empty": "without"}.get(kind, kind)


def _describe_parts(bar: StackedBar) -> str:
    parts = ", ".join(f"{_name_kind(kind)} {value:,g}" for kind, value in bar.parts.items())
    return f" ({parts})" if len(bar.parts) > 1 else ""
