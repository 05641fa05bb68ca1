"""Opinions that a model predicted: taken where there are none, and marked in the names of the variants."""

from dataclasses import replace

import pytest

from aspectlab.data import Corpus, Example, Part, Polarity, Quad, Span, Term
from aspectlab.errors import DataError
from aspectlab.robustness.generator import generate

pytest.importorskip("lemminflect", reason="needs pip install 'aspectlab[parse]'")
pytest.importorskip("spacy", reason="needs pip install 'aspectlab[parse]'")

PARTS = frozenset({Part.ASPECT, Part.OPINION, Part.POLARITY})
TEXT = "The tea is good and the room is cheap."
TEA, ROOM = Term("tea", Span(4, 7)), Term("room", Span(24, 28))
GOOD, CHEAP = Term("good", Span(11, 15)), Term("cheap", Span(32, 37))
FULL = Example(
    "1", TEXT, (Quad(TEA, None, GOOD, Polarity.POSITIVE), Quad(ROOM, None, CHEAP, Polarity.POSITIVE))
)
ANSWERS = Corpus("answers", "en", PARTS, (FULL,))


def without_opinions(*places: int) -> Corpus:
    quads = tuple(
        replace(quad, opinion=None) if place in places else quad for place, quad in enumerate(FULL.quads)
    )
    return Corpus("bare", "en", PARTS, (replace(FULL, quads=quads),))


def reverse(corpus: Corpus, predicted: Corpus | None) -> dict[str, str]:
    made = generate(corpus, ANSWERS, predicted=predicted, strategies=["revtgt"]).corpus
    return {example.id: example.text for example in made if example.variant}


def test_generate_without_predictions_skips_terms_without_opinions() -> None:
    assert list(reverse(without_opinions(1), None)) == ["1_0_adv1"]


def test_generate_with_predictions_varies_and_marks() -> None:
    assert reverse(without_opinions(0, 1), ANSWERS) == {
        "1_0_revtgt-predicted": "The tea is bad but the room is cheap.",
        "1_1_revtgt-predicted": "The tea is good but the room is expensive.",
    }


def test_generate_annotated_opinions_go_before_predicted_ones() -> None:
    other = replace(FULL, quads=tuple(replace(quad, opinion=CHEAP) for quad in FULL.quads))
    made = reverse(Corpus("gold", "en", PARTS, (FULL,)), Corpus("answers", "en", PARTS, (other,)))
    assert made["1_0_adv1"] == "The tea is bad but the room is cheap."


def test_generate_polarity_stays_that_of_the_corpus() -> None:
    blamed = replace(FULL, quads=tuple(replace(q, polarity=Polarity.NEGATIVE) for q in FULL.quads))
    predicted = Corpus("answers", "en", PARTS, (blamed,))
    made = generate(without_opinions(0, 1), ANSWERS, predicted=predicted, strategies=["revtgt"]).corpus
    assert {e.quads[0].polarity for e in made if e.variant} == {Polarity.NEGATIVE}


def test_generate_predictions_for_another_text_are_refused() -> None:
    wrong = Corpus("answers", "en", PARTS, (Example("1", "Something else."),))
    with pytest.raises(DataError, match="example '1': found the text 'Something else"):
        reverse(without_opinions(0), wrong)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (replace(FULL, id="of another file"), "found no id of the sentences, but such as 'of another file'"),
        (replace(FULL, quads=()), "found no opinion among the predictions"),
    ],
)
def test_generate_predictions_of_which_none_can_be_lent_are_refused(answer: Example, message: str) -> None:
    # before, every reversal was missing from the set for want of opinion words, and nothing said why
    with pytest.raises(DataError, match=message):
        reverse(without_opinions(0, 1), Corpus("answers", "en", PARTS, (answer,)))


def test_generate_refuses_variants_as_sentences() -> None:
    # they were taken for originals, so that nothing tied them to their source any more
    variant = replace(FULL, id="1_adv", source="1", variant="revtgt")
    with pytest.raises(DataError, match="example '1_adv': found a variant of '1'"):
        reverse(Corpus("variants", "en", PARTS, (FULL, variant)), None)
