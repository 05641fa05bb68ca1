"""Calibration on a page: a row per domain or model, the reliability curve, and precision against coverage."""

from collections.abc import Iterable, Mapping, Sequence

from aspectlab.reports.formatting import estimate_share, format_share
from aspectlab.reports.runs import Entry, ReportTable
from aspectlab.reports.svg import (
    AXES_BOTTOM,
    Picture,
    draw_axes,
    draw_curve,
    draw_line,
    draw_marker,
    draw_series_legend,
    draw_title,
    fit_axes,
    series_legend_height,
)
from aspectlab.stats import CalibrationReport, CoveragePoint

_NOTE = (
    "error is the expected calibration error over bins of equally many answers, width over bins of equal "
    "width: how far p is from the share that is right, on average. Shares with their 95 % interval (Wilson)."
)
_MOST_POINTS = 60
"""A curve of more points looks the same and makes a page heavy."""

_Series = Mapping[str, Sequence[tuple[float, float]]]


def build_calibration_table(
    reports: Mapping[str, CalibrationReport], *, name: str, title: str, signature: str, command: str
) -> ReportTable:
    """Return a row per name: how many answers, how many are right, and how far their probabilities hold."""
    sure = min((report.sure_from for report in reports.values()), default=0.9)
    head = f"p ≥ {sure:g}"
    return ReportTable(
        name=name,
        title=title,
        columns=("", "answers", "right", "mean p", "error", "width", "Brier", head, f"right of {head}"),
        rows=tuple(_build_row(label, report) for label, report in reports.items()),
        notes=(_NOTE,),
        signature=signature,
        command=command,
    )


def _build_row(label: str, report: CalibrationReport) -> tuple[Entry, ...]:
    cells = (
        label,
        f"{report.count:,}",
        format_share(estimate_share(report.correct, report.count)),
        *(f"{value:.3f}" for value in (report.confidence, report.error, report.width_error, report.brier)),
        format_share(estimate_share(report.sure, report.count)),
        format_share(estimate_share(report.sure_correct, report.sure)) if report.sure else "–",
    )
    return tuple(map(Entry, cells))


def draw_reliability(reports: Mapping[str, CalibrationReport], name: str, title: str) -> Picture:
    """Draw what is right against what is promised, a line per name; the best possible is the diagonal."""
    series = {
        label: [(100 * each.confidence, 100 * each.accuracy) for each in report.bins]
        for label, report in reports.items()
    }
    said = (f"{label}: error {report.error:.3f}" for label, report in reports.items())
    frame = fit_axes((0.0, 100.0), (0.0, 100.0))
    diagonal = draw_line((frame.across(0), frame.up(0)), (frame.across(100), frame.up(100)), "axis")
    return _draw(
        series, name, title, "; ".join(said), ("probability, percent", "right, percent"), (diagonal,)
    )


def draw_coverage(reports: Mapping[str, CalibrationReport], name: str, title: str) -> Picture:
    """Draw the share that is right of the answers that are left from each probability on."""
    series = {
        label: [(100 * point.coverage, 100 * point.precision) for point in thin_curve(report.curve)]
        for label, report in reports.items()
    }
    said = (
        f"{label}: {format_share(estimate_share(report.correct, report.count))} right of all"
        for label, report in reports.items()
    )
    return _draw(
        series, name, title, "; ".join(said), ("answers kept, percent", "right, percent"), marked=False
    )


def thin_curve(curve: Sequence[CoveragePoint], most: int = _MOST_POINTS) -> list[CoveragePoint]:
    """Keep about so many points of a curve, evenly over its coverage, the first and the last among them.

    >>> curve = [CoveragePoint(1 - k / 200, k / 200, 1.0) for k in range(1, 201)]
    >>> len(thin_curve(curve, 20)), thin_curve(curve, 20)[-1].coverage
    (21, 1.0)
    """
    kept = list(curve[:1])
    for point in curve[1:]:
        # half a rounding error must not cost a point
        if point is curve[-1] or point.coverage - kept[-1].coverage >= 1 / most - 1e-9:
            kept.append(point)
    return kept


def _draw(
    series: _Series,
    name: str,
    title: str,
    said: str,
    axes: tuple[str, str],
    behind: Iterable[str] = (),
    *,
    marked: bool = True,
) -> Picture:
    frame = fit_axes((0.0, 100.0), (0.0, 100.0))
    placed = {label: [(frame.across(x), frame.up(y)) for x, y in points] for label, points in series.items()}
    return Picture(
        name=name,
        title=title,
        words=f"{said}.",
        height=AXES_BOTTOM + 40 + series_legend_height([*series]),
        elements=(
            draw_title(title),
            *draw_axes(frame, *axes),
            *behind,
            *(draw_curve(number, points) for number, points in enumerate(placed.values())),
            *(
                draw_marker(number, x, y)
                for number, points in enumerate(placed.values())
                for x, y in (points if marked else points[-1:])
            ),
            *draw_series_legend([*series], AXES_BOTTOM + 44),
        ),
    )
