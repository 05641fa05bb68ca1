"""Tails and quantiles: scipy as oracle over a wide grid, closed forms where scipy itself loses digits."""

from collections.abc import Callable
from itertools import product
from math import atan, inf, isclose, nan, pi, sqrt

import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats as scipy_stats

from aspectlab.errors import DataError
from aspectlab.stats.distributions import (
    binomial_tail,
    chi2_quantile,
    chi2_tail,
    normal_tails,
    t_quantile,
    t_tail,
)

FREEDOMS = [1, 1.5, 2, 3.3, 5, 10, 37.5, 100, 1e3, 1e4, 123_456.7, 1e6]
TAILS = [1e-100, 1e-50, 1e-12, 1e-6, 0.001, 0.01, 0.025, 0.05, 0.2, 0.4, 0.6, 0.9, 0.99]
DRAWS = [1, 2, 5, 24, 25, 100, 1000, 10_007, 100_000]


def equals(expected: float) -> object:
    # below 1e-290 scipy's own values run out of digits
    return pytest.approx(expected, rel=1e-10, abs=1e-290)


@pytest.mark.parametrize("t", [0, 0.001, 0.1, 0.5, 1, 1.7, 2, 3, 5, 8, 12, 20, 30, 50, 100, 1e3, 1e6, -1, -5])
@pytest.mark.parametrize("freedom", FREEDOMS)
def test_t_tail_is_scipys(t: float, freedom: float) -> None:
    assert t_tail(t, freedom) == equals(float(scipy_stats.t.sf(t, freedom)))


@pytest.mark.parametrize("t", [0.0, 1e-12, 1e-8, 1e-4, 0.3, 1.0, 7.0])
def test_t_tail_is_the_closed_form_of_one_and_two_degrees(t: float) -> None:
    # the Cauchy distribution, and the integral that every textbook works out
    assert t_tail(t, 1) == pytest.approx(0.5 - atan(t) / pi, rel=1e-13)
    assert t_tail(t, 2) == pytest.approx(0.5 - t / (2 * sqrt(2 + t * t)), rel=1e-11)


def test_t_tail_beyond_all_numbers_is_zero() -> None:
    assert t_tail(1e200, 5) == 0.0


@pytest.mark.parametrize(
    "statistic", [0, 1e-10, 0.001, 0.1, 1, 2.9, 3.1, 5, 10, 20, 50, 100, 500, 1e3, 1100, 1e4, 1e5, 100_300]
)
@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 7, 10, 30, 100, 1000, 1e5])
def test_chi2_tail_is_scipys(statistic: float, freedom: float) -> None:
    assert chi2_tail(statistic, freedom) == equals(float(scipy_stats.chi2.sf(statistic, freedom)))


@pytest.mark.parametrize("share", [0.001, 0.1, 0.5, 0.9])
@pytest.mark.parametrize(
    ("n", "hits"), [(n, hits) for n in DRAWS for hits in sorted({-1, 0, 1, n // 10, n // 2, n - 1, n, n + 1})]
)
def test_binomial_tail_is_scipys(n: int, hits: int, share: float) -> None:
    assert binomial_tail(hits, n, share) == equals(float(scipy_stats.binom.cdf(hits, n, share)))


@settings(deadline=None)
@given(st.integers(1, 3000), st.integers(0, 3000))
def test_binomial_tail_twice_is_scipys_two_sided_test(n: int, hits: int) -> None:
    fewer = min(hits, abs(n - hits)) % (n // 2 + 1)
    expected = float(scipy_stats.binomtest(fewer, n).pvalue)
    # scipy's test gives 0 from about 1e-257 on
    assert min(1.0, 2 * binomial_tail(fewer, n)) == pytest.approx(expected, rel=1e-10, abs=1e-240)


@pytest.mark.parametrize("z", [-37, -20, -5, -1, -0.1, 0, 1e-9, 0.5, 1.96, 4, 8, 15, 25, 36])
def test_normal_tails_are_scipys(z: float) -> None:
    assert normal_tails(z) == (equals(float(scipy_stats.norm.cdf(z))), equals(float(scipy_stats.norm.sf(z))))


@pytest.mark.parametrize(("tail", "freedom"), list(product(TAILS, FREEDOMS)))
def test_t_quantile_is_scipys(tail: float, freedom: float) -> None:
    assert t_quantile(tail, freedom) == equals(float(scipy_stats.t.isf(tail, freedom)))


@pytest.mark.parametrize(("tail", "freedom"), list(product(TAILS, [1, 2, 3, 7, 30, 100, 1000])))
def test_chi2_quantile_is_scipys(tail: float, freedom: float) -> None:
    assert chi2_quantile(tail, freedom) == equals(float(scipy_stats.chi2.isf(tail, freedom)))


def test_t_quantile_of_one_half_is_zero() -> None:
    assert isclose(t_quantile(0.5, 7), 0.0, abs_tol=1e-15)


@pytest.mark.parametrize("value", [nan, inf, -inf])
@pytest.mark.parametrize(
    "ask",
    [
        normal_tails,
        lambda value: t_tail(value, 3),
        lambda value: t_tail(1.0, value),
        lambda value: t_quantile(value, 3),
        lambda value: t_quantile(0.05, value),
        lambda value: chi2_tail(value, 3),
        lambda value: chi2_tail(1.0, value),
        lambda value: chi2_quantile(value, 3),
        lambda value: chi2_quantile(0.05, value),
        lambda value: binomial_tail(1, 3, value),
        lambda value: binomial_tail(value, 3),
        lambda value: binomial_tail(1, value),
    ],
)
def test_what_is_no_number_is_refused_and_never_hangs(ask: Callable[[float], object], value: float) -> None:
    with pytest.raises(DataError, match="expected a"):
        ask(value)


@pytest.mark.parametrize("tail", [0.0, -0.1, 1.0, 1.5])
def test_quantile_of_no_share_is_refused(tail: float) -> None:
    with pytest.raises(DataError, match="tail = "):
        t_quantile(tail, 3)
