"""Additions: accuracy against the number k of sentences that ADDDIFF appended, as in Figure 1 of ARTS."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from aspectlab.reports.runs.plots.axes import write_title
from aspectlab.reports.runs.plots.frame import BOTTOM, Frame, draw_frame, fit_frame
from aspectlab.reports.runs.plots.picture import Picture
from aspectlab.reports.runs.plots.series import draw_curve, draw_key, draw_marker, key_height
from aspectlab.reports.runs.summary import Section
from aspectlab.reports.runs.table import make_slug

_TEST = re.compile(r"adddiff-(\d+)")
_METRIC = "accuracy"
_LEAST = 2
_WIDTH = 5  # a narrower scale would have ticks between the whole numbers

Curve = Mapping[int, float]


def additions_of(test: str) -> int | None:
    """Give k of a test set with that many additions; None for any other.

    >>> additions_of("adddiff-3"), additions_of("test")
    (3, None)
    """
    found = _TEST.fullmatch(test)
    return int(found.group(1)) if found else None


def draw_additions(task: str, corpus: str, sections: Sequence[Section]) -> Picture | None:
    """Draw a line per system over k; None where there are fewer than two k."""
    curves = {name: curve for name, curve in _list_curves(sections).items() if len(curve) >= _LEAST}
    if not curves:
        return None
    frame = fit_frame(
        [k for curve in curves.values() for k in curve],
        [value for curve in curves.values() for value in curve.values()],
        least=_WIDTH,
    )
    title = f"{task.upper()} · {corpus}: accuracy against k of ADDDIFF"
    return Picture(
        name=make_slug("additions", task, corpus),
        title=title,
        words="; ".join(f"{name}: {_say(curve)}" for name, curve in curves.items()) + ".",
        height=BOTTOM + 40 + key_height([*curves]),
        elements=(
            write_title(title),
            *draw_frame(frame, "sentences added (k)", "accuracy, percent"),
            *(part for number, curve in enumerate(curves.values()) for part in _draw(number, curve, frame)),
            *draw_key([*curves], BOTTOM + 44),
        ),
    )


def _list_curves(sections: Sequence[Section]) -> dict[str, Curve]:
    """Give the means by k of every system, the best at the largest k first."""
    curves: dict[str, dict[int, float]] = {}
    for section in sections:
        k = additions_of(section.target.test)
        if k is not None:
            for cell in section.columns.get(_METRIC, ()):
                curves.setdefault(cell.system.name, {})[k] = cell.spread.mean
    return dict(sorted(curves.items(), key=lambda item: (-item[1][max(item[1])], item[0])))


def _draw(number: int, curve: Curve, frame: Frame) -> list[str]:
    points = [(frame.across(k), frame.up(curve[k])) for k in sorted(curve)]
    return [draw_curve(number, points), *(draw_marker(number, x, y) for x, y in points)]


def _say(curve: Curve) -> str:
    return ", ".join(f"{curve[k]:.2f} at k = {k}" for k in sorted(curve))
