"""Every measure of agreement, computed by hand on four segments.

Similarity of the only triples of segment 1: (0.8 + 1 + 1) / 3 = 0.933, of their pairs 0.9, of the aspects
0.8. Segment 2: the engine's triples share two words of three, 0.667; their pairs are equal, polarities are
not. Segment 3 is empty on both sides, segment 4 on Ben's only. Anna has four triples, Ben two.
"""

from dataclasses import replace
from math import isnan
from pathlib import Path

import numpy as np
import pytest

from aspectlab.annotation import (
    Agreement,
    AgreementPlan,
    AnnotationSheet,
    Wording,
    load_similarity,
    measure_agreement,
    read_panel,
)
from aspectlab.annotation.agreement import draw_derangement
from aspectlab.annotation.pairing import pair_best
from aspectlab.data import Example, Part, Polarity, Quad, Term
from aspectlab.errors import ConfigError
from tests.support.panels import ANNA, BEN, BY_HAND, make_panel, make_sheet, triple

WORDING = Wording(lemmas=False)


def measure(
    *sheets: AnnotationSheet, thresholds: tuple[float, ...] = (0.6,), share: float = 0.6
) -> Agreement:
    plan = AgreementPlan(thresholds, share, permutations=2, resamples=50)
    return measure_agreement(make_panel(*sheets), BY_HAND, WORDING, plan)


@pytest.mark.parametrize(
    ("threshold", "name", "expected"),
    [
        (0.6, "tpa", 2 * 2 / 6),
        (0.7, "tpa", 2 * 1 / 6),
        (0.95, "tpa", 0),
        (0.6, "tpa_of_first", 2 / 4),
        (0.6, "tpa_of_second", 2 / 2),
        (0.6, "pairs", 2 * 2 / 6),
        (0.95, "pairs", 2 * 1 / 6),
        (0.8, "aspects", 2 * 2 / 6),
        (0.85, "aspects", 2 * 1 / 6),
        (1.0, "opinions", 2 * 2 / 6),
        (0.6, "sga", 3 / 4),
        (0.7, "sga", 2 / 4),
        (0.6, "sentiment_agreement", 1 / 2),
        (0.95, "sentiment_agreement", 0),
        # segment 2: "engine seat" against "engine", 1 / sqrt(2) = 0.707
        (0.7, "group_aspects", 3 / 4),
        (0.75, "group_aspects", 2 / 4),
        (0.7, "group_opinions", 3 / 4),
        (0.6, "group_sentiment", 2 / 4),
        (0.6, "equal_number", 2 / 4),
        (0.6, "within_one", 4 / 4),
    ],
)
def test_measure_is_that_computed_by_hand(threshold: float, name: str, expected: float) -> None:
    assert measure(thresholds=(threshold,)).levels[0].scores[name] == pytest.approx(expected)


def measure_two(one: dict[str, list[Quad]], other: dict[str, list[Quad]]) -> Agreement:
    return measure(make_sheet("one", one), make_sheet("other", other))


SOFT_SEAT = {"1": [triple("1", "seat", "soft", "positive")]}


def test_sentiment_of_no_matched_pair_is_undefined_and_has_no_interval() -> None:
    level = measure_two(SOFT_SEAT, {"2": [triple("2", "engine", "loud", "negative")]}).levels[0]
    assert isnan(level.scores["sentiment_agreement"])
    assert "sentiment_agreement" not in level.intervals


def test_share_of_the_triples_of_one_who_has_none_is_undefined() -> None:
    scores = measure_two(SOFT_SEAT, {}).levels[0].scores
    assert (scores["tpa"], scores["tpa_of_first"]) == (0, 0)
    assert isnan(scores["tpa_of_second"])


def test_interval_of_full_agreement_is_not_widened_by_resamples_without_any_opinion() -> None:
    # one of four segments has a triple, so about a third of the resamples (0.75 ** 4) have none
    found = measure_two(SOFT_SEAT, SOFT_SEAT)
    assert found.levels[0].intervals["sentiment_agreement"] == (1, 1)
    assert found.exact["aste"] == {"f1": 1, "low": 1, "high": 1}


