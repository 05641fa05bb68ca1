"""Calibrate an exported model: how often is an opinion right that it is so sure of?"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from aspectlab.data import Example, Quad
from aspectlab.errors import DataError
from aspectlab.runtime import Predictor
from aspectlab.stats import (
    CoveragePoint,
    Platt,
    calibration_report,
    fit_platt,
    log_odds,
)

POINTS = 20
"""Points of the curve of precision that are noted."""

_FOLDS = 2


Judged = tuple[Sequence[Example], Sequence[tuple[Quad, ...]]]
"""Labelled examples, and what a model that did not learn from them finds in each."""


@dataclass(frozen=True, slots=True)
class Answers:
    """Opinions that models found: how probable they are, whether they are right, and what they stand with.

    Answers of one fold stand together: a calibrator is never judged on the fold that it was fitted on.
    """

    folds: NDArray[np.int64]
    probabilities: NDArray[np.float64]
    correct: NDArray[np.bool_]

    @classmethod
    def collect(cls, parts: Sequence[Judged]) -> Self:
        """Judge predictions; right is what has the aspect, opinion and polarity of a labelled quad.

        Each of several parts is a fold, such as a domain; the texts of a single one are dealt out to two.
        """
        rows = []
        for number, (examples, predicted) in enumerate(parts):
            for index, (example, quads) in enumerate(zip(examples, predicted, strict=True)):
                fold = number if len(parts) > 1 else index % _FOLDS
                gold = {_key(quad) for quad in example.quads}
                rows += [(fold, max((q.confidence or {"": 0.0}).values()), _key(q) in gold) for q in quads]
        if len(rows) < 2 * _FOLDS:
            texts = sum(len(examples) for examples, _ in parts)
            raise DataError(
                f"calibration: the model finds {len(rows)} opinions in {texts} texts: expected some "
                "hundreds; calibrate on more texts, or train the model longer"
            )
        folds, probabilities, correct = zip(*rows, strict=True)
        return cls(np.array(folds), np.array(probabilities, np.float64), np.array(correct, np.bool_))


def predict_in_styles(open_style: Callable[[str | None], Predictor], examples: Sequence[Example]) -> Judged:
    """Predict examples, each in its own style: in another one a right opinion may be cut differently."""
    found: dict[int, tuple[Quad, ...]] = {}
    for style in sorted({example.style for example in examples}, key=str):
        numbers = [number for number, example in enumerate(examples) if example.style == style]
        answers = open_style(style).predict([examples[number].text for number in numbers])
        found.update(zip(numbers, answers, strict=True))
    return examples, [found[number] for number in range(len(examples))]


def _key(quad: Quad) -> tuple[object, ...]:
    return quad.aspect, quad.opinion, quad.polarity


def fit_calibrator(answers: Answers) -> Platt:
    """Fit a logistic regression on the log-odds: two numbers keep the order and need few answers."""
    return fit_platt(log_odds(answers.probabilities), answers.correct)


def describe_calibration(answers: Answers) -> dict[str, object]:
    """Return how well a calibrator does on texts that it was not fitted on, and what it is needed for."""
    calibrated = np.zeros(len(answers.probabilities))
    for fold in np.unique(answers.folds):
        held = answers.folds == fold
        rest = Answers(answers.folds[~held], answers.probabilities[~held], answers.correct[~held])
        calibrated[held] = fit_calibrator(rest).apply(log_odds(answers.probabilities[held]))
    before, after = (
        calibration_report(each, answers.correct) for each in (answers.probabilities, calibrated)
    )
    return {
        "opinions": before.count,
        "correct": before.correct,
        "error_before": round(before.error, 4),
        "error": round(after.error, 4),
        "curve": [
            {key: round(float(value), 4) for key, value in asdict(point).items()}
            for point in _thin(after.curve)
        ],
    }


def _thin(points: Sequence[CoveragePoint]) -> list[CoveragePoint]:
    """Keep a few points, evenly, with the first and the last."""
    chosen = np.linspace(0, len(points) - 1, min(POINTS, len(points))).round().astype(int)
    return [points[index] for index in dict.fromkeys(chosen.tolist())]
