"""An example never holds a span that does not slice to its term."""

from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from aspectlab.data import Edit, Example, Intensity, Origin, Polarity, Quad, Span, Term
from aspectlab.errors import DataError
from tests.support.examples import examples


@pytest.mark.parametrize("span", [Span(0, 3), Span(5, 8), Span(-3, 0), Span(4, 4), Span(7, 4), Span(4, 99)])
def test_example_refuses_a_span_that_does_not_slice_to_its_term(span: Span) -> None:
    with pytest.raises(DataError, match="example '1': term 'tea'"):
        Example("1", "The tea.", (Quad(opinion=Term("tea", span)),))


def test_example_accepts_a_term_without_a_span() -> None:
    example = Example("1", "The tea.", (Quad(aspect=Term("coffee")),))
    assert example.quads[0].terms == (Term("coffee"),)


@pytest.mark.parametrize("polarity", ["positive", "good", 1])
def test_example_refuses_a_polarity_that_is_none(polarity: object) -> None:
    quad = Quad(polarity=polarity)  # type: ignore[arg-type]  # as those who do not check types write it
    with pytest.raises(
        DataError, match=rf"example '1': polarity {polarity!r}: expected one of Polarity\.POS"
    ):
        Example("1", "The tea.", (quad,))


def test_quad_is_compared_without_its_confidence() -> None:
    assert Quad(category="food", confidence={"positive": 0.9}) == Quad(category="food")


@given(examples())
def test_example_spans_slice_to_their_terms(example: Example) -> None:
    placed = [term for quad in example.quads for term in quad.terms if term.span]
    assert all(example.text[slice(*term.span)] == term.text for term in placed if term.span)


FOLLOWUP = "MR2-4 of 0: 4:8 good > bad (antonym); 0:1 A > An (article)"
EDITS = (Edit(Span(4, 8), "good", "bad", "antonym"), Edit(Span(0, 1), "A", "An", "article"))


def test_source_and_variant_are_read_into_an_origin() -> None:
    example = Example("2", "An x bad", (), "1", FOLLOWUP)
    assert example.origin == Origin("1", "MR2-4", EDITS, target=0)
    assert (example.source, example.variant) == ("1", FOLLOWUP)


@pytest.mark.parametrize(
    ("text", "new"), [("Nice. Bad.\n", " Bad."), ("Nice.Bad.", "Bad."), ("Other", "Bad.")]
)
def test_inserted_words_have_the_whitespace_that_the_text_has_before_them(text: str, new: str) -> None:
    origin = Example("2", text, (), "1", "MR1-3 of 0: 5:5  > Bad. (phrase of 7)").origin
    assert origin == Origin("1", "MR1-3", (Edit(Span(5, 5), "", new, "phrase", "7"),), target=0)


@pytest.mark.parametrize("variant", ["revtgt", "revtgt+adddiff", "by hand", "MR2-4 of 007: ", ""])
def test_variant_of_another_form_is_a_strategy(variant: str) -> None:
    assert Example("2", "Tea", (), "1", variant).origin == Origin("1", variant)


def test_edits_in_other_words_are_kept_as_a_note() -> None:
    example = Example("2", "Tea", (), "1", "MR2-4 of 1: by hand")
    assert example.origin == Origin("1", "MR2-4", target=1, note="by hand")


_WORDS = st.text(" :>()of;0123abc\n", max_size=9)
_VARIANTS = st.text() | st.builds("MR2-4 of {}: {}:{} {} > {} ({}){}".format, *[_WORDS] * 7)


@given(st.none() | st.text(), st.none() | _VARIANTS, st.text())
def test_source_and_variant_come_back_as_they_were(
    source: str | None, variant: str | None, text: str
) -> None:
    example = Example("2", text, (), source, variant)
    assert (example.source, example.variant) == (source, variant)
    assert (example.origin is None) == (source is variant is None)


def test_replace_changes_either_string_of_an_origin() -> None:
    example = Example("2", "An x bad", (), "1", FOLLOWUP)
    assert replace(example, source="7").origin == Origin("7", "MR2-4", EDITS, target=0)
    assert replace(example, variant="revtgt").origin == Origin("1", "revtgt")
    assert replace(example, source=None, variant=None).origin is None
    assert replace(example, text="An x mad").origin == example.origin
    assert example.with_source("7") == replace(example, source="7")


@pytest.mark.parametrize(
    ("valence", "polarity"), [(4.99, "negative"), (5, "neutral"), (5.5, "neutral"), (5.51, "positive")]
)
def test_polarity_follows_from_the_valence(valence: float, polarity: str) -> None:
    assert Intensity(valence, 5).polarity == polarity


@pytest.mark.parametrize("values", [(float("nan"), 5), (5, float("inf"))])
def test_intensity_refuses_what_is_no_number(values: tuple[float, float]) -> None:
    with pytest.raises(DataError, match="expected two finite numbers, from 1 to 9"):
        Intensity(*values)


@pytest.mark.parametrize("value", [0.99, 9.01])
def test_intensity_out_of_range_is_kept(value: float) -> None:
    assert not Intensity(value, 5).in_range
    assert not Intensity(5, value).in_range
    assert Intensity(1, 9).in_range


def test_quads_that_differ_in_intensity_are_not_equal() -> None:
    mild, strong = (Quad(polarity=Polarity.POSITIVE, intensity=Intensity(v, 5)) for v in (6, 9))
    assert len({mild, strong, replace(mild)}) == 2


def test_other_polarity_does_not_keep_the_intensity_of_gold() -> None:
    # a prediction made from a gold quad would carry the valence that it is judged by
    gold = Quad(polarity=Polarity.POSITIVE, confidence={"positive": 1}, intensity=Intensity(8, 5))
    assert gold.with_polarity(Polarity.NEGATIVE) == Quad(polarity=Polarity.NEGATIVE)
    assert gold.with_polarity(None, {"positive": 0.5}).confidence == {"positive": 0.5}
