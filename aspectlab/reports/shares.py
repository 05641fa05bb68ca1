"""Shares: counts of opinions as shares with their uncertainty, for people."""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

from aspectlab.insight.aggregate import Counts

SIGNS = {"positive": "+", "neutral": "○", "negative": "−"}
"""The sign of each polarity, in the order in which a page shows them: colour is never the only sign."""

_Z = 1.959963984540054
"""The 97.5 % quantile of the normal distribution: intervals are of 95 %."""


class Share(NamedTuple):
    """A share and the 95 % interval around it, all from 0 to 1."""

    value: float
    low: float
    high: float


def measure_share(hits: int, total: int) -> Share:
    """Give a share with its Wilson interval, which stays sensible for few or one-sided counts.

    >>> share = measure_share(9, 10)
    >>> round(share.low, 3), round(share.high, 3)
    (0.596, 0.982)
    >>> measure_share(0, 0)
    Share(value=0.0, low=0.0, high=1.0)
    """
    if total == 0:
        return Share(0.0, 0.0, 1.0)
    value = hits / total
    shrink = 1 + _Z**2 / total
    centre = (value + _Z**2 / (2 * total)) / shrink
    half = _Z / shrink * sqrt(value * (1 - value) / total + _Z**2 / (4 * total**2))
    # the formula may end a hair outside, and beside a share of exactly 0 or 1
    return Share(value, max(0.0, min(centre - half, value)), min(1.0, max(centre + half, value)))


def share_positive(counts: Counts) -> Share:
    """Give the share of positive among all opinions, neutral ones included."""
    return measure_share(counts.positive, counts.total)


def in_order(counts: Counts) -> dict[str, int]:
    """Give the counts by polarity in the order of the signs."""
    return {polarity: getattr(counts, polarity) for polarity in SIGNS}


def say_percent(value: float) -> str:
    """Write a share in whole percent.

    >>> say_percent(0.666)
    '67 %'
    """
    return f"{_percent(value)} %"


def say_share(share: Share) -> str:
    """Write a share with its interval in whole percent.

    >>> say_share(measure_share(9, 10))
    '90 % (60–98)'
    """
    return f"{say_percent(share.value)} ({say_interval(share)})"


def say_interval(share: Share) -> str:
    """Write the interval of a share in whole percent.

    >>> say_interval(measure_share(9, 10))
    '60–98'
    """
    return f"{_percent(share.low)}–{_percent(share.high)}"


def say_number(number: int, noun: str) -> str:
    """Write a number with what it counts.

    >>> say_number(1, "opinion"), say_number(1200, "opinion")
    ('1 opinion', '1,200 opinions')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _percent(value: float) -> int:
    # not round(): it takes halves to the even neighbour, which reads as a mistake
    return int(100 * value + 0.5)
