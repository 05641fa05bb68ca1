"""Exact tuples: precision, recall and F1 over sets, by polarity, and for subtasks of triplets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from aspectlab.data import Part, Quad
from aspectlab.metrics import (
    POLARITIES,
    ClassScore,
    ExamplePair,
    FloatArray,
    IntArray,
    Metric,
    count_hits,
    precision_recall_f1,
    quad_key,
)
from aspectlab.tasks import TASKS


class TupleF1(Metric):
    """Count a prediction as right if every part that the task is about is right.

    Counts are hit, extra and missed: of all tuples and then, where the task judges polarity, of the positive,
    negative and neutral ones. `macro_f1` is the mean F1 of these three, also if one of them does not occur.
    Conflict counts in the micro scores only. A task of verbatim terms leaves out gold that does not occur in
    the text; to predict that all the same costs nothing, to predict another such term does.

    >>> from aspectlab.data import Polarity, Term
    >>> metric = TupleF1(TASKS["ate"])
    >>> metric.count([Quad(Term("tea"))], [Quad(Term("tea")), Quad(Term("cup"))])
    array([1, 1, 0])
    """

    name = "tuple-f1"
    tasks = frozenset(TASKS)

    def count(self, gold: Sequence[Quad], predicted: Sequence[Quad]) -> IntArray:
        """Count hit, extra and missed tuples of one example: [3], or [12] with the polarities."""
        wanted, found = self.task.select(gold), self._find_judged(gold, predicted)
        groups = [(wanted, found)]
        if Part.POLARITY in self.task.judges:
            groups += [(_having(label, wanted), _having(label, found)) for label in POLARITIES]
        return np.array([count_hits(*group, self.match) for group in groups], dtype=np.int64).ravel()

    def _find_judged(self, gold: Sequence[Quad], predicted: Sequence[Quad]) -> tuple[Quad, ...]:
        """Select predictions; one that gold has too, but the task leaves out, is neither right nor wrong."""
        task = self.task.for_predictions
        found = task.select(predicted)
        if not self.task.verbatim:
            return found
        named, judged = ({quad_key(q, self.match) for q in t.select(gold)} for t in (task, self.task))
        return tuple(quad for quad in found if quad_key(quad, self.match) not in named - judged)

    def by_class(self, pairs: Sequence[ExamplePair]) -> list[ClassScore]:
        """Score the tuples of each polarity, and of each category, where the task judges them."""
        sides = [
            (self.task.select(gold.quads), self._find_judged(gold.quads, predicted.quads))
            for gold, predicted in pairs
        ]
        return [
            self._score_class(part, label, sides)
            for part in (Part.POLARITY, Part.CATEGORY)
            if part in self.task.judges
            for label in _list_labels(part, sides)
        ]

    def _score_class(self, part: Part, label: str, sides: Sequence[_Sides]) -> ClassScore:
        counts = [
            count_hits(_labelled(part, label, gold), _labelled(part, label, found), self.match)
            for gold, found in sides
        ]
        hit, extra, missed = map(sum, zip(*counts, strict=True))
        return ClassScore.make(part.value, label, hit, hit + missed, hit + extra)

    def score(self, total: IntArray) -> dict[str, FloatArray]:
        """Return micro precision, recall and F1, and the macro F1 of the polarities where they are judged."""
        precision, recall, f1 = precision_recall_f1(total[..., :3])
        scores = {"precision": precision, "recall": recall, "f1": f1}
        if Part.POLARITY in self.task.judges:
            groups = total[..., 3:].reshape(*total.shape[:-1], len(POLARITIES), 3)  # [..., 3, 3]
            scores["macro_f1"] = precision_recall_f1(groups)[2].mean(axis=-1)
        return scores


_Sides = tuple[tuple[Quad, ...], tuple[Quad, ...]]


def _list_labels(part: Part, sides: Sequence[_Sides]) -> list[str]:
    """List the labels of gold, the most frequent first, and behind them those that are only predicted."""
    counts = [
        Counter(
            getattr(quad, part) for pair in sides for quad in pair[side] if getattr(quad, part) is not None
        )
        for side in (0, 1)
    ]
    return [label for label, _ in counts[0].most_common()] + sorted(counts[1].keys() - counts[0].keys())


def _labelled(part: Part, label: str, quads: Sequence[Quad]) -> list[Quad]:
    return [quad for quad in quads if getattr(quad, part) == label]


def _having(polarity: str, quads: tuple[Quad, ...]) -> tuple[Quad, ...]:
    return tuple(quad for quad in quads if quad.polarity == polarity)


SUBTASKS = {
    "aspect": "ate",
    "opinion": "ote",
    "aspect_sentiment": "pairs",
    "aspect_opinion": "aope",
    "triple": "aste",
}
"""The name of each score, and the task that it is the F1 of."""


class Subtasks(Metric):
    """Project the triplets onto five subtasks and score each over sets.

    Unlike the scorer released with MuSe-CarASTE: repeated items count once, and an empty segment is nothing.

    >>> from aspectlab.data import Polarity, Term
    >>> fine = Quad(opinion=Term("fine"), polarity=Polarity.POSITIVE)
    >>> Subtasks(TASKS["aste"]).count([], [fine]).reshape(5, 3)[:, 1]
    array([0, 1, 0, 1, 1])
    """

    name = "subtasks"
    tasks = frozenset({"aste"})
    headline = "triple_f1"

    def count(self, gold: Sequence[Quad], predicted: Sequence[Quad]) -> IntArray:
        """Count hit, extra and missed items of each subtask in one example: [15]."""
        # a quad that is not a triplet, such as one without a polarity, must not count in some of them only
        wanted, found = self.task.select(gold), self.task.select(predicted)
        tasks = [TASKS[name] for name in SUBTASKS.values()]
        counts = [count_hits(task.select(wanted), task.select(found), self.match) for task in tasks]
        return np.array(counts, dtype=np.int64).ravel()

    def score(self, total: IntArray) -> dict[str, FloatArray]:
        """Return precision, recall and F1 of each subtask."""
        groups = total.reshape(*total.shape[:-1], len(SUBTASKS), 3)  # [..., 5, 3]
        scores: dict[str, FloatArray] = {}
        for index, subtask in enumerate(SUBTASKS):
            values = precision_recall_f1(groups[..., index, :])
            scores |= dict(
                zip((f"{subtask}_{kind}" for kind in ("precision", "recall", "f1")), values, strict=True)
            )
        return scores
