"""The model that comes with the package, where it is there."""

import pytest

from aspectlab.data import Polarity
from aspectlab.runtime import SHIPPED, Predictor, load_predictor
from aspectlab.runtime.exported import Network, open_networks
from aspectlab.runtime.predictor import GRAPH, read_table

pytest.importorskip("openvino")
pytestmark = pytest.mark.skipif(not (SHIPPED / GRAPH).is_file(), reason="this checkout has no model")

TEXTS = [
    "The soup was lovely, but our waiter was rude.",
    "Great screen.",
    "",
    "Terrible battery and an awful, noisy keyboard; still, the price is fair.",
    "We came on a Tuesday.",
]


@pytest.fixture(scope="module")
def predictor() -> Predictor:
    return load_predictor(threads=1)


def test_plain_words_are_understood(predictor: Predictor) -> None:
    found = {
        (quad.aspect.text, quad.opinion.text, quad.polarity)
        for quad in predictor.predict(TEXTS[:1])[0]
        if quad.aspect and quad.opinion
    }
    assert found == {("soup", "lovely", Polarity.POSITIVE), ("waiter", "rude", Polarity.NEGATIVE)}


def test_word_with_a_hyphen_is_found(predictor: Predictor) -> None:
    ((quad,),) = predictor.predict(["The check-in was slow."])
    assert quad.aspect is not None
    assert (quad.aspect.text, quad.polarity) == ("check-in", Polarity.NEGATIVE)


def test_answer_is_the_same_to_the_last_digit_in_any_company(predictor: Predictor) -> None:
    alone = [predictor.predict([text])[0] for text in TEXTS]
    crowd = predictor.predict([*TEXTS * 30, *reversed(TEXTS)])
    shares = [[quad.confidence for quad in quads] for quads in alone]
    assert crowd == [*alone * 30, *reversed(alone)]
    assert [[quad.confidence for quad in quads] for quads in crowd] == [*shares * 30, *reversed(shares)]


@pytest.mark.parametrize("text", ["." * 1000, ". " * 500, "!?" * 500])
def test_marks_alone_say_nothing(predictor: Predictor, text: str) -> None:
    # a thousand full stops once gave 29,355 opinions
    assert predictor.predict([text]) == [()]


def test_marks_among_words_add_no_opinions(predictor: Predictor) -> None:
    (quads,) = predictor.predict(["Great soup " + ". " * 400])
    assert len(quads) <= 2


def test_vectors_of_like_things_are_closer(predictor: Predictor) -> None:
    waiter, waitress, battery = predictor.embed(["waiter", "waitress", "battery life"])
    assert waiter @ waitress > waiter @ battery + 0.2


def test_vectors_of_word_pieces_are_in_the_folder() -> None:
    table = read_table(SHIPPED)
    assert table is not None
    # MiniLM: 30,522 word pieces of 384 numbers, as its publisher says
    assert table.shape == (30_522, 384)


def test_folder_stays_small() -> None:
    assert sum(path.stat().st_size for path in SHIPPED.iterdir()) < 50_000_000


def test_first_call_is_made_before_there_are_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    # two first calls at once locked each other for ever, inside the engine
    asked: list[tuple[int, ...]] = []
    monkeypatch.setattr(Network, "run", lambda self, *inputs: asked.append(inputs[0].shape))
    open_networks(SHIPPED / GRAPH, precision="fp32", threads=1)
    assert asked == [(1, 4)]
