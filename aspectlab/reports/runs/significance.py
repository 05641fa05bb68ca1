"""What metrics are called; which system is best, and which are not significantly worse, by which tests."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import NamedTuple

import numpy as np

from aspectlab.stats import Comparison, hierarchical_bootstrap, holm, welch, wilcoxon

_NAMES = {
    "accuracy": "accuracy",
    "f1": "F1",
    "macro_f1": "macro F1",
    "weighted_f1": "weighted F1",
    "precision": "precision",
    "recall": "recall",
    "ate_f1": "ATE F1",
    "ars_aspect": "ARS by aspect",
    "ars_sentence": "ARS by sentence",
    "revtgt_ori": "RevTgt originals",
    "revtgt_new": "RevTgt variants",
    "revnon_ori": "RevNon originals",
    "revnon_new": "RevNon variants",
    "adddiff_ori": "AddDiff originals",
    "adddiff_new": "AddDiff variants",
    "revnon+adddiff_ori": "RevNon+AddDiff originals",
    "revnon+adddiff_new": "RevNon+AddDiff variants",
    "vr": "violation rate",
    "vr_conditional": "conditional violation rate",
}
"""The order is that of the columns: the two units of the Aspect Robustness Score stand side by side."""

_LOWER = "vr"


def name_metric(metric: str) -> str:
    """Return the name of a metric for people.

    >>> name_metric("ars_aspect"), name_metric("aspect_f1"), name_metric("vr_opinion")
    ('ARS by aspect', 'aspect F1', 'violation rate opinion')
    """
    if metric in _NAMES:
        return _NAMES[metric]
    words = metric.replace("_", " ").replace("f1", "F1")
    return words.replace("vr ", "violation rate ", 1) if words.startswith("vr ") else words


def is_lower_better(metric: str) -> bool:
    """Return whether a lower value is better: metrics of failure are told from those of success.

    >>> is_lower_better("vr"), is_lower_better("vr_aspect"), is_lower_better("f1")
    (True, True, False)
    """
    return metric == _LOWER or metric.startswith(f"{_LOWER}_")


def order_metric(metric: str) -> tuple[int, str]:
    """Return a key that sorts metrics into the order of the columns."""
    known = list(_NAMES)
    return (known.index(metric) if metric in known else len(known), metric)


RunKey = tuple[int, int]
"""The split and the seed of a run."""


def group_by_split(values: Mapping[RunKey, float]) -> dict[int, list[float]]:
    """Return the values by split, in the order of seeds.

    >>> group_by_split({(2, 1): 7.0, (1, 2): 6.0, (1, 1): 5.0})
    {1: [5.0, 6.0], 2: [7.0]}
    """
    splits: dict[int, list[float]] = defaultdict(list)
    for split, seed in sorted(values):
        splits[split].append(values[split, seed])
    return dict(splits)


ALPHA = 0.05
MIN_PAIRS = 6
"""With fewer pairs Wilcoxon's p cannot fall to 0.05, whatever the values are."""

RunValues = Mapping[RunKey, float]


class PairedTests(NamedTuple):
    """Two tests over runs of the same splits and seeds; a difference is found where both find it."""

    wilcoxon: float
    bootstrap: Comparison

    @property
    def p(self) -> float:
        """The larger p value."""
        return max(self.wilcoxon, self.bootstrap.p)


def pair_runs(first: RunValues, second: RunValues) -> list[RunKey]:
    """Return the splits and seeds that both have."""
    return sorted(first.keys() & second.keys())


def compare_pairs(first: RunValues, second: RunValues, *, resamples: int, seed: int) -> PairedTests:
    """Test the runs that both have; the same seed draws the same resamples for every pair of systems."""
    keys = pair_runs(first, second)
    differences = {key: first[key] - second[key] for key in keys}
    return PairedTests(
        wilcoxon([first[key] for key in keys], [second[key] for key in keys]).p,
        hierarchical_bootstrap(
            [*group_by_split(differences).values()], rng=np.random.default_rng(seed), resamples=resamples
        ),
    )


def compare_independent(first: RunValues, second: RunValues) -> float | None:
    """Test all runs as if they were independent, which those of one split are not; None for a single run."""
    if min(len(first), len(second)) < 2:
        return None
    return welch([first[key] for key in sorted(first)], [second[key] for key in sorted(second)]).p


MARKS_NOTE = (
    "Bold: the best mean, of those with two runs or more where there are any. ≈: not significantly worse "
    "than that (p > 0.05 after Holm's correction over the column). With six or more runs on the same splits "
    "and seeds, Wilcoxon's signed-rank test and the hierarchical bootstrap must both find a difference; with "
    "fewer, Welch's test over runs decides. ?: a single run, which no test can judge. Runs of one split tell "
    "of other seeds, not of other splits."
)

_RESAMPLES = 2_000
"""Enough for a mark: the smallest p, 0.001, survives a correction over fifty systems."""


class Significance(Enum):
    """How a system stands in its column."""

    BEST = "best"
    NOT_WORSE = "not significantly worse"
    WORSE = "worse"
    UNTESTED = "not tested"


class Rank(NamedTuple):
    """The mark of a system, and the corrected p value of being worse than the best; None for the best."""

    mark: Significance
    p: float | None = None


def mark_best(metric: str, column: Sequence[RunValues]) -> list[Rank]:
    """Compare every system of a column with the best one; a single run is best only among its like.

    >>> good, bad = {(1, k): 90.0 + k for k in range(3)}, {(1, k): 60.0 + k for k in range(3)}
    >>> [rank.mark.value for rank in mark_best("f1", [bad, good, {(1, 0): 99.0}])]
    ['worse', 'best', 'not tested']
    """
    sign = -1 if is_lower_better(metric) else 1
    means = [sign * sum(values.values()) / len(values) for values in column]
    able = [k for k, values in enumerate(column) if len(values) > 1] or range(len(column))
    best = max(able, key=lambda k: means[k])
    p_values = [
        _test_against_best(column[best], values, sign) if k != best else None
        for k, values in enumerate(column)
    ]
    tested = [k for k, p in enumerate(p_values) if p is not None]
    corrected = dict(zip(tested, holm([p for p in p_values if p is not None]).tolist(), strict=True))
    return [
        Rank(Significance.BEST) if k == best else _make_rank(corrected.get(k)) for k in range(len(column))
    ]


def _test_against_best(best: RunValues, other: RunValues, sign: int) -> float | None:
    """Return the p value of no difference; None where there are too few runs for any test."""
    if len(pair_runs(best, other)) < MIN_PAIRS:
        return compare_independent(best, other)
    found = compare_pairs(best, other, resamples=_RESAMPLES, seed=0)
    # the best mean is over all runs: a system that wins where both have run is not worse
    return found.p if sign * found.bootstrap.difference > 0 else 1.0


def _make_rank(p: float | None) -> Rank:
    if p is None:
        return Rank(Significance.UNTESTED)
    return Rank(Significance.WORSE if p <= ALPHA else Significance.NOT_WORSE, p)
