"""Signs of the verdicts: a shape as well as a colour, so that no eye need tell colours apart."""

from __future__ import annotations

from collections.abc import Iterator

from aspectlab.metamorphic.mutants import Standing
from aspectlab.reports.runs.plots.axes import box, fit_label, write
from aspectlab.reports.runs.plots.picture import WIDTH

_BOLD = 40  # bold letters are wider than others: so many pixels a line
_SHAPES = {
    Standing.BETTER: ((0.0, -5.0), (5.0, 4.0), (-5.0, 4.0)),
    Standing.SIMILAR: ((-5.0, -1.5), (5.0, -1.5), (5.0, 1.5), (-5.0, 1.5)),
    Standing.WORSE: ((0.0, 5.0), (5.0, -4.0), (-5.0, -4.0)),
}
"""The corners, in pixels from the middle: a tip upwards, a bar, a tip downwards."""


def draw_sign(standing: Standing, x: float, y: float) -> str:
    """Draw the sign of a verdict around a place."""
    points = " ".join(f"{x + right:.1f},{y + down:.1f}" for right, down in _SHAPES[standing])
    kind = "dim" if standing is Standing.SIMILAR else "sign"
    return f'<polygon class="{kind}" points="{points}"/>'


def draw_title(name: str, what: str) -> Iterator[str]:
    """Write whose picture it is, and below that what it shows."""
    yield write(0, 12, fit_label(name, WIDTH - _BOLD), "strong")
    yield write(0, 27, what, "quiet")


def draw_key(y: float) -> Iterator[str]:
    """Say what the signs mean."""
    x = 2.0
    for standing in Standing:
        yield box(x, y - 8, 20, 16, standing.value)
        yield draw_sign(standing, x + 10, y)
        yield write(x + 25, y + 4, f"{standing.value}", "quiet")
        x += 82
    yield write(x, y + 4, "than gold labels", "quiet")
