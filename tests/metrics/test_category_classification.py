"""Accuracy of given categories, counted by hand."""

from dataclasses import replace

import pytest

from aspectlab.data import Polarity, Quad
from aspectlab.metrics import METRICS
from aspectlab.tasks import TASKS


def quads(*told: tuple[str, str]) -> list[Quad]:
    return [Quad(category=category, polarity=Polarity(polarity)) for category, polarity in told]


GOLD = quads(("food", "positive"), ("service", "negative"), ("price", "conflict"), ("place", "neutral"))
# two are right, one of them conflict; "menu" was not asked about; "place" has no answer
PREDICTED = quads(("service", "positive"), ("food", "positive"), ("price", "conflict"), ("menu", "neutral"))


def test_accuracy_counts_conflict_and_the_macro_mean_does_not() -> None:
    metric = METRICS["category-classification"](TASKS["acsc"])
    scores = metric.score(metric.count(GOLD, PREDICTED))
    assert float(scores["accuracy"]) == 2 / 4
    # positive: 1 right of 1 gold and 2 predicted, 2 * 1 / 3; negative and neutral: 0
    assert float(scores["macro_f1"]) == pytest.approx(2 / 9)
    # 2 right of 4 gold and 3 predicted
    assert float(scores["f1"]) == pytest.approx(4 / 7)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (["positive", "negative"], 2 / 2),
        (["negative", "positive"], 2 / 2),
        (["negative"], 1 / 2),
        (["neutral", "positive"], 1 / 2),
        # of four answers two count, for to name all would always be right
        (["neutral", "conflict", "positive", "negative"], 0),
    ],
)
def test_polarities_of_one_category_are_a_set(found: list[str], expected: float) -> None:
    metric = METRICS["category-classification"](TASKS["acsc"])
    gold = quads(("food", "positive"), ("food", "negative"))
    scores = metric.score(metric.count(gold, quads(*(("food", polarity) for polarity in found))))
    assert float(scores["accuracy"]) == expected


def test_the_surest_of_several_answers_counts() -> None:
    metric = METRICS["category-classification"](TASKS["acsc"])
    doubtful, sure = quads(("food", "negative"), ("food", "positive"))
    answers = [replace(doubtful, confidence={"negative": 0.4}), replace(sure, confidence={"positive": 0.6})]
    scores = metric.score(metric.count(quads(("food", "positive")), answers))
    assert float(scores["accuracy"]) == 1
