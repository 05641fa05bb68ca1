"""Pointers: five numbers a triplet, and back."""

from pathlib import Path

import numpy as np
import pytest

from aspectlab.data import Example, Polarity
from aspectlab.encodings import WordList
from aspectlab.encodings.base import WordQuad
from aspectlab.encodings.grammar import END, symbol_of
from aspectlab.models.bartabsa import SYMBOLS, PointerEncoding, build_pointer_grammar, follow_pointers, point
from tests.support.answering_model import triplets
from tests.support.text2text import ceiling, there_and_back

FIRST = len(SYMBOLS)
GOOD, BAD = symbol_of(Polarity.POSITIVE), symbol_of(Polarity.NEGATIVE)
MEAL = triplets("Good soup , bad old wine", ("old wine", "bad", "negative"), ("soup", "Good", "positive"))


def test_pointers_are_sorted_by_where_aspect_and_opinion_begin() -> None:
    encoding = PointerEncoding(WordList({}))
    (item,) = encoding.encode([MEAL])
    # soup 1-1, Good 0-0; old wine 4-5, bad 3-3
    words = [FIRST + place for place in (1, 1, 0, 0, 4, 5, 3, 3)]
    assert item.target == [*words[:4], GOOD, *words[4:], BAD, END]
    assert encoding.collate([item]).labels.tolist() == [item.target]


def test_pointers_that_find_no_room_are_left_out() -> None:
    quads = [WordQuad((place, place), (0, 0), Polarity.POSITIVE) for place in range(9)]
    assert len(point(quads, 21)) == 21
    assert len(point(quads, 20)) == 16


@pytest.mark.parametrize(
    "written",
    [
        [FIRST + 1, FIRST + 0, FIRST + 2, FIRST + 2, GOOD, END],  # ends before it begins
        [FIRST + 1, FIRST + 1, FIRST + 2, FIRST + 1, GOOD, END],
        [FIRST + 1, FIRST + 1, FIRST + 2, GOOD, END],  # a pointer is missing
        [FIRST, FIRST, FIRST + 1, FIRST + 1, FIRST + 1, GOOD, END],  # one too many
        [FIRST, FIRST, FIRST + 9, FIRST + 9, GOOD, END],  # points beyond the text
        [FIRST, FIRST, FIRST + 1, FIRST + 1],  # cut off
        [GOOD, GOOD, END],
        [END],
    ],
)
def test_what_is_no_triplet_is_passed_over(written: list[int]) -> None:
    assert list(follow_pointers(written, 3)) == []


def test_written_twice_is_given_once() -> None:
    encoding = PointerEncoding(WordList({}))
    (item,) = encoding.encode([MEAL])
    twice = np.array([[*item.target[:5], *item.target]], np.float32)
    assert encoding.decode(twice, [item], [MEAL]) == [MEAL.quads[::-1]]


def test_pointer_grammar_allows_the_end_only_between_triplets() -> None:
    follows = build_pointer_grammar().follows
    assert np.flatnonzero(follows[:, END] >= 0).tolist() == [0]


@pytest.mark.parametrize("text", ["", "on and on " * 400 + "good soup"])
def test_any_text_can_be_pointed_at(text: str) -> None:
    given = triplets(text, ("soup", "good", "neutral")) if text else Example("1", text)
    assert there_and_back(PointerEncoding(WordList({})), [given]) == [given.quads]


# nothing is lost: a triplet is its five numbers
@pytest.mark.parametrize("name", ["14lap", "14res", "15res", "16res"])
def test_pointers_keep_all_of_gold(name: str, real_data: Path) -> None:
    assert ceiling(PointerEncoding, real_data, name) == 100.0
