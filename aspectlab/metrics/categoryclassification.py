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

    def look_up(self, index: int, gold: Sequence[Quad], answers: Sequence[Quad]) -> Quad | None:
        """Find the answer for a category; one of several polarities is compared as a set.

        Of more answers than gold has polarities the surest count, so that to name all of them wins nothing.
        What is no polarity of gold answers for those that were not found, in order, the last one again.

        >>> from aspectlab.tasks import TASKS
        >>> good, bad = (Quad(category="food", polarity=p) for p in (Polarity.POSITIVE, Polarity.NEGATIVE))
        >>> metric = CategoryClassification(TASKS["acsc"])
        >>> both, twice = metric.count([good, bad], [bad, good]), metric.count([good], [bad, good])
        >>> [float(metric.score(counts)["accuracy"]) for counts in (both, twice)]
        [1.0, 0.0]
        """
        quad = gold[index]
        wanted = [other.polarity for other in gold if other.category == quad.category]
        found = sorted((answer for answer in answers if answer.category == quad.category), key=_doubt)
        counted = {answer.polarity: answer for answer in found[: len(wanted)]}
        if quad.polarity in counted:
            return counted[quad.polarity]
        rest = [answer for polarity, answer in counted.items() if polarity not in wanted]
        rank = [polarity for polarity in wanted if polarity not in counted].index(quad.polarity)
        candidates = rest or [*counted.values()]
        return candidates[min(rank, len(candidates) - 1)] if candidates else None


def _doubt(answer: Quad) -> float:
    """Sort the surest answer first; those without a probability stay in their order."""
    return -(answer.confidence or {}).get(answer.polarity or "", 0.0)
