"""Every term moves exactly: checked against an oracle that follows each character."""

import pytest
from hypothesis import given, strategies as st

from aspectlab.data import Example, Quad, Span, Term, edit
from aspectlab.errors import DataError
from tests.support.examples import examples

Replacement = tuple[Span, str]


@st.composite
def edits(draw: st.DrawFn) -> tuple[Example, list[Replacement]]:
    """An example and replacements that do not overlap, in any order."""
    example = draw(examples())
    cuts = sorted(draw(st.lists(st.integers(0, len(example.text)), max_size=8)))
    spans = dict.fromkeys(Span(*pair) for pair in zip(cuts[::2], cuts[1::2], strict=False))
    replacements = [(span, draw(st.text("xy", max_size=3))) for span in spans]
    return example, draw(st.permutations(replacements))


def follow(text: str, replacements: list[Replacement]) -> list[tuple[str, int | None]]:
    """The new text character by character, each with its old place, or None if it is new."""
    characters: list[tuple[str, int | None]] = [(char, place) for place, char in enumerate(text)]
    for (start, end), new in sorted(replacements, reverse=True):
        characters[start:end] = [(char, None) for char in new]
    return characters


def touches(span: Span, replacement: Replacement) -> bool:
    (start, end), _ = replacement
    return span.start < start < span.end if start == end else start < span.end and span.start < end


def crosses(span: Span, replacement: Replacement) -> bool:
    (start, end), _ = replacement
    return touches(span, replacement) and not (span.start <= start and end <= span.end)


def vanishes(span: Span, replacements: list[Replacement]) -> bool:
    inside = [(place, new) for place, new in replacements if touches(span, (place, new))]
    return sum(end - start for (start, end), _ in inside) == span.end - span.start and not any(
        new for _, new in inside
    )


def placed_terms(example: Example) -> list[Term]:
    return [term for quad in example.quads for term in quad.terms if term.span is not None]


def is_allowed(example: Example, replacements: list[Replacement]) -> bool:
    spans = [term.span for term in placed_terms(example) if term.span]
    crossing = any(crosses(span, replacement) for span in spans for replacement in replacements)
    return not crossing and not any(vanishes(span, replacements) for span in spans)


@given(edits())
def test_edit_moves_every_untouched_term_exactly(drawn: tuple[Example, list[Replacement]]) -> None:
    example, replacements = drawn
    if not is_allowed(example, replacements):
        with pytest.raises(DataError):
            edit(example, replacements)
        return
    edited = edit(example, replacements)
    characters = follow(example.text, replacements)
    place_of = {old: new for new, (_, old) in enumerate(characters) if old is not None}
    assert edited.text == "".join(char for char, _ in characters)
    for before, after in zip(placed_terms(example), placed_terms(edited), strict=True):
        assert before.span is not None
        if not any(touches(before.span, replacement) for replacement in replacements):
            start, last = place_of[before.span.start], place_of[before.span.end - 1]
            assert after == Term(before.text, Span(start, last + 1))


@given(edits())
def test_edit_keeps_all_but_text_and_terms(drawn: tuple[Example, list[Replacement]]) -> None:
    example, replacements = drawn
    if is_allowed(example, replacements):
        edited = edit(example, replacements)
        assert (edited.id, edited.source, edited.variant) == (example.id, example.source, example.variant)
        rest = [(quad.category, quad.polarity) for quad in example.quads]
        assert [(quad.category, quad.polarity) for quad in edited.quads] == rest


@given(edits())
def test_edit_does_not_depend_on_the_order_of_replacements(drawn: tuple[Example, list[Replacement]]) -> None:
    example, replacements = drawn
    if is_allowed(example, replacements):
        assert edit(example, replacements) == edit(example, sorted(replacements))


@given(examples())
def test_edit_without_replacements_changes_nothing(example: Example) -> None:
    assert edit(example, []) == example


SOUP = Example("1", "the hot soup", (Quad(aspect=Term("hot soup", Span(4, 12))),))


@pytest.mark.parametrize(
    ("replacement", "term"),
    [
        ((Span(4, 7), "cold"), "cold soup"),
        ((Span(8, 12), ""), "hot "),
        ((Span(4, 12), "tea"), "tea"),
        ((Span(7, 7), ", rich"), "hot, rich soup"),
        ((Span(4, 4), "very "), "hot soup"),
        ((Span(12, 12), " today"), "hot soup"),
    ],
)
def test_edit_changes_a_term_from_within(replacement: Replacement, term: str) -> None:
    aspect = edit(SOUP, [replacement]).quads[0].aspect
    assert aspect is not None
    assert aspect.text == term


@pytest.mark.parametrize(
    ("replacements", "message"),
    [
        ([(Span(0, 7), "some")], "crosses the edge of the term 'hot soup'"),
        ([(Span(4, 12), "")], "leave nothing of the term 'hot soup'"),
        ([(Span(4, 8), ""), (Span(8, 12), "")], "leave nothing of the term 'hot soup'"),
        ([(Span(0, 3), "a"), (Span(2, 4), "b")], "overlaps the one before it"),
        ([(Span(9, 99), "x")], "expected offsets within 0:12"),
        ([(Span(-1, 2), "x")], "expected offsets within 0:12"),
        ([(Span(3, 2), "x")], "expected offsets within 0:12"),
    ],
)
def test_edit_refuses_what_it_cannot_decide(replacements: list[Replacement], message: str) -> None:
    with pytest.raises(DataError, match=message):
        edit(SOUP, replacements)
