"""Compare many systems over many blocks by their ranks: Friedman's test and Nemenyi's critical difference."""

from __future__ import annotations

from functools import cache
from math import pi, sqrt

import numpy as np
from numpy.typing import ArrayLike

from aspectlab.errors import ConfigError, DataError
from aspectlab.stats.distributions import chi2_tail, normal_tails
from aspectlab.stats.outcome import Outcome
from aspectlab.stats.ranks import rank_values
from aspectlab.stats.samples import FloatArray, check_level, check_sample

# the normal density beyond so many deviations adds nothing to an integral in doubles
_REACH, _STEPS = 9.0, 450


def mean_ranks(blocks: ArrayLike) -> FloatArray:
    """Give the mean rank of every system, 1 being best; `blocks` is [N, K], a row of scores per block.

    Higher scores are better; equal ones share their ranks.

    >>> mean_ranks([[90, 80, 70], [90, 85, 95]]).tolist()
    [1.5, 2.5, 2.0]
    """
    ranks = np.array([rank_values(-row) for row in _check_blocks(blocks)])  # [N, K]
    means: FloatArray = ranks.mean(axis=0)
    return means


def friedman(blocks: ArrayLike) -> Outcome:
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
        return Outcome(0.0, 1.0, "friedman", k - 1)
    sums = ranks.sum(axis=0)
    statistic = (k - 1) * float(((sums - n * (k + 1) / 2) ** 2).sum()) / spread
    return Outcome(statistic, chi2_tail(statistic, k - 1), "friedman", k - 1)


def critical_difference(systems: int, blocks: int, level: float = 0.95) -> float:
    """Give how far two mean ranks must lie apart for Nemenyi's test to tell the systems apart.

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
    """Give what the range of so many standard normal values stays below with this probability."""
    low, high = 0.0, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _range_share(middle, systems) < level else (low, middle)
    return (low + high) / 2


def _range_share(width: float, systems: int) -> float:
    """Integrate over the smallest value: the others lie within the width above it."""
    places = np.linspace(-_REACH, _REACH, _STEPS + 1)
    density = np.exp(-places * places / 2) / sqrt(2 * pi)
    inside = np.array([normal_tails(x + width)[0] - normal_tails(x)[0] for x in places.tolist()])
    return float(systems * (density * inside ** (systems - 1)).sum() * (2 * _REACH / _STEPS))


def _check_blocks(blocks: ArrayLike) -> FloatArray:
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
