"""Significance tests: Welch's t-test, McNemar's and Fisher's tests, Cohen's d, and Holm's correction."""

from dataclasses import dataclass
from math import copysign, exp, inf, lgamma, sqrt

import numpy as np

from aspectlab.errors import DataError
from aspectlab.stats.distributions import binomial_tail, chi2_tail, t_tail
from aspectlab.stats.samples import (
    FloatArray,
    Numbers,
    average,
    check_pairs,
    check_sample,
    subtract,
    variance,
)


@dataclass(frozen=True, slots=True)
class SignificanceResult:
    """A test statistic, its p value, which method gave it, and its degrees of freedom where it has them."""

    statistic: float
    p: float
    method: str
    freedom: float | None = None


def welch(a: Numbers, b: Numbers) -> SignificanceResult:
    """Test two independent samples for equal means, two-sided, without assuming equal variances.

    Each sample needs two values. If neither varies, equal means give t = 0 and p = 1, and different means
    give an infinite t and p = 0.

    >>> outcome = welch([1, 2, 3, 4], [3, 4, 5, 9])
    >>> round(outcome.statistic, 4), round(outcome.p, 4), round(outcome.freedom, 2)
    (-1.8773, 0.1277, 4.37)
    """
    first, second = check_sample("welch: a", a, least=2), check_sample("welch: b", b, least=2)
    errors = variance(first) / len(first), variance(second) / len(second)
    statistic = _ratio(average(first) - average(second), sqrt(sum(errors)))
    if sum(errors) == 0:
        return SignificanceResult(statistic, p=0.0 if statistic else 1.0, method="welch")
    share = errors[0] / sum(errors)  # as a share, because the squares of small errors would vanish
    freedom = 1 / (share**2 / (len(first) - 1) + (1 - share) ** 2 / (len(second) - 1))
    return SignificanceResult(statistic, 2 * t_tail(abs(statistic), freedom), "welch", freedom)


def cohen_d(a: Numbers, b: Numbers, *, paired: bool = False) -> float:
    """Return the difference of the means in standard deviations.

    Unpaired: the pooled std of the two samples. Paired: the std of the differences (the form called d_z).
    Without spread, equal means give 0 and different means an infinite d.

    >>> cohen_d([2, 4, 6], [1, 3, 5])
    0.5
    >>> cohen_d([2, 4, 6], [1, 2, 3], paired=True)
    2.0
    """
    if paired:
        first, second = check_pairs("cohen_d", a, b, least=2)
        cleared = subtract(first, second)
        # rounding must neither make a spread out of equal differences nor touch a real one
        differences = cleared if np.ptp(cleared) == 0 else first - second
        return _ratio(average(differences), sqrt(variance(differences)))
    first, second = check_sample("cohen_d: a", a, least=2), check_sample("cohen_d: b", b, least=2)
    weights = len(first) - 1, len(second) - 1
    pooled = (weights[0] * variance(first) + weights[1] * variance(second)) / sum(weights)
    return _ratio(average(first) - average(second), sqrt(pooled))


def _ratio(gap: float, spread: float) -> float:
    if spread == 0:
        return copysign(inf, gap) if gap else 0.0
    return gap / spread


# from so many examples on which the two disagree, the chi-square approximation is good enough
_LARGE = 25


def mcnemar(a: Numbers, b: Numbers, *, exact: bool | None = None) -> SignificanceResult:
    """Test whether two systems err equally often; `a` and `b` say per example whether it was right (1 or 0).

    Only examples on which the two disagree count. Below 25 of them the test is the exact binomial one, and
    the statistic the smaller of the two counts; from 25 on it is the chi-square with continuity correction.
    `exact` forces either. Without any disagreement the statistic is 0 and p is 1.

    >>> right_a, right_b = [1] * 8 + [0] * 2 + [1] * 5, [0] * 8 + [1] * 2 + [1] * 5
    >>> outcome = mcnemar(right_a, right_b)
    >>> outcome.method, outcome.statistic, round(outcome.p, 9)
    ('mcnemar-exact', 2.0, 0.109375)
    """
    first, second = check_pairs("mcnemar", a, b, least=1)
    _check_flags("a", first)
    _check_flags("b", second)
    only_a, only_b = int(np.sum(first > second)), int(np.sum(first < second))
    n = only_a + only_b
    if n < _LARGE if exact is None else exact:
        return _exact_test(min(only_a, only_b), n)
    if n == 0:
        return SignificanceResult(0.0, 1.0, "mcnemar-chi2", 1.0)
    # the correction must not make a difference out of none
    statistic = max(0, abs(only_a - only_b) - 1) ** 2 / n
    return SignificanceResult(statistic, chi2_tail(statistic, 1), "mcnemar-chi2", 1.0)


