"""Triplets by first and last token: DMASTE reviews, and ASTE with the sentences that hold no triplet.

`([5, 8], [3], 'POS')` is the aspect from token 5 to token 8, both included, and the opinion of one token.
`[-1]` is an implicit term. `([21], [-1], '-')` is an aspect that no opinion goes with: it has no polarity.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from aspectlab.data import Corpus, Example, Part, Polarity, Quad, Span, Term
from aspectlab.readers import Format, Head, Loss, Source, term_of_tokens, token_spans
from aspectlab.readers.textfields import (
    CODES,
    MARK,
    TokenSpans,
    check_length,
    encode_line,
    named_lines,
    note_lines,
    parse_list,
    polarity_code,
)

_DMASTE = re.compile(r"\[\s*(?:\]|\(\s*\[\s*-?\d)")
_EMPTY_FIELDS = re.compile(r"####\s{0,9}####\s{0,9}####\s{0,9}\[")
_INDICES = re.compile(r"\[\s{0,9}(-?\d{1,9}(?:\s{0,9},\s{0,9}-?\d{1,9})*)\s{0,9}\]")
_NO_OPINION = "-"
_IMPLICIT = -1
_SHOWN_SUBDOMAINS = 5


@dataclass(slots=True)
class _Tally:
    """The lines on which something was mended."""

    swapped: list[int] = field(default_factory=list)
    beyond: list[int] = field(default_factory=list)

    def note(self, source: Source) -> None:
        """Note how often each happened."""
        note_lines(source, self.swapped, "terms whose last token stood before the first, which were swapped")
        note_lines(source, self.beyond, "terms that ended one token behind the text, cut to it")


def sniff(head: Head) -> bool:
    """Recognise a list of triplets between two marks, and a name behind them."""
    lists = [line.split(MARK)[-2:] for line in head.lines if line.count(MARK) > 1]
    # a list of a review without triplets says little: the first that says more decides
    listed, last = next((fields for fields in lists if fields[0].strip() != "[]"), (lists or [["", ""]])[0])
    return _DMASTE.match(listed.strip()) is not None and "[" not in last


def read(source: Source) -> Iterator[Example]:
    """Stream one review a line; the subdomain behind its triplets is noted, not kept."""
    tally, subdomains = _Tally(), Counter[str]()
    for number, line, name in named_lines(source):
        fields = line.rsplit(MARK, 2)
        if len(fields) != 3:
            expected = f"a review, {MARK}, a list of triplets, {MARK} and a subdomain"
            raise source.error(number, f"{line[:60]!r}", expected, "correct the line")
        text, listed, subdomain = fields
        subdomains[subdomain.strip()] += 1
        yield Example(name, text, _read_quads(source, number, text, listed, CODES, tally))
    tally.note(source)
    if subdomains:
        shown = ", ".join(
            f"{name!r:.40} {count:,}" for name, count in subdomains.most_common(_SHOWN_SUBDOMAINS)
        )
        more = ", ..." if len(subdomains) > _SHOWN_SUBDOMAINS else ""
        source.note("whole file", f"subdomains, which are not kept: {shown}{more}")


def write(corpus: Corpus, path: Path) -> None:
    """Write one line an example; the name of the corpus is its subdomain."""
    subdomain = re.sub(r"\W+", "_", corpus.name) or "unknown"
    lines = []
    for example in corpus:
        listed = _write_list(example, CODES)
        line = f"{example.text}{MARK}{listed}{MARK}{subdomain}"
        same = line.rsplit(MARK, 2) == [example.text, listed, subdomain]
        lines.append(encode_line(example, line, listed, same=same))
    path.write_bytes(b"".join(lines))


def _read_quads(
    source: Source, number: int, text: str, listed: str, codes: Mapping[str, Polarity | None], tally: _Tally
) -> tuple[Quad, ...]:
    check_length(source, number, text)
    spans = token_spans(text)
    quads = []
    for item in parse_list(source, number, listed):
        match item:
            case [list(aspect), list(opinion), str(code)] if code in codes:
                terms = (_locate(source, number, text, spans, each, tally) for each in (aspect, opinion))
                quads.append(Quad(aspect=next(terms), opinion=next(terms), polarity=codes[code]))
            case _:
                # the line is shown, not the item: it may hold numbers too long to be printed
                expected = f"triplets like ([1], [4, 6], 'POS') with {', '.join(codes)}"
                raise source.error(number, f"{listed.strip()[:60]!r}", expected, "correct the list")
    return tuple(quads)


def _locate(
    source: Source, number: int, text: str, spans: Sequence[Span], indices: list[object], tally: _Tally
) -> Term | None:
    """Return the term from the first to the last token; an end that is off by one is mended."""
    # bool is an int to Python, but True is not an index
    tokens = [index for index in indices if type(index) is int]
    if len(tokens) != len(indices) or not 1 <= len(tokens) <= 2:
        expected = "one token like [4], a first and a last one like [4, 6], or [-1]"
        raise source.error(number, f"the indices {indices!r:.60}", expected, "correct the list")
    if set(tokens) == {_IMPLICIT}:
        return None
    first, last = min(tokens), max(tokens)
    if first < 0 or first >= len(spans) or last > len(spans):
        expected = f"indices of the {len(spans)} tokens, counted from 0"
        raise source.error(number, f"the indices {indices!r:.60}", expected, "correct the list")
    if tokens[0] > tokens[-1]:
        tally.swapped.append(number)
    if last == len(spans):
        tally.beyond.append(number)
        last -= 1
    return term_of_tokens(text, spans, first, last)


def _write_list(example: Example, codes: Mapping[str, Polarity | None]) -> str:
    tokens = TokenSpans(example)
    triplets = []
    for quad in example.quads:
        aspect, opinion = (
            [_IMPLICIT] if term is None else sorted({*tokens.locate(term, part)})
            for term, part in ((quad.aspect, "aspect"), (quad.opinion, "opinion"))
        )
        triplets.append((aspect, opinion, polarity_code(example, quad.polarity, codes)))
    return repr(triplets)


FORMAT = Format(
    "DMASTE triplets, one review a line, with implicit aspects",
    sniff,
    read,
    write,
    annotates=frozenset({Part.ASPECT, Part.OPINION, Part.POLARITY}),
    loses=frozenset(Loss) - {Loss.OFFSETS},
)


_ENTIRE_CODES: dict[str, Polarity | None] = {**CODES, _NO_OPINION: None}


def sniff_entire(head: Head) -> bool:
    """Recognise two empty fields and spans that only a first and a last token explain.

    MuSe-CarASTE has such fields too, but lists every token of a term, and has no implicit one.
    """
    lines = [line.rpartition(MARK)[2] for line in head.lines if _EMPTY_FIELDS.search(line)]
    lists = [
        [int(index) for index in found[1].split(",")] for line in lines for found in _INDICES.finditer(line)
    ]
    if not lists or max(map(len, lists)) > 2:
        return False
    return any(indices[0] == _IMPLICIT or indices[-1] - indices[0] > 1 for indices in lists)


def read_entire(source: Source) -> Iterator[Example]:
    """Stream one sentence a line, those without triplets too."""
    tally = _Tally()
    for number, line, name in named_lines(source):
        fields = _split_entire(line)
        if fields is None:
            expected = f"a sentence, two empty fields and a list of triplets with {MARK} in between"
            raise source.error(number, f"{line[:60]!r}", expected, "correct the line")
        quads = _read_quads(source, number, *fields, _ENTIRE_CODES, tally)
        yield Example(name, fields[0], quads)
    tally.note(source)


def write_entire(corpus: Corpus, path: Path) -> None:
    """Write one line an example; an aspect without opinion and polarity is written so, too."""
    lines = []
    for example in corpus:
        listed = _write_list(example, _ENTIRE_CODES)
        line = f"{example.text}{MARK} {MARK} {MARK}{listed}"
        same = _split_entire(line) == (example.text, listed)
        lines.append(encode_line(example, line, listed, same=same))
    path.write_bytes(b"".join(lines))


def _split_entire(line: str) -> tuple[str, str] | None:
    """Return the sentence and the list of a line whose two fields in between are empty."""
    fields = line.rsplit(MARK, 3)
    return (fields[0], fields[3]) if len(fields) == 4 and not "".join(fields[1:3]).strip() else None


ENTIRE_FORMAT = Format(
    "ASTE over the entire space: triplets by first and last token, and sentences without any",
    sniff_entire,
    read_entire,
    write_entire,
    annotates=frozenset({Part.ASPECT, Part.OPINION, Part.POLARITY}),
    loses=frozenset(Loss) - {Loss.OFFSETS},
)
