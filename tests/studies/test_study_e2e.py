"""What a run of studies/e2e.py measures on a test set and on ARTS."""

import pytest

pytest.importorskip("torch", reason="studies need the extra 'train'")

from e2e import COLUMNS, score_part

from aspectlab.data import Example, Polarity, Quad, Span, Term

TEXTS = {"1": "Good tea, good soup.", "1_adv1": "Bad tea, good soup."}


def find_quad(text: str, word: str, polarity: Polarity) -> Quad:
    start = text.index(word)
    return Quad(aspect=Term(word, Span(start, start + len(word))), polarity=polarity)


def make_record(name: str, word: str, polarity: Polarity, number: int) -> Example:
    """Make a record as ARTS has it: one for each aspect of a sentence, with its variant."""
    own = name.replace("1", f"1_{number}", 1)
    variant = ("revtgt", f"1_{number}") if "adv" in name else (None, None)
    return Example(own, TEXTS[name], (find_quad(TEXTS[name], word, polarity),), variant[1], variant[0])


GOLD = [
    make_record("1", "tea", Polarity.POSITIVE, 0),
    make_record("1_adv1", "tea", Polarity.NEGATIVE, 0),
    make_record("1", "soup", Polarity.POSITIVE, 1),
]


def predict_all(example: Example, tea: Polarity) -> Example:
    """Predict both aspects of a text, as a model does that is asked for none of them."""
    soup = find_quad(example.text, "soup", Polarity.POSITIVE)
    quads = (find_quad(example.text, "tea", tea), soup)
    return Example(example.id, example.text, quads, example.source, example.variant)


def test_units_of_arts_survive_surplus_predictions() -> None:
    # by hand: 3 records, 3 targets, all found among 6 predictions; nothing is wrong with any unit
    right = [
        predict_all(example, Polarity.NEGATIVE if example.variant else Polarity.POSITIVE) for example in GOLD
    ]
    found = score_part("arts", GOLD, right)
    assert found["arts_precision"] == pytest.approx(3 / 6)
    assert found["arts_recall"] == 1.0
    assert (found["ars_aspect"], found["ars_sentence"]) == (1.0, 1.0)


def test_unit_of_arts_falls_with_one_of_its_variants() -> None:
    # by hand: the variant's target is missed, so one of two aspects survives, and not their sentence
    found = score_part("arts", GOLD, [predict_all(example, Polarity.POSITIVE) for example in GOLD])
    assert found["arts_recall"] == pytest.approx(2 / 3)
    assert (found["ars_aspect"], found["ars_sentence"]) == (0.5, 0.0)
    assert found["arts_ate_f1"] == pytest.approx(2 * 3 / (6 + 3))  # all terms are found


def test_scores_of_both_sets_fill_all_columns() -> None:
    filled = score_part("test", GOLD, GOLD).keys() | score_part("arts", GOLD, GOLD).keys()
    assert set(COLUMNS) - filled == {"dev_f1"}
