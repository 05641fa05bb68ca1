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


@dataclass(frozen=True, slots=True)
class Answers:
    """Opinions that a model found: of which text, how probable they are, and whether they are right."""

    texts: NDArray[np.int64]
    probabilities: NDArray[np.float64]
    correct: NDArray[np.bool_]

    @classmethod
    def collect(cls, open_style: Callable[[str | None], Predictor], examples: Sequence[Example]) -> Self:
        """Predict labelled examples; right is what has the aspect, opinion and polarity of a labelled one.

        Each is read in its own style of annotation: in another one a right opinion may be cut differently.
        """
        found: dict[int, tuple[Quad, ...]] = {}
        for style in sorted({example.style for example in examples}, key=str):
            numbers = [number for number, example in enumerate(examples) if example.style == style]
            answers = open_style(style).predict([examples[number].text for number in numbers])
            found.update(zip(numbers, answers, strict=True))
        rows = []
        for number, example in enumerate(examples):
            quads = found[number]
            gold = {(quad.aspect, quad.opinion, quad.polarity) for quad in example.quads}
            rows += [
                (number, max((quad.confidence or {"": 0.0}).values()), key in gold)
                for quad in quads
                for key in [(quad.aspect, quad.opinion, quad.polarity)]
            ]
        if len(rows) < 2 * _FOLDS:
            raise DataError(
                f"calibration: the model finds {len(rows)} opinions in {len(examples)} texts: expected some "
                "hundreds; calibrate on more texts, or train the model longer"
            )
        texts, probabilities, correct = zip(*rows, strict=True)
        return cls(np.array(texts), np.array(probabilities, np.float64), np.array(correct, np.bool_))


def fit_calibrator(answers: Answers) -> Platt:
    """Fit a logistic regression on the log-odds: two numbers keep the order and need few answers."""
    return fit_platt(log_odds(answers.probabilities), answers.correct)


def describe_calibration(answers: Answers) -> dict[str, object]:
    """Return how well a calibrator does on texts that it was not fitted on, and what it is needed for."""
    calibrated = np.zeros(len(answers.probabilities))
    for fold in range(_FOLDS):
        held = answers.texts % _FOLDS == fold
        rest = Answers(answers.texts[~held], answers.probabilities[~held], answers.correct[~held])
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
