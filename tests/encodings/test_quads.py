"""Texts whose terms may be implicit, and candidates read back as quads."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("torch", reason="the tiny encoder needs the extra 'train'")

from aspectlab.data import Example, Polarity, Quad, Span, Term
from aspectlab.encoders import load_encoder
from aspectlab.encodings import ANSWER, QuadEncoding, are_rivals
from aspectlab.errors import ConfigError

SOUP = Term("soup", Span(4, 8))
GREAT = Term("great", Span(13, 18))
TEXT = "The soup was great, but pricey"
PRICEY = Term("pricey", Span(24, 30))


@pytest.fixture(scope="module")
def encoding() -> QuadEncoding:
    vocabulary = load_encoder("tiny").vocabulary
    return QuadEncoding(vocabulary, ("aste", "memd"), ("food", "price"), threshold=0.5)


def candidate(
    aspect: tuple[int, int],
    opinion: tuple[int, int],
    scores: tuple[float, float, float, float],
    category: int,
) -> list[float]:
    return [*aspect, *opinion, *scores, category, 0.9]


def test_labels_count_words_from_one_and_what_is_implicit_as_word_zero(encoding: QuadEncoding) -> None:
    quads = (
        Quad(SOUP, "food", GREAT, Polarity.POSITIVE),
        Quad(None, "price", PRICEY, Polarity.NEGATIVE),
        Quad(SOUP, "taste", None, Polarity.NEUTRAL),
        Quad(None, None, None, Polarity.POSITIVE),
    )
    items = encoding.encode([Example("1", TEXT, quads, style="memd")])
    batch = encoding.collate(items)
    # words: The 1, soup 2, was 3, great 4, "," 5, but 6, pricey 7; negative 0, neutral 1, positive 2
    assert batch.labels[0].tolist() == [
        [2, 2, 4, 4, 2, 0],
        [0, 0, 7, 7, 0, 1],
        [2, 2, 0, 0, 1, -1],
        [0, 0, 0, 0, 2, -1],
    ]
    assert batch.style.tolist() == [2]
    assert batch.words[0][0] == 0
    assert batch.words[0].max() == 7


def test_style_that_is_not_known_is_number_zero(encoding: QuadEncoding) -> None:
    items = encoding.encode([Example("1", TEXT, style="mine"), Example("2", TEXT)])
    assert [item.style for item in items] == [0, 0]


def test_candidates_become_quads_with_implicit_terms(encoding: QuadEncoding) -> None:
    example = Example("1", TEXT)
    rows = [
        candidate((2, 2), (4, 4), (0, -9, -9, 4), 0),
        candidate((0, 0), (7, 7), (0, 4, -9, -9), 1),
        candidate((2, 2), (7, 7), (4, 0, 0, 0), -1),  # no quad
    ]
    scores = np.array([rows], np.float32)
    assert scores.shape[-1] == ANSWER
    (quads,) = encoding.decode(scores, encoding.encode([example]), [example])
    assert quads == (
        Quad(None, "price", PRICEY, Polarity.NEGATIVE),
        Quad(SOUP, "food", GREAT, Polarity.POSITIVE),
    )
    assert quads[1].confidence is not None
    # by hand: e^4 of e^0 + 2 e^-9 + e^4
    assert quads[1].confidence["positive"] == pytest.approx(0.98201, abs=1e-5)


def test_of_two_rivals_the_likelier_one_stays(encoding: QuadEncoding) -> None:
    example = Example("1", TEXT)
    rows = [
        candidate((1, 2), (4, 4), (0, -9, -9, 3), 0),
        candidate((2, 2), (4, 4), (0, -9, -9, 4), 0),
    ]
    (quads,) = encoding.decode(np.array([rows], np.float32), encoding.encode([example]), [example])
    assert [quad.aspect for quad in quads] == [SOUP]


def test_threshold_decides_how_likely_a_quad_must_be(encoding: QuadEncoding) -> None:
    example = Example("1", TEXT)
    # one against e^-1 for the positive class: 27 percent
    scores = np.array([[candidate((2, 2), (4, 4), (0, -99, -99, -1), 0)]], np.float32)
    found = [
        len(replace(encoding, threshold=threshold).decode(scores, encoding.encode([example]), [example])[0])
        for threshold in (0.25, 0.3)
    ]
    assert found == [1, 0]


def test_an_implicit_term_is_no_rival_of_a_named_one() -> None:
    assert not are_rivals([0, 0, 4, 4], [2, 2, 4, 4])
    assert are_rivals([0, 0, 4, 4], [0, 0, 4, 5])


def test_vocabulary_without_a_first_token_is_refused() -> None:
    from aspectlab.encodings.vocabulary import WordList

    with pytest.raises(ConfigError, match="transformer"):
        QuadEncoding(WordList({}))
