"""The five scores of a triplet extractor: how well it does each part of its work (the MuSe-CarASTE paper)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from aspectlab.data import Quad
from aspectlab.metrics.matching import count_hits
from aspectlab.metrics.metric import FloatArray, IntArray, Metric, precision_recall_f1
from aspectlab.tasks import TASKS

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
        # a quad that is no triplet, such as one without a polarity, must not count in some of the five only
        wanted, found = self.task.select(gold), self.task.select(predicted)
        tasks = [TASKS[name] for name in SUBTASKS.values()]
        counts = [count_hits(task.select(wanted), task.select(found), self.match) for task in tasks]
        return np.array(counts, dtype=np.int64).ravel()

    def score(self, total: IntArray) -> dict[str, FloatArray]:
        """Give precision, recall and F1 of each subtask."""
        groups = total.reshape(*total.shape[:-1], len(SUBTASKS), 3)  # [..., 5, 3]
        scores: dict[str, FloatArray] = {}
        for index, subtask in enumerate(SUBTASKS):
            values = precision_recall_f1(groups[..., index, :])
            scores |= dict(
                zip((f"{subtask}_{kind}" for kind in ("precision", "recall", "f1")), values, strict=True)
            )
        return scores
