"""Standings: runs ranked by a score, with confidence intervals and a test of each against the first."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from aspectlab.metrics import FloatArray, IntArray
from aspectlab.stats import approximate_randomisation, bootstrap, holm

Score = Callable[[IntArray], dict[str, FloatArray]]
"""Turns summed counts [..., K] into scores of shape [...]."""


@dataclass(frozen=True, slots=True)
class RankedRun:
    """A run's place; equal scores share a place. `p` compares with the first, Holm-adjusted; None for itself.

    `interval` is that of the score that decides.
    """

    place: int
    run: str
    scores: Mapping[str, float]
    interval: tuple[float, float]
    p: float | None

    def to_dict(self) -> dict[str, object]:
        """Return the JSON object: the scores stand beside the run.

        >>> RankedRun(1, "mine", {"f1": 0.5}, (0.25, 0.75), None).to_dict()
        {'place': 1, 'run': 'mine', 'f1': 0.5, 'interval': (0.25, 0.75), 'p': None}
        """
        said = {"place": self.place, "run": self.run}
        return {**said, **self.scores, "interval": self.interval, "p": self.p}


def rank(
    entries: Sequence[tuple[str, IntArray]],
    score: Score,
    by: str,
    *,
    ascending: bool = False,
    seed: int = 0,
    resamples: int = 10_000,
) -> list[RankedRun]:
    """Rank runs by their counts [N, K] on the same texts; `ascending` puts the least score first.

    >>> def accuracy(total):
    ...     return {"accuracy": total[..., 0] / total[..., 1]}
    >>> half, all_right = np.array([[1, 1], [0, 1]]), np.array([[1, 1], [1, 1]])
    >>> [each.run for each in rank([("half", half), ("all", all_right)], accuracy, "accuracy", resamples=9)]
    ['all', 'half']
    """
    sign = 1 if ascending else -1
    scored = [(run, counts, evaluate_total(counts, score)) for run, counts in entries]
    scored.sort(key=lambda entry: sign * entry[2][by])
    chances = [_compare(scored[0][1], counts, score, by, seed, resamples) for _, counts, _ in scored[1:]]
    adjusted: list[float | None] = [None, *map(float, holm(chances))]
    values = [sign * scores[by] for _, _, scores in scored]
    return [
        RankedRun(
            place=1 + sum(value < sign * scores[by] for value in values),
            run=run,
            scores=scores,
            interval=find_intervals(counts, score, seed=seed, resamples=resamples)[by],
            p=p,
        )
        for (run, counts, scores), p in zip(scored, adjusted, strict=True)
    ]


def evaluate_total(counts: IntArray, score: Score) -> dict[str, float]:
    """Score the sum of counts [N, K]."""
    return {name: float(value) for name, value in score(counts.sum(axis=0)).items()}


def find_intervals(
    counts: IntArray, score: Score, *, seed: int, resamples: int
) -> dict[str, tuple[float, float]]:
    """Return the 95 % bootstrap confidence interval over texts of every score; none without resamples."""
    if not resamples:
        return {}
    return bootstrap(counts, score, rng=np.random.default_rng(seed), resamples=resamples)


def _compare(first: IntArray, other: IntArray, score: Score, by: str, seed: int, resamples: int) -> float:
    rng = np.random.default_rng(seed)
    return approximate_randomisation(first, other, score, rng=rng, resamples=resamples)[by]
