"""Classification of given categories: accuracy with conflict as a class, and F1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from aspectlab.data import Polarity, Quad
from aspectlab.metrics.classification import Classification
from aspectlab.metrics.metric import POLARITIES


class CategoryClassification(Classification):
    """Look up the polarity predicted for every gold category.

    Conflict is a fourth class, as in SemEval-2014; the macro mean is that of the other three, so that a
    corpus without conflict is not punished.

    >>> from aspectlab.tasks import TASKS
    >>> torn = Quad(category="food", polarity=Polarity.CONFLICT)
    >>> metric = CategoryClassification(TASKS["acsc"])
    >>> float(metric.score(metric.count([torn], [torn]))["accuracy"])
    1.0
    """

    name = "category-classification"
    tasks = frozenset({"acsc"})
    classes: ClassVar[tuple[Polarity, ...]] = (*POLARITIES, Polarity.CONFLICT)

    def look_up(self, quad: Quad, earlier: Sequence[Quad], answers: Sequence[Quad]) -> Quad | None:
        """Find the answer for a category; a repeated one takes its answers in order, the last one again."""
        candidates = [answer for answer in answers if answer.category == quad.category]
        rank = sum(other.category == quad.category for other in earlier)
        return candidates[min(rank, len(candidates) - 1)] if candidates else None
