"""Words and the spread of counts: the two measures every table needs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_TOKEN = re.compile(
    r"\w+(?=n't\b)|n't\b|'(?:s|re|ve|ll|d|m)\b|\d+(?:[.,]\d+)*|\w+|\.{2,}|-{2,}|[^\w\s]", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class FiveNumbers:
    """Minimum, quartiles and maximum."""

    min: float
    q1: float
    median: float
    q3: float
    max: float


def summarise(values: Iterable[int]) -> FiveNumbers | None:
    """Give the five numbers of a box plot, quartiles interpolated linearly as numpy does; None of nothing.

    >>> summarise([1, 2, 3, 4])
    FiveNumbers(min=1, q1=1.75, median=2.5, q3=3.25, max=4)
    """
    ordered = sorted(values)
    if not ordered:
        return None
    q1, median, q3 = (_quantile(ordered, quarter / 4) for quarter in (1, 2, 3))
    return FiveNumbers(ordered[0], q1, median, q3, ordered[-1])


def count_words(text: str) -> int:
    """Count blank-separated words, as the data set papers do.

    >>> count_words("It isn't bad.")
    3
    """
    return len(text.split())


def find_tokens(text: str) -> list[str]:
    """Separate words, English clitics, numbers and punctuation marks, near to what a treebank does.

    >>> find_tokens("It isn't 3.5 bad...")
    ['It', 'is', "n't", '3.5', 'bad', '...']
    """
    return _TOKEN.findall(text)


def mean(values: Sequence[float]) -> float | None:
    """Give the mean, or None of nothing."""
    return sum(values) / len(values) if values else None


def ratio(part: int, whole: int) -> float | None:
    """Divide, or give None if there is nothing to divide by."""
    return part / whole if whole else None


def _quantile(ordered: Sequence[int], share: float) -> float:
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])
