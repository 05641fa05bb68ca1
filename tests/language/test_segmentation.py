"""Segments of several sentences: each is predicted by itself, and places count in the whole text."""

from aspectlab.language.segmentation import predict_segments
from tests.support.keyword_predictor import KeywordPredictor


def test_opinions_have_their_places_in_the_whole_text() -> None:
    texts = ["So \N{HOT BEVERAGE}! The food was good. The staff was slow.", "", "We came by tram."]
    first, second, third = predict_segments(KeywordPredictor().predict, texts)
    terms = [term for quad in first for term in quad.terms]
    assert [term.text for term in terms] == ["food", "good", "staff", "slow"]
    assert [texts[0][slice(*term.span)] for term in terms if term.span] == [term.text for term in terms]
    assert second == third == ()


def test_sentences_of_all_segments_are_predicted_together() -> None:
    predictor = KeywordPredictor()
    predict_segments(predictor.predict, ["The food was good. The bed was bad.", "The room was fair."])
    assert [len(call) for call in predictor.calls] == [3]
