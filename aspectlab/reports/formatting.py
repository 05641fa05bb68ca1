"""Format counts, shares and confidence intervals for people."""

from math import sqrt
from typing import NamedTuple

from aspectlab.data import PolarityCounts

POLARITY_SIGNS = {"positive": "+", "neutral": "○", "negative": "−"}
"""The sign of each polarity, in the order in which a page shows them: colour is never the only sign."""

_Z = 1.959963984540054
"""The 97.5 % quantile of the normal distribution: intervals are of 95 %."""


class ShareEstimate(NamedTuple):
    """A share and the 95 % interval around it, all from 0 to 1."""

    value: float
    low: float
    high: float


def estimate_share(hits: int, total: int) -> ShareEstimate:
    """Return a share with its Wilson confidence interval, which stays sensible for few or one-sided counts.

    >>> share = estimate_share(9, 10)
    >>> round(share.low, 3), round(share.high, 3)
    (0.596, 0.982)
    >>> estimate_share(0, 0)
    ShareEstimate(value=0.0, low=0.0, high=1.0)
    """
    if total == 0:
        return ShareEstimate(0.0, 0.0, 1.0)
    value = hits / total
    shrink = 1 + _Z**2 / total
    centre = (value + _Z**2 / (2 * total)) / shrink
    half = _Z / shrink * sqrt(value * (1 - value) / total + _Z**2 / (4 * total**2))
    # the formula may end a hair outside, and beside a share of exactly 0 or 1
    return ShareEstimate(value, max(0.0, min(centre - half, value)), min(1.0, max(centre + half, value)))


def estimate_positive(counts: PolarityCounts) -> ShareEstimate:
    """Return the share of positive among all opinions, neutral ones included."""
    return estimate_share(counts.positive, counts.total)


def order_by_polarity(counts: PolarityCounts) -> dict[str, int]:
    """Return the counts by polarity in the order of the signs."""
    return {polarity: getattr(counts, polarity) for polarity in POLARITY_SIGNS}


def format_percent(value: float) -> str:
    """Format a share in whole percent.

    >>> format_percent(0.666)
    '67 %'
    """
    return f"{_round_percent(value)} %"


def format_share(share: ShareEstimate) -> str:
    """Format a share with its confidence interval in whole percent.

    >>> format_share(estimate_share(9, 10))
    '90 % (60–98)'
    """
    return f"{format_percent(share.value)} ({format_interval(share)})"


def format_interval(share: ShareEstimate) -> str:
    """Format the confidence interval of a share in whole percent.

    >>> format_interval(estimate_share(9, 10))
    '60–98'
    """
    return f"{_round_percent(share.low)}–{_round_percent(share.high)}"


def format_count(number: int, noun: str) -> str:
    """Format a number with what it counts.

    >>> format_count(1, "opinion"), format_count(1200, "opinion")
    ('1 opinion', '1,200 opinions')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _round_percent(value: float) -> int:
    # not round(): it takes halves to the even neighbour, which reads as a mistake
    return int(100 * value + 0.5)
