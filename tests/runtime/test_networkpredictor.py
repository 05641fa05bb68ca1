"""The predictor: one answer a text, in order, whatever the batch mates."""

from concurrent.futures import ThreadPoolExecutor
from math import exp

import numpy as np
import pytest
from numpy.typing import NDArray

from aspectlab.data import Polarity, Quad, Span, Term
from aspectlab.encodings import WordList
from aspectlab.encodings.spans import N_SPAN_CLASSES
from aspectlab.runtime import NetworkPredictor, Networks, SpanReader
from aspectlab.runtime.networkpredictor import restore_hyphens
from tests.support.span_network import LOVELY, POSITIVE, SOUP, HandMade, Unsure, make_predictor

NEGATIVE = 1
"""The class of a snippet that is negative."""

TEXTS = ["lovely soup", "", "Such a lovely, hot soup!", "soup", "  ", "the soup is lovely"] * 90


def terms(quads: tuple[Quad, ...]) -> list[tuple[str, str]]:
    return [(quad.opinion.text, quad.aspect.text) for quad in quads if quad.opinion and quad.aspect]


def test_triplet_has_spans_in_its_text_and_polarity() -> None:
    ((quad,),) = make_predictor().predict(["Such a lovely, hot soup!"])
    assert quad.aspect is not None
    assert quad.opinion is not None
    assert (quad.aspect.span, quad.opinion.span) == (Span(19, 23), Span(7, 13))
    assert quad.polarity is Polarity.POSITIVE


def test_hyphen_between_letters_is_read_as_a_blank_and_quoted_as_it_stands() -> None:
    text = "A lovely-hot-soup"
    ((quad,),) = make_predictor(opens_hyphens=True).predict([text])
    assert quad.aspect is not None
    assert quad.opinion is not None
    assert [text[slice(*term.span or ())] for term in (quad.opinion, quad.aspect)] == ["lovely", "soup"]
    assert make_predictor().predict([text]) == [()]
    assert make_predictor().identity != make_predictor(opens_hyphens=True).identity


def test_term_with_a_hyphen_has_the_words_of_the_text() -> None:
    found = (Quad(Term("check in", Span(7, 15)), opinion=Term("dear")),)
    (quad,) = restore_hyphens(found, "A slow check-in.")
    assert (quad.aspect, quad.opinion) == (Term("check-in", Span(7, 15)), Term("dear"))


def test_confidence_is_the_share_of_each_polarity() -> None:
    ((quad,),) = make_predictor().predict(["lovely soup"])
    # by hand: 12 for positive, nothing for the others; a term and a polarity at once score 0 everywhere
    total = exp(12) + 3 + 4 + 4
    assert quad.confidence == pytest.approx(
        {"positive": (exp(12) + 3) / total, "negative": 4 / total, "neutral": 4 / total}, abs=1e-6
    )


def test_answers_have_the_order_and_number_of_the_texts() -> None:
    found = [terms(quads) for quads in make_predictor().predict(TEXTS)]
    soup = [("lovely", "soup")]
    assert found == [soup, [], soup, [], [], []] * 90


def test_no_texts_have_no_answers() -> None:
    predictor = make_predictor()
    assert predictor.predict([]) == []
    assert predictor.embed([]).shape == (0, 2)


def test_long_text_gives_what_two_windows_share_once() -> None:
    text = "word " * 300 + "lovely soup" + " word" * 300
    runner = HandMade()
    ((quad,),) = make_predictor(runner).predict([text])
    assert quad.aspect is not None
    assert quad.aspect.span == Span(1507, 1511)
    assert sum(rows for rows, _ in runner.shapes) > 1
    assert max(length for _, length in runner.shapes) <= WordList.max_length


