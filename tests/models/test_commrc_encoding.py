"""One question over and over: which aspects are hidden when, and what the scheme can hold."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from aspectlab.data import Example
from aspectlab.encodings.base import POLARITIES, WordQuad, WordSpan, encode_texts
from aspectlab.encodings.mrc import Picker, Question, opinions_of
from aspectlab.models.commrc import MaskedEncoding, hiding_patterns
from aspectlab.readers import read
from tests.support.answering_model import VOCABULARY, ceiling, converse, f1_without, marks, triplets

ENCODING = MaskedEncoding(VOCABULARY, Picker(-3.0, 0.2, 11), Picker(-3.0, 0.2, 3))
THREE = triplets(
    "Good fish , bad wine and cold tea",
    ("wine", "bad", "negative"),
    ("fish", "Good", "positive"),
    ("tea", "cold", "neutral"),
)
FISH, WINE, TEA = (1, 1), (4, 4), (7, 7)


def scores_of(
    question: Question, aspects: Sequence[WordSpan], opinions: Sequence[WordSpan], polarity: int
) -> NDArray[np.float32]:
    """Scores [W, 9]: the marks of both kinds, three of the sentiment, and absent or present."""
    scores = marks(question, aspects, opinions)
    told = [*np.eye(3)[polarity], not aspects, bool(aspects)]
    return np.concatenate([scores, np.tile(np.array(told, np.float32), (len(scores), 1))], 1)


def knowing(question: Question, quads: Sequence[WordQuad]) -> NDArray[np.float32]:
    """Find the first aspect that is not hidden, with all its opinions."""
    left = sorted({quad.aspect for quad in quads} - set(question.hidden))
    aspect = [*question.asked, *left][:1]
    its = [quad for quad in quads if [quad.aspect] == aspect]
    polarity = POLARITIES.index(its[0].polarity) if its else 0
    return scores_of(question, aspect, [quad.opinion for quad in its if quad.opinion], polarity)


@pytest.mark.parametrize(
    "given",
    [
        triplets("The soup was lovely.", ("soup", "lovely", "positive")),
        THREE,
        triplets("Hot, salty soup", ("soup", "Hot", "negative"), ("soup", "salty", "negative")),
        triplets("Awful service and bar", ("service", "Awful", "negative"), ("bar", "Awful", "negative")),
        triplets("fish wine good", ("fish", "good", "positive"), ("wine", "good", "positive")),
        triplets("Nothing to see"),
        triplets("One two"),
    ],
    ids=lambda given: given.text,
)
def test_triplets_survive_the_dialogue(given: Example) -> None:
    _, (found,) = converse(ENCODING, [given], knowing)
    assert set(found) == set(given.quads)


def test_training_hides_every_subset_of_the_aspects_once() -> None:
    # counted by hand: 4 subsets behind the first aspect, 2 behind the second, 1 behind the third, and all
    questions = [item.question for item in ENCODING.encode([THREE])]
    assert [(question.asked, question.hidden) for question in questions] == [
        ((FISH,), ()),
        ((FISH,), (TEA,)),
        ((FISH,), (WINE,)),
        ((FISH,), (WINE, TEA)),
        ((WINE,), (FISH,)),
        ((WINE,), (FISH, TEA)),
        ((TEA,), (FISH, WINE)),
        ((), (FISH, WINE, TEA)),
    ]


def test_hidden_words_leave_the_mask_but_keep_their_numbers() -> None:
    batch = ENCODING.collate(ENCODING.encode([THREE]), length=30)
    words, mask = np.asarray(batch.words[-1]), np.asarray(batch.mask[-1])
    assert {int(word) for word in words[~mask]} == {-1, 1, 4, 7}
    assert sorted(int(word) for word in words if word >= 0) == list(range(8))


def test_text_without_triplets_teaches_that_there_is_nothing() -> None:
    items = ENCODING.encode([triplets("Nothing to see")])
    assert len(items) == 1
    assert not ENCODING.collate(items).labels.any()


@pytest.mark.parametrize(("count", "most"), [(6, 64), (7, 65), (13, 65), (40, 81)])
def test_number_of_subsets_stays_bounded(count: int, most: int) -> None:
    patterns = [pattern for place in range(count) for pattern in hiding_patterns(count, place)]
    assert len(patterns) < most
    assert len(set(patterns)) == len(patterns)
    assert all(len(pattern) == count for pattern in patterns)


@pytest.mark.parametrize("place", [0, 3, 12])
def test_drawn_subsets_hold_both_ends_and_are_the_same_again(place: int) -> None:
    drawn = hiding_patterns(13, place)
    lead = (True,) * place + (False,)
    assert {lead + (False,) * (12 - place), lead + (True,) * (12 - place)} <= set(drawn)
    assert drawn == hiding_patterns(13, place)


def test_found_aspect_is_hidden_in_the_next_round() -> None:
    rounds, _ = converse(ENCODING, [THREE], knowing)
    hidden = [turn.item.question.hidden for turns in rounds[:4] for turn in turns]
    assert hidden == [(), (FISH,), (FISH, WINE), (FISH, WINE, TEA)]
    assert [turn.item.question.asked for turn in rounds[4]] == [(FISH,), (WINE,), (TEA,)]


def test_asking_stops_after_eleven_aspects() -> None:
    def endless(question: Question, quads: Sequence[WordQuad]) -> NDArray[np.float32]:
        new = 2 * len(question.hidden)
        return scores_of(question, [(new, new)], [], 0)

    rounds, (found,) = converse(ENCODING, [Example("1", "on and " * 50)], endless)
    assert len(rounds) == 12
    assert len(rounds[-1]) == 11
    assert found == ()


def test_aspect_across_a_hidden_one_is_not_found() -> None:
    def greedy(question: Question, quads: Sequence[WordQuad]) -> NDArray[np.float32]:
        return scores_of(question, [(0, 2)] if question.hidden else [(1, 1)], [], 0)

    rounds, _ = converse(ENCODING, [Example("1", "one two three")], greedy)
    assert [turn.item.question.asked for turn in rounds[-1]] == [((1, 1),)]


@pytest.mark.parametrize("name", ["14lap", "14res", "15res", "16res"])
def test_every_triplet_has_the_one_polarity_of_its_aspect(name: str, real_data: Path) -> None:
    """The specification of the scheme: one polarity per aspect holds all triplets of the four test sets."""
    corpus = read(real_data / "aste" / "ASTE-Data-V2-EMNLP2020" / name / "test_triplets.txt")
    texts = encode_texts(VOCABULARY, list(corpus), with_opinions=True)
    kept = [
        {WordQuad(a, o, polarity) for a, (its, polarity) in opinions_of(text).items() for o in its}
        for text in texts
    ]
    assert kept == [set(text.quads) for text in texts]


# different triplets of the published test sets, and those lost, counted apart: an aspect with four opinions
# loses one of them (2, 2, 0 and 1 such aspects), and one text of 14res has two aspects more than eleven
@pytest.mark.parametrize(
    ("name", "count", "lost"), [("14lap", 541, 2), ("14res", 994, 4), ("15res", 485, 0), ("16res", 514, 1)]
)
def test_only_a_fourth_opinion_or_a_twelfth_aspect_is_lost(
    name: str, count: int, lost: int, real_data: Path
) -> None:
    assert ceiling(ENCODING, real_data, name, knowing) == f1_without(lost, count)
