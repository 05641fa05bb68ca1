"""Samples have the topics of the whole and an exact size; places are shared out by hand."""

from pathlib import Path

import pytest

from aspectlab.annotation import Stratum, allocate, balance, draw_sample, remove_labels
from aspectlab.data import Corpus, Example, Part, Polarity, Quad, Term
from aspectlab.data.statistics.description import pool
from aspectlab.errors import ConfigError, DataError
from aspectlab.readers import read

# segments per topic of MuSe-CarASTE, as the paper's Algorithm 1 lists them
SEGMENTS = [830, 523, 570, 497, 787, 149, 1022, 389, 238, 502]


def make_corpus(**sizes: int) -> Corpus:
    examples = [
        Example(f"{topic}-{number}", f"About {topic}, {number}.", (Quad(category=topic),))
        for topic, size in sizes.items()
        for number in range(size)
    ]
    return Corpus("made", "en", frozenset({Part.CATEGORY}), tuple(examples))


def test_allocation_of_the_paper_reaches_its_550() -> None:
    # by hand: 550 n / 5507 rounded down gives 544; the six largest remainders are those of topics
    # 2 (.927), 0 (.894), 5 (.881), 7 (.850), 8 (.770) and 3 (.637)
    found = allocate({str(topic): size for topic, size in enumerate(SEGMENTS)}, 550)
    assert list(found.values()) == [83, 52, 57, 50, 78, 15, 102, 39, 24, 50]


@pytest.mark.parametrize("size", [1, 7, 10, 13])
def test_sample_has_exactly_the_size_that_was_asked_for(size: int) -> None:
    assert len(set(draw_sample(make_corpus(cost=7, comfort=5, safety=1), size).examples)) == size


@pytest.mark.parametrize("size", [0, 14])
def test_sample_refuses_a_size_that_cannot_be(size: int) -> None:
    with pytest.raises(ConfigError, match=f"size = {size}: expected 1 to 13"):
        draw_sample(make_corpus(cost=7, comfort=5, safety=1), size)


def test_sample_is_that_of_its_seed() -> None:
    corpus = make_corpus(cost=20, comfort=20)
    assert draw_sample(corpus, 10, seed=3) == draw_sample(corpus, 10, seed=3)
    assert draw_sample(corpus, 10, seed=3) != draw_sample(corpus, 10, seed=4)


def test_sample_is_shuffled_across_topics() -> None:
    drawn = draw_sample(make_corpus(cost=40, comfort=40), 40)
    topics = [example.quads[0].category for example in drawn]
    assert topics != sorted(topics)
    assert topics != sorted(topics, reverse=True)


def test_sample_refuses_an_id_of_two_files() -> None:
    corpus = make_corpus(cost=3)
    with pytest.raises(DataError, match=r"3 id\(s\) occur more than once, such as 'cost-0'"):
        draw_sample(pool([corpus, corpus]), 2)


def test_balance_counts_before_after_and_pilot() -> None:
    corpus = make_corpus(cost=4, comfort=2)
    drawn = corpus.with_examples([corpus.examples[0], corpus.examples[4], corpus.examples[1]])
    assert balance(corpus, drawn, pilot=2) == (Stratum("comfort", 2, 1, 1), Stratum("cost", 4, 2, 1))


def test_balance_refuses_a_pilot_larger_than_the_sample() -> None:
    corpus = make_corpus(cost=4)
    with pytest.raises(ConfigError, match="pilot = 5: expected 0 to 4"):
        balance(corpus, corpus, pilot=5)


def test_labels_are_removed_but_for_the_topic() -> None:
    quad = Quad(Term("seat"), "comfort", Term("soft"), Polarity.POSITIVE)
    corpus = Corpus("c", "en", frozenset(Part), (Example("1", "Soft.", (quad,)), Example("2", "Hm.")))
    assert [example.quads for example in remove_labels(corpus)] == [(Quad(category="comfort"),), ()]


def test_sample_of_the_published_data_has_the_places_of_the_paper(real_data: Path) -> None:
    folder = real_data / "muse_caraste" / "annotations"
    corpus = pool([read(folder / "train.csv"), read(folder / "devel.csv")])
    strata = balance(corpus, draw_sample(corpus, 550))
    assert sorted(stratum.examples for stratum in strata) == sorted(SEGMENTS)
    assert sum(stratum.sampled for stratum in strata) == 550
