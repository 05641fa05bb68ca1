"""Approximate randomisation: how often does a coin that swaps the two systems give as large a difference?"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from aspectlab.stats.intervals import score_differences
from aspectlab.stats.resamples import TOLERANCE, Score, check_systems, draw_swaps

_WHERE = "approximate_randomisation"


def approximate_randomisation(
    a: ArrayLike,
    b: ArrayLike,
    score: Score,
    *,
    rng: np.random.Generator,
    resamples: int = 10_000,
) -> dict[str, float]:
    """Give the two-sided p value of every score's difference, (r + 1) / (resamples + 1).

    `a` and `b` are the counts [N, K] of two systems on the same examples. Each trial swaps the two on every
    example by a fair coin; r counts the trials with a difference at least as large as the observed one.
    Equal systems give p = 1.

    >>> better, worse = [[1, 1]] * 90 + [[0, 1]] * 10, [[1, 1]] * 70 + [[0, 1]] * 30
    >>> def accuracy(total):
    ...     return {"accuracy": total[..., 0] / total[..., 1]}
    >>> approximate_randomisation(better, worse, accuracy, rng=np.random.default_rng(0))["accuracy"] < 0.001
    True
    """
    first, second = check_systems(_WHERE, a, b)
    observed = score_differences(_WHERE, score, first.sum(0), second.sum(0))
    moved = draw_swaps(first - second, rng, resamples)  # [R, K]
    drawn = score_differences(_WHERE, score, first.sum(0) - moved, second.sum(0) + moved)
    as_large = {
        name: int(np.count_nonzero(np.abs(values) >= abs(float(observed[name])) - TOLERANCE))
        for name, values in drawn.items()
    }
    return {name: (count + 1) / (resamples + 1) for name, count in as_large.items()}
