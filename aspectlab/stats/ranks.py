"""Rank statistics: Wilcoxon, Friedman, Vargha-Delaney effect size, Nemenyi's critical difference."""

from functools import cache
from math import pi, sqrt
from typing import Literal, TypeAlias, get_args

import numpy as np

from aspectlab.errors import ConfigError, DataError
from aspectlab.stats.distributions import chi2_tail, normal_tails
from aspectlab.stats.samples import FloatArray, Numbers, check_level, check_pairs, check_sample, subtract
from aspectlab.stats.tests import SignificanceResult

Alternative: TypeAlias = Literal["two-sided", "greater", "less"]

# up to here the 2**n sign patterns are counted exactly in floats
_EXACT_UP_TO = 50


def wilcoxon(
    a: Numbers, b: Numbers, *, alternative: Alternative = "two-sided", exact: bool | None = None
) -> SignificanceResult:
    """Test paired values for differences that are symmetric about 0; "greater" asks whether a is larger.

    The statistic is the rank sum of the positive differences. Pairs without a difference are left out, as
    Wilcoxon did; if none is left, p is 1. Differences count as equal, or as none, to 12 digits of the largest
    value. Up to 50 pairs p is exact, with ties too; beyond, or with `exact=False`, it is the normal
    approximation with tie correction and without continuity correction.

    >>> wilcoxon(range(1, 11), [0] * 10)
    SignificanceResult(statistic=55.0, p=0.001953125, method='wilcoxon-exact', freedom=None)
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
        return SignificanceResult(0.0, 1.0, "wilcoxon-exact")
    ranks = rank_values(np.abs(differences))
    statistic = float(ranks[differences > 0].sum())
    is_exact = n <= _EXACT_UP_TO if exact is None else exact
    less, greater = _exact_tails(ranks, statistic) if is_exact else _normal_tails(ranks, statistic)
    tails = {"two-sided": min(1.0, 2 * min(less, greater)), "less": less, "greater": greater}
    return SignificanceResult(
        statistic, tails[alternative], "wilcoxon-exact" if is_exact else "wilcoxon-normal"
    )


def vargha_delaney(a: Numbers, b: Numbers) -> float:
    """Return A12: how often a value of a exceeds one of b, ties counted half. 0.5 is no difference.

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
    _, inverse, ties = np.unique(values, return_inverse=True, return_counts=True)
    shared: FloatArray = np.cumsum(ties) - (ties - 1) / 2
    return shared[inverse]


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


# the normal density beyond so many deviations adds nothing to an integral in doubles
_REACH, _STEPS = 9.0, 450


def mean_ranks(blocks: Numbers) -> FloatArray:
    """Return the mean rank of every system, 1 being best; `blocks` is [N, K], a row of scores per block.

    Higher scores are better; equal ones share their ranks.

    >>> mean_ranks([[90, 80, 70], [90, 85, 95]]).tolist()
    [1.5, 2.5, 2.0]
    """
    ranks = np.array([rank_values(-row) for row in _check_blocks(blocks)])  # [N, K]
    means: FloatArray = ranks.mean(axis=0)
    return means


def friedman(blocks: Numbers) -> SignificanceResult:
    """Test whether systems that are scored on the same blocks all rank alike, with correction for ties.

    p is that of the chi-square approximation, which wants about ten blocks or more.

    >>> outcome = friedman([[3, 2, 1]] * 10)
    >>> outcome.statistic, outcome.p < 0.001
    (20.0, True)
    """
    scores = _check_blocks(blocks)
    n, k = scores.shape
    ranks = np.array([rank_values(row) for row in scores])  # [N, K]
    # the spread of the ranks within blocks, which ties make smaller than that of 1 ... K
    spread = float(((ranks - (k + 1) / 2) ** 2).sum())
    if spread == 0:
        return SignificanceResult(0.0, 1.0, "friedman", k - 1)
    sums = ranks.sum(axis=0)
    statistic = (k - 1) * float(((sums - n * (k + 1) / 2) ** 2).sum()) / spread
    return SignificanceResult(statistic, chi2_tail(statistic, k - 1), "friedman", k - 1)


def critical_difference(systems: int, blocks: int, level: float = 0.95) -> float:
    """Return how far two mean ranks must lie apart for Nemenyi's test to tell the systems apart.

    >>> round(critical_difference(5, 30), 3)
    1.114
    """
    if systems < 2 or blocks < 1:
        raise ConfigError(
            f"critical_difference: {systems} systems on {blocks} blocks: expected at least 2 and 1"
        )
    check_level("critical_difference", level)
    return _range_quantile(systems, level) * sqrt(systems * (systems + 1) / (12 * blocks))


@cache
def _range_quantile(systems: int, level: float) -> float:
    """Return what the range of so many standard normal values stays below with this probability."""
    low, high = 0.0, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _range_share(middle, systems) < level else (low, middle)
    return (low + high) / 2


def _range_share(width: float, systems: int) -> float:
    """Integrate over the smallest value: the others lie within the width above it."""
    grid = np.linspace(-_REACH, _REACH, _STEPS + 1)
    density = np.exp(-grid * grid / 2) / sqrt(2 * pi)
    inside = np.array([normal_tails(x + width)[0] - normal_tails(x)[0] for x in grid.tolist()])
    return float(systems * (density * inside ** (systems - 1)).sum() * (2 * _REACH / _STEPS))


def _check_blocks(blocks: Numbers) -> FloatArray:
    expected = "expected a row of scores per block, one score a system"
    try:
        found = np.asarray(blocks)
    except ValueError:
        raise DataError(f"friedman: rows of different lengths: {expected}") from None
    if not found.size:
        raise DataError(f"friedman: found no blocks: {expected}")
    if found.ndim != 2:
        raise DataError(f"friedman: found blocks of shape {found.shape}: {expected}")
    return np.array([check_sample(f"friedman: block {k}", row, least=2) for k, row in enumerate(found, 1)])
