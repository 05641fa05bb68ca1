"""Edit the text of an example and move every span with it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from aspectlab.data.example import Example
from aspectlab.data.quad import Quad, Span, Term
from aspectlab.errors import DataError


def edit(example: Example, replacements: Iterable[tuple[Span, str]]) -> Example:
    """Apply several non-overlapping replacements at once and move every term exactly.

    A replacement inside a term, or of the whole term, changes that term's text. An insertion (an empty span)
    at the edge of a term stays outside it. A replacement that crosses the edge of a term, or that leaves
    nothing of it, is refused: what the term would then be is for the caller to say.

    >>> from aspectlab.data import Quad
    >>> soup = Example("1", "Good soup here", (Quad(aspect=Term("soup", Span(5, 9))),))
    >>> edit(soup, [(Span(0, 4), "Excellent"), (Span(9, 9), " is served")]).quads[0].aspect
    Term(text='soup', span=Span(start=10, end=14))
    """
    edits = sorted(replacements, key=lambda replacement: replacement[0])
    _check(example, edits)
    pieces: list[str] = []
    cursor = 0
    for (start, end), new in edits:
        pieces += [example.text[cursor:start], new]
        cursor = end
    text = "".join([*pieces, example.text[cursor:]])
    quads = tuple(_move_quad(quad, edits, text, example.id) for quad in example.quads)
    return replace(example, text=text, quads=quads)


def _check(example: Example, edits: list[tuple[Span, str]]) -> None:
    previous_end = 0
    for (start, end), new in edits:
        if not 0 <= start <= end <= len(example.text):
            raise DataError(
                f"example {example.id!r}: replacement {new!r} at {start}:{end}: "
                f"expected offsets within 0:{len(example.text)}"
            )
        if start < previous_end:
            raise DataError(
                f"example {example.id!r}: replacement {new!r} at {start}:{end} overlaps the one before it: "
                "merge the two into one"
            )
        previous_end = end


def _move_quad(quad: Quad, edits: list[tuple[Span, str]], text: str, where: str) -> Quad:
    aspect = _move_term(quad.aspect, edits, text, where)
    opinion = _move_term(quad.opinion, edits, text, where)
    return replace(quad, aspect=aspect, opinion=opinion)


def _move_term(term: Term | None, edits: list[tuple[Span, str]], text: str, where: str) -> Term | None:
    if term is None or term.span is None:
        return term
    first, last = term.span
    new_first, new_last = first, last
    for (start, end), new in edits:
        change = len(new) - (end - start)
        if end <= first:
            new_first += change
            new_last += change
        elif first <= start and end <= last and start < last:
            new_last += change
        elif start < last:
            raise DataError(
                f"example {where!r}: replacement {new!r} at {start}:{end} crosses the edge of the term "
                f"{term.text!r} at {first}:{last}: replace the whole term or stay outside it"
            )
    if new_first == new_last:
        raise DataError(f"example {where!r}: the replacements leave nothing of the term {term.text!r}")
    return Term(text[new_first:new_last], Span(new_first, new_last))
