"""The parts that pictures show; every figure was counted by hand."""

import pytest

from aspectlab.data import Example, Part, Quad, Term
from aspectlab.data.statistics import break_down, count_triplets
from aspectlab.data.statistics.breakdown import measure_lengths
from tests.support.examples import CONFLICT, NEGATIVE, NEUTRAL, POSITIVE, corpus_of, sentence

SEAT = Quad(Term("front seat"), "comfort", Term("soft"), POSITIVE)
PRICE = Quad(Term("price"), "cost", Term("too high"), NEGATIVE)
MADE = corpus_of(
    Example("1", "The front seat is soft.", (SEAT, PRICE)),
    Example("2", "The price is too high.", (PRICE,)),
    Example("3", "We drive.", (Quad(category="cost"),)),
    Example("4", "We drive."),
)
FOUND = break_down(MADE)


def test_breakdown_counts_segments_and_rows() -> None:
    whole = FOUND.whole
    assert (whole.segments, whole.nonempty_segments, whole.rows, whole.empty_rows) == (4, 2, 3, 1)
    assert whole.polarities == {"positive": 1, "negative": 2}


def test_breakdown_puts_the_most_frequent_topic_first() -> None:
    rows = [(topic.name, topic.segments, topic.nonempty_segments, topic.rows) for topic in FOUND.topics]
    assert rows == [("cost", 3, 2, 2), ("comfort", 1, 1, 1)]


def test_breakdown_counts_terms_of_several_words() -> None:
    # of three aspects one, of three opinions two, and all three rows have one of either
    assert FOUND.multiword == {"aspect": (1, 3), "opinion": (2, 3), "either": (3, 3)}
    assert FOUND.unique == {"aspect": 2, "opinion": 2}


def test_breakdown_measures_texts_once_and_terms_as_often_as_they_stand() -> None:
    # "We drive." stands there twice
    assert {part: found.number for part, found in FOUND.lengths.items()} == {
        "text": 3,
        "aspect": 3,
        "opinion": 3,
    }
    assert break_down(MADE, raw=True).lengths["text"].number == 4


def test_breakdown_ranks_terms_by_topic_and_polarity() -> None:
    assert FOUND.rankings["aspects by topic"] == {"comfort": (("front seat", 1),), "cost": (("price", 2),)}
    assert FOUND.rankings["opinions by polarity"]["negative"] == (("too high", 2),)


def test_breakdown_of_aspects_alone_has_no_opinions_and_no_topics() -> None:
    corpus = corpus_of(
        sentence("1", "Good tea, odd cake.", {"tea": POSITIVE, "cake": CONFLICT}),
        annotates=frozenset({Part.ASPECT, Part.POLARITY}),
    )
    found = break_down(corpus)
    assert list(found.terms) == ["aspect"]
    assert found.topics == ()
    assert list(found.multiword) == ["aspect"]
    assert list(found.rankings) == ["aspects by polarity"]


def test_breakdown_of_categories_alone_has_no_terms() -> None:
    corpus = corpus_of(
        Example("1", "Bello.", (Quad(category="staff", polarity=POSITIVE),)),
        annotates=frozenset({Part.CATEGORY, Part.POLARITY}),
    )
    found = break_down(corpus)
    assert (found.terms, found.multiword, found.rankings) == ({}, {}, {})
    assert found.topics[0].polarities == {"positive": 1}


def test_breakdown_names_rows_without_polarity() -> None:
    corpus = corpus_of(Example("1", "Tea.", (Quad(Term("Tea")),)), annotates=frozenset({Part.ASPECT}))
    assert break_down(corpus).whole.polarities == {"unlabelled": 1}


def test_breakdown_of_nothing_is_empty() -> None:
    found = break_down(corpus_of(annotates=frozenset()))
    assert (found.whole.segments, found.lengths, found.topics) == (0, {}, ())


@pytest.mark.parametrize(
    ("words", "fences"),
    [
        # quartiles 2 and 4, so 3 on either side: -1 to 7
        ([1, 2, 3, 4, 100], (1, 4)),
        ([5, 5, 5], (5, 5)),
    ],
)
def test_fences_are_the_last_values_within_reach(words: list[int], fences: tuple[int, int]) -> None:
    assert measure_lengths(["w " * number for number in words]).fences == fences


def test_triplets_count_different_strings_with_and_without_case() -> None:
    quads = (
        Quad(Term("Seat"), None, Term("soft"), POSITIVE),
        Quad(Term("seat"), None, Term("soft"), NEUTRAL),
        Quad(Term("seat"), None, Term("soft"), NEUTRAL),
    )
    found = count_triplets(corpus_of(Example("1", "", quads)))
    assert (found.unique_aspects, found.unique_aspects_caseless, found.unique_triplets) == (2, 1, 2)


@pytest.mark.parametrize(("format", "videos", "present"), [("muse", 9, 2), ("jsonl", None, None)])
def test_triplets_number_the_videos_of_muse_alone(
    format: str, videos: int | None, present: int | None
) -> None:
    corpus = corpus_of(*(Example(id, "", (SEAT,)) for id in ("2-1", "2-2", "9-1")), format=format)
    found = count_triplets(corpus)
    assert (found.videos, found.videos_present) == (videos, present)
