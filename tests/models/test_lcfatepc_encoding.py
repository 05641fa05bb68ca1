"""A text with one aspect in focus: given ones, and those that two rounds find."""

import numpy as np
import pytest
from numpy.typing import NDArray

from aspectlab.data import Example, Polarity, Quad, Span, Term
from aspectlab.encodings import WordList
from aspectlab.encodings.base import MultiTurnEncoding, Turn
from aspectlab.errors import TaskError
from aspectlab.models.lcfatepc import FoundAspectsEncoding, GivenAspectsEncoding, LocalContextItem

GIVEN, FOUND = GivenAspectsEncoding(WordList({})), FoundAspectsEncoding(WordList({}))


def example(text: str, *aspects: tuple[str, str | None]) -> Example:
    quads = []
    for word, polarity in aspects:
        start = text.index(word)
        aspect = Term(word, Span(start, start + len(word)))
        quads.append(Quad(aspect, None, None, polarity and Polarity(polarity)))
    return Example("1", text, tuple(quads))


SOUP = example("Good tomato soup but our waiter left", ("tomato soup", "positive"), ("waiter", "negative"))


def scores_of(tags: list[int], polarity: int) -> NDArray[np.float32]:
    """Scores of a model that is sure: the polarity, then the tags."""
    return np.eye(3, dtype=np.float32)[[polarity, *tags]] * 5


def test_only_rounds_are_a_dialogue() -> None:
    assert isinstance(FOUND, MultiTurnEncoding)
    assert not isinstance(GIVEN, MultiTurnEncoding)


@pytest.mark.parametrize("encoding", [GIVEN, FOUND], ids=["given", "found"])
def test_each_aspect_is_an_item_with_the_tags_of_all(
    encoding: GivenAspectsEncoding | FoundAspectsEncoding,
) -> None:
    batch = encoding.collate(encoding.encode([SOUP]))
    assert batch.labels.tolist() == [[0, 1, 2, 0, 0, 1, 0]] * 2
    assert batch.in_aspect.astype(int).tolist() == [[0, 1, 1, 0, 0, 0, 0], [0, 0, 0, 0, 0, 1, 0]]
    assert batch.polarity.tolist() == [2, 0]


def test_text_without_aspects_teaches_tags() -> None:
    (item,) = FOUND.encode([example("We came home")])
    assert item.is_labelled
    batch = FOUND.collate([item])
    assert (batch.labels.tolist(), batch.polarity.tolist()) == ([[0, 0, 0]], [-1])


def test_given_aspect_without_polarity_is_asked_but_not_learnt_from() -> None:
    (item,) = GIVEN.encode([example("Good soup", ("soup", None))])
    assert not item.is_labelled
    assert item.aspect == (1, 1)


def test_given_aspects_are_answered_in_their_order() -> None:
    given = Example(
        "1", SOUP.text, (SOUP.quads[1], Quad(category="food", polarity=Polarity.POSITIVE), SOUP.quads[0])
    )
    items = GIVEN.encode([given])
    answers = GIVEN.decode(np.stack([scores_of([0] * 7, 1)] * 2), items, [given])
    assert [quad.aspect.text for (quad,) in answers if quad.aspect] == ["waiter", "tomato soup"]
    assert {quad.polarity for (quad,) in answers} == {Polarity.NEUTRAL}


def test_given_conflict_is_refused() -> None:
    with pytest.raises(TaskError, match="data clean"):
        GIVEN.encode([example("Good soup", ("soup", "conflict"))])


def test_given_aspect_that_covers_no_word_is_answered() -> None:
    given = Example("1", "a  b", (Quad(Term(" ", Span(2, 3))),))
    items = GIVEN.encode([given])
    assert [item.aspect for item in items] == [None]
    assert len(GIVEN.decode(scores_of([0, 0], 0)[None], items, [given])[0]) == 1


def test_given_aspect_of_a_long_text_stands_in_the_middle_of_its_window() -> None:
    given = example("so it goes " * 300 + "soup" + " and on we go" * 300, ("soup", "neutral"))
    (item,) = GIVEN.encode([given])
    assert len(item) <= WordList.max_length
    assert item.aspect is not None
    # windows overlap by half, so the aspect is at least a quarter of one away from both ends
    assert 127 <= item.aspect[0] <= 384


def test_given_aspect_that_fills_more_than_a_window_is_cut() -> None:
    text = "so it goes " * 400
    given = Example("1", text, (Quad(Term(text[:-1], Span(0, len(text) - 1)), polarity=Polarity.NEUTRAL),))
    (item,) = GIVEN.encode([given])
    assert item.aspect == (0, len(item) - 1)


def test_first_round_shows_no_gold() -> None:
    (item,) = FOUND.open([SOUP])
    assert (item.aspect, item.label, item.quads) == (None, -1, ())


def test_second_round_asks_about_each_aspect_that_was_found() -> None:
    rounds = [[Turn(item, scores_of([1, 2, 0, 0, 1, 1, 2], 0)) for item in FOUND.open([SOUP])]]
    items = FOUND.follow(rounds, [SOUP])
    assert [item.aspect for item in items] == [(0, 1), (4, 4), (5, 6)]
    rounds.append([Turn(item, scores_of([0] * 7, place)) for place, item in enumerate(items)])
    assert FOUND.follow(rounds, [SOUP]) == []
    (quads,) = FOUND.conclude(rounds, [SOUP])
    found = [(quad.aspect and quad.aspect.text, quad.polarity) for quad in quads]
    assert found == [
        ("Good tomato", Polarity.NEGATIVE),
        ("our", Polarity.NEUTRAL),
        ("waiter left", Polarity.POSITIVE),
    ]


@pytest.mark.parametrize("rounds", [0, 1])
def test_nothing_found_gives_no_quads(rounds: int) -> None:
    turns = [Turn(item, scores_of([0] * 7, 0)) for item in FOUND.open([SOUP])]
    assert FOUND.conclude([turns][:rounds], [SOUP]) == [()]


def test_aspect_in_two_windows_is_asked_once() -> None:
    given = example("so it goes " * 250)
    items = FOUND.open([given])
    assert len(items) > 1
    turns = [Turn(item, scores_of(tags_at(item, word=300), 0)) for item in items]
    assert sum(int(scores[1:].argmax(-1).any()) for _, scores in turns) == 2
    (asked,) = FOUND.follow([turns], [given])
    assert asked.aspect is not None


def tags_at(item: LocalContextItem, word: int) -> list[int]:
    """Tags that find the aspect at one word of the text, counted from its start."""
    start = Span(*(11 * (word // 3) + offset for offset in (0, 2)))  # "so it goes ": 3 words in 11 characters
    return [int(place == start) for place in item.offsets]
