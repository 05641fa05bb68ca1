"""The five subtasks of a triplet extractor, counted by hand."""

from random import Random

import pytest

from aspectlab.data import Polarity, Quad, Term
from aspectlab.metrics import METRICS
from aspectlab.tasks import TASKS
from tests.support.random_quads import draw_prediction, draw_quads

GOOD, BAD = Polarity.POSITIVE, Polarity.NEGATIVE
CAR, SEAT, NICE, HARD = (Term(word) for word in ("car", "seat", "nice", "hard"))


def score(gold: list[Quad], predicted: list[Quad]) -> dict[str, float]:
    metric = METRICS["subtasks"](TASKS["aste"])
    return {name: float(value) for name, value in metric.score(metric.count(gold, predicted)).items()}


def test_subtasks_by_hand() -> None:
    gold = [Quad(CAR, None, NICE, GOOD), Quad(CAR, None, HARD, BAD), Quad(SEAT, None, HARD, BAD)]
    predicted = [Quad(CAR, None, NICE, GOOD), Quad(CAR, None, HARD, GOOD)]
    # hit/predicted/gold: aspect 1/1/2, opinion 2/2/2, pairs 1/1/3 and 2/2/3, triple 1/2/3
    expected = {"aspect_f1": 2 / 3, "opinion_f1": 1, "aspect_sentiment_f1": 2 / 4, "aspect_opinion_f1": 4 / 5}
    scores = score(gold, predicted)
    assert {name: scores[name] for name in expected} == pytest.approx(expected)
    triple = [scores[f"triple_{kind}"] for kind in ("precision", "recall", "f1")]
    assert triple == pytest.approx([1 / 2, 1 / 3, 2 / 5])


def test_subtasks_pass_over_an_empty_segment() -> None:
    empty = Quad(category="comfort")
    assert METRICS["subtasks"](TASKS["aste"]).count([empty], [empty]).sum() == 0


@pytest.mark.parametrize("seed", range(20))
def test_subtasks_hit_the_parts_of_a_triple_that_is_hit(seed: int) -> None:
    # numbers of hits cannot be compared: in a set, one aspect may serve many triples
    rng = Random(seed)
    gold = draw_quads(rng)
    counts = METRICS["subtasks"](TASKS["aste"]).count(gold, draw_prediction(rng, gold)).reshape(5, 3)
    aspect, opinion, sentiment, pair, triple = counts[:, 0].tolist()
    assert (triple > 0) <= (aspect > 0 and opinion > 0 and sentiment > 0 and pair > 0)
