"""Accuracy of given categories, counted by hand."""

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
