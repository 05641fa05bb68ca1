"""ACOS quadruples: a sentence, a tab, `3,5 FOOD#QUALITY 2 -1,-1`, ...: spans of tokens, -1 for implicit."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from aspectlab.data import Corpus, Example, Part, Polarity, Quad, Span, Term
from aspectlab.errors import DataError
from aspectlab.readers import Format, Head, Loss, Source, term_of_tokens, token_spans
from aspectlab.readers.textfields import (
    REMEDY,
    TokenSpans,
    check_length,
    encode_line,
    named_lines,
    note_lines,
    polarity_code,
)

_QUAD = re.compile(r"(-1,-1|\d{1,5},\d{1,5}) (\S+) ([012]) (-1,-1|\d{1,5},\d{1,5})", re.ASCII)
_EMPTY = re.compile(r"(?<!\S)(\d+),\1(?!\S)")
_POLARITIES = {"0": Polarity.NEGATIVE, "1": Polarity.NEUTRAL, "2": Polarity.POSITIVE}
_IMPLICIT = "-1,-1"


def sniff(head: Head) -> bool:
    """Recognise a quad of spans behind the first tab; sentences without opinions have none."""
    _, tab, quads = next((line for line in head.lines if "\t" in line), "").partition("\t")
    return bool(tab) and _QUAD.fullmatch(quads.partition("\t")[0].strip()) is not None


def read(source: Source) -> Iterator[Example]:
    """Stream one example a line; the end of a span is the token behind its last.

    An empty span (one is published, `3,3`) is the token after it.
    """
    empty: list[int] = []
    for number, line, name in named_lines(source):
        text, *fields = line.split("\t")
        check_length(source, number, text)
        locate = partial(_locate_term, source, number, text, token_spans(text))
        quads = [_parse_quad(source, number, field.strip(), locate) for field in fields if field.strip()]
        empty += [number for field in fields for _ in _EMPTY.finditer(field)]
        yield Example(name, text, tuple(quads))
    note_lines(source, empty, "terms with an empty span, read as the token that stands there")


def _parse_quad(source: Source, number: int, field: str, locate: Callable[[str], Term | None]) -> Quad:
    match = _QUAD.fullmatch(field)
    if match is None:
        expected = "quads like 3,5 FOOD#QUALITY 2 -1,-1: aspect, category, 0 to 2 for the polarity, opinion"
        raise source.error(number, f"{field[:60]!r}", expected, "correct the quad")
    aspect, category, code, opinion = match.groups()
    return Quad(locate(aspect), category, locate(opinion), _POLARITIES[code])


def _locate_term(source: Source, number: int, text: str, spans: Sequence[Span], listed: str) -> Term | None:
    if listed == _IMPLICIT:
        return None
    first, end = (int(part) for part in listed.split(","))
    last = max(end - 1, first)
    if end < first or last >= len(spans):
        expected = f"spans of the {len(spans)} tokens"
        raise source.error(number, f"the span {listed}", expected, "correct the quad")
    return term_of_tokens(text, spans, first, last)


def write(corpus: Corpus, path: Path) -> None:
    """Write one line an example, with terms as spans of tokens; ids are not kept."""
    path.write_bytes(b"".join([_write_line(example) for example in corpus]))


def _write_line(example: Example) -> bytes:
    tokens = TokenSpans(example)
    fields = [example.text]
    for quad in example.quads:
        if quad.category is None or quad.category.split() != [quad.category]:
            found, expected = f"the category {quad.category!r:.80}", "one in every quad, in one word"
            raise DataError(f"example {example.id!r}: found {found}: expected {expected}; {REMEDY}")
        aspect, opinion = (
            _write_span(tokens.locate(term, part)) if term is not None else _IMPLICIT
            for term, part in ((quad.aspect, "aspect"), (quad.opinion, "opinion"))
        )
        code = polarity_code(example, quad.polarity, _POLARITIES)
        fields.append(f"{aspect} {quad.category} {code} {opinion}")
    line = "\t".join(fields)
    # a sentence of whitespace alone would be read as an empty line
    same = "\t" not in example.text and bool(line.strip())
    return encode_line(example, line, "", same=same)


def _write_span(tokens: tuple[int, int]) -> str:
    first, last = tokens
    return f"{first},{last + 1}"


FORMAT = Format(
    "ACOS quadruples, one sentence a line",
    sniff,
    read,
    write,
    annotates=frozenset(Part),
    loses=frozenset(Loss) - {Loss.CATEGORIES, Loss.OFFSETS},
)
