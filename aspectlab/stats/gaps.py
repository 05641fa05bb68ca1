"""Standard errors of means over splits x seeds, and the interval of a gap between two such means."""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

from aspectlab.stats.decomposition import Decomposition
from aspectlab.stats.distributions import t_quantile
from aspectlab.stats.samples import check_level


class StandardError(NamedTuple):
    """How far a mean may be off, and on how many degrees of freedom that rests."""

    size: float
    freedom: float


def standard_error(spread: Decomposition) -> StandardError | None:
    """Give the standard error of the mean of all runs; None for a single run.

    Splits are the independent draws: several of them count by their means, however many runs each has. The
    runs of a single split differ by their seed only, so the error says nothing about other splits.

    >>> from aspectlab.stats import decompose
    >>> standard_error(decompose([[1.0, 3.0], [5.0, 7.0]]))
    StandardError(size=2.0, freedom=1)
    """
    if spread.between is not None:
        return StandardError(spread.between / sqrt(spread.splits), spread.splits - 1)
    if spread.std is not None:
        return StandardError(spread.std / sqrt(spread.n), spread.n - 1)
    return None


def gap_interval(gap: float, *errors: StandardError, level: float = 0.95) -> tuple[float, float]:
    """Give the interval of a gap between means; a side without error, such as a printed number, adds none.

    Degrees of freedom are Welch's and Satterthwaite's.

    >>> low, high = gap_interval(1.0, StandardError(0.5, 10))
    >>> round(low, 3), round(high, 3)
    (-0.114, 2.114)
    """
    check_level("gap_interval", level)
    total = sqrt(sum(error.size**2 for error in errors))
    if total == 0:
        return gap, gap
    shares = [((error.size / total) ** 4, error.freedom) for error in errors]
    freedom = 1 / sum(share / own for share, own in shares)
    reach = t_quantile((1 - level) / 2, freedom) * total
    return gap - reach, gap + reach
