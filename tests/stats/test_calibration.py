"""Calibration measured: hand-made cases, and the curves of scikit-learn."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss

from aspectlab.errors import ConfigError, DataError
from aspectlab.stats import (
    calibration_report,
    coverage_curve,
    expected_calibration_error,
    reliability_table,
)

STRATEGIES = {"mass": "quantile", "width": "uniform"}


def draw(seed: int, number: int = 400) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities, many of them equal, of a model that is too sure."""
    rng = np.random.default_rng(seed)
    found = rng.beta(4, 1, number).round(2)
    return found, (rng.random(number) < found**2).astype(int)


@pytest.mark.parametrize("binning", STRATEGIES)
@pytest.mark.parametrize("seed", range(5))
def test_bins_are_those_of_scikit_learn(seed: int, binning: str) -> None:
    found, correct = draw(seed)
    accuracies, confidences = calibration_curve(correct, found, n_bins=10, strategy=STRATEGIES[binning])
    table = reliability_table(found, correct, bins=10, binning=binning)  # type: ignore[arg-type]
    assert [each.accuracy for each in table] == pytest.approx(accuracies.tolist())
    assert [each.confidence for each in table] == pytest.approx(confidences.tolist())
    assert sum(each.count for each in table) == len(found)


def test_error_of_a_textbook_case() -> None:
    # bins of 0.5: three answers of 0.2, one right: |1/3 - 0.2|; two of 0.9, one right: |1/2 - 0.9|
    found, correct = [0.2, 0.2, 0.2, 0.9, 0.9], [1, 0, 0, 1, 0]
    expected = 3 / 5 * (1 / 3 - 0.2) + 2 / 5 * (0.9 - 1 / 2)
    assert expected_calibration_error(found, correct, bins=2, binning="width") == pytest.approx(expected)


def test_equal_width_hides_what_equal_mass_shows() -> None:
    # all between 0.9 and 1: one bin of equal width, in which the errors of both halves cancel
    found, correct = [0.92] * 10 + [0.98] * 10, [1] * 10 + [1] * 9 + [0]
    width = expected_calibration_error(found, correct, bins=10, binning="width")
    mass = expected_calibration_error(found, correct, bins=2, binning="mass")
    assert width == pytest.approx(0.0)
    assert mass == pytest.approx(0.08)


def test_report_counts_what_is_sure() -> None:
    report = calibration_report([0.9, 0.95, 0.99, 0.5], [1, 0, 1, 1])
    assert (report.sure, report.sure_correct, report.sure_share) == (3, 2, 0.75)
    assert (report.accuracy, report.sure_precision) == (0.75, pytest.approx(2 / 3))


def test_report_without_sure_answers_has_no_precision_of_them() -> None:
    assert calibration_report([0.5], [1]).sure_precision is None


@pytest.mark.parametrize("seed", range(3))
def test_brier_score_is_that_of_scikit_learn(seed: int) -> None:
    found, correct = draw(seed)
    assert calibration_report(found, correct).brier == pytest.approx(brier_score_loss(correct, found))


def test_coverage_takes_equal_probabilities_together() -> None:
    points = coverage_curve([0.8, 0.6, 0.8, 0.1], [1, 1, 0, 0])
    assert [(point.threshold, point.coverage, point.precision) for point in points] == [
        (0.8, 0.5, 0.5),
        (0.6, 0.75, pytest.approx(2 / 3)),
        (0.1, 1.0, 0.5),
    ]


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 1)), min_size=1, max_size=60))
def test_report_holds_together(answers: list[tuple[float, int]]) -> None:
    found, correct = zip(*answers, strict=True)
    report = calibration_report(found, correct)
    assert sum(each.count for each in report.bins) == report.count == len(answers)
    assert sum(each.correct for each in report.bins) == report.correct == sum(correct)
    assert report.curve[-1].coverage == 1.0
    assert report.curve[-1].precision == pytest.approx(report.accuracy)
    assert 0 <= report.error <= 1
    # the gap of all answers together cannot be larger than the mean of the gaps
    assert report.error >= abs(report.accuracy - report.confidence) - 1e-9


@pytest.mark.parametrize(
    ("found", "correct", "said"),
    [
        ([0.5, 92], [1, 0], "value 2 is 92.0: expected numbers from 0 to 1; divide percent by 100"),
        ([0.5, 0.6], [1, 2], "value 2 is 2.0: expected 1 (right) or 0 (wrong)"),
        ([0.5, 0.6], [1], "2 answers, but 1 values"),
        ([], [], "found 0 values: expected at least 1"),
        ([float("nan")], [1], "value 1 is nan"),
    ],
)
def test_answers_that_are_none_are_refused(found: list[float], correct: list[int], said: str) -> None:
    with pytest.raises(DataError) as error:
        calibration_report(found, correct)
    assert said in str(error.value)


def test_binning_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ConfigError, match="expected one of mass, width"):
        reliability_table([0.5], [1], binning="equal")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="bins = 0"):
        reliability_table([0.5], [1], bins=0)
