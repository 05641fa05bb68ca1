"""What every dialogue must do: end, show no gold, and answer for each example."""

import numpy as np
import pytest
from numpy.typing import NDArray

from aspectlab.data import Example, Quad
from aspectlab.encodings import PairEncoding
from aspectlab.encodings.base import MultiTurnEncoding
from aspectlab.encodings.mrc import Picker, Question
from aspectlab.models.bmrc import BiEncoding
from aspectlab.models.commrc import MaskedEncoding
from tests.support.answering_model import VOCABULARY, converse, triplets

BOTH_WAYS = BiEncoding(VOCABULARY)
MASKED = MaskedEncoding(VOCABULARY, Picker(-40.0, 0.5, 11), Picker(-40.0, 1.0, 3))
every_dialogue = pytest.mark.parametrize("encoding", [BOTH_WAYS, MASKED], ids=["bimrc", "masked"])

TOLD = [
    triplets("Good fish and bad wine", ("fish", "Good", "positive"), ("wine", "bad", "negative")),
    Example("2", ""),
    triplets("The soup was lovely.", ("soup", "lovely", "positive")),
]


def at_random(question: Question, quads: object) -> NDArray[np.float32]:
    """Answer by chance, but the same question in the same way."""
    words = len(question.text.offsets)
    seed = [words, *(place for span in (*question.asked, *question.hidden) for place in span)]
    return np.random.default_rng(seed).normal(0, 2, (max(words, 1), 9)).astype(np.float32)


def test_dialogues_are_told_from_other_encodings() -> None:
    assert isinstance(BOTH_WAYS, MultiTurnEncoding)
    assert isinstance(MASKED, MultiTurnEncoding)
    assert not isinstance(PairEncoding(VOCABULARY), MultiTurnEncoding)


@every_dialogue
def test_first_questions_show_no_gold(encoding: BiEncoding | MaskedEncoding) -> None:
    bare = [Example(example.id, example.text) for example in TOLD]
    assert encoding.open(TOLD) == encoding.open(bare)
    assert not encoding.collate(encoding.open(TOLD)).labels.any()


@every_dialogue
def test_dialogue_about_nothing_is_empty(encoding: BiEncoding | MaskedEncoding) -> None:
    assert converse(encoding, [], at_random) == ([], [])


@every_dialogue
@pytest.mark.parametrize(
    "text", ["", " ", "soup", "so it goes " * 300], ids=["empty", "blank", "word", "long"]
)
def test_dialogue_ends_whatever_the_answers(encoding: BiEncoding | MaskedEncoding, text: str) -> None:
    rounds, (found,) = converse(encoding, [Example("1", text)], at_random)
    assert 1 <= len(rounds) <= 12
    assert len(set(found)) == len(found)


@every_dialogue
def test_answers_are_put_down_to_the_example_they_are_about(encoding: BiEncoding | MaskedEncoding) -> None:
    given = [Example(str(number), " ".join(["some", "words"] * number)) for number in range(9)]
    _, together = converse(encoding, given, at_random)
    alone: list[tuple[Quad, ...]] = [converse(encoding, [example], at_random)[1][0] for example in given]
    assert together == alone
    assert any(together)


@every_dialogue
def test_decoding_the_last_round_gives_the_conclusion(encoding: BiEncoding | MaskedEncoding) -> None:
    given = [Example("1", "some words and some more of them")]
    rounds, (concluded,) = converse(encoding, given, at_random)
    turns = [turn for turns in rounds for turn in turns]
    decoded = encoding.decode(np.stack([turn.scores for turn in turns]), [turn.item for turn in turns], given)
    assert tuple(dict.fromkeys(quad for quads in decoded for quad in quads)) == concluded
