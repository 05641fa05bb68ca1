"""Compare two systems over the splits that they have in common, or by their predictions for one test set."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import mean

import numpy as np

from aspectlab.errors import DataError
from aspectlab.metrics import Evaluation
from aspectlab.reports.runs.load import RunResult
from aspectlab.reports.runs.significance import (
    ALPHA,
    PairTest,
    Significance,
    compare_with,
    is_lower_better,
    name_metric,
)
from aspectlab.reports.runs.summary import Cell, Section, System, Target, name_systems
from aspectlab.reports.runs.table import format_number, format_signed
from aspectlab.stats import approximate_randomisation, cohen_d, mcnemar, paired_bootstrap, vargha_delaney


@dataclass(frozen=True, slots=True)
class SystemComparison:
    """One metric on one test set: a less b in percent points, over the splits that both have."""

    target: Target
    metric: str
    a: System
    b: System
    runs_a: int
    runs_b: int
    splits: int
    mean_a: float
    mean_b: float
    difference: float
    superiority: float  # how often a run of a beats one of b, by any pair of runs
    test: str  # paired-t or welch
    interval: tuple[float, float] | None = None  # None for a single run, or runs that do not vary
    effect: float | None = None  # Cohen's d
    p: float | None = None  # of this pair alone
    p_corrected: float | None = None  # what decides: for all comparisons of the better one in its column


def compare_systems(sections: Sequence[Section], a: System, b: System) -> list[SystemComparison]:
    """Compare two systems wherever both have runs on the same split, as the marks of a report do."""
    found = []
    for section in sections:
        for metric, cells in section.columns.items():
            systems = [cell.system for cell in cells]
            if a in systems and b in systems:
                pair = cells[systems.index(a)], cells[systems.index(b)]
                better = min(pair, key=partial(_order, metric))
                test = compare_with(
                    cells.index(better), [cell.values for cell in cells], [system.kind for system in systems]
                ).get(cells.index(pair[better is pair[0]]))
                if test:
                    found.append(_describe(section.target, metric, pair, test, is_first=better is pair[0]))
    if not found:
        raise DataError(
            f"{a.name} and {b.name} have no run on the same corpus and split: expected at least one; "
            "run both in one study"
        )
    return found


def _order(metric: str, cell: Cell) -> tuple[bool, float]:
    """Sort the best of the column first, then the better mean; its comparisons with others are a family."""
    return cell.rank.mark is not Significance.BEST, cell.spread.mean * (1 if is_lower_better(metric) else -1)


def _describe(
    target: Target, metric: str, cells: tuple[Cell, Cell], test: PairTest, *, is_first: bool
) -> SystemComparison:
    a, b = cells
    paired = a.system.kind == b.system.kind
    shared = {key[0] for key in a.values} & {key[0] for key in b.values}
    keys = a.values.keys() & b.values.keys() if paired else a.values.keys() | b.values.keys()
    sides = [
        [cell.values[key] for key in sorted(cell.values) if key in keys and key[0] in shared]
        for cell in cells
    ]
    (first, second), sign = sides, 1 if is_first else -1
    interval = test.found.interval()
    return SystemComparison(
        target=target,
        metric=metric,
        a=a.system,
        b=b.system,
        runs_a=len(first),
        runs_b=len(second),
        splits=test.found.splits,
        mean_a=mean(first),
        mean_b=mean(second),
        difference=sign * test.found.difference,
        superiority=vargha_delaney(*((second, first) if is_lower_better(metric) else (first, second))),
        test=test.found.method,
        interval=interval and ((interval[0], interval[1]) if is_first else (-interval[1], -interval[0])),
        effect=cohen_d(first, second, paired=paired) if min(map(len, sides)) > 1 else None,
        p=test.found.p,
        p_corrected=test.p,
    )


def conclude(contrast: SystemComparison) -> str:
    """Return in one sentence what a comparison shows."""
    where = f"{contrast.target}, {name_metric(contrast.metric)}"
    if contrast.p is None or contrast.p_corrected is None:
        return f"{where}: no difference can be concluded: a single run each is too few for any test."
    if contrast.p_corrected > ALPHA:
        return (
            f"{where}: no difference can be concluded ({_describe_p(contrast)}){_describe_range(contrast)}."
        )
    points = format_number(abs(contrast.difference))
    scope = "; with other seeds on this split, that is, and no more" if contrast.splits == 1 else ""
    bounds = ""
    if contrast.interval:
        low, high = sorted(map(abs, contrast.interval))
        bounds = f"95 % interval {format_number(low)} to {format_number(high)}, "
    return f"{where}: {_name_better(contrast)} by {points} points ({bounds}{_describe_p(contrast)}){scope}."


def _describe_p(contrast: SystemComparison) -> str:
    """Return the p value that decides, and that of the pair alone where the correction changes it."""
    assert contrast.p is not None
    assert contrast.p_corrected is not None
    alone = f", {contrast.p:.2g} for this pair alone" if contrast.p != contrast.p_corrected else ""
    return f"p = {contrast.p_corrected:.2g}{alone}"


def _describe_range(contrast: SystemComparison) -> str:
    if contrast.interval is None:
        return "; the runs do not vary"
    low, high = map(format_signed, contrast.interval)
    return f"; a − b from {low} to {high} points remains possible"


def state_limits(contrasts: Sequence[SystemComparison]) -> str:
    """Return what the runs cannot tell, whatever the comparisons show."""
    said = ["What these runs cannot tell: other corpora, encoders and settings"]
    if all(contrast.splits == 1 for contrast in contrasts):
        said.append("; other splits of the training set, since all runs share one")
    said.append(". Where no difference can be concluded, equality is not shown either.")
    if len(contrasts) > 1:
        said.append(
            f" These are {len(contrasts)} comparisons, each judged for itself: decide on one metric and test "
            "set beforehand."
        )
    return "".join(said)


def _name_better(contrast: SystemComparison) -> str:
    is_first = (contrast.difference < 0) == is_lower_better(contrast.metric)
    better, worse = (contrast.a, contrast.b) if is_first else (contrast.b, contrast.a)
    return f"{better.name} is better than {worse.name}"


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


@dataclass(frozen=True, slots=True)
class PredictionComparison:
    """One score of two sets of predictions for the same examples: a less b, as fractions."""

    score: str
    a: float
    b: float
    difference: float
    interval: tuple[float, float]  # of the paired bootstrap
    p_bootstrap: float
    p_randomisation: float
    p_mcnemar: float | None = None  # of accuracy only: both answer the same questions


def compare_predictions(
    a: Evaluation, b: Evaluation, *, resamples: int = 10_000, seed: int = 0
) -> list[PredictionComparison]:
    """Compare two sets of predictions that were scored on the same corpus by the same metric.

    Paired bootstrap and approximate randomisation are sacreBLEU's; McNemar's test stands beside accuracy.

    >>> from aspectlab import Corpus, Example, Polarity, Quad, Term
    >>> from aspectlab.metrics import evaluate
    >>> good, bad = (Quad(Term("tea"), polarity=p) for p in (Polarity.POSITIVE, Polarity.NEGATIVE))
    >>> gold, other = (Corpus(examples=[Example("1", "Fine tea.", [q])]) for q in (good, bad))
    >>> found = compare_predictions(evaluate(gold, gold, "atsc"), evaluate(gold, other, "atsc"), resamples=9)
    >>> found[0].score, found[0].difference, found[0].p_mcnemar
    ('accuracy', 1.0, 1.0)
    """
    if (a.metric.name, a.signature) != (b.metric.name, b.signature):
        raise DataError(
            f"two evaluations: found {a.signature} and {b.signature}: expected the same gold and metric; "
            "score both against one file"
        )
    score = a.metric.score
    drawn = paired_bootstrap(a.counts, b.counts, score, rng=np.random.default_rng(seed), resamples=resamples)
    swapped = approximate_randomisation(
        a.counts, b.counts, score, rng=np.random.default_rng(seed), resamples=resamples
    )
    flags = a.metric.find_flags(a.pairing.pairs), b.metric.find_flags(b.pairing.pairs)
    answered = mcnemar(*flags).p if flags[0] else None
    return [
        PredictionComparison(
            name,
            a.scores[name],
            b.scores[name],
            found.difference,
            found.interval,
            found.p,
            swapped[name],
            answered if name == "accuracy" else None,
        )
        for name, found in drawn.items()
    ]
