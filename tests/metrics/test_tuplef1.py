"""Tuples with hand-counted scores."""

import pytest

from aspectlab.data import Polarity, Quad, Span, Term
from aspectlab.metrics import METRICS, Match
from aspectlab.tasks import TASKS

TEA, CUP, MUG = Term("tea", Span(0, 3)), Term("cup", Span(4, 7)), Term("mug", Span(8, 11))
GOOD, BAD, SOSO, MIXED = Polarity


def score(task: str, gold: list[Quad], predicted: list[Quad], match: Match = Match.EXACT) -> dict[str, float]:
    metric = METRICS["tuple-f1"](TASKS[task], match=match)
    return {name: float(value) for name, value in metric.score(metric.count(gold, predicted)).items()}


def test_tuple_f1_by_hand() -> None:
    gold = [Quad(TEA, polarity=GOOD), Quad(CUP, polarity=GOOD), Quad(MUG, polarity=BAD)]
    predicted = [Quad(TEA, polarity=GOOD), Quad(MUG, polarity=GOOD)]
    # hit 1, extra 1, missed 2; positive: hit 1, extra 1, missed 1; negative: missed 1; no neutral
    expected = {"precision": 1 / 2, "recall": 1 / 3, "f1": 2 / 5, "macro_f1": (2 / 4 + 0 + 0) / 3}
    assert score("e2e", gold, predicted) == pytest.approx(expected)


def test_tuple_f1_without_polarity_has_no_macro() -> None:
    assert set(score("aope", [Quad(TEA)], [Quad(TEA)])) == {"precision", "recall", "f1"}


def test_tuple_f1_counts_conflict_in_the_micro_scores_only() -> None:
    gold = [Quad(TEA, polarity=MIXED), Quad(CUP, polarity=GOOD)]
    scores = score("pairs", gold, [Quad(CUP, polarity=GOOD)])
    assert scores == pytest.approx({"precision": 1.0, "recall": 1 / 2, "f1": 2 / 3, "macro_f1": 1 / 3})


def test_tuple_f1_counts_a_repeated_prediction_once() -> None:
    assert score("ate", [Quad(TEA)], [Quad(TEA), Quad(TEA)])["precision"] == 1.0


def test_tuple_f1_of_e2e_counts_a_prediction_that_is_not_in_the_text_as_wrong() -> None:
    gold = [Quad(TEA, polarity=GOOD)]
    assert score("e2e", gold, [*gold, Quad(Term("car"), polarity=GOOD)])["precision"] == 0.5


@pytest.mark.parametrize("match", Match)
def test_tuple_f1_of_e2e_gives_gold_one_although_some_of_it_is_not_in_the_text(match: Match) -> None:
    gold = [Quad(TEA, polarity=GOOD), Quad(Term("car"), polarity=GOOD)]
    assert score("e2e", gold, gold, match)["f1"] == 1.0
    # the wrong polarity of a term that is left out is a mistake all the same
    assert score("e2e", gold, [gold[0], Quad(Term("car"), polarity=BAD)], match)["precision"] == 0.5


def test_tuple_f1_of_e2e_accepts_predictions_by_text() -> None:
    assert score("e2e", [Quad(TEA, polarity=GOOD)], [Quad(Term("tea"), polarity=GOOD)])["f1"] == 1.0


def test_tuple_f1_by_text_forgives_another_place() -> None:
    gold, predicted = [Quad(TEA)], [Quad(Term("tea", Span(20, 23)))]
    assert score("ate", gold, predicted)["f1"] == 0.0
    assert score("ate", gold, predicted, Match.TEXT)["f1"] == 1.0


def test_tuple_f1_keeps_implicit_terms_apart_from_others() -> None:
    implicit, explicit = Quad(None, "drinks", None, SOSO), Quad(TEA, "drinks", None, SOSO)
    assert score("asqp", [implicit], [explicit])["f1"] == 0.0
    assert score("asqp", [implicit], [implicit])["f1"] == 1.0
