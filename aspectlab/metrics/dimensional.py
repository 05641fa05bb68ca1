"""Valence and arousal, as DimABSA judges them: continuous F1 of tuples, correlation and error for aspects."""

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from aspectlab.data import Intensity, Part, Quad, Term
from aspectlab.errors import TaskError
from aspectlab.metrics import FloatArray, IntArray, Match, Metric, ratio
from aspectlab.tasks import Task

_DIAGONAL = math.sqrt(128)
"""The largest distance of two points of valence and arousal."""

_IMPLICIT = "null"
_BILLION = 10**9
_VALUE_UNITS = 10**4
VALUE_DECIMALS = 4
"""So many decimals of a valence or an arousal count in correlation and error; files have two."""


class _Dimensional(Metric):
    """What both have in common: terms are compared by their words in lower case, wherever these stand."""

    def __init__(self, task: Task, *, match: Match = Match.TEXT) -> None:
        super().__init__(task, match=Match.TEXT)


class ContinuousF1(_Dimensional):
    """Count a hit by how near its valence and arousal are; the other parts must be equal, in lower case.

    The closeness of a hit is 1 - d / √128, d being the distance of the points (valence, arousal), and 0 for a
    prediction out of the range from 1 to 9. A gold tuple that several predictions equal is missed, and all of
    these are wrong. Nothing counts as a set: gold that is repeated is asked for twice.

    Counts are the closeness in billionths, so that sums are whole numbers, then hit, extra and missed.

    >>> from aspectlab.tasks import TASKS
    >>> gold, near = (Quad(Term("Tea"), opinion=Term("good"), intensity=Intensity(v, 5)) for v in (8, 6))
    >>> ContinuousF1(TASKS["aste-all"]).count([gold], [near]).tolist()
    [823223305, 1, 0, 0]
    """

    name = "continuous-f1"
    tasks = frozenset({"aste-all", "asqp"})
    headline = "cf1"

    def count(self, gold: Sequence[Quad], predicted: Sequence[Quad]) -> IntArray:
        """Count closeness (in billionths), hit, extra and missed tuples of one example: [4]."""
        answers: defaultdict[tuple[str, ...], list[Intensity]] = defaultdict(list)
        for quad in self._select(predicted):
            answers[self._key(quad)].append(_intensity(quad, "predicted"))
        wanted = [(self._key(quad), _intensity(quad, "gold")) for quad in self._select(gold)]
        hits = [(key, one, answers[key][0]) for key, one in wanted if len(answers[key]) == 1]
        close = sum(round(_BILLION * _closeness(one, other)) for _, one, other in hits)
        extra = sum(map(len, answers.values())) - len({key for key, _, _ in hits})
        return np.array([close, len(hits), extra, len(wanted) - len(hits)], dtype=np.int64)

    def score(self, total: IntArray) -> dict[str, FloatArray]:
        """Return continuous precision, recall and F1."""
        close = total[..., 0] / _BILLION
        hit, extra, missed = total[..., 1], total[..., 2], total[..., 3]
        return {
            "cprecision": ratio(close, hit + extra),
            "crecall": ratio(close, hit + missed),
            "cf1": ratio(2 * close, 2 * hit + extra + missed),
        }

    def _select(self, quads: Sequence[Quad]) -> list[Quad]:
        """Leave out what has no category where that is judged; repeated quads stay."""
        with_category = Part.CATEGORY in self.task.judges
        return [quad for quad in quads if quad.category is not None or not with_category]

    def _key(self, quad: Quad) -> tuple[str, ...]:
        terms = _spell(quad.aspect), _spell(quad.opinion)
        return (*terms, str(quad.category).lower()) if Part.CATEGORY in self.task.judges else terms


def _spell(term: Term | None) -> str:
    return _IMPLICIT if term is None else term.text.lower()


def _closeness(gold: Intensity, predicted: Intensity) -> float:
    if not predicted.in_range:
        return 0.0
    distance = math.dist((gold.valence, gold.arousal), (predicted.valence, predicted.arousal))
    return max(0.0, 1 - distance / _DIAGONAL)


