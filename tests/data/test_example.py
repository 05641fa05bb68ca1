"""An example never holds a span that does not slice to its term."""

from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from aspectlab.data import Edit, Example, Origin, Quad, Span, Term
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
