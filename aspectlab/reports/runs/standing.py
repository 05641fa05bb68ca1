"""Standing: which system of a column is best, and which are not significantly worse."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

from aspectlab.reports.runs.evidence import LEAST_PAIRS, LEVEL, Values, compare_pairs, compare_runs, pair_runs
from aspectlab.reports.runs.measures import is_lower_better
from aspectlab.stats import holm

RULE = (
    "Bold: the best mean, of those with two runs or more where there are any. ≈: not significantly worse "
    "than that (p > 0.05 after Holm's correction over the column). With six or more runs on the same splits "
    "and seeds, Wilcoxon's signed-rank test and the hierarchical bootstrap must both find a difference; with "
    "fewer, Welch's test over runs decides. ?: a single run, which no test can judge. Runs of one split tell "
    "of other seeds, not of other splits."
)

_RESAMPLES = 2_000
"""Enough for a mark: the smallest p, 0.001, survives a correction over fifty systems."""


class Mark(Enum):
    """How a system stands in its column."""

    BEST = "best"
    LEVEL = "not significantly worse"
    WORSE = "worse"
    UNTESTED = "not tested"


class Place(NamedTuple):
    """The mark of a system, and the corrected p value of being worse than the best; None for the best."""

    mark: Mark
    p: float | None = None


def rank_places(metric: str, column: Sequence[Values]) -> list[Place]:
    """Compare every system of a column with the best one; a single run is best only among its like.

    >>> good, bad = {(1, k): 90.0 + k for k in range(3)}, {(1, k): 60.0 + k for k in range(3)}
    >>> [place.mark.value for place in rank_places("f1", [bad, good, {(1, 0): 99.0}])]
    ['worse', 'best', 'not tested']
    """
    sign = -1 if is_lower_better(metric) else 1
    means = [sign * sum(values.values()) / len(values) for values in column]
    able = [k for k, values in enumerate(column) if len(values) > 1] or range(len(column))
    best = max(able, key=lambda k: means[k])
    p_values = [_test(column[best], values, sign) if k != best else None for k, values in enumerate(column)]
    tested = [k for k, p in enumerate(p_values) if p is not None]
    corrected = dict(zip(tested, holm([p for p in p_values if p is not None]).tolist(), strict=True))
    return [Place(Mark.BEST) if k == best else _judge(corrected.get(k)) for k in range(len(column))]


def _test(best: Values, other: Values, sign: int) -> float | None:
    """Give the p value of no difference; None where there are too few runs for any test."""
    if len(pair_runs(best, other)) < LEAST_PAIRS:
        return compare_runs(best, other)
    found = compare_pairs(best, other, resamples=_RESAMPLES, seed=0)
    # the best mean is over all runs: a system that wins where both have run is not worse
    return found.p if sign * found.bootstrap.difference > 0 else 1.0


def _judge(p: float | None) -> Place:
    if p is None:
        return Place(Mark.UNTESTED)
    return Place(Mark.WORSE if p <= LEVEL else Mark.LEVEL, p)
