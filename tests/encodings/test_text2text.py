"""Text to text: what is written beside a text, what comes back, and the share of gold that survives."""

from pathlib import Path

import numpy as np
import pytest

from aspectlab.data import Example, Polarity, Quad, Span, Term
from aspectlab.encodings import WordList
from aspectlab.encodings.text2text import EXTRACTION, Text2TextEncoding
from aspectlab.errors import TaskError
from tests.support.answering_model import triplets
from tests.support.text2text import ceiling, there_and_back, words_of

FIRST = len(EXTRACTION.symbols)
SOUP = triplets("Very good soup , bad wine", ("soup", "Very good", "positive"), ("wine", "bad", "negative"))
EXAMPLES = [
    SOUP,
    triplets("Nothing to see"),
    triplets("Fast, cheap and good food", ("food", "Fast, cheap and good", "positive")),  # a comma in a term
    triplets("Good food, good service", ("food", "Good", "positive"), ("service", "good", "positive")),
    Example(
        "long", "on and on " * 400 + "good soup", triplets("soup good", ("soup", "good", "neutral")).quads[:0]
    ),
]
NAMED = Example(
    "named",
    "Too bad soup",
    (
        Quad(Term("visibility"), None, Term("bad", Span(4, 7)), Polarity.NEGATIVE),
        Quad(None, None, Term("soup", Span(8, 12)), Polarity.NEUTRAL),
    ),
)

both_ways = pytest.mark.parametrize("constrained", [True, False])


@both_ways
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.text[:20])
def test_triplets_survive_writing(example: Example, constrained: bool) -> None:
    encoding = Text2TextEncoding(words_of(EXAMPLES), constrained)
    assert set(there_and_back(encoding, [example])[0]) == set(example.quads)


def test_copied_terms_are_places_and_spelt_terms_are_tokens() -> None:
    vocabulary = words_of([SOUP])
    (copied,), (spelt,) = (Text2TextEncoding(vocabulary, kind).encode([SOUP]) for kind in (True, False))
    places = [number - FIRST for number in copied.target if number >= FIRST]
    assert places == [2, 0, 1, 5, 4]  # soup, very good; wine, bad
    assert [number - FIRST for number in spelt.target if number >= FIRST] == [
        copied.tokens[p] for p in places
    ]


def test_item_is_as_long_as_its_target_and_padding_is_masked() -> None:
    encoding = Text2TextEncoding(words_of([SOUP]))
    (item,) = encoding.encode([SOUP])
    batch = encoding.collate([item])
    assert len(item) == len(item.target) == batch.labels.shape[1] == batch.tokens.shape[1] > 6
    assert batch.mask.sum() == len(item.tokens) == 6
    assert batch.labels[0].tolist() == item.target


def test_target_that_exceeds_the_room_keeps_whole_triplets() -> None:
    text = " ".join(["good soup"] * 200)
    told = [
        Quad(Term("soup", Span(10 * n + 5, 10 * n + 9)), None, Term("good", Span(10 * n, 10 * n + 4)), p)
        for n, p in enumerate([Polarity.POSITIVE] * 200)
    ]
    encoding = Text2TextEncoding(words_of([SOUP]))
    (item,) = encoding.encode([Example("1", text, tuple(told))])
    assert len(item.target) <= WordList.max_length
    assert len(EXTRACTION.read(item.target)) == 64  # eight numbers each, joint included


def test_terms_that_are_only_named_are_written_and_read() -> None:
    vocabulary = WordList({word: n for n, word in enumerate(["too", "bad", "soup", "visibility", "null"], 2)})
    encoding = Text2TextEncoding(vocabulary, constrained=False, normalise=False)
    assert there_and_back(encoding, [NAMED]) == [NAMED.quads]


def test_terms_that_are_only_named_cannot_be_copied() -> None:
    with pytest.raises(TaskError, match="does not stand in the text"):
        Text2TextEncoding(words_of([NAMED])).encode([NAMED])


@both_ways
def test_conflict_is_refused_when_it_is_written(constrained: bool) -> None:
    torn = triplets("Lovely soup", ("soup", "Lovely", "conflict"))
    with pytest.raises(TaskError, match="data clean"):
        Text2TextEncoding(words_of([torn]), constrained).encode([torn])


def test_conflict_about_a_named_term_is_refused() -> None:
    torn = Example("1", "Soup", (Quad(Term("bowl"), None, Term("Soup", Span(0, 4)), Polarity.CONFLICT),))
    with pytest.raises(TaskError, match="data clean"):
        Text2TextEncoding(words_of([torn]), constrained=False).encode([torn])


def test_written_nonsense_gives_no_triplets() -> None:
    encoding = Text2TextEncoding(words_of([SOUP]))
    items = encoding.encode([SOUP])
    rng = np.random.default_rng(1)
    wild = rng.integers(0, FIRST, size=(1, 128)).astype(np.float32)
    assert encoding.decode(wild, items, [SOUP]) == [()]


# gold that was written and read again, measured on the published test sets; what is lost stands in texts that
# repeat a word, where the pair of places that is nearest is not always the one that was meant
@both_ways
@pytest.mark.parametrize(
    ("name", "expected"), [("14lap", 99.63), ("14res", 99.60), ("15res", 100.0), ("16res", 99.61)]
)
def test_writing_keeps_its_share_of_gold(
    name: str, expected: float, constrained: bool, real_data: Path
) -> None:
    assert ceiling(lambda words: Text2TextEncoding(words, constrained), real_data, name) == expected
