"""Resampling of per-example counts: confidence intervals by bootstrap, and approximate randomisation."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from aspectlab.errors import ConfigError, DataError
from aspectlab.stats.samples import FloatArray, IntArray, Numbers, average, check_level, check_sample

Score: TypeAlias = Callable[[IntArray], Mapping[str, Numbers]]

# weights are drawn in blocks of at most so many cells, where one resample fits: memory stays bounded, and a
# block stays under the 128 kB from which malloc fetches new pages every time, which doubles the time
_BLOCK = 1 << 14
# a multinomial or binomial draw takes up to as long as so many index draws
_DRAW_COST = 20
# runs are drawn in blocks of at most so many, so that memory stays bounded
_DRAWS_AT_ONCE = 1 << 18
# scores that differ by less are equal: the same ratio may come out of two divisions
TOLERANCE = 1e-12


@dataclass(frozen=True, slots=True)
class Comparison:
    """The difference of two scores, its percentile confidence interval, and its two-sided p value."""

    difference: float
    interval: tuple[float, float]
    p: float


def bootstrap(
    counts: Numbers,
    score: Score,
    *,
    rng: np.random.Generator | None = None,
    resamples: int = 10_000,
    level: float = 0.95,
) -> dict[str, tuple[float, float]]:
    """Return the percentile confidence interval of every score: examples are resampled with replacement.

    `counts` is [N, K], one row of whole numbers an example; `score` takes totals [..., K] and gives values of
    shape [...] by name. Without `rng` the draws are those of seed 0. A single example gives an interval of
    width 0.

    >>> counts = [[1, 1]] * 200 + [[0, 1]] * 200    # right, all
    >>> def accuracy(total):
    ...     return {"accuracy": total[..., 0] / total[..., 1]}
    >>> low, high = bootstrap(counts, accuracy)["accuracy"]
    >>> round(low, 2), round(high, 2)
    (0.45, 0.55)
    """
    check_level("bootstrap", level)
    totals = draw_totals(check_counts("bootstrap", counts), _seeded(rng), resamples)
    scores = apply_score("bootstrap", score, totals)
    return {name: _interval(values, level) for name, values in scores.items()}


def paired_bootstrap(
    a: Numbers,
    b: Numbers,
    score: Score,
    *,
    rng: np.random.Generator | None = None,
    resamples: int = 10_000,
    level: float = 0.95,
) -> dict[str, Comparison]:
    """Compare two systems on the same examples: both are scored on the same resamples.

    p is twice the smaller share of resamples with a difference on either side of 0, a share being
    (r + 1) / (resamples + 1). It agrees with the confidence interval: p < 0.05 where that of 95 % excludes 0.

    >>> better, worse = [[1, 1]] * 90 + [[0, 1]] * 10, [[1, 1]] * 70 + [[0, 1]] * 30
    >>> def accuracy(total):
    ...     return {"accuracy": total[..., 0] / total[..., 1]}
    >>> found = paired_bootstrap(better, worse, accuracy)["accuracy"]
    >>> round(found.difference, 3), found.interval[0] > 0, found.p < 0.001
    (0.2, True, True)
    """
    first, second = check_systems("paired_bootstrap", a, b)
    totals = draw_totals(np.hstack([first, second]), _seeded(rng), resamples)  # [R, 2K]
    width = first.shape[1]
    observed = score_differences("paired_bootstrap", score, first.sum(0), second.sum(0))
    drawn = score_differences("paired_bootstrap", score, totals[:, :width], totals[:, width:])
    return {name: compare_draws(float(observed[name]), values, level) for name, values in drawn.items()}


def hierarchical_bootstrap(
    differences: Sequence[Numbers],
    *,
    rng: np.random.Generator | None = None,
    resamples: int = 10_000,
    level: float = 0.95,
) -> Comparison:
    """Compare by the differences of paired runs, one list per split: mean, confidence interval and p value.

    The runs of one split share their training examples, so splits are drawn first and runs within them after.
    With one split only its runs are drawn, and the answer holds for that split alone. With few splits the
    interval is too narrow: five draws out of five splits cannot show what a sixth would have done.

    >>> found = hierarchical_bootstrap([[1.0, 2.0], [3.0, 4.0]])
    >>> found.difference, found.interval, found.p < 0.001
    (2.5, (1.25, 3.75), True)
    """
    splits = [
        check_sample(f"hierarchical_bootstrap: split {k}", split, least=1)
        for k, split in enumerate(differences, 1)
    ]
    if not splits:
        raise DataError("hierarchical_bootstrap: found no splits: expected at least one list of differences")
    if resamples < 1:
        raise ConfigError(
            f"hierarchical_bootstrap: resamples = {resamples!r}: expected at least 1; 10000 is usual"
        )
    drawn = _draw_means(splits, _seeded(rng), resamples)
    return compare_draws(average(np.concatenate(splits)), drawn, level)


def approximate_randomisation(
    a: Numbers,
    b: Numbers,
    score: Score,
    *,
    rng: np.random.Generator | None = None,
    resamples: int = 10_000,
) -> dict[str, float]:
    """Return the two-sided p value of every score's difference, (r + 1) / (resamples + 1).

    `a` and `b` are the counts [N, K] of two systems on the same examples. Each trial swaps the two on every
    example by a fair coin; r counts the trials with a difference at least as large as the observed one.
    Equal systems give p = 1.

    >>> better, worse = [[1, 1]] * 90 + [[0, 1]] * 10, [[1, 1]] * 70 + [[0, 1]] * 30
    >>> def accuracy(total):
    ...     return {"accuracy": total[..., 0] / total[..., 1]}
    >>> approximate_randomisation(better, worse, accuracy)["accuracy"] < 0.001
    True
    """
    where = "approximate_randomisation"
    first, second = check_systems(where, a, b)
    observed = score_differences(where, score, first.sum(0), second.sum(0))
    moved = draw_swaps(first - second, _seeded(rng), resamples)  # [R, K]
    drawn = score_differences(where, score, first.sum(0) - moved, second.sum(0) + moved)
    as_large = {
        name: int(np.count_nonzero(np.abs(values) >= abs(float(observed[name])) - TOLERANCE))
        for name, values in drawn.items()
    }
    return {name: (count + 1) / (resamples + 1) for name, count in as_large.items()}


def compare_draws(observed: float, drawn: FloatArray, level: float) -> Comparison:
    """Make a comparison of a difference and of those that its resamples gave.

    >>> compare_draws(2.0, np.arange(-1.0, 6.0), 0.5)
    Comparison(difference=2.0, interval=(0.5, 3.5), p=0.75)
    """
    check_level("bootstrap", level)
    return Comparison(observed, _interval(drawn, level), _two_sided(drawn))


def score_differences(where: str, score: Score, a: IntArray, b: IntArray) -> dict[str, FloatArray]:
    """Subtract the scores of b from those of a, by name."""
    second = apply_score(where, score, b)
    return {name: values - second[name] for name, values in apply_score(where, score, a).items()}


def _interval(values: FloatArray, level: float) -> tuple[float, float]:
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def _two_sided(differences: FloatArray) -> float:
    below = int(np.count_nonzero(differences <= TOLERANCE))
    above = int(np.count_nonzero(differences >= -TOLERANCE))
    return min(1.0, 2 * (min(below, above) + 1) / (len(differences) + 1))


def _seeded(rng: np.random.Generator | None) -> np.random.Generator:
    """Return the generator, or that of seed 0: the same numbers every time."""
    return np.random.default_rng(0) if rng is None else rng


def _draw_means(splits: Sequence[FloatArray], rng: np.random.Generator, resamples: int) -> FloatArray:
    """Return the mean of the runs that each resample drew, [R]."""
    number, longest = len(splits), max(map(len, splits))
    sizes = np.array([len(split) for split in splits])  # [S]
    padded = np.array([np.pad(split, (0, longest - len(split))) for split in splits])  # [S, N]
    means = []
    step = max(1, _DRAWS_AT_ONCE // (number * longest))
    for start in range(0, resamples, step):
        count = min(step, resamples - start)
        chosen = rng.integers(number, size=(count, number))  # [R, S]
        own = sizes[chosen][..., None]  # [R, S, 1]
        # a split that is drawn twice has its runs drawn twice, independently
        indices = (rng.random((count, number, longest)) * own).astype(np.int64)  # [R, S, N]
        values = np.where(np.arange(longest) < own, padded[chosen[..., None], indices], 0.0)
        means.append(values.sum(axis=(1, 2)) / own.sum(axis=(1, 2)))
    return np.concatenate(means)


def check_counts(where: str, counts: Numbers) -> IntArray:
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


def check_systems(where: str, a: Numbers, b: Numbers) -> tuple[IntArray, IntArray]:
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
