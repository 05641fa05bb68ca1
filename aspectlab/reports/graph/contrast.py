"""Which aspects of one entity are worse than those of another, and how sure that is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from math import hypot

from aspectlab.insight.aggregate import Counts
from aspectlab.insight.knowledgejoin import Joined
from aspectlab.reports.shares import Share, measure_share
from aspectlab.stats import holm
from aspectlab.stats.fisher import fisher_exact

LEVEL = 0.05


class Verdict(StrEnum):
    """What can be said of the second entity against the first."""

    WORSE = "worse"
    BETTER = "better"
    CHANCE = "may be chance"
    FEW = "too few to tell"


@dataclass(frozen=True, slots=True)
class Contrast:
    """One aspect of two entities: shares of negative among positive and negative, second less first.

    `p` is of Fisher's exact test, `p_holm` corrected for all aspects that were tested; where even the most
    extreme counts could not show a difference there was no test, and `p_holm` is None.
    """

    name: str
    first: Counts
    second: Counts
    difference: float
    low: float
    high: float
    p: float
    p_holm: float | None

    @property
    def verdict(self) -> Verdict:
        """What can be said."""
        if self.p_holm is None:
            return Verdict.FEW
        if self.p_holm >= LEVEL:
            return Verdict.CHANCE
        return Verdict.WORSE if self.difference > 0 else Verdict.BETTER


def contrast_entities(joined: Iterable[Joined]) -> list[Contrast]:
    """Compare by aspect; what is worse comes first, by how much it is so at least."""
    rows = [row for row in joined if _judged(row.first) and _judged(row.second)]
    tests = {place: _test(row) for place, row in enumerate(rows) if _can_tell(row)}
    corrected = dict(zip(tests, holm(list(tests.values())).tolist(), strict=True))
    found = [_contrast(row, corrected.get(place)) for place, row in enumerate(rows)]
    return sorted(found, key=lambda each: (each.p_holm is None, -each.low, -each.difference, each.name))


def differ(first: Share, second: Share) -> Share:
    """Give the second share less the first, with Newcombe's interval.

    >>> found = differ(measure_share(48, 80), measure_share(56, 70))  # Newcombe 1998, Table II (a)
    >>> [round(value, 4) for value in found]
    [0.2, 0.0524, 0.3339]
    """
    gap = second.value - first.value
    low = gap - hypot(second.value - second.low, first.high - first.value)
    high = gap + hypot(second.high - second.value, first.value - first.low)
    return Share(gap, low, high)


def _contrast(row: Joined, p_holm: float | None) -> Contrast:
    gap = differ(_share_negative(row.first), _share_negative(row.second))
    return Contrast(row.name, row.first, row.second, gap.value, gap.low, gap.high, _test(row), p_holm)


def _judged(counts: Counts) -> int:
    return counts.positive + counts.negative


def _share_negative(counts: Counts) -> Share:
    return measure_share(counts.negative, _judged(counts))


def _test(row: Joined) -> float:
    return fisher_exact(row.first.negative, _judged(row.first), row.second.negative, _judged(row.second))


def _can_tell(row: Joined) -> bool:
    """Tell whether so many counts could show anything: what they are is not looked at, so no test is lost."""
    first, second = _judged(row.first), _judged(row.second)
    return fisher_exact(0, first, second, second) < LEVEL
