"""Predictions that are imported: looked up by sentence or by review, with the offsets of the sentence."""

from pathlib import Path

import pytest

from aspectlab.analysis import ImportedPredictor, analyze
from aspectlab.data import Corpus, Example, Part, Polarity, Provenance, Quad, Span, Term
from aspectlab.errors import DataError
from tests.support.keyword_predictor import KeywordPredictor

REVIEW = "The soup was hot. The waiter was curt."
SOUP = Quad(Term("soup", Span(4, 8)), None, Term("hot", Span(13, 16)), Polarity.POSITIVE)
WAITER = Quad(Term("waiter", Span(22, 28)), "staff", Term("curt", Span(33, 37)), Polarity.NEGATIVE)


def imported(*examples: Example) -> ImportedPredictor:
    where = Provenance("found.jsonl", "jsonl", "0" * 64)
    return ImportedPredictor(Corpus("a", "en", frozenset(Part), examples, where), KeywordPredictor())


def test_prediction_of_a_review_is_cut_into_its_sentences() -> None:
    predictor = imported(Example("1", REVIEW, (SOUP, WAITER)))
    curt = Quad(Term("waiter", Span(4, 10)), "staff", Term("curt", Span(15, 19)), Polarity.NEGATIVE)
    assert predictor.predict(["The soup was hot.", "The waiter was curt.", "Fine."]) == [(SOUP,), (curt,), ()]
    assert predictor.predict([REVIEW]) == [(SOUP, WAITER)]


def test_prediction_of_a_sentence_wins_over_that_of_its_review() -> None:
    sentence = Example("1-0", "The soup was hot.", ())
    assert imported(Example("1", REVIEW, (SOUP,)), sentence).predict(["The soup was hot."]) == [()]


def test_quad_that_names_nothing_belongs_to_the_first_sentence() -> None:
    quad = Quad(category="price", polarity=Polarity.NEGATIVE)
    predictor = imported(Example("1", REVIEW, (quad,)))
    assert predictor.predict(["The soup was hot.", "The waiter was curt."]) == [(quad,), ()]


def test_predictions_of_other_reviews_are_refused() -> None:
    with pytest.raises(DataError, match=r"found no prediction for 'A lamp.', nor for 0 other sentences"):
        imported(Example("1", REVIEW)).predict(["A lamp."])


def test_imported_predictions_are_analysed_as_those_of_a_model(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(REVIEW, encoding="utf-8")
    predictor = imported(Example("1", REVIEW, (SOUP, WAITER)))
    found = analyze([tmp_path / "a.txt"], predictor, tmp_path / "out").aggregate
    assert (found.totals.opinions, found.counts.positive, found.counts.negative) == (2, 1, 1)
