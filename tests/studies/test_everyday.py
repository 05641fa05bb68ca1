"""Everyday reviews: opinions are compared by overlap."""

from everyday import REVIEWS, judge

from aspectlab.data import Example, Polarity, Quad, Span, Term
from aspectlab.readers import read

TEXT = "The bass line is far too loud. Overpriced."
LOUD = Quad(Term("bass line", Span(4, 13)), None, Term("far too loud", Span(17, 29)), Polarity.NEGATIVE)
DEAR = Quad(None, None, Term("Overpriced", Span(31, 41)), Polarity.NEGATIVE)
GOLD = [Example("1", TEXT, (LOUD, DEAR)), Example("2", "It has four strings.")]


def test_right_answers_in_other_cuts_are_found() -> None:
    other = Quad(Term("bass", Span(4, 8)), None, Term("loud", Span(25, 29)), Polarity.NEGATIVE)
    figures = judge(GOLD, [(other, DEAR), ()])
    assert figures["precision: predicted opinions that are right"] == "100.0 %  (2 of 2)"
    assert figures["recall of explicit opinions"] == "100.0 %  (1 of 1)"
    assert figures["recall of implicit ones"] == "100.0 %  (1 of 1)"
    assert figures["reviews without opinions with a result"] == "  0.0 %  (0 of 1)"


def test_wrong_polarity_counts_as_found_and_not_as_right() -> None:
    praise = Quad(LOUD.aspect, None, LOUD.opinion, Polarity.POSITIVE)
    figures = judge(GOLD, [(praise,), ()])
    assert figures["polarity of those found"] == "  0.0 %  (0 of 1)"
    assert figures["recall of explicit opinions"] == "  0.0 %  (0 of 1)"


def test_aspect_that_is_named_is_not_the_implicit_one() -> None:
    wrong = Quad(Term("bass", Span(4, 8)), None, DEAR.opinion, Polarity.NEGATIVE)
    figures = judge(GOLD, [(wrong,), ()])
    assert figures["recall of implicit ones"] == "  0.0 %  (0 of 1)"
    assert figures["opinion words found, whatever the aspect"] == " 50.0 %  (1 of 2)"


def test_reviews_are_our_own_and_on_thirteen_subjects() -> None:
    corpus = read(REVIEWS)
    subjects = {example.id.rpartition("-")[0] for example in corpus}
    assert (len(corpus), len(subjects), sum(len(example.quads) for example in corpus)) == (65, 13, 88)