class Moody(HandMade):
    """Finds a soup at the end of what it reads to be bad, and any other one good."""

    def run(
        self, tokens: NDArray[np.int32], mask: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        pieces, vectors = super().run(tokens, mask)
        rows, places = np.nonzero(tokens == SOUP)
        for row, place in zip(rows.tolist(), places.tolist(), strict=True):
            if place > mask[row].sum() * 2 // 3:
                # 6 for positive becomes 7 for negative, here and at the word "lovely" before it
                pieces[row, place, N_SPAN_CLASSES + POSITIVE] = pieces[row, place - 1, POSITIVE] = 0
                pieces[row, place, N_SPAN_CLASSES + NEGATIVE] = pieces[row, place - 1, NEGATIVE] = 7
        return pieces, vectors


def test_long_text_gives_what_two_windows_disagree_on_once() -> None:
    text = "word " * 400 + "lovely soup" + " word" * 300
    ((quad,),) = make_predictor(Moody()).predict([text])
    assert quad.polarity is Polarity.NEGATIVE, "14 is surer than 12"


def test_text_without_letters_and_digits_is_not_read() -> None:
    runner = HandMade()
    assert make_predictor(runner).predict(["." * 1000, "lovely soup"])[0] == ()
    assert runner.shapes == [(1, 4), (1, 4)], "the marks as an empty text, and two words with what is around"


def test_vector_is_a_mean_of_length_one() -> None:
    vectors = make_predictor().embed(["lovely soup soup soup", "soup and bread", ""])
    np.testing.assert_allclose(vectors, [[10**-0.5, 3 * 10**-0.5], [0, 1], [0, 0]], rtol=1e-6)


def test_vector_is_looked_up_where_there_is_a_table() -> None:
    words, runner = WordList({"lovely": LOVELY, "soup": SOUP}), HandMade()
    table = np.array([[0, 0], [0, 0], [3, 0], [0, 4]], np.float16)
    networks = Networks(runner)
    predictor = NetworkPredictor(
        SpanReader(words), words, networks, threads=1, name="toy", hashes=["0"], width=2, table=table
    )
    # by hand: the means are (3, 0), (1.5, 2) and nothing
    np.testing.assert_allclose(predictor.embed(["lovely", "lovely soup", ""]), [[1, 0], [0.6, 0.8], [0, 0]])
    assert runner.shapes == []


def test_shapes_do_not_depend_on_the_other_texts() -> None:
    alone, together = HandMade(), HandMade()
    make_predictor(alone).predict(["Such a lovely, hot soup!"])
    make_predictor(together).predict(["Such a lovely, hot soup!", "soup " * 100, "soup"])
    assert {length for _, length in alone.shapes} <= {length for _, length in together.shapes}


def test_near_tie_is_left_to_the_second_network() -> None:
    texts = ["lovely soup", "hot tea", "a lovely day"]
    second = HandMade()
    assert make_predictor(Unsure()).predict(texts) == [(), (), ()]
    found = make_predictor(Unsure(), second).predict(texts)
    assert [terms(quads) for quads in found] == [[("lovely", "soup")], [], []]
    assert second.shapes == [(1, 4), (1, 4)], "only texts with a near tie, each alone"


def test_many_threads_may_ask_at_once() -> None:
    predictor = make_predictor()
    expected = predictor.predict(TEXTS)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(predictor.predict, [TEXTS] * 6)) == [expected] * 6


def test_failure_of_a_batch_reaches_the_caller() -> None:
    class Broken(HandMade):
        def run(self, tokens: np.ndarray, mask: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            raise MemoryError("no room")

    with pytest.raises(MemoryError, match="no room"):
        make_predictor(Broken()).predict(TEXTS)


def test_identity_tells_models_engines_and_versions_apart() -> None:
    class Newer(HandMade):
        version = "2"

    made = [(HandMade(), "0"), (HandMade(), "1"), (Newer(), "0")]
    words = WordList({})
    names = {
        NetworkPredictor(
            SpanReader(words), words, Networks(runner), threads=1, name="toy", hashes=[sha256], width=2
        ).identity
        for runner, sha256 in made
    }
    assert len(names) == 3
    assert all(name.startswith("toy-handmade-") for name in names)
