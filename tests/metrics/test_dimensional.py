"""Continuous F1, and correlation and error of values: what the contract of metrics does not say."""

import re

import numpy as np
import pytest

from aspectlab.data import Corpus, Example, Intensity, Part, Polarity, Quad, Term
from aspectlab.errors import TaskError
from aspectlab.metrics import ContinuousF1, ValenceArousal, evaluate
from aspectlab.stats import bootstrap
from aspectlab.tasks import TASKS


def quad(valence: float, arousal: float = 5, aspect: str = "tea", category: str | None = "D#Q") -> Quad:
    intensity = Intensity(valence, arousal)
    return Quad(Term(aspect), category, Term("good"), intensity.polarity, intensity=intensity)


def corpus(name: str, *quads: Quad) -> Corpus:
    return Corpus(name, "en", frozenset(Part), (Example("1", "Good tea.", quads),))


def test_corpora_are_scored_like_files_of_the_campaign() -> None:
    # 4 off on valence: 1 - 4 / √128
    found = evaluate(corpus("gold", quad(8)), corpus("run", quad(4)), "asqp", metric="continuous-f1")
    assert found.scores["cf1"] == pytest.approx(1 - 4 / 128**0.5)
    assert str(found.signature).startswith("asqp-cf1|")
    assert "|match:text|" in str(found.signature)


@pytest.mark.parametrize(("task", "metric"), [("asqp", "continuous-f1"), ("atsc", "valence-arousal")])
@pytest.mark.parametrize("side", ["gold", "predicted"])
def test_quads_without_valence_and_arousal_are_refused(task: str, metric: str, side: str) -> None:
    bare = Quad(Term("tea"), "D#Q", Term("good"), Polarity.POSITIVE)
    gold, run = (bare, quad(8)) if side == "gold" else (quad(8), bare)
    message = f"example '1': {side} quad 'tea' has no valence and arousal"
    with pytest.raises(TaskError, match=re.escape(message)):
        evaluate(corpus("gold", gold), corpus("run", run), task, metric=metric)


def test_implicit_terms_and_the_word_null_are_the_same() -> None:
    implicit = Quad(None, "D#Q", None, intensity=Intensity(5, 5))
    written = Quad(Term("Null"), "D#Q", Term("NULL"), intensity=Intensity(5, 5))
    metric = ContinuousF1(TASKS["asqp"])
    assert metric.count([implicit], [written]).tolist() == [10**9, 1, 0, 0]


def test_quads_without_a_category_are_left_out_where_it_is_judged() -> None:
    sides = [quad(5, category=None)], [quad(5), quad(5, category=None)]
    assert ContinuousF1(TASKS["asqp"]).count(*sides).tolist() == [0, 0, 1, 0]
    assert ContinuousF1(TASKS["aste-all"]).count(*sides).tolist() == [0, 0, 2, 1]


@pytest.mark.parametrize("copies", [1, 10**6])
def test_correlation_with_a_constant_is_zero_and_no_rounding_error(copies: int) -> None:
    metric = ValenceArousal(TASKS["atsc"])
    golds = [[quad(value, value)] for value in (1.37, 4.41, 8.99)]
    total = sum(metric.count(gold, [quad(6.13, 3.3)]) for gold in golds) * copies
    scores = metric.score(np.asarray(total))
    assert (float(scores["pearson_valence"]), float(scores["pearson_arousal"])) == (0, 0)


def test_closeness_in_billionths_can_be_resampled() -> None:
    metric = ContinuousF1(TASKS["asqp"])
    counts = np.stack([metric.count([quad(8)], [quad(value)]) for value in (8, 8, 7, 4)])
    low, high = bootstrap(counts, metric.score, rng=np.random.default_rng(0), resamples=200)["cf1"]
    assert 1 - 4 / 128**0.5 <= low < float(metric.score(counts.sum(0))["cf1"]) < high <= 1
