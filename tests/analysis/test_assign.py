"""Assignment: what speaks for a category, on sentences whose category is plain."""

from collections.abc import Sequence
from functools import cache
from typing import Any
from zlib import crc32

import numpy as np
import pytest
from numpy.typing import NDArray

from aspectlab.analysis.assign import Assigner, assign_opinions
from aspectlab.analysis.taxonomy import load_taxonomy, parse_taxonomy
from aspectlab.readers.opiniontable import Opinion

EMPTY = Opinion("", "", "", "", 0, 0, "", None, None, "", None, None, "positive", None, "", "")


def make(text: str, aspect: str = "", opinion: str = "", **more: Any) -> Opinion:
    """Make the opinion of a sentence, the offsets of its words in place."""
    start = text.index(opinion) if opinion else None
    end = None if start is None else start + len(opinion)
    return EMPTY._replace(
        text=text, aspect=aspect, opinion=opinion, opinion_start=start, opinion_end=end, **more
    )


def embed(words: Sequence[str]) -> NDArray[np.float32]:
    """Draw a vector for each word, of which no two are alike, [N, 64]."""
    return np.stack([np.random.default_rng(crc32(word.encode())).normal(size=64) for word in words]).astype(
        np.float32
    )


@cache
def assigner() -> Assigner:
    return Assigner(load_taxonomy("general"))


@pytest.mark.parametrize(
    ("aspect", "opinion", "name"),
    [
        ("Waiters", "kind", "staff"),
        # the last word is the head, unless a longer word of a category says otherwise
        ("room price", "high", "price"),
        ("room service", "slow", "food"),
        ("front-desk staff", "nice", "staff"),
        ("location of the hotel", "nice", "location"),
        # a side is no thing
        ("food quality", "nice", "food"),
        ("size of the room", "nice", "room"),
        # what is judged counts more than where
        ("room", "overpriced", "price"),
        ("carpet", "filthy", "cleanliness"),
        ("design", "clean", "design"),
        # "the hotel" leaves open what is meant
        ("hotel", "great", "overall"),
        ("hotel", "noisy", "noise"),
        ("place", "romantic", "ambience"),
        # no thing, but a word that says what is meant
        ("decorated", "nicely", "ambience"),
        ("TVs", "nice", "room"),
    ],
)
def test_aspect_and_words_decide(aspect: str, opinion: str, name: str) -> None:
    assert assigner().name(make(f"The {aspect}: {opinion}", aspect, opinion)) == name


@pytest.mark.parametrize(
    ("text", "opinion", "name"),
    [
        ("Way too expensive.", "Way too expensive", "price"),
        ("So delicious!", "delicious", "food"),
        ("Great, and so close to the harbour.", "so close to the harbour", "location"),
        # what stands near decides where the words do not
        ("After the soup came something odd.", "odd", "food"),
        ("The lift took us up, odd.", "", "facilities"),
        # nothing speaks for anything: it is the whole that is judged
        ("It zigzags.", "zigzags", "overall"),
    ],
)
def test_words_and_sentence_decide_where_no_aspect_is_named(text: str, opinion: str, name: str) -> None:
    assert assigner().name(make(text, "", opinion)) == name


def test_category_of_the_model_is_evidence() -> None:
    assert assigner().name(make("Meh.", "", "Meh", predicted_category="RESTAURANT#PRICES")) == "price"
    # a word of the aspect counts more
    found = make("Meh soup.", "soup", "Meh", predicted_category="RESTAURANT#PRICES")
    assert assigner().name(found) == "food"


def test_frequent_terms_that_fit_nowhere_become_categories() -> None:
    opinions = [make("Odd parrots.", "parrots", "Odd")] * 5
    opinions += [make("Good soup.", "soup", "Good")] * 5
    found = assign_opinions(opinions, embed, load_taxonomy("general"))
    assert [found.find(opinion) for opinion in (opinions[0], opinions[-1])] == [
        ("parrots", "parrots"),
        ("food", "food"),
    ]
    strict = parse_taxonomy("extends = 'general'\ndiscover = false", "my.toml")
    assert assign_opinions(opinions, embed, strict).find(opinions[0]) == ("other", "other")


def test_discovered_category_takes_part_in_edits() -> None:
    opinions = [make("Odd parrots.", "parrots", "Odd")] * 5
    for edit, name in (("merge = {parrots = 'staff'}", "staff"), ("rename = {parrots = 'birds'}", "birds")):
        taxonomy = parse_taxonomy(f"extends = 'general'\n{edit}", "my.toml")
        assert assign_opinions(opinions, embed, taxonomy).find(opinions[0])[0] == name
    without = parse_taxonomy("extends = 'general'\nexclude = ['parrots', 'food']", "my.toml")
    found = assign_opinions([*opinions, make("Good soup.", "soup", "Good")], embed, without)
    assert found.find(opinions[0]) == ("other", "other")
    assert found.find(make("Good soup.", "soup", "Good")) == ("other", "other")


@pytest.mark.parametrize(("others", "name"), [(["hotel"] * 20, "drinks"), (["bar"] * 20, "overall")])
def test_word_means_the_whole_only_where_it_is_frequent(others: list[str], name: str) -> None:
    opinions = [make(f"Nice {aspect}.", aspect, "Nice") for aspect in (*others, "bar")]
    found = assign_opinions(opinions, embed, load_taxonomy("general"))
    assert found.find(opinions[-1])[0] == name


def test_weak_evidence_counts_more_for_what_is_frequent() -> None:
    food = [make("Good soup.", "soup", "Good")] * 200
    plain = make("Creamy and comfortable.", "", "Creamy and comfortable")
    assert assign_opinions([plain], embed, load_taxonomy("general")).find(plain)[0] in {"food", "comfort"}
    assert assign_opinions([*food, plain], embed, load_taxonomy("general")).find(plain)[0] == "food"
    seats = [make("Good cushion.", "cushion", "Good")] * 200
    assert assign_opinions([*seats, plain], embed, load_taxonomy("general")).find(plain)[0] == "comfort"
