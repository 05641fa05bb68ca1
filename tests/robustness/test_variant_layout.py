"""Which examples belong together, and which test sets are refused."""

from dataclasses import replace

import pytest

from aspectlab.data import Corpus, Example
from aspectlab.errors import DataError
from aspectlab.metrics import number_units
from aspectlab.robustness import PUBLISHED_STRATEGIES, lay_out
from tests.support.variants import GOLD

LAYOUT = lay_out(GOLD)


def corpus_of(*examples: Example) -> Corpus:
    return Corpus("made", "en", frozenset(), examples)


def variant(name: str, source: str, strategy: str | None = "revtgt") -> Example:
    return Example(name, "Bad.", source=source, variant=strategy)


def test_layout_ties_variants_to_originals() -> None:
    assert LAYOUT.origins.tolist() == [0, 0, 0, 0, 4, 4, 6, 6, 6]
    assert LAYOUT.is_original.nonzero()[0].tolist() == [0, 4, 6]


def test_layout_lists_strategies_in_the_order_of_the_paper() -> None:
    turned = lay_out(GOLD.with_examples(reversed(GOLD.examples)))
    assert [*turned.variants] == [*LAYOUT.variants] == list(PUBLISHED_STRATEGIES)
    assert {name: len(places) for name, places in LAYOUT.variants.items()} == {
        "revtgt": 2,
        "revnon": 1,
        "adddiff": 3,
    }


def test_layout_joins_the_aspects_of_a_sentence() -> None:
    assert LAYOUT.units["aspect"].tolist() == [0, 0, 0, 0, 1, 1, 2, 2, 2]
    assert LAYOUT.units["sentence"].tolist() == [0, 0, 0, 0, 0, 0, 1, 1, 1]


def test_layout_keeps_sentences_with_similar_ids_apart() -> None:
    examples = [Example(f"review_{n}", f"Text {n}.") for n in range(3)]
    assert number_units(examples, "sentence").tolist() == [0, 1, 2]


def test_layout_knows_the_older_suffix_of_adddiff() -> None:
    corpus = corpus_of(Example("1", "Good."), variant("1_adv4", "1", "adv4"))
    assert [*lay_out(corpus).variants] == ["adddiff"]


def test_layout_takes_combined_strategies() -> None:
    corpus = corpus_of(Example("1", "Good."), variant("1_x", "1", "revnon+adddiff"))
    assert [*lay_out(corpus).variants] == ["revnon+adddiff"]


@pytest.mark.parametrize(
    ("examples", "message"),
    [
        ([Example("1", "Good.")], r"found 1 example\(s\) and no variant"),
        ([], "and no variant"),
        ([Example("1", "Good."), variant("2_adv1", "2")], "example '2_adv1': found the source '2'"),
        ([variant("1", "1")], "example '1': found the source '1'"),
        (
            [Example("1", "Good."), variant("1_a", "1"), variant("1_a_b", "1_a")],
            "example '1_a_b': found the source '1_a'",
        ),
        ([Example("1", "Good."), variant("1_adv9", "1", "adv9")], "found the variant 'adv9'"),
        ([Example("1", "Good."), variant("1_x", "1", None)], "found the variant None"),
        ([Example("1", "Good."), replace(variant("1_x", "1"), variant="")], "found the variant ''"),
    ],
    ids=["alone", "empty", "orphan", "own source", "chain", "unknown suffix", "no name", "empty name"],
)
def test_layout_refuses(examples: list[Example], message: str) -> None:
    with pytest.raises(DataError, match=message):
        lay_out(corpus_of(*examples))
