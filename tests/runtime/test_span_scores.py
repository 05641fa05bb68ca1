"""Scores of spans from pieces of tokens."""

import numpy as np

from aspectlab.encodings.spans import N_SPAN_CLASSES
from aspectlab.runtime.spanreader import PIECES, has_tie, mean_pieces, span_scores


def draw(rows: int, length: int) -> np.ndarray:
    return np.random.default_rng(3).normal(size=(rows, length, PIECES)).astype(np.float32)


def test_span_is_the_sum_of_first_last_and_inside() -> None:
    pieces = draw(1, 5)
    scores = span_scores(pieces, np.array([[-1, 0, 1, 2, -1]], np.int32))
    first, last, inside = (
        pieces[0, 1:4, start : start + N_SPAN_CLASSES] for start in (0, N_SPAN_CLASSES, 2 * N_SPAN_CLASSES)
    )
    # word by word, as the model is defined: its first word, its last word, and all of its words
    expected = first[0] + last[2] + inside[0] + inside[1] + inside[2]
    np.testing.assert_allclose(scores[0, 0, 2], expected, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(scores[0, 1, 1], first[1] + last[1] + inside[1], rtol=1e-5, atol=1e-5)


def test_word_is_the_mean_of_its_tokens() -> None:
    pieces = draw(2, 4)
    means = mean_pieces(pieces, np.array([[-1, 0, 0, 1], [0, 1, 1, 1]], np.int32))
    np.testing.assert_allclose(means[0], [pieces[0, 1:3].mean(0), pieces[0, 3]], rtol=1e-5)
    np.testing.assert_allclose(means[1], [pieces[1, 0], pieces[1, 1:].mean(0)], rtol=1e-5)


def test_word_that_a_shorter_row_lacks_is_nothing() -> None:
    scores = span_scores(draw(2, 3), np.array([[0, 1, 2], [0, -1, -1]], np.int32))
    assert scores.shape == (2, 3, 3, N_SPAN_CLASSES)
    assert not scores[1, :, 1:].argmax(-1).any()


def test_tie_below_the_diagonal_is_none() -> None:
    scores = np.zeros((1, 2, 2, N_SPAN_CLASSES), np.float32)
    scores[0, np.triu_indices(2)[0], np.triu_indices(2)[1], 0] = 1
    assert has_tie(scores).tolist() == [False]
    scores[0, 0, 1, 5] = 0.99
    assert has_tie(scores).tolist() == [True]


def test_texts_without_words_have_no_spans() -> None:
    assert span_scores(draw(2, 2), np.full((2, 2), -1, np.int32)).shape == (2, 0, 0, N_SPAN_CLASSES)
