"""Variance of splits x seeds by source, standard errors, and confidence intervals of differences."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

import numpy as np

from aspectlab.errors import DataError
from aspectlab.stats.distributions import t_quantile
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
    total = sqrt(sum(error.size**2 for error in errors))
    if total == 0:
        return gap, gap
    shares = [((error.size / total) ** 4, error.freedom) for error in errors]
    freedom = 1 / sum(share / own for share, own in shares)
    reach = t_quantile((1 - level) / 2, freedom) * total
    return gap - reach, gap + reach
