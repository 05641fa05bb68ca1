"""ASQP quadruples: `sentence####[['soup', 'food quality', 'positive', 'hot'], ...]`, terms by their words.

Some systems write the opinion before the polarity; a line tells which by where the polarity stands.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path

from aspectlab.data import Corpus, Example, Part, Polarity, Quad, Term
from aspectlab.errors import DataError
from aspectlab.readers import Format, Head, Loss, Source, enphone, find_term_caseless
from aspectlab.readers.textfields import (
    MARK,
    REMEDY,
    check_length,
    encode_line,
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
        case [str(aspect), str(category), str(opinion), str(label)] if label in set(
            Polarity
        ) and opinion not in set(Polarity):
            item = [aspect, category, label, opinion]
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


def write(corpus: Corpus, path: Path) -> None:
    """Write one line an example; a term has no offsets, so it must be the one that its words lead to."""
    path.write_bytes(b"".join([_write_line(example) for example in corpus]))


def _write_line(example: Example) -> bytes:
    quads = []
    for quad in example.quads:
        if quad.category is None or not is_whole(quad.category) or quad.polarity is None:
            found, expected = f"{quad.category!r:.80} and {quad.polarity}", "a category and a polarity"
            raise DataError(f"example {example.id!r}: found {found}: expected {expected}; {REMEDY}")
        aspect, opinion = (_write_term(example, term) for term in (quad.aspect, quad.opinion))
        quads.append([aspect, quad.category, str(quad.polarity), opinion])
    text, listed = example.text, repr(quads)
    line = f"{text}{MARK}{listed}"
    return encode_line(example, line, listed, same=line.rpartition(MARK) == (text, MARK, listed))


def _write_term(example: Example, term: Term | None) -> str:
    if term is None:
        return _IMPLICIT
    surface = term.text
    if not is_whole(surface) or not surface.strip() or _find(example.text, surface.strip()) != term:
        found = f"{surface!r:.80} at {term.span.start}:{term.span.end}" if term.span else f"{surface!r:.80}"
        expected = "a term that is the first whole-word occurrence of its words"
        raise DataError(f"example {example.id!r}: found {found}: expected {expected}; {REMEDY}")
    return surface


FORMAT = Format(
    "ASQP quadruples, one sentence a line",
    sniff,
    read,
    write,
    annotates=frozenset(Part),
    loses=frozenset(Loss) - {Loss.CATEGORIES, Loss.OFFSETS},
)
