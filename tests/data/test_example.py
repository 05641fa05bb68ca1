"""An example never holds a span that does not slice to its term."""

import pytest
from hypothesis import given
from waist import examples

from aspectlab.data import Example, Quad, Span, Term
from aspectlab.errors import DataError


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
