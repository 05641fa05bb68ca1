"""Variance of splits x seeds by source, standard errors, and differences with intervals and tests."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb, fsum, isfinite, sqrt
from typing import NamedTuple

import numpy as np

from aspectlab.errors import DataError
from aspectlab.stats.distributions import t_quantile, t_tail
from aspectlab.stats.samples import (
    FloatArray,
    IntArray,
    Numbers,
    average,
    check_level,
    check_pairs,
    check_sample,
    variance,
)

_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Decomposition:
    """The spread of one score over all runs; a part that the runs cannot show is None.

    The runs of one split are not independent: do not divide `std` by the root of `n` for a standard error.
    """

    mean: float  # of all runs
    std: float | None  # sample std (ddof 1) of all runs; None for a single run
    within: float | None  # pooled std inside the splits; None if no split has two runs
    between: float | None  # sample std of the split means; None for a single split
    component: float | None  # variance that the split adds to the seed's, at least 0; None if either is None
    n: int
    splits: int
    minimum: float | None = None  # None if only summaries are known
    maximum: float | None = None


def decompose(runs: Sequence[Numbers] | FloatArray) -> Decomposition:
    """Decompose the scores of all runs, one list per split; splits may have different numbers of runs.

    >>> spread = decompose([[80.0, 82.0], [84.0, 86.0]])
    >>> spread.mean, round(spread.std, 3), round(spread.within, 3), round(spread.between, 3)
    (83.0, 2.582, 1.414, 2.828)
    >>> round(spread.component, 3), spread.minimum, spread.maximum
    (7.0, 80.0, 86.0)
    """
    splits = [check_sample(f"decompose: split {k}", split, least=1) for k, split in enumerate(runs, start=1)]
    if not splits:
        raise DataError("decompose: found no splits: expected at least one list of runs")
    means = np.array([average(split) for split in splits])
    variances = np.array([variance(split) if len(split) > 1 else 0.0 for split in splits])
    sizes = np.array([len(split) for split in splits])
    every = np.concatenate(splits)
    return _pool(means, variances, sizes, extremes=(float(every.min()), float(every.max())))


def decompose_summary(means: Numbers, stds: Numbers, sizes: int | Sequence[int]) -> Decomposition:
    """Decompose from published split means and split stds (ddof 1); `sizes` is the number of runs per split.

    The std of a split of one run is not used.

    >>> round(decompose_summary([81.0, 85.0], [1.4142, 1.4142], 2).std, 3)
    2.582
    """
    where = "decompose_summary"
    centres, spreads = check_pairs(where, means, stds, least=1)
    if (spreads < 0).any():
        raise DataError(f"{where}: found the std {float(spreads.min())!r}: expected numbers from 0 up")
    found = np.asarray(sizes)
    if found.dtype.kind not in "iu" or found.shape not in {(), centres.shape} or found.min() < 1:
        raise DataError(
            f"{where}: sizes {sizes!r}: expected {len(centres)} whole numbers from 1 up, "
            "one per split, or one for all"
        )
    return _pool(centres, spreads**2, np.broadcast_to(found, centres.shape), extremes=(None, None))


def _pool(
    means: FloatArray,
    variances: FloatArray,
    sizes: IntArray,
    *,
    extremes: tuple[float | None, float | None],
) -> Decomposition:
    n, splits = int(sizes.sum()), len(means)
    # measured from one of the means, so that equal runs give a spread of exactly 0
    offsets = means - means[0]
    centre = float(sizes @ offsets) / n
    inside = float((sizes - 1) @ variances)
    across = float(sizes @ (offsets - centre) ** 2)
    within = sqrt(inside / (n - splits)) if n > splits else None
    return Decomposition(
        mean=float(means[0]) + centre,
        std=sqrt((inside + across) / (n - 1)) if n > 1 else None,
        within=within,
        between=sqrt(variance(means)) if splits > 1 else None,
        component=_component(across, within, sizes) if within is not None and splits > 1 else None,
        n=n,
        splits=splits,
        minimum=extremes[0],
        maximum=extremes[1],
    )


def _component(across: float, within: float, sizes: IntArray) -> float:
    """Estimate the split's own variance; with equal sizes it is max(0, Var(split means) - within² / size)."""
    n, splits = int(sizes.sum()), len(sizes)
    # the size that represents all in an unbalanced one-way layout
    size = (n - float(sizes @ sizes) / n) / (splits - 1)
    return max(0.0, (across / (splits - 1) - within**2) / size)


class StandardError(NamedTuple):
    """How far a mean may be off, and on how many degrees of freedom that rests."""

    size: float
    freedom: float


def standard_error(spread: Decomposition) -> StandardError | None:
    """Return the standard error of the mean of all runs; None for a single run.

    Splits are the independent draws: several of them count by their means, however many runs each has. The
    runs of a single split differ by their seed only, so the error says nothing about other splits.

    >>> from aspectlab.stats import decompose
    >>> standard_error(decompose([[1.0, 3.0], [5.0, 7.0]]))
    StandardError(size=2.0, freedom=1)
    """
    if spread.between is not None:
        return StandardError(spread.between / sqrt(spread.splits), spread.splits - 1)
    if spread.std is not None:
        return StandardError(spread.std / sqrt(spread.n), spread.n - 1)
    return None


