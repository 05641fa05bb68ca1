"""Significance: which system of a column is the best, and which others are worse; and names of metrics."""

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from enum import Enum
from typing import NamedTuple

from aspectlab.stats import RunComparison, compare_runs, holm

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

RunValues = Mapping[RunKey, float]

Kind = Hashable
"""What begins alike with the same seed: a model and its encoder."""


class PairTest(NamedTuple):
    """A comparison of two systems, and its p value after Holm's correction."""

    found: RunComparison
    p: float | None


def compare_with(index: int, column: Sequence[RunValues], kinds: Sequence[Kind]) -> dict[int, PairTest]:
    """Test one system of a column against each other one that shares a split with it, by their indices.

    These comparisons are one family. Seeds make pairs of the runs of one kind.
    """
    found = {
        k: compare_runs(column[index], other, paired=kinds[k] == kinds[index])
        for k, other in enumerate(column)
        if k != index and _share_runs(column[index], other, seeds=kinds[k] == kinds[index])
    }
    tested = {k: each.p for k, each in found.items() if each.p is not None}
    corrected = dict(zip(tested, holm([*tested.values()]).tolist(), strict=True))
    return {k: PairTest(each, corrected.get(k)) for k, each in found.items()}


def _share_runs(first: RunValues, second: RunValues, *, seeds: bool) -> bool:
    if seeds:
        return not first.keys().isdisjoint(second)
    return not {split for split, _ in first}.isdisjoint(split for split, _ in second)


MARKS_NOTE = (
    "Bold: the best mean, of those with two runs or more where there are any; of several settings of one "
    "model only that which is best on dev can be it. ≈: not significantly worse (p > 0.05): the best system "
    "is among these. Tested are the differences of the means of splits, by Student's t; on a single split "
    "those of runs, by Welch's test, or pair by pair of seeds within one model and encoder. p values are "
    "corrected for all comparisons with the best (Holm). ?: not tested, for want of runs. Runs of one split "
    "tell of other seeds, not of other splits."
)


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


def mark_best(
    metric: str,
    column: Sequence[RunValues],
    *,
    kinds: Sequence[Kind] | None = None,
    eligible: Sequence[bool] | None = None,
) -> list[Rank]:
    """Compare every system of a column with the best one; a single run is best only among its like.

    `eligible` says which may be the best: settings that dev did not choose may not.

    >>> good, bad = {(1, k): 90.0 + k for k in range(3)}, {(1, k): 60.0 + k for k in range(3)}
    >>> [rank.mark.value for rank in mark_best("f1", [bad, good, {(1, 0): 99.0}])]
    ['worse', 'best', 'not tested']
    """
    sign = -1 if is_lower_better(metric) else 1
    means = [sign * sum(values.values()) / len(values) for values in column]
    allowed = [k for k in range(len(column)) if eligible is None or eligible[k]]
    able = [k for k in allowed if len(column[k]) > 1] or allowed
    if not able:
        return [Rank(Significance.UNTESTED) for _ in column]
    best = max(able, key=lambda k: means[k])
    tests = compare_with(best, column, range(len(column)) if kinds is None else kinds)
    return [Rank(Significance.BEST) if k == best else _rank(tests.get(k), sign) for k in range(len(column))]


def _rank(test: PairTest | None, sign: int) -> Rank:
    if test is None or test.p is None:
        return Rank(Significance.UNTESTED)
    # the best mean is over all runs: a system that wins where both have run is not worse
    p = test.p if sign * test.found.difference > 0 else 1.0
    return Rank(Significance.WORSE if p <= ALPHA else Significance.NOT_WORSE, p)
