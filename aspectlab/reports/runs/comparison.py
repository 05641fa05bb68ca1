"""Compare two systems over the runs that they have in common, and say what follows and what does not."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import mean

from aspectlab.errors import DataError
from aspectlab.reports.runs.load import RunResult
from aspectlab.reports.runs.significance import (
    ALPHA,
    MIN_PAIRS,
    compare_independent,
    compare_pairs,
    is_lower_better,
    name_metric,
    pair_runs,
)
from aspectlab.reports.runs.summary import Cell, Section, System, Target, name_systems
from aspectlab.reports.runs.table import format_number, format_signed
from aspectlab.stats import cohen_d, holm, vargha_delaney


@dataclass(frozen=True, slots=True)
class SystemComparison:
    """One metric on one test set: a less b in percent points, over runs of the same splits and seeds."""

    target: Target
    metric: str
    a: System
    b: System
    pairs: int
    splits: int
    mean_a: float
    mean_b: float
    difference: float
    superiority: float  # how often a run of a beats one of b, by any pair of runs
    interval: tuple[float, float] | None = None  # None for a single pair, as all below
    effect: float | None = None  # Cohen's d of the differences
    p_wilcoxon: float | None = None
    p_bootstrap: float | None = None
    p_welch: float | None = None  # of all runs, paired or not
    difference_welch: float | None = None  # of their means, which may point the other way
    p: float | None = None  # what decides, after Holm's correction over all contrasts: the larger of the
    # paired two or, with fewer than LEAST_PAIRS pairs, Welch's


def compare_systems(
    sections: Sequence[Section], a: System, b: System, *, resamples: int = 10_000, seed: int = 0
) -> list[SystemComparison]:
    """Compare two systems wherever both have runs with the same split and seed."""
    found = []
    for section in sections:
        for metric, cells in section.columns.items():
            pair = {cell.system: cell for cell in cells}
            if a in pair and b in pair and pair_runs(pair[a].values, pair[b].values):
                plain = _compare_means(section.target, metric, pair[a], pair[b])
                apart = _test_all_runs(plain, pair[a], pair[b])
                found.append(
                    _test_paired_runs(apart, pair[a], pair[b], resamples, seed) if plain.pairs > 1 else apart
                )
    if not found:
        raise DataError(
            f"{a.name} and {b.name} have no run on the same corpus, split and seed: expected at least one; "
            "run both in one study"
        )
    return _correct_p_values(found)


def _compare_means(target: Target, metric: str, a: Cell, b: Cell) -> SystemComparison:
    keys = pair_runs(a.values, b.values)
    first, second = [a.values[key] for key in keys], [b.values[key] for key in keys]
    return SystemComparison(
        target=target,
        metric=metric,
        a=a.system,
        b=b.system,
        pairs=len(keys),
        splits=len({split for split, _ in keys}),
        mean_a=sum(first) / len(keys),
        mean_b=sum(second) / len(keys),
        difference=(sum(first) - sum(second)) / len(keys),
        superiority=vargha_delaney(*((second, first) if is_lower_better(metric) else (first, second))),
    )


def _test_all_runs(plain: SystemComparison, a: Cell, b: Cell) -> SystemComparison:
    """Compare all runs, paired or not."""
    found = compare_independent(a.values, b.values)
    gap = mean(a.values.values()) - mean(b.values.values())
    return replace(plain, p_welch=found, difference_welch=gap, p=found)


def _test_paired_runs(
    apart: SystemComparison, a: Cell, b: Cell, resamples: int, seed: int
) -> SystemComparison:
    """Compare the pairs, of which there must be two; if there are enough, they decide."""
    keys = pair_runs(a.values, b.values)
    found = compare_pairs(a.values, b.values, resamples=resamples, seed=seed)
    return replace(
        apart,
        interval=found.bootstrap.interval,
        effect=cohen_d([a.values[key] for key in keys], [b.values[key] for key in keys], paired=True),
        p_wilcoxon=found.wilcoxon,
        p_bootstrap=found.bootstrap.p,
        p=found.p if len(keys) >= MIN_PAIRS else apart.p,
    )


def _correct_p_values(contrasts: Sequence[SystemComparison]) -> list[SystemComparison]:
    corrected = iter(holm([contrast.p for contrast in contrasts if contrast.p is not None]).tolist())
    return [
        contrast if contrast.p is None else replace(contrast, p=next(corrected)) for contrast in contrasts
    ]


def conclude(contrast: SystemComparison) -> str:
    """Return in one sentence what a comparison shows."""
    where = f"{contrast.target}, {name_metric(contrast.metric)}"
    if contrast.pairs < MIN_PAIRS or contrast.p is None:
        return f"{where}: {_describe_few_pairs(contrast)}"
    if contrast.p <= ALPHA:
        low, high = sorted(map(abs, contrast.interval or (contrast.difference,) * 2))
        better, points = _name_better(contrast, contrast.difference), format_number(abs(contrast.difference))
        return (
            f"{where}: {better} by {points} points (95 % interval {format_number(low)} to "
            f"{format_number(high)}, "
            f"p = {contrast.p:.2g}); both tests find it."
        )
    return f"{where}: {_describe_doubt(contrast)}"


def state_limits(contrasts: Sequence[SystemComparison]) -> str:
    """Return what the runs cannot tell, whatever the comparisons show."""
    said = ["What these runs cannot tell: other corpora, encoders and settings"]
    if all(contrast.splits == 1 for contrast in contrasts):
        said.append("; other splits of the training set, since all runs share one")
    said.append(". Where no difference can be concluded, equality is not shown either.")
    tested = sum(contrast.p is not None for contrast in contrasts)
    if tested > 1:
        said.append(f" p values of conclusions are corrected for {tested} comparisons (Holm).")
    return "".join(said)


def _name_better(contrast: SystemComparison, difference: float) -> str:
    is_first = (difference < 0) == is_lower_better(contrast.metric)
    better, worse = (contrast.a, contrast.b) if is_first else (contrast.b, contrast.a)
    return f"{better.name} is better than {worse.name}"


def _describe_few_pairs(contrast: SystemComparison) -> str:
    """With few pairs only a test that takes runs for independent can say anything, and only of seeds."""
    pairs = "one pair of runs is" if contrast.pairs == 1 else f"{contrast.pairs} pairs of runs are"
    start = f"{pairs} too few for a paired test (it takes {MIN_PAIRS})"
    if contrast.p is None or contrast.p > ALPHA:
        return f"{start}; no difference can be concluded."
    # the test is over all runs, and so is what it finds: the pairs may be the exceptions
    better = _name_better(contrast, contrast.difference_welch or 0.0)
    return (
        f"{start}; Welch's test over all runs (p = {contrast.p:.2g}) says that {better} with other seeds as "
        "well, and no more than that."
    )


def _describe_doubt(contrast: SystemComparison) -> str:
    assert contrast.interval is not None
    low, high = map(format_signed, contrast.interval)
    p_values = [contrast.p_wilcoxon or 0.0, contrast.p_bootstrap or 0.0]
    if min(p_values) > ALPHA:
        why = "neither test finds one"
    elif max(p_values) > ALPHA:
        why = f"the tests disagree (p = {p_values[0]:.2g} by Wilcoxon, {p_values[1]:.2g} by the bootstrap)"
    else:
        why = f"it does not survive the correction for many comparisons (p = {contrast.p:.2g})"
    return f"no difference can be concluded: {why}; a − b from {low} to {high} points remains possible."


_SPLIT_SETTINGS = ("sha256:train", "dev", "split_seed")
"""What decides which sentences a split holds, by the names that the record of a run has for it."""


def comparability_warnings(
    results: Sequence[RunResult], systems: Iterable[System], targets: Iterable[Target]
) -> Iterator[str]:
    """Warn where runs of the systems were measured in different ways, or where their splits may differ.

    Rows of a CSV file do not say how they were measured or split, so nothing is said of them.

    >>> one, two = (
    ...     RunResult(n, n, "", {}, "ate", "tea", 1, 1, {"test": {"f1": 9.0}}, {"test": f"by {n}"})
    ...     for n in "ab"
    ... )
    >>> named = [system for system, _ in name_systems([one, two])]
    >>> list(comparability_warnings([one, two], named, [Target("ate", "tea", "test")]))
    ['Beware: on ATE · tea · test the runs were measured in 2 different ways: by a; by b.']
    """
    chosen = set(systems)
    runs = [result for system, result in name_systems(results) if system in chosen]
    wanted = list(targets)
    for target in wanted:
        own = [run for run in runs if (run.task, run.corpus) == target[:2]]
        ways = sorted({run.signatures[target.test] for run in own if target.test in run.signatures})
        if len(ways) > 1:
            number = len(ways)
            yield f"Beware: on {target} the runs were measured in {number} different ways: {'; '.join(ways)}."
    for task, corpus in dict.fromkeys(target[:2] for target in wanted):
        own = [run for run in runs if (run.task, run.corpus) == (task, corpus)]
        if differing := list(_list_differing(own)):
            yield (
                f"Beware: on {corpus} the runs differ in {', '.join(differing)}: splits of one number may "
                "hold different sentences, so that the runs are no pairs."
            )


def _list_differing(runs: Sequence[RunResult]) -> Iterator[str]:
    for name in _SPLIT_SETTINGS:
        values = sorted({run.settings[name] for run in runs if name in run.settings})
        if len(values) > 1:
            yield f"{name} ({' and '.join(values)})"
