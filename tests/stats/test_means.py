"""Welch's t-test and Cohen's d: scipy and statsmodels as oracles, and inputs without spread."""

from math import inf, isfinite, isnan, sqrt

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats as scipy_stats
from statsmodels.stats.weightstats import ttest_ind

from aspectlab.errors import DataError
from aspectlab.stats import cohen_d, welch

SAMPLES = [
    ([74.3, 74.4, 74.7, 73.2, 73.7], [82.5, 83.2, 82.0, 82.7, 82.1]),
    ([1, 0, 1, 1, 0, 1, 1, 1], [0, 0, 1, 0, 1, 0]),
]
ONE_CONSTANT = ([1, 1, 1, 1], [1, 0, 1, 0, 1])  # scipy warns of it, statsmodels does not
values = st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=20)


@pytest.mark.parametrize(("a", "b"), SAMPLES)
def test_welch_agrees_with_scipy(a: list[float], b: list[float]) -> None:
    outcome, expected = welch(a, b), scipy_stats.ttest_ind(a, b, equal_var=False)
    assert (outcome.statistic, outcome.p) == pytest.approx((expected.statistic, expected.pvalue))


@pytest.mark.parametrize(("a", "b"), [*SAMPLES, ONE_CONSTANT])
def test_welch_agrees_with_statsmodels(a: list[float], b: list[float]) -> None:
    outcome = welch(a, b)
    assert (outcome.statistic, outcome.p, outcome.freedom) == pytest.approx(ttest_ind(a, b, usevar="unequal"))


def test_welch_does_not_depend_on_the_unit() -> None:
    # in this unit the squares of the variances vanish
    a, b = np.array([1.0, 3.0, 2.0]), np.array([5.0, 9.0, 4.0, 4.0])
    small, plain = welch(a * 1e-120, b * 1e-120), welch(a, b)
    assert (small.statistic, small.p) == pytest.approx((plain.statistic, plain.p))
    assert small.freedom == pytest.approx(plain.freedom)


@pytest.mark.parametrize(
    ("a", "b", "statistic", "p"),
    [
        ([0.1] * 3, [0.1] * 7, 0.0, 1.0),
        ([1, 1], [0, 0, 0], inf, 0.0),
        ([0, 0], [1, 1], -inf, 0.0),
    ],
)
def test_welch_without_any_spread_is_defined(
    a: list[float], b: list[float], statistic: float, p: float
) -> None:
    outcome = welch(a, b)
    assert (outcome.statistic, outcome.p, outcome.freedom) == (statistic, p, None)


@settings(deadline=None)
@given(values, values)
def test_welch_is_antisymmetric_and_never_undefined(a: list[float], b: list[float]) -> None:
    forth, back = welch(a, b), welch(b, a)
    assert 0 <= forth.p <= 1
    assert forth.statistic == -back.statistic
    assert not isnan(forth.statistic)


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ([], [1, 2], "welch: a: found 0 values"),
        ([1, 2], [1], "welch: b: found 1 values"),
        ([1, float("inf")], [1, 2], "value 2 is inf"),
        ([1, 1e200], [1, 2], "value 2 is 1e"),
        ([[1, 2]], [1, 2], "shape"),
        ([1, 10**400], [1, 2], "expected a list of numbers"),
    ],
)
def test_welch_refuses_what_is_not_a_sample(a: list, b: list, message: str) -> None:
    with pytest.raises(DataError, match=message):
        welch(a, b)


@pytest.mark.parametrize(("a", "b"), SAMPLES)
def test_cohen_d_follows_from_students_t(a: list[float], b: list[float]) -> None:
    t = scipy_stats.ttest_ind(np.array(a), np.array(b)).statistic
    assert cohen_d(a, b) == pytest.approx(t * sqrt(1 / len(a) + 1 / len(b)))


def test_paired_cohen_d_follows_from_the_paired_t() -> None:
    a, b = SAMPLES[0]
    assert cohen_d(a, b, paired=True) == pytest.approx(scipy_stats.ttest_rel(a, b).statistic / sqrt(5))


@pytest.mark.parametrize("paired", [False, True])
@pytest.mark.parametrize(
    ("a", "b", "d"), [([0.1] * 3, [0.1] * 3, 0.0), ([2, 2], [1, 1], inf), ([0, 0], [1, 1], -inf)]
)
def test_cohen_d_without_spread_is_defined(a: list[float], b: list[float], d: float, paired: bool) -> None:
    assert cohen_d(a, b, paired=paired) == d


def test_paired_cohen_d_sees_equal_differences_through_rounding() -> None:
    # 0.3 - 0.2 and 0.2 - 0.1 differ in the last bit; as a spread that would make d about 1e16
    assert cohen_d([0.3, 0.2, 0.7], [0.2, 0.1, 0.6], paired=True) == inf


@given(values, values)
def test_cohen_d_is_antisymmetric(a: list[float], b: list[float]) -> None:
    assert cohen_d(a, b) == -cohen_d(b, a)


def test_cohen_d_of_a_large_sample_is_finite() -> None:
    assert isfinite(cohen_d(np.arange(1000), np.arange(1000) + 3))


def test_paired_cohen_d_refuses_unequal_lengths() -> None:
    with pytest.raises(DataError, match="expected pairs"):
        cohen_d([1, 2, 3], [1, 2], paired=True)
