"""Calibration on a page: numbers worked out by hand, and pictures that are well-formed."""

import re

import numpy as np
import pytest
from defusedxml import ElementTree

from aspectlab.reports.calibration import (
    build_calibration_table,
    draw_coverage,
    draw_reliability,
    thin_curve,
)
from aspectlab.reports.runs.render_markdown import render_markdown_table
from aspectlab.stats import CalibrationReport, calibration_report

HAND = calibration_report([0.95] * 8 + [0.5] * 2, [1] * 8 + [1, 0])
UNSURE = calibration_report([0.5, 0.5], [1, 0])


def test_table_has_a_row_per_name_with_its_shares() -> None:
    table = build_calibration_table(
        {"books": HAND, "hotels": UNSURE}, name="c", title="Calibration", signature="s", command="make"
    )
    cells = [[entry.text for entry in row] for row in table.rows]
    # 8 of 8 sure ones are right, which promised .95: |1 - .95| of 8 in 10, nothing for the two halves
    assert cells[0] == [
        "books",
        "10",
        "90 % (60–98)",
        "0.860",
        "0.040",
        "0.040",
        "0.052",
        "80 % (49–94)",
        "100 % (68–100)",
    ]
    assert cells[1][-2:] == ["0 % (0–66)", "–"]
    assert table.columns[-2:] == ("p ≥ 0.9", "right of p ≥ 0.9")
    assert "| books | 10 |" in render_markdown_table(table)


@pytest.mark.parametrize("draw", [draw_reliability, draw_coverage])
def test_picture_is_well_formed_and_says_its_numbers(draw: object) -> None:
    picture = draw({"books <1>": HAND, "hotels": UNSURE}, "calibration", "Right & promised")  # type: ignore[operator]
    root = ElementTree.fromstring(picture.as_file())
    text = " ".join(root.itertext())
    assert "books <1>" in text
    assert "hotels" in text
    lines = [node for node in root.iter() if node.tag.endswith("polyline")]
    assert len(lines) == 2
    numbers = [float(x) for node in root.iter() for x in re.findall(r"-?\d+\.\d", node.get("points") or "")]
    assert all(0 <= number <= 400 for number in numbers)


def test_perfect_probabilities_lie_on_the_diagonal() -> None:
    report = calibration_report([0.25] * 4 + [0.75] * 4, [1, 0, 0, 0, 1, 1, 1, 0])
    picture = draw_reliability({"all": report}, "c", "t")
    root = ElementTree.fromstring(picture.as_file())
    diagonal = next(
        n
        for n in root.iter()
        if n.tag.endswith("line") and n.get("x1") != n.get("x2") and n.get("y1") != n.get("y2")
    )
    curve = next(node for node in root.iter() if node.tag.endswith("polyline"))
    x1, y1, x2, y2 = (float(diagonal.get(name) or 0) for name in ("x1", "y1", "x2", "y2"))
    points = [tuple(map(float, pair.split(","))) for pair in (curve.get("points") or "").split()]
    assert len(points) == 2
    for x, y in points:
        assert (x - x1) / (x2 - x1) == pytest.approx((y - y1) / (y2 - y1), abs=0.01)


def make_long(number: int) -> CalibrationReport:
    rng = np.random.default_rng(0)
    found = rng.random(number)
    return calibration_report(found, rng.random(number) < found)


def test_long_curve_is_thinned_but_keeps_its_ends() -> None:
    curve = make_long(5_000).curve
    kept = thin_curve(curve)
    assert len(curve) == 5_000
    assert len(kept) < 70
    assert (kept[0], kept[-1]) == (curve[0], curve[-1])
