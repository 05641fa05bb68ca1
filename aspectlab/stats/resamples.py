"""Draw many resamples of per-example counts at once; all that a score needs of each is its totals.

Examples with equal counts are interchangeable. With few distinct rows, a resample is therefore one
multinomial draw over them; with many, it is a histogram of drawn indices. Both become totals by one matrix
product.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aspectlab.errors import ConfigError, DataError
from aspectlab.stats.samples import FloatArray

IntArray: TypeAlias = NDArray[np.int64]
Score: TypeAlias = Callable[[IntArray], Mapping[str, ArrayLike]]

# weights are drawn in blocks of at most so many cells, where one resample fits: memory stays bounded, and a
# block stays under the 128 kB from which malloc fetches new pages every time, which doubles the time
_BLOCK = 1 << 14
# a multinomial or binomial draw takes up to as long as so many index draws
_DRAW_COST = 20
# scores that differ by less are equal: the same ratio may come out of two divisions
TOLERANCE = 1e-12


def check_counts(where: str, counts: ArrayLike) -> IntArray:
    """Turn counts [N, K] into integers; refuse anything else, and no examples at all."""
    try:
        found = np.asarray(counts)
    except ValueError:
        raise DataError(
            f"{where}: rows of different lengths: expected one row of K counts an example"
        ) from None
    if found.ndim != 2 or 0 in found.shape:
        raise DataError(
            f"{where}: counts of shape {found.shape}: expected [examples, counts], at least one of each"
        )
    if found.dtype.kind not in "biu":
        raise DataError(
            f"{where}: counts of type {found.dtype}: expected whole numbers; count, do not average"
        )
    # totals are summed as floats, which are exact up to here
    if float(np.abs(found.astype(np.float64)).max()) * len(found) >= 2**53:
        raise DataError(f"{where}: counts up to {found.max()}: expected totals below 2**53")
    return found.astype(np.int64)


def check_systems(where: str, a: ArrayLike, b: ArrayLike) -> tuple[IntArray, IntArray]:
    """Check the counts of two systems on the same examples."""
    first, second = check_counts(f"{where}: a", a), check_counts(f"{where}: b", b)
    if first.shape != second.shape:
        raise DataError(
            f"{where}: a has shape {first.shape} and b has {second.shape}: "
            "expected the counts of the same examples in the same order"
        )
    return first, second


def apply_score(where: str, score: Score, totals: IntArray) -> dict[str, FloatArray]:
    """Score totals [..., K]; refuse a score of the wrong shape, or one that is undefined on some resample."""
    scores = {name: np.asarray(values, dtype=np.float64) for name, values in score(totals).items()}
    for name, values in scores.items():
        if values.shape != totals.shape[:-1]:
            raise ConfigError(
                f"{where}: score {name!r} gives shape {values.shape} for totals of shape {totals.shape}: "
                f"expected {totals.shape[:-1]}; work on the last axis only"
            )
        undefined = int(np.count_nonzero(~np.isfinite(values)))
        if undefined:
            raise DataError(
                f"{where}: score {name!r} is not a finite number on {undefined} of {values.size} totals: "
                "expected a number on each; give the case of a zero denominator a value, such as 0"
            )
    return scores


def draw_totals(counts: IntArray, rng: np.random.Generator, resamples: int) -> IntArray:
    """Draw the totals [resamples, K] of as many samples of N examples with replacement."""
    n = len(counts)
    rows, repeats = np.unique(counts, axis=0, return_counts=True)

    def weigh_rows(size: int) -> FloatArray:
        return rng.multinomial(n, repeats / n, size=size).astype(np.float64)  # [size, U]

    def weigh_examples(size: int) -> FloatArray:
        drawn = rng.integers(n, size=(size, n)) + n * np.arange(size)[:, None]
        return np.bincount(drawn.ravel(), minlength=size * n).reshape(size, n).astype(np.float64)  # [size, N]

    if len(rows) * _DRAW_COST <= n:
        return _weighted_sums(rows, weigh_rows, resamples)
    return _weighted_sums(counts, weigh_examples, resamples)


def draw_swaps(differences: IntArray, rng: np.random.Generator, resamples: int) -> IntArray:
    """Draw the sums [resamples, K] of as many random sets of rows: a fair coin decides on each row."""
    rows, repeats = np.unique(differences, axis=0, return_counts=True)

    def weigh_rows(size: int) -> FloatArray:
        return rng.binomial(repeats, 0.5, size=(size, len(rows))).astype(np.float64)  # [size, U]

    def weigh_examples(size: int) -> FloatArray:
        return rng.integers(2, size=(size, len(differences)), dtype=np.uint8).astype(np.float64)  # [size, N]

    if len(rows) * _DRAW_COST <= len(differences):
        return _weighted_sums(rows, weigh_rows, resamples)
    return _weighted_sums(differences, weigh_examples, resamples)


def _weighted_sums(rows: IntArray, weigh: Callable[[int], FloatArray], resamples: int) -> IntArray:
    if resamples < 1:
        raise ConfigError(f"resamples = {resamples!r}: expected at least 1; 10000 is usual")
    step = max(1, _BLOCK // len(rows))
    sizes = [min(step, resamples - start) for start in range(0, resamples, step)]
    # the product runs in floats because only those go through BLAS; whole numbers stay exact
    values = rows.astype(np.float64)
    return np.concatenate([weigh(size) @ values for size in sizes]).astype(np.int64)