def gap_interval(gap: float, *errors: StandardError, level: float = 0.95) -> tuple[float, float]:
    """Return the confidence interval of a difference of means; a printed mean has no error and adds none.

    Degrees of freedom are Welch's and Satterthwaite's.

    >>> low, high = gap_interval(1.0, StandardError(0.5, 10))
    >>> round(low, 3), round(high, 3)
    (-0.114, 2.114)
    """
    check_level("gap_interval", level)
    check_sample("gap_interval", [gap, *(error.size for error in errors)], least=1)
    total = sqrt(sum(error.size**2 for error in errors))
    if total == 0:
        return gap, gap
    reach = t_quantile((1 - level) / 2, _pool_freedom(errors, total)) * total
    return gap - reach, gap + reach


@dataclass(frozen=True, slots=True)
class RunComparison:
    """The difference of two systems over the splits that both have, and its two-sided p value.

    With several splits it holds for other splits and seeds, with one for other seeds only. Runs that do not
    vary at all have no error and no interval, and too few of them no p value either.
    """

    difference: float
    error: StandardError | None
    p: float | None
    splits: int
    method: str  # paired-t or welch

    def interval(self, level: float = 0.95) -> tuple[float, float] | None:
        """Return the confidence interval of the difference."""
        return None if self.error is None else gap_interval(self.difference, self.error, level=level)


Runs = Mapping[tuple[int, int], float]
"""Scores by split and seed."""


def compare_runs(a: Runs, b: Runs, *, paired: bool = False) -> RunComparison:
    """Compare two systems by their runs, a less b.

    Splits are the independent draws, and both systems were trained on them: the differences of their means
    are tested, by Student's t with one degree of freedom fewer than splits. Runs of one split differ by their
    seed only. There it is Welch's test or, where a seed makes a pair because it gives both systems the same
    beginning (`paired`), Student's t over the pairs.

    >>> one = {(1, 1): 3.0, (1, 2): 5.0, (2, 1): 6.0, (3, 1): 9.0}
    >>> found = compare_runs(one, {(1, 1): 1.0, (2, 1): 4.0, (3, 1): 5.0})
    >>> found.method, round(found.difference, 2), round(found.p, 3)
    ('paired-t', 3.0, 0.035)
    >>> found = compare_runs(dict(zip([(1, 1), (1, 2), (1, 3)], [82.0, 84.0, 83.0])),
    ...     dict(zip([(1, 4), (1, 5), (1, 6)], [81.0, 80.0, 81.0])))
    >>> found.method, round(found.difference, 2), [round(bound, 2) for bound in found.interval()]
    ('welch', 2.33, [0.28, 4.38])
    """
    if paired:
        both = a.keys() & b.keys()
        a, b = ({key: side[key] for key in both} for side in (a, b))
    sides = _by_split("a", a), _by_split("b", b)
    shared = sorted(sides[0].keys() & sides[1].keys())
    if not shared:
        raise DataError("compare_runs: found no split that both have: expected one; train both on it")
    if len(shared) > 1:
        gaps = [_average(sides[0][split]) - _average(sides[1][split]) for split in shared]
        return _compare_pairs(gaps, len(shared))
    if paired:
        return _compare_pairs([a[key] - b[key] for key in sorted(a)], 1)
    return _compare_independent(sides[0][shared[0]], sides[1][shared[0]])


def _by_split(name: str, runs: Runs) -> dict[int, list[float]]:
    # a check by numpy of each list would take longer than all else
    if not all(map(isfinite, runs.values())):
        check_sample(f"compare_runs: {name}", [*runs.values()], least=1)
    splits: dict[int, list[float]] = {}
    for split, seed in sorted(runs):
        splits.setdefault(split, []).append(runs[split, seed])
    return splits


def _average(values: Sequence[float]) -> float:
    """Return the mean, exactly the common value where all values are equal."""
    return values[0] + fsum(value - values[0] for value in values) / len(values)


def _error(values: Sequence[float]) -> StandardError:
    """Return the standard error of the mean of at least two values."""
    centre, number = _average(values), len(values)
    return StandardError(
        sqrt(fsum((value - centre) ** 2 for value in values) / (number - 1) / number), number - 1
    )


def _compare_pairs(gaps: Sequence[float], splits: int) -> RunComparison:
    gap, number = _average(gaps), len(gaps)
    if number < 2:
        return RunComparison(gap, None, None, splits, "paired-t")
    # by chance alone, all signs agree so often
    return _test(gap, _error(gaps), splits, "paired-t", chance=2.0 ** (1 - number))


def _compare_independent(a: Sequence[float], b: Sequence[float]) -> RunComparison:
    gap = _average(a) - _average(b)
    if min(len(a), len(b)) < 2:
        return RunComparison(gap, None, None, 1, "welch")
    errors = _error(a), _error(b)
    total = sqrt(sum(error.size**2 for error in errors))
    pooled = StandardError(total, _pool_freedom(errors, total) if total else 1.0)
    # by chance alone, one side has all the higher values so often
    return _test(gap, pooled, 1, "welch", chance=2 / comb(len(a) + len(b), len(a)))


def _test(gap: float, error: StandardError, splits: int, method: str, *, chance: float) -> RunComparison:
    """Test a difference by its standard error; without any spread only the order of the values speaks."""
    # rounding leaves a spread of some last digits
    if error.size <= _ROUNDING * max(1.0, abs(gap)):
        return RunComparison(gap, None, chance if abs(gap) > _ROUNDING else 1.0, splits, method)
    return RunComparison(gap, error, 2 * t_tail(abs(gap) / error.size, error.freedom), splits, method)


def _pool_freedom(errors: Sequence[StandardError], total: float) -> float:
    """Return the degrees of freedom of a sum of independent errors, after Welch and Satterthwaite."""
    return 1 / sum((error.size / total) ** 4 / error.freedom for error in errors)
