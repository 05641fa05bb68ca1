"""Robustness scores of a test set that is counted by hand."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import ttest_ind

from aspectlab.data import Corpus, Example, Part, Quad, Span, Term
from aspectlab.errors import ConfigError, DataError, TaskError
from aspectlab.metrics import robustness_counts
from aspectlab.robustness import (
    AccuracyChange,
    average_changes,
    check_unit,
    intervals,
    score_robustness,
    sign,
)
from tests.support.variants import GOLD, NEGATIVE, POSITIVE, WRONG, predict_wrongly, relabel

SCORED = score_robustness(GOLD, predict_wrongly(*WRONG))


@pytest.mark.parametrize(
    ("change", "ori", "new", "count", "variants"),
    [
        # originals: s1_0 and s1_1 right, s2_0 wrong; only s1_1 is right with all its variants
        (SCORED.entire["aspect"], 2 / 3, 1 / 3, 3, 3),
        # sentences: the originals of s1 are right, but a variant is not; s2 fails at once
        (SCORED.entire["sentence"], 1 / 2, 0, 2, 2),
        (SCORED.subsets["revtgt"], 1 / 2, 1 / 2, 2, 2),
        (SCORED.subsets["revnon"], 1, 1, 1, 1),
        (SCORED.subsets["adddiff"], 2 / 3, 1, 3, 3),
    ],
    ids=["aspect", "sentence", "revtgt", "revnon", "adddiff"],
)
def test_change_equals_hand_count(
    change: AccuracyChange, ori: float, new: float, count: int, variants: int
) -> None:
    assert (change.ori, change.new) == pytest.approx((ori, new))
    assert (change.count, change.variants) == (count, variants)


def test_flat_accuracy_counts_every_example() -> None:
    assert SCORED.evaluation.scores["accuracy"] == pytest.approx(7 / 9)


def test_p_equals_scipy_and_mcnemar_knows_pairs() -> None:
    entire = SCORED.entire["aspect"]
    assert entire.p == pytest.approx(ttest_ind([1, 1, 0], [0, 1, 0], equal_var=False).pvalue)
    # one pair disagrees: the exact binomial test of 0 in 1
    assert entire.mcnemar == pytest.approx(1.0)
    assert not entire.is_significant


def test_p_of_a_single_original_is_absent() -> None:
    assert SCORED.subsets["revnon"].p is None
    assert not SCORED.subsets["revnon"].is_significant


def test_original_with_two_variants_of_a_strategy_counts_once() -> None:
    again = replace(GOLD.examples[1], id="s1_0_again")
    gold = GOLD.with_examples([*GOLD, again])
    change = score_robustness(gold, gold).subsets["revtgt"]
    assert (change.count, change.variants) == (2, 3)


def test_average_takes_models_as_values() -> None:
    changes = [AccuracyChange(ori, new, 0.5, 0.5, 9, 9) for ori, new in ((0.9, 0.2), (0.8, 0.1), (0.7, 0.3))]
    average = average_changes(changes)
    assert (average.ori, average.new) == pytest.approx((0.8, 0.2))
    assert average.p == pytest.approx(ttest_ind([0.9, 0.8, 0.7], [0.2, 0.1, 0.3], equal_var=False).pvalue)
    assert average.mcnemar is None


def test_intervals_hold_the_scores_and_repeat_with_the_seed() -> None:
    first, second = (
        intervals(SCORED, "aspect", rng=np.random.default_rng(3), resamples=500) for _ in range(2)
    )
    assert first == second
    assert {"accuracy", "macro_f1", "ars_aspect", "ars_sentence"} <= first.keys()
    low, high = first["ars_aspect"]
    assert 0 <= low <= 1 / 3 <= high <= 1
    assert first["ars_sentence"] == (0, 0)


def test_intervals_draw_units_not_examples() -> None:
    # every unit is either all right or all wrong, so a unit drawn twice moves both scores together
    wrong = predict_wrongly(*(example.id for example in GOLD if example.id.startswith("s1")))
    scored = score_robustness(GOLD, wrong)
    found = intervals(scored, "sentence", rng=np.random.default_rng(0), resamples=2000)
    assert found["accuracy"] == (0, 1)


@pytest.mark.parametrize("unit", ["aspect", "sentence"])
def test_robustness_counts_agree(unit: str) -> None:
    chosen = check_unit(unit)
    counts = robustness_counts(GOLD.examples, predict_wrongly(*WRONG).examples, unit=chosen)
    assert counts[:, 0].mean() == pytest.approx(SCORED.entire[chosen].new)
    assert len(counts) == SCORED.entire[chosen].count


def test_signature_names_unit_and_corpus() -> None:
    signature = sign(SCORED, "sentence", resamples=100, seed=4)
    assert signature.startswith("atsc-ars-sentence|corpus:made@")
    assert "|bs:100|seed:4|" in signature


def test_e2e_ignores_surplus_predictions() -> None:
    surplus = Quad(Term("The", Span(0, 3)), polarity=NEGATIVE)
    predicted = GOLD.with_examples(
        replace(e, quads=(*e.quads, surplus)) if e.text.startswith("The") else e for e in GOLD
    )
    scored = score_robustness(GOLD, predicted, "e2e")
    assert scored.entire["aspect"].new == 1
    assert scored.evaluation.scores["precision"] < 1


def test_e2e_needs_the_place_of_the_aspect() -> None:
    moved = GOLD.with_examples(replace(e, quads=()) if e.id == "s2_0_adv3" else e for e in GOLD)
    assert score_robustness(GOLD, moved, "e2e").entire["aspect"].new == pytest.approx(2 / 3)


def test_aste_needs_every_triplet_of_the_unit() -> None:
    text = "Fine tea, cold milk."
    tea = Quad(Term("tea", Span(5, 8)), None, Term("Fine", Span(0, 4)), POSITIVE)
    milk = Quad(Term("milk", Span(15, 19)), None, Term("cold", Span(10, 14)), NEGATIVE)
    pair = Example("1", text, (tea, milk)), Example("1_a", text, (tea, milk), "1", "adddiff")
    gold = Corpus("triplets", "en", PARTS_OF_A_TRIPLET, pair)
    half = gold.with_examples([pair[0], replace(pair[1], quads=(tea,))])
    assert score_robustness(gold, gold, "aste").entire["aspect"].new == 1
    assert score_robustness(gold, half, "aste").entire["aspect"].new == 0


PARTS_OF_A_TRIPLET = frozenset({Part.ASPECT, Part.OPINION, Part.POLARITY})


def test_missing_prediction_is_named() -> None:
    short = GOLD.with_examples(example for example in GOLD if example.id != "s1_1_adv3")
    with pytest.raises(DataError, match=r"1 example\(s\) missing \('s1_1_adv3'\)"):
        score_robustness(GOLD, short)


def test_example_without_gold_is_named() -> None:
    empty = GOLD.with_examples(replace(e, quads=()) if e.id == "s2_0_adv3" else e for e in GOLD)
    with pytest.raises(DataError, match="example 's2_0_adv3': found no gold quad that task 'atsc' judges"):
        score_robustness(empty, GOLD)


def test_gold_conflict_is_refused() -> None:
    conflict = GOLD.with_examples(relabel(e, type(POSITIVE).CONFLICT) if e.id == "s2_0" else e for e in GOLD)
    with pytest.raises(TaskError, match="example 's2_0': gold aspect 'soup' is conflict"):
        score_robustness(conflict, GOLD)


def test_corpus_without_opinions_is_refused_for_aste() -> None:
    with pytest.raises(TaskError, match="task 'aste' needs"):
        score_robustness(GOLD, GOLD, "aste")


def test_unknown_unit_is_refused() -> None:
    with pytest.raises(ConfigError, match="unit 'sentences' is unknown: did you mean 'sentence'"):
        check_unit("sentences")
