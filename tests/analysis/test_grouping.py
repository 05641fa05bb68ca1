"""Grouping of aspect terms: small cases by hand; linkage against always joining the closest pair."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

from aspectlab.analysis.grouping import Grouping, average_linkage, group_terms
from aspectlab.analysis.survey import TopCounter
from aspectlab.language.segmentation import normalise_term
from aspectlab.readers.opiniontable import OTHER
from tests.support.keyword_predictor import KeywordPredictor

COUNTS = [
    ("Pizza", 9),
    ("service", 8),
    ("pizzas", 5),
    ("waiter", 4),
    ("pasta", 3),
    ("price", 3),
    ("the food", 2),
]


def group(counts: list[tuple[str, int]], aspects: list[str] | None = None) -> Grouping:
    return group_terms(counts, KeywordPredictor().embed, aspects)


def join_closest(similarity: NDArray[np.float32], threshold: float) -> set[frozenset[int]]:
    clusters = [frozenset([place]) for place in range(len(similarity))]
    while len(clusters) > 1:
        pairs = [
            (float(np.mean([similarity[i, j] for i in one for j in two])), one, two)
            for place, one in enumerate(clusters)
            for two in clusters[place + 1 :]
        ]
        best, one, two = max(pairs, key=lambda pair: pair[0])
        if best < threshold:
            break
        clusters = [each for each in clusters if each not in (one, two)] + [one | two]
    return set(clusters)


@given(st.integers(1, 9), st.integers(0, 10_000), st.floats(-0.5, 0.9))
def test_linkage_finds_the_clusters_of_the_plain_method(size: int, seed: int, threshold: float) -> None:
    values = np.random.default_rng(seed).uniform(-1, 1, (size, size)).astype(np.float32)
    similarity = (values + values.T) / 2
    found = average_linkage(similarity, threshold)
    clusters = {frozenset(np.flatnonzero(found == name).tolist()) for name in set(found.tolist())}
    assert clusters == join_closest(similarity, threshold)
    assert all(min(cluster) == found[next(iter(cluster))] for cluster in clusters)


def test_groups_are_named_by_their_most_frequent_term() -> None:
    grouping = group(COUNTS)
    # 19 opinions on food, 12 on service, 3 on price
    assert grouping.names == ("pizza", "service", "price")
    assert [grouping.find(term) for term in ("Pastas", "Food", "waiters", "Prices")] == [
        *["pizza", "pizza", "service", "price"]
    ]


@pytest.mark.parametrize("seed", range(3))
def test_group_is_not_named_by_a_rarer_term_than_one_that_joins_it_late(seed: int) -> None:
    # of 300 terms of any direction more groups form than are kept: the terms of the others join those
    rng = np.random.default_rng(seed)
    counts = [(f"term{number}", 1000 - number) for number in range(300)]
    found = group_terms(counts, lambda words: rng.normal(size=(len(words), 16)).astype(np.float32)).by_term
    first = {found[term]: term for term in sorted(found, key=dict(counts).__getitem__)}
    assert all(name == term for name, term in first.items() if name != OTHER)


def test_group_takes_the_form_that_is_used_most() -> None:
    assert group([("fries", 7), ("fry", 1), ("pasta", 2), ("service", 2)]).names[0] == "fries"


def test_rare_term_goes_by_its_last_known_word() -> None:
    grouping = group(COUNTS)
    assert grouping.find("grandma's secret pizza") == "pizza"
    assert grouping.find("doorbell") == OTHER


def test_given_aspects_are_the_categories() -> None:
    grouping = group(COUNTS, ["Food", "Staff"])
    assert grouping.names == ("Food", "Staff")
    assert [grouping.find(term) for term in ("pizza", "waiter", "price")] == ["Food", "Staff", OTHER]


def test_given_aspects_in_two_forms_are_one_category() -> None:
    grouping = group(COUNTS, ["Food", "staff", "the foods"])
    assert grouping.names == ("Food", "staff")
    assert grouping.find("pizza") == "Food"


def test_more_given_aspects_than_terms_are_compared_with_each_other() -> None:
    # the core, within which groups form, has 500 terms
    aspects = [f"thing {number}" for number in range(600)]
    grouping = group([("pizza", 3)], [*aspects, "food"])
    assert grouping.names == (*aspects, "food")
    assert grouping.find("pizza") == "food"


def test_term_far_down_the_list_goes_to_its_group() -> None:
    # of 601 terms the last is outside of the core; "pasta dish" shares no word with "pizza", only the theme
    counts = [("pizza", 900), *((f"word{number}", 600 - number) for number in range(599)), ("pasta dish", 1)]
    assert group(counts).by_term["pasta dish"] == "pizza"


@pytest.mark.parametrize("aspects", [None, ["staff"]])
def test_two_terms_for_one_thing_come_together(aspects: list[str] | None) -> None:
    # vectors at right angles: centred on their mean, those of two terms point in opposite directions
    def embed(words: Sequence[str]) -> NDArray[np.float32]:
        return np.eye(len(words), dtype=np.float32)

    assert group_terms([("staff", 5), ("waiter", 3)], embed, aspects).find("waiter") == "staff"


def test_grouping_of_nothing_and_of_one_term() -> None:
    assert group([]).find("soup") == OTHER
    assert group([("soup", 3)]).find("Soups") == "soup"


def test_grouping_hangs_on_no_order_of_equal_counts() -> None:
    forward = group([("pizza", 2), ("service", 2), ("pasta", 2), ("price", 2)])
    assert {forward.find("pizza"), forward.find("pasta")} == {"pizza"}


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("The Waiters", "waiter"),
        ("wine  list", "wine list"),
        ("berries", "berry"),
        ("glass", "glass"),
        ("glasses", "glass"),
        ("menus", "menus"),
        ("a la carte menu", "la carte menu"),
        ("vegetarian dish", "vegetarian dish"),
        ('"soup"', "soup"),
        ("gas", "gas"),
        ("!!", ""),
    ],
)
def test_term_is_brought_to_one_form(text: str, term: str) -> None:
    assert normalise_term(text) == term


def test_counter_keeps_frequent_keys_in_bounded_space() -> None:
    counter = TopCounter[int](10)
    for number in range(1000):
        counter.add(-1)
        counter.add(number)
    assert counter.top(1) == [(-1, 1000)]
    assert len(counter) <= 20