def test_exact_f1_is_left_out_where_nobody_names_anything() -> None:
    aspect = {"1": [replace(SOFT_SEAT["1"][0], opinion=None)]}
    assert list(measure_two(aspect, aspect).exact) == ["ate", "aste"]


def test_sentiment_does_not_hang_on_the_order_of_equal_pairs() -> None:
    # one says of the same words that they praise and that they blame
    both = [triple("1", "seat", "soft", polarity) for polarity in ("positive", "negative")]
    scores = measure_two({"1": both}, {"1": both[::-1]}).levels[0].scores
    assert (scores["tpa"], scores["sentiment_agreement"]) == (1, 1)


def test_sga_asks_for_its_share() -> None:
    # the TPA of segment 2 is 2 / 3
    assert measure(share=0.7).levels[0].scores["sga"] == 2 / 4


def test_mean_tpa_of_a_segment_counts_an_empty_one_as_agreed() -> None:
    assert measure().levels[0].mean_segment_tpa == pytest.approx((1 + 2 / 3 + 1 + 0) / 4)


@pytest.mark.parametrize(
    ("task", "expected"),
    # the engine with its opinion is the only exact pair; its polarities differ
    [("ate", 2 * 1 / (4 + 2)), ("ote", 2 * 2 / (4 + 2)), ("aste", 0)],
)
def test_exact_f1_takes_place_and_polarity_as_they_are(task: str, expected: float) -> None:
    assert measure().exact[task]["f1"] == pytest.approx(expected)


def test_coefficients_are_those_of_segments_and_words() -> None:
    labels = measure().labels
    # opinionated: yes yes no yes against yes yes no no: observed 3/4, expected 3/4 * 2/4 + 1/4 * 2/4 = 1/2
    assert labels["opinionated"]["cohen_kappa"] == pytest.approx(0.5)
    # sentiment: positive neutral none positive against positive positive none none: 2/4 observed
    assert labels["sentiment"]["observed"] == 2 / 4
    # words and marks: 9 + 8 + 4 + 5
    assert labels["words"]["items"] == 26


@pytest.mark.parametrize("name", ["by hand", "letters"])
def test_identical_annotators_agree_fully(name: str) -> None:
    similarity = BY_HAND if name == "by hand" else load_similarity(name)
    found = measure_agreement(make_panel(ANNA, ANNA), similarity, WORDING, AgreementPlan(resamples=20))
    assert {value for level in found.levels for value in level.scores.values()} == {1.0}
    assert [values["krippendorff_alpha"] for values in found.labels.values()] == [1, 1, 1]
    assert {scores["f1"] for scores in found.exact.values()} == {1.0}
    assert found.worst == ()


def test_chance_is_below_the_agreement_of_identical_annotators() -> None:
    chance = measure(ANNA, ANNA).levels[0].chance
    assert chance is not None
    assert chance["tpa"] < 1
    assert chance["equal_number"] < 1


def test_interval_holds_the_score() -> None:
    level = measure().levels[0]
    assert all(low <= level.scores[name] <= high for name, (low, high) in level.intervals.items())


def test_worst_segments_come_first_and_full_agreement_not_at_all() -> None:
    assert [(segment.segment, round(segment.tpa, 3)) for segment in measure().worst] == [
        ("4", 0),
        ("2", 0.667),
    ]


def test_three_annotators_are_compared_in_pairs() -> None:
    found = measure(ANNA, BEN, ANNA)
    # sheets of one name are numbered; anna against herself adds 2 * 4 / 8 to twice 2 * 2 / 6
    assert found.annotators == ("anna (1)", "ben", "anna (3)")
    assert found.levels[0].scores["tpa"] == pytest.approx((4 + 4 + 8) / (6 + 6 + 8))
    assert found.between["anna (1) – anna (3)"]["tpa"] == 1


def test_pairing_takes_the_largest_sum_not_the_largest_value() -> None:
    # 0.9 + 0.1 against 0.8 + 0.8
    alike = np.array([[0.9, 0.8, 0.0], [0.8, 0.1, 0.0]], np.float32)
    rows, columns = pair_best(alike)
    assert sorted(zip(rows.tolist(), columns.tolist(), strict=True)) == [(0, 1), (1, 0)]
    rows, columns = pair_best(alike.T)
    assert sorted(zip(rows.tolist(), columns.tolist(), strict=True)) == [(0, 1), (1, 0)]


