"""Classification of given aspects and of given categories: accuracy, and micro, macro and weighted F1."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from aspectlab.data import Polarity, Quad
from aspectlab.errors import TaskError
from aspectlab.metrics import (
    NO_ANSWER,
    POLARITIES,
    ClassScore,
    ExamplePair,
    FloatArray,
    IntArray,
    Match,
    Metric,
    is_same_term,
    ratio,
    term_key,
)


class Classification(Metric):
    """Look up the polarity predicted for every gold aspect; predictions for other aspects are ignored.

    Counts are a confusion matrix: a row per gold class, a column per predicted class and one for no answer.
    Where an aspect term is repeated in an example, its predictions are taken in order, the last one also for
    those that are left. The scores equal scikit-learn's with the three classes as labels.

    >>> from aspectlab.data import Polarity, Term
    >>> from aspectlab.tasks import TASKS
    >>> tea = Quad(aspect=Term("tea"), polarity=Polarity.NEGATIVE)
    >>> Classification(TASKS["atsc"]).count([tea], [tea]).reshape(3, 4)
    array([[0, 0, 0, 0],
           [0, 1, 0, 0],
           [0, 0, 0, 0]])
    """

    name = "classification"
    tasks = frozenset({"atsc"})
    headline = "accuracy"
    classes: ClassVar[tuple[Polarity, ...]] = POLARITIES

    def count(self, gold: Sequence[Quad], predicted: Sequence[Quad]) -> IntArray:
        """Count the cells of the confusion matrix for one example: [12], a class more gives more."""
        aspects, answers = self.task.select(gold), self.task.select(predicted)
        none = len(self.classes)  # the column of a prediction that is missing or none of the classes
        confusion = np.zeros((none, none + 1), dtype=np.int64)
        for index, quad in enumerate(aspects):
            answer = self.look_up(index, aspects, answers)
            found = answer.polarity if answer else None
            column = self.classes.index(found) if found in self.classes else none
            confusion[_row(quad, self.classes), column] += 1
        return confusion.ravel()

    def by_class(self, pairs: Sequence[ExamplePair]) -> list[ClassScore]:
        """Score each polarity by the confusion matrix."""
        counts = (self.count(gold.quads, predicted.quads) for gold, predicted in pairs)
        rows = self.confusion(np.sum([*counts], axis=0))
        return [
            ClassScore.make(
                "polarity", name, row[name], sum(row.values()), sum(r[name] for r in rows.values())
            )
            for name, row in rows.items()
        ]

    def confusion(self, total: IntArray) -> dict[str, dict[str, int]]:
        """Return the counts by gold and predicted class."""
        columns = [*(each.value for each in self.classes), NO_ANSWER]
        rows = total.reshape(len(self.classes), len(columns)).tolist()
        return {
            each.value: dict(zip(columns, row, strict=True))
            for each, row in zip(self.classes, rows, strict=True)
        }

    def find_flags(self, pairs: Sequence[ExamplePair]) -> list[bool]:
        """Return of each gold aspect or category whether its answer is right."""
        found = []
        for gold, predicted in pairs:
            aspects, answers = self.task.select(gold.quads), self.task.select(predicted.quads)
            for index, quad in enumerate(aspects):
                answer = self.look_up(index, aspects, answers)
                found.append(answer is not None and answer.polarity == quad.polarity)
        return found

    def look_up(self, index: int, gold: Sequence[Quad], answers: Sequence[Quad]) -> Quad | None:
        """Find the answer for one of the gold quads of an example; those before it have had theirs."""
        return _look_up(gold[index], gold[:index], answers, self.match)

    def score(self, total: IntArray) -> dict[str, FloatArray]:
        """Return accuracy, micro F1 (equal to it if every aspect has an answer), macro and weighted F1."""
        count = len(self.classes)
        confusion = total.reshape(*total.shape[:-1], count, count + 1)  # [..., C, C + 1]
        hits = np.diagonal(confusion, axis1=-2, axis2=-1)  # [..., C]
        gold, predicted = confusion.sum(-1), confusion[..., :count].sum(-2)  # [..., C]
        by_class = ratio(2 * hits, gold + predicted)  # [..., C]
        return {
            "accuracy": ratio(hits.sum(-1), gold.sum(-1)),
            "f1": ratio(2 * hits.sum(-1), (gold + predicted).sum(-1)),
            "macro_f1": by_class[..., : len(POLARITIES)].mean(-1),
            "weighted_f1": ratio((by_class * gold).sum(-1), gold.sum(-1)),
        }


def _row(quad: Quad, classes: Sequence[Polarity]) -> int:
    if quad.polarity not in classes:
        named = repr(quad.aspect.text) if quad.aspect else "implicit"
        raise TaskError(
            f"gold aspect {named} is {quad.polarity}: expected {', '.join(classes)}; "
            "remove it with `aspectlab data clean`"
        )
    return classes.index(quad.polarity)


def _look_up(quad: Quad, earlier: Sequence[Quad], answers: Sequence[Quad], match: Match) -> Quad | None:
    """Find the answer for the aspect of a gold quad: with the same span if there is one, else by text."""
    for key in (match, Match.TEXT):
        own = term_key(quad.aspect, key)
        candidates = [
            answer
            for answer in answers
            if term_key(answer.aspect, key) == own and is_same_term(quad.aspect, answer.aspect, match)
        ]
        if candidates:
            rank = sum(term_key(other.aspect, key) == own for other in earlier)
            return candidates[min(rank, len(candidates) - 1)]
    return None


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
