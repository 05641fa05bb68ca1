"""Compare two entities: the aspects or topics of both, which are worse, and how sure that is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from math import hypot
from typing import NamedTuple

from aspectlab.data import PolarityCounts
from aspectlab.graph.model import Entity, EntityAspect
from aspectlab.readers import REST
from aspectlab.reports import ShareEstimate, estimate_share
from aspectlab.stats import fisher_exact, holm

LEVEL = 0.05


class ComparisonVerdict(StrEnum):
    """What can be said of the second entity against the first."""

    WORSE = "worse"
    BETTER = "better"
    CHANCE = "may be chance"
    FEW = "too few to tell"


@dataclass(frozen=True, slots=True)
class AspectComparison:
    """One aspect of two entities: shares of negative among positive and negative, second less first.

    `p` is of Fisher's exact test, `p_holm` corrected for all aspects that were tested; where even the most
    extreme counts could not show a difference there was no test, and `p_holm` is None.
    """

    name: str
    first: PolarityCounts
    second: PolarityCounts
    difference: float
    low: float
    high: float
    p: float
    p_holm: float | None

    @property
    def verdict(self) -> ComparisonVerdict:
        """What can be said."""
        if self.p_holm is None:
            return ComparisonVerdict.FEW
        if self.p_holm >= LEVEL:
            return ComparisonVerdict.CHANCE
        return ComparisonVerdict.WORSE if self.difference > 0 else ComparisonVerdict.BETTER


def compare_joined(joined: Iterable[JoinedCounts]) -> list[AspectComparison]:
    """Compare by aspect; what is worse comes first, by how much it is so at least."""
    rows = [row for row in joined if _judged(row.first) and _judged(row.second)]
    tests = {index: _test(row) for index, row in enumerate(rows) if _can_tell(row)}
    corrected = dict(zip(tests, holm(list(tests.values())).tolist(), strict=True))
    found = [_compare_row(row, corrected.get(index)) for index, row in enumerate(rows)]
    return sorted(found, key=lambda each: (each.p_holm is None, -each.low, -each.difference, each.name))


def share_difference(first: ShareEstimate, second: ShareEstimate) -> ShareEstimate:
    """Return the second share less the first, with Newcombe's confidence interval.

    >>> # Newcombe 1998, Table II (a)
    >>> found = share_difference(estimate_share(48, 80), estimate_share(56, 70))
    >>> [round(value, 4) for value in found]
    [0.2, 0.0524, 0.3339]
    """
    gap = second.value - first.value
    low = gap - hypot(second.value - second.low, first.high - first.value)
    high = gap + hypot(second.high - second.value, first.value - first.low)
    return ShareEstimate(gap, low, high)


def _compare_row(row: JoinedCounts, p_holm: float | None) -> AspectComparison:
    gap = share_difference(_share_negative(row.first), _share_negative(row.second))
    return AspectComparison(row.name, row.first, row.second, gap.value, gap.low, gap.high, _test(row), p_holm)


def _judged(counts: PolarityCounts) -> int:
    return counts.positive + counts.negative


def _share_negative(counts: PolarityCounts) -> ShareEstimate:
    return estimate_share(counts.negative, _judged(counts))


def _test(row: JoinedCounts) -> float:
    return fisher_exact(row.first.negative, _judged(row.first), row.second.negative, _judged(row.second))


def _can_tell(row: JoinedCounts) -> bool:
    """Return whether so many counts could show anything; their values are not seen, so no test is lost."""
    first, second = _judged(row.first), _judged(row.second)
    return fisher_exact(0, first, second, second) < LEVEL


class AspectPair(NamedTuple):
    """One aspect of two entities; None where nothing is said of it."""

    name: str
    first: EntityAspect | None
    second: EntityAspect | None

    @property
    def total(self) -> int:
        """How often something is said of it."""
        return sum(aspect.counts.total for aspect in (self.first, self.second) if aspect)


class JoinedCounts(NamedTuple):
    """The counts of two entities for one aspect or topic."""

    name: str
    first: PolarityCounts
    second: PolarityCounts


def join_aspects(first: Entity, second: Entity) -> tuple[AspectPair, ...]:
    """Pair the aspects by their keys: those of both entities first, then the most frequent.

    What is not named is no pair: it is not the same thing in two entities.
    """
    left, right = ({aspect.key: aspect for aspect in entity.aspects} for entity in (first, second))
    pairs = [
        AspectPair((left.get(key) or right[key]).name, left.get(key), right.get(key))
        for key in (left | right)
        if key
    ]
    return tuple(sorted(pairs, key=lambda pair: (not (pair.first and pair.second), -pair.total)))


def join_counts(first: Entity, second: Entity, *, by_topic: bool) -> Iterator[JoinedCounts]:
    """Return what both entities have, with its counts; what fits nowhere is no topic."""
    if by_topic:
        for topic, counts in first.topics.items():
            if topic and topic not in REST and topic in second.topics:
                yield JoinedCounts(topic, counts, second.topics[topic])
        return
    for pair in join_aspects(first, second):
        if pair.first and pair.second:
            yield JoinedCounts(pair.name, pair.first.counts, pair.second.counts)
