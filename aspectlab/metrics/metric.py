"""Metric: count per example, so that sums can be scored, resampled and compared; METRICS names them all.

`evaluate` pairs gold with predicted examples, counts each pair and scores the sum.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aspectlab.data import Corpus, Example, Polarity, Quad
from aspectlab.errors import ConfigError, TaskError
from aspectlab.metrics.matching import Match
from aspectlab.metrics.pairs import ExamplePair, Pairing, find_pairs
from aspectlab.registry import Registry, suggest
from aspectlab.tasks import TASKS, Task
from aspectlab.version import VERSION

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]

POLARITIES = (Polarity.POSITIVE, Polarity.NEGATIVE, Polarity.NEUTRAL)
"""The classes of macro and weighted means; conflict is none of them, as in the published comparisons."""


NO_ANSWER = "none"
"""The column of the confusion matrix for what was not answered."""


class ClassScore(NamedTuple):
    """How one class of one part fares: a polarity, or a category."""

    part: str
    label: str
    precision: float
    recall: float
    f1: float
    gold: int
    predicted: int

    @classmethod
    def make(cls, part: str, label: str, hit: int, gold: int, predicted: int) -> ClassScore:
        """Score a class by its hits, and how often it stands in gold and in the predictions.

        >>> ClassScore.make("polarity", "neutral", 1, 4, 2).f1
        0.3333333333333333
        """
        precision, recall, f1 = (
            some / whole if whole else 0.0
            for some, whole in ((hit, predicted), (hit, gold), (2 * hit, gold + predicted))
        )
        return cls(part, label, precision, recall, f1, gold, predicted)


class Metric(ABC):
    """How a task is judged: integers per example that add up, and scores made from their sum.

    `headline` names the score that represents the metric where one number must do; `errors` names the scores
    of which less is better.
    """

    name: ClassVar[str]
    tasks: ClassVar[frozenset[str]]
    headline: ClassVar[str] = "f1"
    errors: ClassVar[frozenset[str]] = frozenset()

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
        """Turn summed counts [..., K] into scores of shape [...], between 0 and 1, correlations from -1."""

    def by_class(self, pairs: Sequence[ExamplePair]) -> list[ClassScore]:
        """Score each polarity and each category by itself; nothing where a metric has no classes."""
        return []

    def confusion(self, total: IntArray) -> dict[str, dict[str, int]]:
        """Return gold class -> answer -> count out of summed counts [K]; `none` is the lack of an answer.

        Nothing where there is no one answer due for each.
        """
        return {}

    def find_flags(self, pairs: Sequence[ExamplePair]) -> list[bool]:
        """Return of each thing to classify whether it is right, for tests of paired answers; else nothing."""
        return []


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
        "continuous-f1": "aspectlab.metrics.dimensional:ContinuousF1",
        "valence-arousal": "aspectlab.metrics.dimensional:ValenceArousal",
        "simstar-lenient": "aspectlab.metrics.released:SimSTARLenient",
        "minicongts-released": "aspectlab.metrics.released:MiniConGTSReleased",
        "emcgcn-released": "aspectlab.metrics.released:EMCGCNReleased",
    },
    group="aspectlab.metrics",
    base=Metric,
    required=("name", "tasks"),
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


def format_content(name: str, sha256: str) -> str:
    """Identify a corpus in a signature: by its content, and by its name if that is not only its file's.

    >>> format_content("14res-test", "5e6f" * 16), format_content("", "5e6f" * 16)
    ('14res-test@5e6f5e6f', '5e6f5e6f')
    """
    return f"{name}@{sha256[:8]}" if name else sha256[:8]


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
        corpus = format_content(self.corpus.replace("|", "_"), self.sha256)
        bootstrap = [f"bs:{self.resamples}", f"seed:{self.seed}"] if self.resamples else []
        fields = [f"corpus:{corpus}", f"metric:{self.metric}", f"match:{self.match}", *bootstrap]
        return "|".join([f"{self.task}-{self.headline}", *fields, f"v:{self.version}"])


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The counts of every example, the scores of their sum, and what was measured."""

    metric: Metric
    counts: IntArray  # [N, K]
    scores: dict[str, float]
    signature: Signature
    corpus: str  # its name, also where only the file has one
    pairing: Pairing

    @property
    def classes(self) -> list[ClassScore]:
        """How each polarity and each category fares by itself."""
        return self.metric.by_class(self.pairing.pairs)

    @property
    def confusion(self) -> dict[str, dict[str, int]]:
        """Gold class -> answer -> count, where one answer was due for each."""
        return self.metric.confusion(self.counts.sum(axis=0))

    @property
    def unanswered(self) -> int:
        """How many aspects or categories that were given have no answer, which counts as wrong."""
        return sum(row[NO_ANSWER] for row in self.confusion.values())


def evaluate(
    gold: Corpus, predicted: Corpus, task: str, *, metric: str | None = None, match: str = Match.EXACT
) -> Evaluation:
    """Score the predictions for a corpus; examples are paired by id, by text or by order.

    >>> from aspectlab.data import Part, Polarity, Quad, Term
    >>> tea = Example("1", "It was fine.", (Quad(aspect=Term("tea"), polarity=Polarity.POSITIVE),))
    >>> gold = Corpus("mine", "en", frozenset({Part.ASPECT, Part.POLARITY}), (tea,))
    >>> evaluate(gold, gold, "pairs").scores["f1"]
    1.0
    """
    chosen = TASKS[task]
    if match not in set(Match):
        raise ConfigError(f"match {match!r} is unknown: {suggest(match, [choice.value for choice in Match])}")
    measure = METRICS[metric or default_metric(task)](chosen, match=Match(match))
    chosen.check(gold)
    pairing = find_pairs(gold, predicted, chosen.given)
    _refuse_foreign_quads(predicted, chosen)
    _refuse_unlabelled(gold, chosen)
    counts = np.stack([_count(measure, gold.name, *pair) for pair in pairing.pairs])  # [N, K]
    scores = {name: float(value) for name, value in measure.score(counts.sum(axis=0)).items()}
    signature = Signature(task, measure.headline, gold.own_name, gold.sha256, measure.name, measure.match)
    return Evaluation(measure, counts, scores, signature, gold.name, pairing)


def _refuse_foreign_quads(predicted: Corpus, task: Task) -> None:
    """Refuse predictions of which not one is about the task: a wrong file would score a quiet zero."""
    quads = [quad for example in predicted for quad in example.quads]
    if quads and not task.for_predictions.select(quads):
        raise TaskError(
            f"predictions {predicted.name!r}: found {len(quads)} quad(s), none with what task {task.name!r} "
            f"judges: expected {', '.join(sorted(task.parts))}; predict for this task or score another one"
        )


def _refuse_unlabelled(gold: Corpus, task: Task) -> None:
    """Refuse gold in which there is nothing to find: every system would have the same score."""
    if not any(task.select(example.quads) for example in gold):
        raise TaskError(
            f"corpus {gold.name!r}: found nothing that task {task.name!r} judges among {len(gold):,} "
            "example(s): expected some labels; score against a labelled file"
        )


def _count(metric: Metric, corpus: str, gold: Example, predicted: Example) -> IntArray:
    try:
        return metric.count(gold.quads, predicted.quads)
    except TaskError as error:
        raise TaskError(f"corpus {corpus!r}: example {gold.id!r}: {error}") from None
