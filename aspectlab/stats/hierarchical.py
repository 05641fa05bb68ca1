"""Compare two systems over splits x seeds: draw splits again, and runs within each drawn split."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from aspectlab.errors import ConfigError, DataError
from aspectlab.stats.intervals import Comparison, compare_draws
from aspectlab.stats.samples import FloatArray, average, check_sample

_WHERE = "hierarchical_bootstrap"
# runs are drawn in blocks of at most so many, so that memory stays bounded
_BLOCK = 1 << 18


def hierarchical_bootstrap(
    differences: Sequence[ArrayLike],
    *,
    rng: np.random.Generator,
    resamples: int = 10_000,
    level: float = 0.95,
) -> Comparison:
    """Compare by the differences of paired runs, one list per split: their mean, its interval and its p.

    The runs of one split share their training examples, so splits are drawn first and runs within them after.
    With one split only its runs are drawn, and the answer holds for that split alone. With few splits the
    interval is too narrow: five draws out of five splits cannot show what a sixth would have done.

    >>> found = hierarchical_bootstrap([[1.0, 2.0], [3.0, 4.0]], rng=np.random.default_rng(0))
    >>> found.difference, found.interval, found.p < 0.001
    (2.5, (1.25, 3.75), True)
    """
    splits = [check_sample(f"{_WHERE}: split {k}", split, least=1) for k, split in enumerate(differences, 1)]
    if not splits:
        raise DataError(f"{_WHERE}: found no splits: expected at least one list of differences")
    if resamples < 1:
        raise ConfigError(f"{_WHERE}: resamples = {resamples!r}: expected at least 1; 10000 is usual")
    drawn = _draw_means(splits, rng, resamples)
    return compare_draws(average(np.concatenate(splits)), drawn, level)


def _draw_means(splits: Sequence[FloatArray], rng: np.random.Generator, resamples: int) -> FloatArray:
    """Give the mean of the runs that each resample drew, [R]."""
    number, longest = len(splits), max(map(len, splits))
    sizes = np.array([len(split) for split in splits])  # [S]
    padded = np.array([np.pad(split, (0, longest - len(split))) for split in splits])  # [S, N]
    means = []
    step = max(1, _BLOCK // (number * longest))
    for start in range(0, resamples, step):
        count = min(step, resamples - start)
        chosen = rng.integers(number, size=(count, number))  # [R, S]
        own = sizes[chosen][..., None]  # [R, S, 1]
        # a split that is drawn twice has its runs drawn twice, independently
        places = (rng.random((count, number, longest)) * own).astype(np.int64)  # [R, S, N]
        values = np.where(np.arange(longest) < own, padded[chosen[..., None], places], 0.0)
        means.append(values.sum(axis=(1, 2)) / own.sum(axis=(1, 2)))
    return np.concatenate(means)