def _intensity(quad: Quad, side: str) -> Intensity:
    if quad.intensity is None:
        raise TaskError(
            f"{side} quad {_spell(quad.aspect)!r:.60} has no valence and arousal: expected both in every "
            "quad; choose another metric"
        )
    return quad.intensity


class ValenceArousal(_Dimensional):
    """Correlate the valence and the arousal of given aspects with gold, and measure the error over both.

    Where an aspect is repeated, its predictions are taken in order, the last one also for those that are
    left; an aspect without a prediction is refused, since its error is not known. Pearson's correlation is 0
    where one side is constant. The error is √(Σ d² / n) / √128, d being the distance of the points of an
    aspect: 0 is best.

    Counts are n and, of each dimension, the sums of gold, predicted, their squares and their product, of
    values in ten thousandths, so that sums are exact.

    >>> from aspectlab.tasks import TASKS
    >>> gold, high = (Quad(Term("tea"), intensity=Intensity(value, value)) for value in (5, 9))
    >>> metric = ValenceArousal(TASKS["atsc"])
    >>> round(float(metric.score(metric.count([gold], [high]))["rmse"]), 6)
    0.5
    """

    name = "valence-arousal"
    tasks = frozenset({"atsc"})
    headline = "pearson_valence"
    errors: ClassVar[frozenset[str]] = frozenset({"rmse"})

    def count(self, gold: Sequence[Quad], predicted: Sequence[Quad]) -> IntArray:
        """Sum what correlation and error are made of, for one example: [11]."""
        answers: defaultdict[str, list[Intensity]] = defaultdict(list)
        for quad in predicted:
            answers[_spell(quad.aspect)].append(_intensity(quad, "predicted"))
        pairs = []
        for quad in gold:
            own = answers[_spell(quad.aspect)]
            if not own:
                raise TaskError(
                    f"gold aspect {_spell(quad.aspect)!r:.60} has no prediction: expected valence and "
                    "arousal of every aspect"
                )
            answer = own.pop(0) if len(own) > 1 else own[0]
            pairs.append((_intensity(quad, "gold"), answer))
        values = np.array([[[i.valence, i.arousal] for i in pair] for pair in pairs]).reshape(-1, 2, 2)
        units = np.rint(values * _VALUE_UNITS).astype(np.int64)  # [n, sides, dimensions]
        one, other = units[:, 0], units[:, 1]  # [n, 2] both
        sums = np.stack([v.sum(0) for v in (one, other, one * one, other * other, one * other)])  # [5, 2]
        return np.array([len(pairs), *sums.T.ravel()], dtype=np.int64)

    def score(self, total: IntArray) -> dict[str, FloatArray]:
        """Return the correlation of either dimension, from -1 to 1, and the error of both, from 0 to 1."""
        number = total[..., 0]
        valence, arousal = total[..., 1:6], total[..., 6:11]
        squares = sum(block[..., 2] + block[..., 3] - 2 * block[..., 4] for block in (valence, arousal))
        return {
            "pearson_valence": _correlate(number, valence),
            "pearson_arousal": _correlate(number, arousal),
            "rmse": np.sqrt(ratio(np.asarray(squares), number)) / _VALUE_UNITS / _DIAGONAL,
        }


def _correlate(number: IntArray, sums: IntArray) -> FloatArray:
    """Return Pearson's correlation from n and the sums of one dimension [..., 5]."""
    # in floats: products of sums of a large corpus would overflow whole numbers
    n = number.astype(np.float64)
    one, other, squares, other_squares, products = np.moveaxis(sums.astype(np.float64), -1, 0)
    spreads = [n * both - side * side for both, side in ((squares, one), (other_squares, other))]
    # what rounding leaves of a constant is no spread
    varies = (spreads[0] > 1e-15 * n * squares) & (spreads[1] > 1e-15 * n * other_squares)
    scale = np.sqrt(np.where(varies, spreads[0], 1.0)) * np.sqrt(np.where(varies, spreads[1], 1.0))
    return np.where(varies, (n * products - one * other) / scale, 0.0)
