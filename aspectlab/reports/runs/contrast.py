"""Contrast: two systems compared over the runs that they have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import mean

from aspectlab.errors import DataError
from aspectlab.reports.runs.evidence import LEAST_PAIRS, compare_pairs, compare_runs, pair_runs
from aspectlab.reports.runs.measures import is_lower_better
from aspectlab.reports.runs.summary import Cell, Section, Target
from aspectlab.reports.runs.systems import System
from aspectlab.stats import cohen_d, holm, vargha_delaney


@dataclass(frozen=True, slots=True)
class Contrast:
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


def contrast_systems(
    sections: Sequence[Section], a: System, b: System, *, resamples: int = 10_000, seed: int = 0
) -> list[Contrast]:
    """Compare two systems wherever both have runs with the same split and seed."""
    found = []
    for section in sections:
        for metric, cells in section.columns.items():
            pair = {cell.system: cell for cell in cells}
            if a in pair and b in pair and pair_runs(pair[a].values, pair[b].values):
                plain = _contrast(section.target, metric, pair[a], pair[b])
                apart = _test_apart(plain, pair[a], pair[b])
                found.append(_test(apart, pair[a], pair[b], resamples, seed) if plain.pairs > 1 else apart)
    if not found:
        raise DataError(
            f"{a.name} and {b.name} have no run on the same corpus, split and seed: expected at least one; "
            "run both in one study"
        )
    return _correct(found)


def _contrast(target: Target, metric: str, a: Cell, b: Cell) -> Contrast:
    keys = pair_runs(a.values, b.values)
    first, second = [a.values[key] for key in keys], [b.values[key] for key in keys]
    return Contrast(
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


def _test_apart(plain: Contrast, a: Cell, b: Cell) -> Contrast:
    """Compare all runs, paired or not."""
    found = compare_runs(a.values, b.values)
    gap = mean(a.values.values()) - mean(b.values.values())
    return replace(plain, p_welch=found, difference_welch=gap, p=found)


def _test(apart: Contrast, a: Cell, b: Cell, resamples: int, seed: int) -> Contrast:
    """Compare the pairs, of which there must be two; if there are enough, they decide."""
    keys = pair_runs(a.values, b.values)
    found = compare_pairs(a.values, b.values, resamples=resamples, seed=seed)
    return replace(
        apart,
        interval=found.bootstrap.interval,
        effect=cohen_d([a.values[key] for key in keys], [b.values[key] for key in keys], paired=True),
        p_wilcoxon=found.wilcoxon,
        p_bootstrap=found.bootstrap.p,
        p=found.p if len(keys) >= LEAST_PAIRS else apart.p,
    )


def _correct(contrasts: Sequence[Contrast]) -> list[Contrast]:
    corrected = iter(holm([contrast.p for contrast in contrasts if contrast.p is not None]).tolist())
    return [
        contrast if contrast.p is None else replace(contrast, p=next(corrected)) for contrast in contrasts
    ]
