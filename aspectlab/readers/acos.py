"""ACOS quadruples: a sentence, a tab, `3,5 FOOD#QUALITY 2 -1,-1`, ...: spans of tokens, -1 for implicit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from aspectlab.data import Example, Part, Polarity, Quad, Span, Term
from aspectlab.readers.fields import check_length, first_line, named_lines, note_lines
from aspectlab.readers.format import Format
from aspectlab.readers.placing import term_of_tokens, token_spans
from aspectlab.readers.source import Head, Source

_QUAD = re.compile(r"(-1,-1|\d{1,5},\d{1,5}) (\S+) ([012]) (-1,-1|\d{1,5},\d{1,5})", re.ASCII)
_POLARITIES = {"0": Polarity.NEGATIVE, "1": Polarity.NEUTRAL, "2": Polarity.POSITIVE}
_IMPLICIT = "-1,-1"


class _Sentence(NamedTuple):
    number: int
    text: str
    spans: Sequence[Span]
    empty: list[int]
    """The lines with an empty span, of all sentences so far."""


def sniff(head: Head) -> bool:
    """Recognise a quad of spans behind the first tab."""
    _, tab, quads = first_line(head).partition("\t")
    return bool(tab) and _QUAD.fullmatch(quads.partition("\t")[0].strip()) is not None


def read(source: Source) -> Iterator[Example]:
    """Stream one example a line; the end of a span is the token behind its last.

    An empty span (one is published, `3,3`) is the token it stands before.
    """
    empty: list[int] = []
    for number, line, name in named_lines(source):
        text, *fields = line.split("\t")
        check_length(source, number, text)
        sentence = _Sentence(number, text, token_spans(text), empty)
        quads = [_parse_quad(source, sentence, field.strip()) for field in fields if field.strip()]
        yield Example(name, text, tuple(quads))
    note_lines(source, empty, "terms with an empty span, read as the token that stands there")


def _parse_quad(source: Source, sentence: _Sentence, field: str) -> Quad:
    match = _QUAD.fullmatch(field)
    if match is None:
        expected = "quads like 3,5 FOOD#QUALITY 2 -1,-1: aspect, category, 0 to 2 for the polarity, opinion"
        raise source.error(sentence.number, f"{field[:60]!r}", expected, "correct the quad")
    aspect, category, code, opinion = match.groups()
    terms = _place(source, sentence, aspect), _place(source, sentence, opinion)
    return Quad(terms[0], category, terms[1], _POLARITIES[code])


def _place(source: Source, sentence: _Sentence, listed: str) -> Term | None:
    if listed == _IMPLICIT:
        return None
    first, end = (int(part) for part in listed.split(","))
    if first == end:
        sentence.empty.append(sentence.number)
    last = max(end - 1, first)
    if end < first or last >= len(sentence.spans):
        expected = f"spans of the {len(sentence.spans)} tokens"
        raise source.error(sentence.number, f"the span {listed}", expected, "correct the quad")
    return term_of_tokens(sentence.text, sentence.spans, first, last)


FORMAT = Format(
    "ACOS quadruples, one sentence a line",
    sniff,
    read,
    annotates=frozenset(Part),
)
