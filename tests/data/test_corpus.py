"""A corpus is identified by what it says, not by where it was read."""

from dataclasses import replace

import pytest

from aspectlab.data import Example, Part, Provenance, Quad, annotated_parts
from tests.support.examples import POSITIVE, corpus_of

ONE, TWO = Example("1", "Tea."), Example("2", "Cake.")


def test_corpus_is_equal_wherever_it_was_read() -> None:
    corpus = corpus_of(ONE, TWO)
    elsewhere = replace(corpus, provenance=Provenance(path="b.xml", format="semeval14"))
    assert corpus == elsewhere
    assert corpus.sha256 == elsewhere.sha256


@pytest.mark.parametrize(
    "examples",
    [(TWO, ONE), (ONE,), (ONE, TWO, TWO), (ONE, Example("2", "Cake!")), (ONE, Example("3", "Cake."))],
)
def test_corpus_hash_changes_with_the_content(examples: tuple[Example, ...]) -> None:
    assert corpus_of(*examples).sha256 != corpus_of(ONE, TWO).sha256


def test_corpus_hash_of_a_lone_surrogate_is_defined() -> None:
    assert len(corpus_of(Example("1", "\ud800")).sha256) == 64


def test_annotated_parts_are_those_that_any_quad_labels() -> None:
    examples = [Example("1", "Tea.", (Quad(category="food"), Quad(polarity=POSITIVE)))]
    assert annotated_parts(examples) == {Part.CATEGORY, Part.POLARITY}
