"""ASTE-Data V2 and MuSe-CarASTE triplets: `sentence####[([1], [4, 5], 'POS'), ...]`, counted in tokens."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from aspectlab.data import Corpus, Example, Part, Polarity, Quad, Span, Term
from aspectlab.readers import (
    CorpusDescription,
    Format,
    Head,
    Loss,
    Source,
    identify,
    term_of_tokens,
    token_spans,
)
from aspectlab.readers.dmaste import sniff_entire
from aspectlab.readers.textfields import (
    CODES,
    MARK,
    TokenSpans,
    check_length,
    encode_line,
    find_phrase,
    first_list,
    note_lines,
    parse_list,
    polarity_code,
)

_TRIPLETS = re.compile(r"\[\s*[(\[]\s*\[\s*\d")
_KEY = re.compile(r"<id:([0-9]{1,18})(?:\.0)?, segment_id:([0-9]{1,18})(?:\.0)?>\s*")
_NEXT_KEY = re.compile(r"(?<=\])(?=<id:[0-9])")


class _Triplet(NamedTuple):
    aspect: list[int]
    opinion: list[int]
    polarity: Polarity


@dataclass(slots=True)
class _Tally:
    """The lines on which something was mended or left out."""

    moved: list[int] = field(default_factory=list)
    unplaced: list[int] = field(default_factory=list)
    bare: list[int] = field(default_factory=list)
    glued: list[int] = field(default_factory=list)

    def count_terms(self, number: int, *placed: tuple[list[int], Term]) -> None:
        """Count the terms whose index list was no span."""
        for indices, term in placed:
            if not _is_run(indices):
                (self.unplaced if term.span is None else self.moved).append(number)


def sniff(head: Head) -> bool:
    """Recognise a list of triplets of index lists behind the mark."""
    text = first_list(head)
    return (text == "[]" or _TRIPLETS.match(text) is not None) and not sniff_entire(head)


def read(source: Source) -> Iterator[Example]:
    """Stream one example a line; empty lines are skipped.

    An index list with gaps or out of order (MuSe-CarASTE) is not a span: its words, as listed, are looked for
    as a phrase, nearest to the first index. A phrase that does not occur in the text keeps no span.
    """
    tally, count = _Tally(), 0
    for number, line in source.lines():
        records = _split_records(line) if line.strip() else []
        if len(records) > 1:
            tally.glued.append(number)
        for record in records:
            count += 1
            yield _read_record(source, number, record, str(count), tally)
    _note(source, tally)
    if tally.bare and len(tally.bare) == count:
        name, version = identify(source.sha256)
        source.description = CorpusDescription(name, FORMAT.language, frozenset({Part.POLARITY}), version)


def write(corpus: Corpus, path: Path) -> None:
    """Write one line an example, with terms as token indices; ids and categories are not kept.

    Every example is checked before the first is written: its terms must begin and end with a token.
    """
    path.write_bytes(b"".join([_write_record(example) for example in corpus]))


def _split_records(line: str) -> list[str]:
    """Part two records without text that a lost line end has glued together, as in MuSe-CarASTE."""
    return _NEXT_KEY.split(line) if line.startswith("<id:") else [line]


def _split_fields(record: str) -> tuple[str, str]:
    """Return the sentence and the list; two empty fields may lie between them."""
    sentence, _, triplets = record.rpartition(MARK)
    fields = sentence.rsplit(MARK, 2)
    if len(fields) == 3 and not fields[1].strip() and not fields[2].strip():
        sentence = fields[0]
    return sentence, triplets


def _read_record(source: Source, number: int, record: str, name: str, tally: _Tally) -> Example:
    if MARK not in record:
        raise source.error(number, f"{record[:60]!r}", f"a sentence, {MARK} and a list of triplets")
    text, listed = _split_fields(record)
    check_length(source, number, text)
    triplets = [_parse_triplet(source, number, item, listed) for item in parse_list(source, number, listed)]
    if key := _KEY.fullmatch(text):
        tally.bare.append(number)
        return Example(f"{key[1]}-{key[2]}", "", tuple(Quad(polarity=item.polarity) for item in triplets))
    spans = token_spans(text)
    if any(index >= len(spans) for item in triplets for index in (*item.aspect, *item.opinion)):
        found = f"an index over {len(spans) - 1} in {listed.strip()[:60]!r}"
        raise source.error(number, found, f"indices of the {len(spans)} tokens", "correct the list")
    quads = []
    for item in triplets:
        aspect, opinion = (_locate_term(text, spans, indices) for indices in (item.aspect, item.opinion))
        tally.count_terms(number, (item.aspect, aspect), (item.opinion, opinion))
        quads.append(Quad(aspect=aspect, opinion=opinion, polarity=item.polarity))
    return Example(name, text, tuple(quads))


def _parse_triplet(source: Source, number: int, item: object, listed: str) -> _Triplet:
    """Check the shape of one triplet; messages show the line, as some numbers are too long to be printed."""
    match item:
        case [list(aspect), list(opinion), str(code)] if aspect and opinion and code in CODES:
            # bool is an int to Python, but True is not an index
            if all(type(index) is int and index >= 0 for index in [*aspect, *opinion]):
                return _Triplet(aspect, opinion, CODES[code])
    expected = f"triplets like ([1], [4, 5], 'POS') with {', '.join(CODES)}"
    raise source.error(number, f"{listed.strip()[:60]!r}", expected, "correct the list")


def _is_run(indices: Sequence[int]) -> bool:
    return all(after == before + 1 for before, after in pairwise(indices))


def _locate_term(text: str, spans: Sequence[Span], indices: Sequence[int]) -> Term:
    first, size = indices[0], len(indices)
    if _is_run(indices):
        return term_of_tokens(text, spans, first, first + size - 1)
    words = text.split()
    phrase = [words[index] for index in indices]
    at = find_phrase(words, phrase, first)
    return Term(" ".join(phrase)) if at is None else term_of_tokens(text, spans, at, at + size - 1)


def _note(source: Source, tally: _Tally) -> None:
    odd = "terms whose index list has gaps or is out of order"
    note_lines(source, tally.moved, f"{odd}, placed where their words stand as a phrase")
    note_lines(source, tally.unplaced, f"{odd}, kept without a span as their words are no phrase of the text")
    note_lines(source, tally.bare, "records without text, of which only the polarities were read")
    note_lines(source, tally.glued, "lines with several records, which were parted")


def _write_record(example: Example) -> bytes:
    tokens = TokenSpans(example)
    triplets = []
    for quad in example.quads:
        aspect, opinion = (
            _indices(*tokens.locate(term, part))
            for term, part in ((quad.aspect, "aspect"), (quad.opinion, "opinion"))
        )
        triplets.append((aspect, opinion, polarity_code(example, quad.polarity, CODES)))
    text, listed = example.text, repr(triplets)
    record = f"{text}{MARK}{listed}"
    alike = _split_records(record) == [record] and _split_fields(record) == (text, listed)
    return encode_line(example, record, listed, same=alike and not _KEY.fullmatch(text))


def _indices(first: int, last: int) -> list[int]:
    return list(range(first, last + 1))


FORMAT = Format(
    "ASTE-Data V2 and MuSe-CarASTE triplets, one sentence a line",
    sniff,
    read,
    write,
    annotates=frozenset({Part.ASPECT, Part.OPINION, Part.POLARITY}),
    loses=frozenset(Loss) - {Loss.OFFSETS},
)
