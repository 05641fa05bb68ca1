"""The scores of a test set with variants: ARS in both units, and accuracy before and after each strategy."""

import pytest

from aspectlab.data import Corpus, Example, Part, Polarity, Quad, Term
from aspectlab.experiments.execute import measure
from aspectlab.experiments.plan import Group
from tests.support.studies import make_corpus

GROUP = Group("m", "m", "tiny", "tiny", {}, {}, "atsc", (), (), "toys", "", {})


def quad(polarity: Polarity) -> tuple[Quad, ...]:
    return (Quad(aspect=Term("tea"), polarity=polarity),)


def test_variants_add_robustness_scores() -> None:
    good, bad = Polarity.POSITIVE, Polarity.NEGATIVE
    examples = (
        Example("1", "Good tea.", quad(good)),
        Example("1_adv1", "Bad tea.", quad(bad), "1", "revtgt"),
        Example("2", "Fine tea.", quad(good)),
        Example("2_adv1", "Poor tea.", quad(bad), "2", "revtgt"),
    )
    gold = Corpus("toys", "en", frozenset({Part.ASPECT, Part.POLARITY}), examples)
    wrong = Example("2_adv1", "Poor tea.", quad(good), "2", "revtgt")
    scores, signature = measure(GROUP, gold, gold.with_examples([*examples[:3], wrong]))
    # by hand: both originals are right, one of two variants, so one of two units
    expected = {
        "accuracy": 0.75,
        "ars_aspect": 0.5,
        "ars_sentence": 0.5,
        "revtgt_ori": 1.0,
        "revtgt_new": 0.5,
    }
    assert {name: scores[name] for name in expected} == expected
    assert signature.startswith("atsc-accuracy|corpus:toys@")


@pytest.mark.parametrize(
    ("metrics", "also", "name"), [(("subtasks",), (), "subtasks_triple_f1"), ((), ("ate",), "ate_f1")]
)
def test_other_metrics_bear_their_names(metrics: tuple[str, ...], also: tuple[str, ...], name: str) -> None:
    group = Group("m", "m", "tiny", "tiny", {}, {}, "aste", metrics, also, "toys", "", {})
    corpus = make_corpus("Today")
    scores, _ = measure(group, corpus, corpus)
    assert (scores["f1"], scores[name]) == (1.0, 1.0)
