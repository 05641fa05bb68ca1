"""Aligning: where runs of tokens stand, which pair of places is meant, and how misspelt terms are mended."""

import pytest

from aspectlab.data import Example, Polarity, Quad, Span, Term
from aspectlab.encodings import WordList
from aspectlab.encodings.base import TextItem, encode_texts
from aspectlab.encodings.grammar import WrittenTriplet
from aspectlab.encodings.text2text import Aligner, closest_pair, edit_distance, find_runs, nearest_word

WORDS = ["good", "soup", "and", "wine", "bad", "sour", "null", "soap"]
VOCABULARY = WordList({word: number for number, word in enumerate(WORDS, start=2)})
TEXT = "Good soup and bad soup and wine"


def numbers(text: str) -> tuple[int, ...]:
    return tuple(VOCABULARY.tokenize([text])[0].ids)


def align(aspect: str, opinion: str, *, normalise: bool = False, text: str = TEXT) -> Quad:
    example = Example("1", text)
    (item,) = encode_texts(VOCABULARY, [example], with_opinions=True)
    assert isinstance(item, TextItem)
    triplet = WrittenTriplet(numbers(aspect), numbers(opinion), Polarity.POSITIVE)
    (quad,) = Aligner(VOCABULARY, normalise=normalise).quads([triplet, triplet], item, example)
    return quad


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        ([5], [(0, 0)]),  # the second 5 is but the beginning of a word
        ([5, 6], [(3, 3)]),
        ([7, 8, 9], [(1, 2)]),
        ([7, 8], []),  # would cut a word at its end
        ([9, 5, 6], []),  # and this one at its beginning
        ([1], []),  # stands outside the text
        ([], []),
        ([5, 7, 8, 9, 5, 6, 1, 1], []),
    ],
)
def test_run_is_found_where_it_is_whole_words(run: list[int], expected: list[tuple[int, int]]) -> None:
    tokens, words = [1, 5, 7, 8, 9, 5, 6], [-1, 0, 1, 2, 2, 3, 3]
    assert find_runs(tokens, words, run) == expected


def test_closest_pair_counts_the_words_between() -> None:
    assert closest_pair([(0, 0), (4, 5)], [(2, 2), (9, 9)]) == ((0, 0), (2, 2))
    assert closest_pair([(0, 3), (7, 7)], [(5, 5)]) == ((0, 3), (5, 5))  # a long term is near by its end


@pytest.mark.parametrize(
    ("one", "other", "distance"),
    # the textbook pairs
    [("kitten", "sitting", 3), ("flaw", "lawn", 2), ("intention", "execution", 5), ("", "", 0)],
)
def test_edit_distance_of_known_pairs(one: str, other: str, distance: int) -> None:
    assert edit_distance(one, other) == edit_distance(other, one) == distance


def test_nearest_word_is_the_first_of_equals() -> None:
    assert nearest_word("cat", ["dog", "bat", "hat"]) == "bat"


def test_aligned_terms_are_those_nearest_to_each_other() -> None:
    assert align("soup", "bad") == Quad(
        Term("soup", Span(18, 22)), None, Term("bad", Span(14, 17)), Polarity.POSITIVE
    )


def test_misspelt_term_is_mended_or_left_without_a_place() -> None:
    mended, left = (align("soap", "good", normalise=normalise).aspect for normalise in (True, False))
    assert mended == Term("soup", Span(5, 9))
    assert left == Term("soap")


def test_mended_words_that_do_not_stand_together_have_no_place() -> None:
    # both are words of the text, but wine does not precede soup in it
    assert align("wine soup", "good", normalise=True).aspect == Term("wine soup")


def test_term_that_is_not_named_is_none() -> None:
    assert align("null", "good", normalise=True).aspect is None


def test_text_without_words_takes_any_term() -> None:
    assert align("soup", "good", normalise=True, text=" ").aspect == Term("soup")
