"""Bootstrap intervals of scores that are computed from summed counts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from aspectlab.stats.resamples import (
    TOLERANCE,
    IntArray,
    Score,
    apply_score,
    check_counts,
    check_systems,
    draw_totals,
)
from aspectlab.stats.samples import FloatArray, check_level


@dataclass(frozen=True, slots=True)
class Comparison:
    """The score of a minus that of b, its percentile interval, and the two-sided p value of no difference."""

    difference: float
    interval: tuple[float, float]
    p: float


def bootstrap(
    counts: ArrayLike,
    score: Score,
    *,
    rng: np.random.Generator,
    resamples: int = 10_000,
    level: float = 0.95,
) -> dict[str, tuple[float, float]]:
    """Give the percentile interval of every score: examples are drawn again, with replacement.

    `counts` is [N, K], one row of whole numbers an example; `score` takes totals [..., K] and gives values of
    shape [...] by name. A single example gives an interval of width 0.

    >>> counts = [[1, 1]] * 200 + [[0, 1]] * 200    # right, all
    >>> def accuracy(total):
    ...     return {"accuracy": total[..., 0] / total[..., 1]}
    >>> low, high = bootstrap(counts, accuracy, rng=np.random.default_rng(0))["accuracy"]
    >>> round(low, 2), round(high, 2)
    (0.45, 0.55)
    """
    check_level("bootstrap", level)
    totals = draw_totals(check_counts("bootstrap", counts), rng, resamples)
    scores = apply_score("bootstrap", score, totals)
    return {name: _interval(values, level) for name, values in scores.items()}


def paired_bootstrap(
    a: ArrayLike,
    b: ArrayLike,
    score: Score,
    *,
    rng: np.random.Generator,
    resamples: int = 10_000,
    level: float = 0.95,
) -> dict[str, Comparison]:
    """Compare two systems on the same examples: both are scored on the same resamples.

    p is twice the smaller share of resamples with a difference on either side of 0, a share being
    (r + 1) / (resamples + 1). It agrees with the interval: p < 0.05 where the 95 % interval leaves out 0.

    >>> better, worse = [[1, 1]] * 90 + [[0, 1]] * 10, [[1, 1]] * 70 + [[0, 1]] * 30
    >>> def accuracy(total):
    ...     return {"accuracy": total[..., 0] / total[..., 1]}
    >>> found = paired_bootstrap(better, worse, accuracy, rng=np.random.default_rng(0))["accuracy"]
    >>> round(found.difference, 3), found.interval[0] > 0, found.p < 0.001
    (0.2, True, True)
    """
    first, second = check_systems("paired_bootstrap", a, b)
    totals = draw_totals(np.hstack([first, second]), rng, resamples)  # [R, 2K]
    width = first.shape[1]
    observed = score_differences("paired_bootstrap", score, first.sum(0), second.sum(0))
    drawn = score_differences("paired_bootstrap", score, totals[:, :width], totals[:, width:])
    return {name: compare_draws(float(observed[name]), values, level) for name, values in drawn.items()}


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
