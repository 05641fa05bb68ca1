"""Two corpora, paired and scored; expected values are counted by hand."""

from dataclasses import replace

import pytest

from aspectlab.data import Corpus, Example, Part, Polarity, Quad, Span, Term
from aspectlab.errors import ConfigError, DataError, TaskError
from aspectlab.metrics import Signature, evaluate
from aspectlab.version import VERSION

GOOD, BAD = Polarity.POSITIVE, Polarity.NEGATIVE
TEA, CUP = Term("tea", Span(0, 3)), Term("cup", Span(8, 11))
TEXT = "tea and cup"


def make_corpus(*examples: Example, name: str = "trial") -> Corpus:
    return Corpus(name, "en", frozenset({Part.ASPECT, Part.POLARITY}), examples)


GOLD = make_corpus(
    Example("1", TEXT, (Quad(TEA, polarity=GOOD), Quad(CUP, polarity=BAD))),
    Example("2", TEXT, (Quad(TEA, polarity=BAD),)),
    Example("3", "nothing"),
)
PREDICTED = make_corpus(
    Example("3", "nothing"),
    Example("2", TEXT, (Quad(TEA, polarity=GOOD),)),
    Example("1", TEXT, (Quad(TEA, polarity=GOOD), Quad(CUP, polarity=BAD))),
)


def test_evaluation_pairs_by_id_and_adds_up() -> None:
    evaluation = evaluate(GOLD, PREDICTED, "e2e")
    # all tuples: hit, extra, missed, in gold order
    assert evaluation.counts[:, :3].tolist() == [[2, 0, 0], [0, 1, 1], [0, 0, 0]]
    assert evaluation.scores["f1"] == pytest.approx(2 / 3)


def test_evaluation_of_atsc_is_a_classification() -> None:
    scores = evaluate(GOLD, PREDICTED, "atsc").scores
    assert scores["accuracy"] == pytest.approx(2 / 3)
    assert evaluate(GOLD, PREDICTED, "atsc", metric="tuple-f1").scores["f1"] == pytest.approx(2 / 3)


def test_evaluation_signs_what_it_measured() -> None:
    signature = evaluate(GOLD, PREDICTED, "e2e", match="text").signature
    expected = f"e2e-f1|corpus:trial@{GOLD.sha256[:8]}|metric:tuple-f1|match:text"
    assert str(signature) == f"{expected}|v:{VERSION}"
    assert str(replace(signature, resamples=100, seed=7)) == f"{expected}|bs:100|seed:7|v:{VERSION}"


def test_signature_keeps_its_fields_apart() -> None:
    assert str(Signature("ate", "f1", "a|b", "0" * 64, "tuple-f1", "exact")).count("|") == 4


def without(corpus: Corpus, *ids: str) -> Corpus:
    return corpus.with_examples(example for example in corpus if example.id not in ids)


MANY = make_corpus(*(Example(f"x{k}", "nothing") for k in range(9)), *GOLD, name="run")
RETYPED = make_corpus(Example("1", "no word of it"), *GOLD.examples[1:], name="run")
TWICE = make_corpus(*GOLD.examples, GOLD.examples[0], name="run")


@pytest.mark.parametrize(
    ("gold", "predicted", "message"),
    [
        (GOLD, without(GOLD, "1", "3"), r"found 2 example\(s\) missing \('1', '3'\).*empty list of quads"),
        (GOLD, MANY, r"found 9 example\(s\) too many \('x0', 'x1', 'x2', …\).*same split"),
        (GOLD, RETYPED, r"found other words in the texts of 1 example\(s\) \('1'\).*write its ids"),
        (GOLD, TWICE, r"corpus 'run': found 4 examples with 3 different ids"),
        (without(GOLD, "1", "2", "3"), GOLD, "found no examples in the corpus"),
    ],
    ids=["missing", "surplus", "other text", "repeated ids", "no gold"],
)
def test_evaluation_refuses_what_cannot_be_paired(gold: Corpus, predicted: Corpus, message: str) -> None:
    with pytest.raises(DataError, match=message):
        evaluate(gold, predicted, "e2e")


def test_evaluation_refuses_a_corpus_that_lacks_a_part() -> None:
    with pytest.raises(TaskError, match="'trial' annotates aspect, polarity: task 'aste' needs"):
        evaluate(GOLD, PREDICTED, "aste")


def test_evaluation_refuses_predictions_for_another_task() -> None:
    categories = GOLD.with_examples(replace(e, quads=(Quad(category="drinks", polarity=GOOD),)) for e in GOLD)
    with pytest.raises(TaskError, match=r"found 3 quad\(s\), none with what task 'e2e' judges"):
        evaluate(GOLD, categories, "e2e")


def test_evaluation_accepts_predictions_without_any_quad() -> None:
    silent = GOLD.with_examples(replace(example, quads=()) for example in GOLD)
    assert set(evaluate(GOLD, silent, "e2e").scores.values()) == {0.0}


def test_evaluation_names_the_example_with_conflict_in_gold() -> None:
    mixed = make_corpus(Example("7", TEXT, (Quad(TEA, polarity=Polarity.CONFLICT),)))
    with pytest.raises(TaskError, match=r"corpus 'trial': example '7': gold aspect 'tea' is conflict"):
        evaluate(mixed, mixed, "atsc")


@pytest.mark.parametrize(
    ("task", "metric", "match", "message"),
    [
        ("e2", None, "exact", "task 'e2' is unknown: did you mean 'e2e'"),
        ("e2e", "tuples", "exact", "metric 'tuples' is unknown"),
        ("e2e", "classification", "exact", "does not fit task 'e2e'"),
        ("e2e", None, "exakt", "match 'exakt' is unknown: did you mean 'exact'"),
    ],
)
def test_evaluation_refuses_unknown_names(task: str, metric: str | None, match: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        evaluate(GOLD, PREDICTED, task, metric=metric, match=match)


def test_evaluation_refuses_gold_without_a_label() -> None:
    # a perfect answer would score 0, as any other
    gold = make_corpus(Example("1", "It rained."))
    with pytest.raises(TaskError, match="found nothing that task 'pairs' judges among 1 example"):
        evaluate(gold, gold, "pairs")