@pytest.mark.parametrize("n", [2, 3, 50])
def test_random_pairing_never_pairs_a_segment_with_itself(n: int) -> None:
    order = draw_derangement(n, np.random.default_rng(1))
    assert sorted(order.tolist()) == list(range(n))
    assert not (order == np.arange(n)).any()


@pytest.mark.parametrize(
    ("thresholds", "share"), [((), 0.6), ((0.0,), 0.6), ((1.5,), 0.6), ((0.6,), float("nan"))]
)
def test_plan_refuses_what_is_no_threshold(thresholds: tuple[float, ...], share: float) -> None:
    with pytest.raises(ConfigError, match="expected"):
        AgreementPlan(thresholds, share)


@pytest.mark.parametrize("settings", [{"permutations": -1}, {"resamples": -1}], ids=str)
def test_plan_refuses_to_draw_less_than_nothing(settings: dict[str, int]) -> None:
    with pytest.raises(ConfigError, match="expected 0 or more"):
        AgreementPlan((0.6,), **settings)


def test_permuted_annotators_agree_by_chance_only() -> None:
    # one aspect a segment, one of four equally frequent words: two at random are equal in one of four cases
    names = ["seat", "engine", "gearbox", "price"] * 75
    parts = frozenset({Part.ASPECT})

    def make(name: str, aspects: list[str]) -> AnnotationSheet:
        examples = (Example(str(n), "", (Quad(Term(aspect)),)) for n, aspect in enumerate(aspects))
        return AnnotationSheet(name, "en", parts, tuple(examples))

    shuffled = [names[place] for place in np.random.default_rng(5).permutation(len(names))]
    letters = load_similarity("letters")
    permuted = AgreementPlan((0.95,), permutations=20, resamples=0)
    resampled = AgreementPlan((0.95,), permutations=0, resamples=200)
    same = measure_agreement(make_panel(make("a", names), make("b", names)), letters, WORDING, permuted)
    mixed = measure_agreement(make_panel(make("a", names), make("b", shuffled)), letters, WORDING, resampled)
    chance = same.levels[0].chance
    assert chance is not None
    assert chance["tpa"] == pytest.approx(1 / 4, abs=0.02)
    low, high = mixed.levels[0].intervals["tpa"]
    assert low <= 1 / 4 <= high


@pytest.mark.slow
def test_published_annotations_agree_with_themselves(real_data: Path) -> None:
    path = real_data / "muse_caraste" / "annotations" / "devel.csv"
    found = measure_agreement(
        read_panel([path, path]), load_similarity("letters"), WORDING, AgreementPlan((0.7,))
    )
    # 1,313 segments: the paper's count
    assert found.segments == 1_313
    assert set(found.levels[0].scores.values()) == {1.0}
    chance = found.levels[0].chance
    assert chance is not None
    assert chance["tpa"] < 0.2


def test_agreement_of_pairings_with_one_sum_hangs_on_no_order() -> None:
    # by letters .40 + .51 and .74 + .17 tie: only the second has a pair above the threshold
    mine = [("good", "slow", "negative"), ("good", "room", "positive"), ("soup", "soup", "neutral")]
    theirs = [("fast", "waiters", "positive"), ("good", "bed", "positive"), ("bed", "nice", "positive")]
    parts = frozenset({Part.ASPECT, Part.OPINION, Part.POLARITY})
    sheets = []
    for name, triples in (("anna", mine), ("ben", theirs)):
        quads = tuple(Quad(Term(aspect), None, Term(opinion), Polarity(p)) for aspect, opinion, p in triples)
        sheets.append(AnnotationSheet(name, "en", parts, (Example("1", "One text.", quads),)))
    plan = AgreementPlan((0.6,), 0.6, permutations=2, resamples=50)
    found = [
        measure_agreement(make_panel(*order), load_similarity("letters"), WORDING, plan)
        for order in (sheets, sheets[::-1])
    ]
    assert [agreement.levels[0].scores["tpa"] for agreement in found] == [pytest.approx(1 / 3)] * 2
