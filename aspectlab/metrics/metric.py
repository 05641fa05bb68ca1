"""Metric: count per example, so that sums can be scored, resampled and compared; METRICS names them all."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from aspectlab.data import Polarity, Quad
from aspectlab.errors import ConfigError
from aspectlab.metrics.matching import Match
from aspectlab.registry import Registry
from aspectlab.tasks import Task
from aspectlab.version import VERSION

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]

POLARITIES = (Polarity.POSITIVE, Polarity.NEGATIVE, Polarity.NEUTRAL)
"""The classes of macro and weighted means; conflict is none of them, as in the published comparisons."""


class Metric(ABC):
    """How a task is judged: integers per example that add up, and scores made from their sum.

    `headline` names the score that represents the metric where one number must do.
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
        """Compare the quads of one example; those that the task is not about are ignored."""

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


METRICS: Registry[type[Metric]] = Registry(
    "metric",
    {
        "classification": "aspectlab.metrics.classification:Classification",
        "category-classification": "aspectlab.metrics.classification:CategoryClassification",
        "tuple-f1": "aspectlab.metrics.tuplef1:TupleF1",
        "subtasks": "aspectlab.metrics.tuplef1:Subtasks",
        "simstar-lenient": "aspectlab.metrics.released:SimSTARLenient",
        "minicongts-released": "aspectlab.metrics.released:MiniConGTSReleased",
        "emcgcn-released": "aspectlab.metrics.released:EMCGCNReleased",
    },
)


def default_metric(task: str) -> str:
    """Name the metric that a task is usually judged by: the first of the table that fits.

    >>> default_metric("atsc"), default_metric("aste")
    ('classification', 'tuple-f1')
    """
    for name, metric in METRICS.items():
        if task in metric.tasks:
            return name
    raise ConfigError(f"task {task!r}: no metric fits it; there are: {', '.join(METRICS)}")


@dataclass(frozen=True, slots=True)
class Signature:
    """Everything that decides a score; two numbers with one signature can be compared.

    >>> print(Signature("aste", "f1", "14res-test", "5e6f" * 16, "tuple-f1", "exact", version="0.1.0"))
    aste-f1|corpus:14res-test@5e6f5e6f|metric:tuple-f1|match:exact|v:0.1.0
    """

    task: str
    headline: str
    corpus: str
    sha256: str
    metric: str
    match: str
    resamples: int = 0
    seed: int = 0
    version: str = VERSION

    def __str__(self) -> str:
        # the bar parts the fields, so a file name must not bring its own
        corpus = f"{self.corpus.replace('|', '_')}@{self.sha256[:8]}"
        bootstrap = [f"bs:{self.resamples}", f"seed:{self.seed}"] if self.resamples else []
        fields = [f"corpus:{corpus}", f"metric:{self.metric}", f"match:{self.match}", *bootstrap]
        return "|".join([f"{self.task}-{self.headline}", *fields, f"v:{self.version}"])
