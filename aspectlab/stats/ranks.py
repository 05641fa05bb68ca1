"""Compare by ranks: Wilcoxon's signed-rank test and the Vargha-Delaney effect size."""

from __future__ import annotations

from math import sqrt
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from aspectlab.errors import ConfigError
from aspectlab.stats.distributions import normal_tails
from aspectlab.stats.outcome import Outcome
from aspectlab.stats.samples import FloatArray, check_pairs, check_sample, subtract

Alternative: TypeAlias = Literal["two-sided", "greater", "less"]

# up to here the 2**n sign patterns are counted exactly in floats
_EXACT_UP_TO = 50


def wilcoxon(
    a: ArrayLike, b: ArrayLike, *, alternative: Alternative = "two-sided", exact: bool | None = None
) -> Outcome:
    """Test paired values for differences that are symmetric about 0; "greater" asks whether a is larger.

    The statistic is the rank sum of the positive differences. Pairs without a difference are left out, as
    Wilcoxon did; if none is left, p is 1. Differences count as equal, or as none, to 12 digits of the largest
    value. Up to 50 pairs p is exact, with ties too; beyond, or with `exact=False`, it is the normal
    approximation with tie correction and without continuity correction.

    >>> wilcoxon(range(1, 11), [0] * 10)
    Outcome(statistic=55.0, p=0.001953125, method='wilcoxon-exact', freedom=None)
    >>> wilcoxon(range(1, 11), [0] * 10, alternative="greater").p
    0.0009765625
    """
    if alternative not in get_args(Alternative):
        choices = ", ".join(get_args(Alternative))
        raise ConfigError(f"wilcoxon: alternative = {alternative!r}: expected one of {choices}")
    first, second = check_pairs("wilcoxon", a, b, least=1)
    differences = subtract(first, second)
    differences = differences[differences != 0]
    n = len(differences)
    if exact and n > _EXACT_UP_TO:
        raise ConfigError(
            f"wilcoxon: exact = True with {n} pairs: expected at most {_EXACT_UP_TO}; leave exact out"
        )
    if n == 0:
        return Outcome(0.0, 1.0, "wilcoxon-exact")
    ranks = rank_values(np.abs(differences))
    statistic = float(ranks[differences > 0].sum())
    is_exact = n <= _EXACT_UP_TO if exact is None else exact
    less, greater = _exact_tails(ranks, statistic) if is_exact else _normal_tails(ranks, statistic)
    tails = {"two-sided": min(1.0, 2 * min(less, greater)), "less": less, "greater": greater}
    return Outcome(statistic, tails[alternative], "wilcoxon-exact" if is_exact else "wilcoxon-normal")


def vargha_delaney(a: ArrayLike, b: ArrayLike) -> float:
    """Give A12: how often a value of a exceeds one of b, ties counted half. 0.5 is no difference.

    >>> vargha_delaney([3, 4, 5], [1, 2, 3])
    0.9444444444444444
    """
    first = check_sample("vargha_delaney: a", a, least=1)
    second = np.sort(check_sample("vargha_delaney: b", b, least=1))
    below = np.searchsorted(second, first, side="left").sum()
    not_above = np.searchsorted(second, first, side="right").sum()
    return float(below + not_above) / (2 * len(first) * len(second))


def rank_values(values: FloatArray) -> FloatArray:
    """Number the values from 1 in rising order; equal ones share the mean of their numbers.

    >>> rank_values(np.array([0.3, 0.1, 0.3])).tolist()
    [2.5, 1.0, 2.5]
    """
    _, place, ties = np.unique(values, return_inverse=True, return_counts=True)
    shared: FloatArray = np.cumsum(ties) - (ties - 1) / 2
    return shared[place]


def _exact_tails(ranks: FloatArray, statistic: float) -> tuple[float, float]:
    """Count over all sign patterns, so that ties need no approximation."""
    doubled = np.round(2 * ranks).astype(np.int64)  # ties have ranks that end in .5
    ways = np.zeros(doubled.sum() + 1)
    ways[0] = 1
    for rank in doubled:
        ways[rank:] += ways[:-rank].copy()
    at, patterns = round(2 * statistic), 2.0 ** len(ranks)
    return float(ways[: at + 1].sum() / patterns), float(ways[at:].sum() / patterns)


def _normal_tails(ranks: FloatArray, statistic: float) -> tuple[float, float]:
    # half the sum and a quarter of the sum of squares of the ranks: ties correct themselves
    z = (statistic - ranks.sum() / 2) / sqrt(float(ranks @ ranks) / 4)
    return normal_tails(z)
