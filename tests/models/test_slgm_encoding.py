"""Twins: two copies of a text, the guides to its terms, and what both copies agree on."""

from pathlib import Path

import numpy as np
import pytest

from aspectlab.data import Example, Polarity, Quad, Span, Term
from aspectlab.encodings import WordList
from aspectlab.encodings.base import MultiTurnEncoding, Turn
from aspectlab.encodings.grammar import END
from aspectlab.models.slgm import TEMPLATES, BidirectionalEncoding
from tests.support.answering_model import triplets
from tests.support.text2text import ceiling, there_and_back, words_of

TEXT = "Good soup , bad old wine"
MEAL = triplets(TEXT, ("old wine", "bad", "negative"), ("soup", "Good", "positive"))
SYMBOLS = TEMPLATES[0].symbols


def spell(target: list[int], words: list[str]) -> str:
    names = dict(enumerate(SYMBOLS)) | {END: "<end>"}
    # three words of the prefix stand before the text: aspect first :
    return " ".join(names.get(number) or words[number - len(SYMBOLS) - 3] for number in target)


def test_copies_are_prefixed_and_written_in_their_own_order() -> None:
    vocabulary = WordList({word: n for n, word in enumerate(["aspect", "opinion", "first", ":"], start=2)})
    one, other = BidirectionalEncoding(vocabulary).encode([MEAL])
    assert (one.tokens[:3], other.tokens[:3]) == ([2, 4, 5], [3, 4, 5])
    assert one.words == other.words == [-1, -1, -1, 0, 1, 2, 3, 4, 5]
    assert spell(one.target, TEXT.split()) == (
        "aspect : soup , opinion : Good , sentiment : positive ; "
        "aspect : old wine , opinion : bad , sentiment : negative <end>"
    )
    assert spell(other.target, TEXT.split()) == (
        "opinion : Good , aspect : soup , sentiment : positive ; "
        "opinion : bad , aspect : old wine , sentiment : negative <end>"
    )


def test_triplets_are_sorted_by_the_ends_of_the_term_that_comes_first() -> None:
    # the first opinion belongs to the second aspect
    crossed = triplets("bad soup wine good", ("soup", "good", "positive"), ("wine", "bad", "negative"))
    targets = [item.target for item in BidirectionalEncoding(words_of([crossed])).encode([crossed])]
    polarities = [[t.polarity.value for t in TEMPLATES[copy].read(targets[copy])] for copy in range(2)]
    assert polarities == [["positive", "negative"], ["negative", "positive"]]


def test_guides_point_from_markers_to_words() -> None:
    encoding = BidirectionalEncoding(words_of([MEAL]))
    items = encoding.encode([MEAL])
    guides = encoding.collate(items).guides
    assert guides.shape == (2, 2, 2, 3)
    # places in the targets as spelt above; Good is word 0, soup 1, bad 3, old wine 4 to 5
    assert guides[0].tolist() == [[[0, 1, 1], [4, 0, 0]], [[12, 4, 5], [17, 3, 3]]]
    assert guides[1].tolist() == [[[4, 1, 1], [0, 0, 0]], [[16, 4, 5], [12, 3, 3]]]


def test_named_terms_come_last_and_have_no_guide() -> None:
    named = Quad(Term("price"), None, Term("Good", Span(0, 4)), Polarity.NEUTRAL)
    example = Example("1", TEXT, (named, *MEAL.quads))
    encoding = BidirectionalEncoding(words_of([MEAL]), constrained=False)
    one, _ = encoding.encode([example])
    assert one.guides[-1] == ((-1, -1, -1), (-1, -1, -1))
    assert [t.polarity.value for t in TEMPLATES[0].read(one.target)] == ["positive", "negative", "neutral"]


def test_only_what_both_copies_hold_is_kept() -> None:
    encoding = BidirectionalEncoding(words_of([MEAL]))
    one, other = encoding.encode([MEAL])
    first_alone = TEMPLATES[1].write(TEMPLATES[1].read(other.target)[:1])
    turns = [Turn(one, as_row(one.target)), Turn(other, as_row(first_alone))]
    assert encoding.conclude([turns], [MEAL]) == [(MEAL.quads[1],)]
    both = [as_row(item.target) for item in (one, other)]
    assert list(map(len, encoding.decode(np.stack(both), [one, other], [MEAL]))) == [2, 2]


def as_row(target: list[int]) -> np.ndarray:
    return np.array(target, np.float32)


def test_conversation_is_one_round_that_shows_no_gold() -> None:
    encoding = BidirectionalEncoding(words_of([MEAL]))
    assert isinstance(encoding, MultiTurnEncoding)
    assert [item.target for item in encoding.open([MEAL])] == [[END], [END]]
    assert encoding.follow([[]], [MEAL]) == ()
    assert encoding.conclude([], []) == []


@pytest.mark.parametrize("text", ["", " ", "on and on " * 400])
def test_any_text_has_two_copies_of_each_window(text: str) -> None:
    encoding = BidirectionalEncoding(words_of([MEAL]))
    items = encoding.open([Example("1", text)])
    assert [item.copy for item in items] == [0, 1] * (len(items) // 2)
    assert max(len(item) for item in items) <= WordList.max_length


def test_long_text_gives_each_triplet_once() -> None:
    text = "on and on " * 200 + "good soup" + " on and on" * 200
    given = triplets(text, ("soup", "good", "neutral"))
    assert there_and_back(BidirectionalEncoding(words_of([given])), [given]) == [given.quads]


# as in text to text: what is lost stands in texts that repeat a word
@pytest.mark.parametrize("constrained", [True, False])
@pytest.mark.parametrize(
    ("name", "expected"), [("14lap", 99.63), ("14res", 99.60), ("15res", 100.0), ("16res", 99.61)]
)
def test_twins_keep_their_share_of_gold(
    name: str, expected: float, constrained: bool, real_data: Path
) -> None:
    assert ceiling(lambda words: BidirectionalEncoding(words, constrained), real_data, name) == expected
