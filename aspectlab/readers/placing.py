"""Put an annotated term where it stands in the text: the one place where offsets are checked and mended."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

from aspectlab.data import Span, Term
from aspectlab.readers.source import Source

_LIKE = 0.75
"""How alike term and text must be to count as a misspelling of one another (`delivary`, `delivery`)."""


def place(source: Source, where: int | str, text: str, surface: str, start: int, end: int) -> Term:
    """Give the term at start:end; where the text differs, look for it nearby and note what was changed.

    Tried in order: the offsets as given; the nearest exact occurrence; the nearest one that differs only in
    case or blanks; a misspelling at the given place. A term found nowhere keeps its name and has no span,
    unless its offsets lie outside the text: then the file is broken.
    """
    if 0 <= start < end <= len(text) and text[start:end] == surface:
        return Term(surface, Span(start, end))
    span = _search(text, surface, start) or _misspelt(text, surface, start, end)
    if span is not None:
        found = text[span.start : span.end]
        source.note(
            where, f"term {surface!r} moved from {start}:{end} to {span.start}:{span.end} ({found!r})"
        )
        return Term(found, span)
    if not surface or not 0 <= start <= end <= len(text):
        raise source.error(
            where,
            f"the term {surface!r} at {start}:{end}",
            f"offsets within 0:{len(text)} of the text {text[:60]!r}",
            "correct the offsets or remove the term",
        )
    source.note(where, f"term {surface!r} does not stand in the text at {start}:{end}: kept without a span")
    return Term(surface)


def find_term(text: str, surface: str) -> Term:
    """Give the first whole-word occurrence of a term, or the term without a span.

    >>> find_term("The seats seat five.", "seat")
    Term(text='seat', span=Span(start=10, end=14))
    >>> find_term("The seats seat five.", "couch")
    Term(text='couch', span=None)
    """
    for match in re.finditer(re.escape(surface), text) if surface else ():
        edges = (text[: match.start()][-1:], surface[0]), (surface[-1], text[match.end() :][:1])
        if not any(left.isalnum() and right.isalnum() for left, right in edges):
            return Term(surface, Span(*match.span()))
    return Term(surface)


def token_spans(text: str) -> list[Span]:
    """Give the span of each blank-separated token, as `str.split` separates them.

    >>> token_spans("Nice  pen")
    [Span(start=0, end=4), Span(start=6, end=9)]
    """
    spans, cursor = [], 0
    for token in text.split():
        start = text.index(token, cursor)
        cursor = start + len(token)
        spans.append(Span(start, cursor))
    return spans


def term_of_tokens(text: str, spans: Sequence[Span], first: int, last: int) -> Term:
    """Give the term that runs from token `first` to token `last`, both included."""
    start, end = spans[first].start, spans[last].end
    return Term(text[start:end], Span(start, end))


def _search(text: str, surface: str, start: int) -> Span | None:
    words = [re.escape(word) for word in surface.split()]
    if not words:
        return None
    for pattern, flags in ((re.escape(surface), 0), (r"\s*".join(words), re.IGNORECASE)):
        spans = [Span(*match.span()) for match in re.finditer(pattern, text, flags)]
        if spans:
            return min(spans, key=lambda span: abs(span.start - start))
    return None


def _misspelt(text: str, surface: str, start: int, end: int) -> Span | None:
    if not 0 <= start < end <= len(text):
        return None
    likeness = difflib.SequenceMatcher(None, text[start:end].lower(), surface.lower()).ratio()
    return Span(start, end) if likeness >= _LIKE else None
