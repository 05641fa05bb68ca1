"""Prediction-powered inference: known cases, what must not happen, and coverage in a small simulation."""

import numpy as np
import pytest

from aspectlab.errors import DataError
from aspectlab.stats import JudgedSample, corrected_share


def judge(errors: int, judged: int = 100, units: int = 10_000) -> JudgedSample:
    """One opinion a unit, predicted to be positive; in some units that is wrong."""
    truth = [[0, 1]] * errors + [[1, 1]] * (judged - errors)
    return JudgedSample.build([0] * judged, [units], [[1, 1]] * judged, truth)


def test_share_of_a_constant_model_is_that_of_the_judged_sample() -> None:
    share = corrected_share(judge(20), [10_000, 10_000])
    # Agresti and Coull: (80 + 2) / (100 + 4), and 1.96 standard errors of it
    assert share.value == pytest.approx(82 / 104, abs=1e-6)
    reach = 1.96 * (82 / 104 * 22 / 104 / 104) ** 0.5
    assert share.high - share.value == pytest.approx(reach, rel=0.06)


def test_good_predictions_make_the_interval_shorter() -> None:
    rng = np.random.default_rng(1)
    truth = np.stack([rng.random(200) < 0.6, np.ones(200)], -1).astype(float)
    good = JudgedSample.build([0] * 200, [100_000], truth, truth)
    blind = JudgedSample.build([0] * 200, [100_000], np.zeros_like(truth), truth)
    totals = [60_000.0, 100_000.0]
    used, unused = corrected_share(good, totals), corrected_share(blind, [0, 0])
    assert used.trust == 1
    assert used.high - used.low < 0.8 * (unused.high - unused.low)


def test_a_few_judged_units_without_error_do_not_make_a_model_right() -> None:
    share = corrected_share(judge(0, judged=10), [10_000, 10_000])
    assert share.low < 0.75


def test_what_the_model_misses_is_counted() -> None:
    # the model finds nothing in half of the units; there, all opinions are negative
    strata = [0] * 50 + [1] * 50
    predicted = [[0, 0]] * 50 + [[1, 1]] * 50
    truth = [[0, 1]] * 50 + [[1, 1]] * 50
    share = corrected_share(JudgedSample.build(strata, [500, 500], predicted, truth), [500, 500])
    assert share.low < 0.5 < share.high


def test_intervals_cover_the_true_share() -> None:
    rng = np.random.default_rng(5)
    covered = 0
    for _ in range(300):
        truth = np.stack([rng.random(2000) < 0.7, np.ones(2000)], -1).astype(float)
        predicted = truth.copy()
        wrong = rng.random(2000) < 0.2  # and always to the better: counts alone would say .76
        predicted[wrong, 0] = 1
        drawn = rng.choice(2000, 80, replace=False)
        sample = JudgedSample.build([0] * 80, [2000], predicted[drawn], truth[drawn])
        share = corrected_share(sample, predicted.sum(0))
        covered += share.low <= 0.7 <= share.high
    assert 0.91 <= covered / 300 <= 0.98


@pytest.mark.parametrize(
    ("strata", "sizes", "found"),
    [
        ([0], [10], "1 units"),
        ([0, 0, 0], [2], "more units than there are"),
        ([0, 0], [10, 10], "fewer than two units"),
    ],
)
def test_sample_that_says_nothing_is_refused(strata: list[int], sizes: list[int], found: str) -> None:
    with pytest.raises(DataError, match=found):
        JudgedSample.build(strata, sizes, [[1, 1]] * len(strata), [[1, 1]] * len(strata))
