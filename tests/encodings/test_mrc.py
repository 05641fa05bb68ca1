"""Questions before texts, marks, and the picking of spans."""

import numpy as np
import pytest

from aspectlab.data import Example
from aspectlab.encodings import WordList
from aspectlab.encodings.mrc import (
    Picker,
    Question,
    collate_questions,
    encode_questions,
    join_marks,
    log_shares,
    opinions_of,
    question_texts,
)
from tests.support.answering_model import triplets


class Framed(WordList):
    """Words in a frame, as sub-words have it."""

    first = (101,)
    between = (102,)
    last = (103,)


VOCABULARY = Framed({"which": 2, "about": 3, "fish": 4, "soup": 5, "hot": 6, "/": 7})
HOT = triplets("Hot fish soup", ("fish soup", "Hot", "positive"))


def test_question_stands_before_the_text_in_a_segment_of_its_own() -> None:
    (text,) = question_texts(VOCABULARY, [HOT], gold=True)
    (item,) = encode_questions(VOCABULARY, [Question(text, "Which about {}", ((1, 2),))], [HOT])
    assert item.tokens == [101, 2, 3, 4, 5, 102, 6, 4, 5, 103]
    assert item.segments == [0] * 6 + [1] * 4
    assert item.words == [-1] * 6 + [0, 1, 2, -1]


def test_question_names_all_its_terms() -> None:
    (text,) = question_texts(VOCABULARY, [HOT], gold=True)
    question = Question(text, "which {} about {}", ((0, 0), (1, 1), (2, 2)))
    (item,) = encode_questions(VOCABULARY, [question], [HOT])
    assert item.tokens[1:7] == [2, 6, 3, 4, 7, 5]


def test_braces_in_a_term_are_only_braces() -> None:
    braced = Example("1", "{0}")
    (text,) = question_texts(VOCABULARY, [braced], gold=True)
    (item,) = encode_questions(VOCABULARY, [Question(text, "which {}", ((0, 2),))], [braced])
    assert len(item.tokens) == 1 + 4 + 1 + 3 + 1


def test_long_text_and_long_question_fit_together() -> None:
    long = Example("1", "on and " * 600)
    texts = question_texts(VOCABULARY, [long], gold=True)
    questions = [Question(text, "which {}", ((0, len(text.offsets) - 1),)) for text in texts]
    items = encode_questions(VOCABULARY, questions, [long])
    assert len(items) > 2
    assert max(map(len, items)) == VOCABULARY.max_length
    assert len({question.window for question in questions}) == len(questions)


def test_text_without_gold_shows_none() -> None:
    (text,) = question_texts(VOCABULARY, [HOT], gold=False)
    assert opinions_of(text) == {}


def test_labels_are_marks_on_words_and_one_more_than_the_polarity() -> None:
    (text,) = question_texts(VOCABULARY, [HOT], gold=True)
    (aspect, (opinions, polarity)) = next(iter(opinions_of(text).items()))
    question = Question(text, "which", answers=((aspect,), opinions), polarity=polarity)
    items = encode_questions(VOCABULARY, [question, Question(text, "which")], [HOT])
    labels = np.asarray(collate_questions(VOCABULARY, items, None, kinds=2).labels)
    assert labels[0, :3].tolist() == [[0, 0, 1, 1, 3], [1, 0, 0, 0, 3], [0, 1, 0, 0, 3]]
    assert not labels[1].any()


def test_first_polarity_of_an_aspect_is_kept() -> None:
    torn = triplets("Hot, bad soup", ("soup", "Hot", "positive"), ("soup", "bad", "negative"))
    (text,) = question_texts(VOCABULARY, [torn], gold=True)
    assert opinions_of(text) == {(3, 3): (((0, 0), (2, 2)), "positive")}


# worked out by hand from the rule: a later start replaces the one that waits, an end closes or is void
@pytest.mark.parametrize(
    ("starts", "ends", "spans"),
    [
        ([], [], []),
        ([3], [], []),
        ([], [3], []),
        ([3], [3], [(3, 3)]),
        ([1, 4], [2, 6], [(1, 2), (4, 6)]),
        ([1, 2], [4], [(2, 4)]),
        ([1], [2, 3], [(1, 2)]),
        ([1], [5], [(1, 5)]),
        ([1], [6], []),
        ([1], [6, 7], []),
        ([1, 2], [2, 3], [(2, 2)]),
    ],
)
def test_marks_are_joined_from_left_to_right(
    starts: list[int], ends: list[int], spans: list[tuple[int, int]]
) -> None:
    assert join_marks(starts, ends, longest=5) == spans


def scores_at(starts: dict[int, float], ends: dict[int, float], size: int = 12) -> np.ndarray:
    scores = np.full((size, 2), -20, np.float32)
    for column, values in enumerate((starts, ends)):
        for place, value in values.items():
            scores[place, column] = value
    return scores


@pytest.mark.parametrize(
    ("starts", "ends", "most", "spans"),
    [
        ({2: 0}, {3: 0}, 3, [(2, 3)]),
        ({3: 0}, {2: 0}, 3, []),  # an end before its start
        ({2: 0, 7: 0}, {3: 0, 7: 0}, 3, [(7, 7), (2, 3)]),  # short spans first: no (2, 7)
        ({2: 0, 7: 0}, {3: 0, 7: 0}, 1, [(7, 7)]),
        ({2: 0, 3: 0}, {2: 0, 3: 0}, 3, [(2, 2)]),  # (3, 3) touches it
        ({0: 3, 3: 2, 6: 1, 9: 0}, {0: 3, 3: 2, 6: 1, 9: 0}, 9, [(0, 0), (3, 3), (6, 6)]),  # the best three
    ],
)
def test_picker_prefers_short_spans_apart(
    starts: dict[int, float], ends: dict[int, float], most: int, spans: list[tuple[int, int]]
) -> None:
    assert Picker(floor=-12.0, cost=1.0, most=most).pick(scores_at(starts, ends)) == spans


@pytest.mark.parametrize(("floor", "found"), [(-1.38, 0), (-1.39, 1)])
def test_picker_floor_is_a_logarithm_of_a_probability(floor: float, found: int) -> None:
    # two words with half of the probability each, at both ends: log(1/4) = -1.3863
    scores = np.zeros((2, 2), np.float32)
    assert len(Picker(floor, cost=0.0, most=1).pick(scores)) == found


def test_picker_keeps_off_words_that_are_taken() -> None:
    scores = scores_at({2: 0, 5: -3}, {4: 0, 5: -3})
    assert Picker(-12.0, 0.0, 3).pick(scores, frozenset({3})) == [(5, 5)]


def test_picker_finds_nothing_without_words() -> None:
    assert Picker(-12.0, 0.0, 3).pick(np.zeros((0, 2), np.float32)) == []


def test_log_shares_stay_numbers_for_scores_out_of_range() -> None:
    shares = log_shares(np.array([[-1e4, 3e4], [1e4, -3e4]], np.float32))
    assert np.isfinite(shares).all()
    assert np.exp(shares).sum(0) == pytest.approx([1, 1])
