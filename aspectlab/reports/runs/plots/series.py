"""Signs by which series are told apart: a shape, a dash and a colour, and the key that names them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aspectlab.reports.runs.plots.axes import diamond, dot, fit_label, write
from aspectlab.reports.runs.plots.picture import HUES, WIDTH

KEY_ROW = 15
"""The height of a row of a key."""

_UP = ((0.0, -4.4), (4.2, 3.4), (-4.2, 3.4))
_DOWN = ((0.0, 4.4), (4.2, -3.4), (-4.2, -3.4))
_DASHES = ("", "6 3", "2 3", "8 3 2 3")


def draw_marker(number: int, x: float, y: float) -> str:
    """Draw a point of a series: shapes go round by fives, colours by eights."""
    hue = f"point hue{number % HUES}"
    if number % 5 == 0:
        return dot(x, y, hue, 3.6)
    if number % 5 == 1:
        return diamond(x, y, hue)
    shape = {2: ((-3.3, -3.3), (3.3, -3.3), (3.3, 3.3), (-3.3, 3.3)), 3: _UP}.get(number % 5, _DOWN)
    points = " ".join(f"{x + right:.1f},{y + down:.1f}" for right, down in shape)
    return f'<polygon class="{hue}" points="{points}"/>'


def draw_curve(number: int, points: Sequence[tuple[float, float]]) -> str:
    """Draw the line of a series."""
    dash = _DASHES[number % len(_DASHES)]
    style = f' stroke-dasharray="{dash}"' if dash else ""
    places = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline class="curve hue{number % HUES}"{style} points="{places}"/>'


def draw_key(names: Sequence[str], top: float) -> Iterator[str]:
    """Name the series, two to a row."""
    half = WIDTH / 2
    for number, name in enumerate(names):
        x, y = half * (number % 2) + 6, top + KEY_ROW * (number // 2)
        yield draw_marker(number, x + 4, y)
        yield write(x + 14, y + 4, fit_label(name, half - 24))


def key_height(names: Sequence[str]) -> float:
    """Give how high a key is."""
    return KEY_ROW * ((len(names) + 1) // 2)