def _exact_test(fewer: int, n: int) -> SignificanceResult:
    if n == 0:
        return SignificanceResult(0.0, 1.0, "mcnemar-exact")
    # equal counts lie in both tails
    return SignificanceResult(float(fewer), min(1.0, 2 * binomial_tail(fewer, n)), "mcnemar-exact")


def _check_flags(name: str, flags: FloatArray) -> None:
    wrong = flags[(flags != 0) & (flags != 1)]
    if wrong.size:
        raise DataError(
            f"mcnemar: {name} holds {float(wrong[0])!r}: expected 1 (right) or 0 (wrong) an example; "
            "compare prediction and gold first"
        )


# sums of logarithms differ in their last digits: outcomes that are as likely must count as such
_TIE = 1e-7


def fisher_exact(hits_a: int, total_a: int, hits_b: int, total_b: int) -> float:
    """Return the two-sided p value that two shares are equal, given all four margins.

    All outcomes count that are no more likely than the one found. Without any count p is 1.

    >>> round(fisher_exact(3, 4, 1, 4), 4)  # the lady who tasted eight cups of tea
    0.4857
    """
    assert 0 <= hits_a <= total_a, f"{hits_a} of {total_a}"
    assert 0 <= hits_b <= total_b, f"{hits_b} of {total_b}"
    hits = hits_a + hits_b
    low, high = max(0, hits - total_b), min(hits, total_a)
    logs = [_log_choose(total_a, k) + _log_choose(total_b, hits - k) for k in range(low, high + 1)]
    whole = _log_choose(total_a + total_b, hits)
    found = logs[hits_a - low]
    return min(1.0, sum(exp(value - whole) for value in logs if value <= found + _TIE))


def _log_choose(n: int, k: int) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)


def holm(p_values: Numbers) -> FloatArray:
    """Adjust p values by Holm's step-down method, in the order they came in; no tests give no values.

    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    found = check_sample("holm", p_values, least=0)
    outside = np.flatnonzero((found < 0) | (found > 1))
    if outside.size:
        index = int(outside[0])
        raise DataError(f"holm: value {index + 1} is {float(found[index])!r}: expected p values from 0 to 1")
    order = np.argsort(found, kind="stable")
    # the smallest p value is multiplied by all tests, the next against one less
    remaining = np.arange(len(found), 0, -1)
    adjusted = np.empty_like(found)
    adjusted[order] = np.minimum(1, np.maximum.accumulate(found[order] * remaining))
    return adjusted


def robust_regression(
    columns: FloatArray, values: FloatArray, controls: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the coefficients of columns [N, P] and their standard errors, by least squares.

    An intercept and the controls [N, Q] are held equal. The errors hold where the spread is uneven (HC3).

    >>> columns, controls = np.array([[0.0], [0.0], [1.0], [1.0]]), np.zeros((4, 0))
    >>> coefficients, errors = robust_regression(columns, np.array([1.0, 3.0, 4.0, 6.0]), controls)
    >>> round(float(coefficients[0]), 6), round(float(errors[0]), 6)
    (3.0, 2.0)
    """
    whole = np.hstack([columns, np.ones((len(values), 1)), controls])
    inverse = np.linalg.pinv(whole.T @ whole, hermitian=True)
    coefficients = inverse @ (whole.T @ values)
    leverage = np.einsum("ij,jk,ik->i", whole, inverse, whole)
    # a value that its own column fits exactly says nothing about the spread
    residuals = (values - whole @ coefficients) / np.maximum(1 - leverage, 0.05)
    sandwich = inverse @ ((whole * residuals[:, None] ** 2).T @ whole) @ inverse
    errors: FloatArray = np.sqrt(np.maximum(np.diag(sandwich), 1e-12))
    number = columns.shape[1]
    return coefficients[:number], errors[:number]
