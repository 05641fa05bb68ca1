"""Compare two means: Welch's t-test and Cohen's d."""

from __future__ import annotations

from math import copysign, inf, sqrt

import numpy as np
from numpy.typing import ArrayLike

from aspectlab.stats.distributions import t_tail
from aspectlab.stats.outcome import Outcome
from aspectlab.stats.samples import average, check_pairs, check_sample, subtract, variance


def welch(a: ArrayLike, b: ArrayLike) -> Outcome:
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
        return Outcome(statistic, p=0.0 if statistic else 1.0, method="welch")
    share = errors[0] / sum(errors)  # as a share, because the squares of small errors would vanish
    freedom = 1 / (share**2 / (len(first) - 1) + (1 - share) ** 2 / (len(second) - 1))
    return Outcome(statistic, 2 * t_tail(abs(statistic), freedom), "welch", freedom)


def cohen_d(a: ArrayLike, b: ArrayLike, *, paired: bool = False) -> float:
    """Give the difference of the means in standard deviations.

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
