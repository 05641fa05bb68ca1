"""Calibration of an export: which opinions are right, and how sure the model may be of them."""

from dataclasses import dataclass

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs the extra 'train'")

from aspectlab.data import Example, Polarity, Quad, Span, Term
from aspectlab.errors import DataError
from aspectlab.training.confidence import (
    POINTS,
    Answers,
    describe_calibration,
    fit_calibrator,
    predict_in_styles,
)

SOUP, LOVELY = Term("soup", Span(7, 11)), Term("Lovely", Span(0, 6))


@dataclass
class Fixed:
    """Answers the same to every text."""

    quads: tuple[Quad, ...]
    identity: str = "fixed"

    def predict(self, texts: list[str]) -> list[tuple[Quad, ...]]:
        return [self.quads for _ in texts]

    def embed(self, texts: list[str]) -> np.ndarray:
        return np.zeros((len(texts), 1), np.float32)


def quad(aspect: Term | None, polarity: str, sure: float, category: str | None = None) -> Quad:
    return Quad(aspect, category, LOVELY, Polarity(polarity), {polarity: sure, "neutral": 0.01})


def test_opinion_is_right_with_aspect_opinion_and_polarity_whatever_its_category() -> None:
    gold = Example("1", "Lovely soup", (quad(SOUP, "positive", 1.0, "food"),))
    found = (
        quad(SOUP, "positive", 0.9, "price"),
        quad(SOUP, "negative", 0.8),
        quad(None, "positive", 0.7),
    )
    answers = Answers.collect([([gold, Example("2", "Lovely soup")], [found, found])])
    assert answers.folds.tolist() == [0, 0, 0, 1, 1, 1]
    assert answers.probabilities.tolist() == [0.9, 0.8, 0.7] * 2
    assert answers.correct.tolist() == [True, False, False, False, False, False]


def test_each_example_is_read_in_its_own_style() -> None:
    right = quad(SOUP, "positive", 0.9)
    gold = [
        Example(str(number), "Lovely soup", (right,), style=style)
        for number, style in enumerate(("memd", None, "memd", "memd"))
    ]
    found = {"memd": (right,), None: (quad(None, "positive", 0.6),)}
    answers = Answers.collect([predict_in_styles(lambda style: Fixed(found[style]), gold)])
    assert answers.correct.tolist() == [True, False, True, True]
    assert answers.probabilities.tolist() == [0.9, 0.6, 0.9, 0.9]


def test_each_of_several_parts_is_a_fold_of_its_own() -> None:
    right = quad(SOUP, "positive", 0.9)
    part = [Example("1", "Lovely soup", (right,))], [(right,)]
    answers = Answers.collect([part] * 4)
    assert answers.folds.tolist() == [0, 1, 2, 3]


def draw_answers(count: int, odds: float) -> Answers:
    """Draw answers whose odds of being right are so many times those that are promised."""
    rng = np.random.default_rng(0)
    promised = rng.uniform(0.3, 0.95, count)
    right = odds * promised / (odds * promised + 1 - promised)
    return Answers(np.arange(count) % 2, promised, rng.random(count) < right)


def test_calibrator_brings_promises_down_to_what_is_right() -> None:
    answers = draw_answers(4000, odds=0.5)
    (sure,) = fit_calibrator(answers).apply([np.log(0.8 / 0.2)])
    assert sure == pytest.approx(2 / 3, abs=0.04)  # by hand: odds of 4 to 1 become 2 to 1
    notes = describe_calibration(answers)
    assert (notes["opinions"], notes["correct"]) == (4000, int(answers.correct.sum()))
    assert isinstance(notes["error_before"], float)
    assert isinstance(notes["error"], float)
    assert notes["error"] < 0.04 < 0.1 < notes["error_before"]
    assert isinstance(notes["curve"], list)
    assert len(notes["curve"]) == POINTS
    assert notes["curve"][-1]["coverage"] == pytest.approx(1.0)


def test_model_that_finds_nothing_cannot_be_calibrated() -> None:
    with pytest.raises(DataError, match="the model finds 0 opinions in 3 texts"):
        Answers.collect([([Example(str(n), "Lovely soup") for n in range(3)], [()] * 3)])
