"""First labels from a model: what it finds, in the order of the segments."""

from aspectlab.annotation import prelabel
from aspectlab.data import Corpus, Example, Quad, Term
from tests.support.keyword_predictor import KeywordPredictor

GOOD, NOTHING = "The food was good.", "We came by tram."


def test_segments_keep_their_id_and_stay_when_nothing_is_found() -> None:
    # more than one block; labels that were there are not looked at
    examples = tuple(Example(str(n), GOOD if n % 2 else NOTHING, (Quad(Term("x")),)) for n in range(300))
    found = list(prelabel(Corpus("c", "en", frozenset(), examples), KeywordPredictor().predict))
    assert [example.id for example in found] == [str(n) for n in range(300)]
    assert [len(example.quads) for example in found] == [0, 1] * 150
    assert found[1].quads[0].confidence


def test_topic_stays_and_other_categories_go() -> None:
    topics = Example("1", GOOD, (Quad(category="menu"),)), Example("2", NOTHING, (Quad(category="way"),))
    found = prelabel(Corpus("c", "en", frozenset(), topics), KeywordPredictor().predict)
    assert [[quad.category for quad in example.quads] for example in found] == [["menu"], ["way"]]
    several = (Example("1", GOOD, (Quad(category="menu"), Quad(category="way"))),)
    found = prelabel(Corpus("c", "en", frozenset(), several), KeywordPredictor().predict)
    assert [[quad.category for quad in example.quads] for example in found] == [[None]]
