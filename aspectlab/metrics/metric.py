"""Metric: count per example, so that sums can be scored, resampled and compared."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from aspectlab.data import Polarity, Quad
from aspectlab.errors import ConfigError
from aspectlab.metrics.matching import Match
from aspectlab.tasks import Task

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]

POLARITIES = (Polarity.POSITIVE, Polarity.NEGATIVE, Polarity.NEUTRAL)
"""The classes of macro and weighted means; conflict is none of them, as in the published comparisons."""


class Metric(ABC):
    """How a task is judged: integers per example that add up, and scores made from their sum.

    `headline` names the score that stands for the metric where one number must do.
    """

    name: ClassVar[str]
    tasks: ClassVar[frozenset[str]]
    headline: ClassVar[str] = "f1"

    def __init__(self, task: Task, *, match: Match = Match.EXACT) -> None:
        if task.name not in self.tasks:
            fitting = ", ".join(sorted(self.tasks))
            raise ConfigError(
                f"metric {self.name!r} does not fit task {task.name!r}: it fits {fitting}; "
                "choose one of these tasks or another metric"
            )
        self.task = task
        self.match = match

    @abstractmethod
    def count(self, gold: Sequence[Quad], predicted: Sequence[Quad]) -> IntArray:
        """Compare the quads of one example; those that the task is not about are passed over."""

    @abstractmethod
    def score(self, total: IntArray) -> dict[str, FloatArray]:
        """Turn summed counts [..., K] into scores of shape [...], between 0 and 1."""


def ratio(part: IntArray | FloatArray, whole: IntArray) -> FloatArray:
    """Divide, with 0.0 where there is nothing to divide by.

    >>> ratio(np.array([1, 0]), np.array([2, 0]))
    array([0.5, 0. ])
    """
    return np.divide(part, whole, out=np.zeros(np.shape(whole)), where=np.not_equal(whole, 0))


def precision_recall_f1(total: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Score sums of hit, extra and missed [..., 3].

    >>> [float(value) for value in precision_recall_f1(np.array([2, 2, 0]))]
    [0.5, 1.0, 0.6666666666666666]
    """
    hit, extra, missed = total[..., 0], total[..., 1], total[..., 2]
    return ratio(hit, hit + extra), ratio(hit, hit + missed), ratio(2 * hit, 2 * hit + extra + missed)
