"""ASQP quadruples: `sentence####[['soup', 'food quality', 'positive', 'hot'], ...]`, terms by their words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, partial

from aspectlab.data import Example, Part, Polarity, Quad, Term
from aspectlab.readers import enphone
from aspectlab.readers.alignment import find_term_caseless
from aspectlab.readers.formats import Format
from aspectlab.readers.source import Head, Source
from aspectlab.readers.textfields import (
    MARK,
    check_length,
    first_list,
    is_whole,
    named_lines,
    note_lines,
    parse_list,
)

_QUADS = re.compile(r"\[\s*[(\[]\s*['\"]")
_IMPLICIT = "NULL"


def sniff(head: Head) -> bool:
    """Recognise a list of lists of strings behind the mark."""
    return _QUADS.match(first_list(head)) is not None and not enphone.sniff(head)


def read(source: Source) -> Iterator[Example]:
    """Stream one example a line; a term is its first whole-word occurrence, if need be in another case."""
    unplaced: list[int] = []
    for number, line, name in named_lines(source):
        text, mark, listed = line.rpartition(MARK)
        if not mark:
            raise source.error(number, f"{line[:60]!r}", f"a sentence, {MARK} and a list of quads")
        check_length(source, number, text)
        # a term may recur in many quads of a broken line: it is looked for once
        find = cache(partial(_find, text))
        items = parse_list(source, number, listed)
        quads = tuple(_parse_quad(source, number, item, find, listed) for item in items)
        unplaced += [number for quad in quads for term in quad.terms if term.span is None]
        yield Example(name, text, quads)
    note_lines(source, unplaced, "terms that are not in the sentence, kept without a span")


def _parse_quad(
    source: Source, number: int, item: object, find: Callable[[str], Term | None], listed: str
) -> Quad:
    match item:
        case [str(aspect), str(category), str(label), str(opinion)] if label in set(Polarity):
            terms = aspect.strip(), opinion.strip()
            if all(terms) and is_whole(aspect + category + opinion):
                return Quad(find(terms[0]), category, find(terms[1]), Polarity(label))
    # the line is shown, not the item: it may hold numbers too long to be printed
    expected = "quads of four strings: aspect or NULL, category, polarity, opinion or NULL"
    raise source.error(number, f"{listed.strip()[:60]!r}", expected, "correct the list")


def _find(text: str, surface: str) -> Term | None:
    return None if surface == _IMPLICIT else find_term_caseless(text, surface)


FORMAT = Format(
    "ASQP quadruples, one sentence a line",
    sniff,
    read,
    annotates=frozenset(Part),
)
