"""En-Phone quads (ASQP-Datasets): `text####[['Screen#General', '0,12', '28,55', '0'], ...]`, by characters.

Offsets are half-open, `-1,-1` is implicit, and the last field is 0 for negative, 1 for neutral, 2 for
positive: of the 843 opinions "good" 841 have a 2, of the 29 opinions "bad" all have a 0.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from aspectlab.data import Corpus, Example, Part, Polarity, Quad, Span, Term
from aspectlab.errors import DataError
from aspectlab.readers import Format, Head, Loss, Source
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
    polarity_code,
)

_CATEGORY = r"""(?:'[^']{0,200}'|"[^"]{0,200}")"""
_QUADS = re.compile(rf"""\[\s*\[\s*{_CATEGORY}\s*,\s*['"](?:-1,-1|[0-9]{{1,9}},[0-9]{{1,9}})['"]""")
_OFFSETS = re.compile(r"\s*(-1|\d{1,9})\s*,\s*(-1|\d{1,9})\s*", re.ASCII)
_IMPLICIT = Span(-1, -1)
_POLARITIES = {"0": Polarity.NEGATIVE, "1": Polarity.NEUTRAL, "2": Polarity.POSITIVE}


@dataclass(slots=True)
class _Tally:
    """The lines on which something was mended."""

    swapped: list[int] = field(default_factory=list)
    beyond: list[int] = field(default_factory=list)
    trimmed: list[int] = field(default_factory=list)

    def note(self, source: Source) -> None:
        """Note how often each happened."""
        note_lines(source, self.swapped, "terms whose end stood before their start, which were swapped")
        note_lines(source, self.beyond, "terms that ended one character behind the text, cut to it")
        note_lines(source, self.trimmed, "terms that began or ended with whitespace, which was cut off")


def sniff(head: Head) -> bool:
    """Recognise a list of lists of strings, the second of them a pair of offsets."""
    return _QUADS.match(first_list(head)) is not None


def read(source: Source) -> Iterator[Example]:
    """Stream one review a line; those without opinions stay."""
    tally = _Tally()
    for number, line, name in named_lines(source):
        text, mark, listed = line.rpartition(MARK)
        if not mark:
            raise source.error(number, f"{line[:60]!r}", f"a review, {MARK} and a list of quads")
        check_length(source, number, text)
        reading = _Line(source, number, text, listed, tally)
        yield Example(name, text, tuple(map(reading.read_quad, parse_list(source, number, listed))))
    tally.note(source)


class _Line:
    """One line, whose quads are read."""

    def __init__(self, source: Source, number: int, text: str, listed: str, tally: _Tally) -> None:
        self._source, self._number, self._text, self._listed = source, number, text, listed
        self._tally = tally

    def read_quad(self, item: object) -> Quad:
        """Return the quad that a list of four strings stands for."""
        match item:
            case [str(category), str(aspect), str(opinion), str(code)] if code in _POLARITIES:
                spans = _OFFSETS.fullmatch(aspect), _OFFSETS.fullmatch(opinion)
                if all(spans) and is_whole(category):
                    terms = [self._locate(Span(int(span[1]), int(span[2]))) for span in spans if span]
                    return Quad(terms[0], category, terms[1], _POLARITIES[code])
        # the line is shown, not the item: it may hold numbers too long to be printed
        expected = "quads like ['Screen#General', '0,12', '-1,-1', '0']: category, aspect, opinion, 0 to 2"
        raise self._source.error(self._number, f"{self._listed.strip()[:60]!r}", expected, "correct the quad")

    def _locate(self, span: Span) -> Term | None:
        if span == _IMPLICIT:
            return None
        start, end = min(span), max(span)
        limit = len(self._text)
        if start < 0 or end > limit + 1 or not self._text[start:end].strip():
            expected = f"offsets within 0:{limit} of the characters, with words in between"
            raise self._source.error(
                self._number, f"the offsets {span.start},{span.end}", expected, "correct the quad"
            )
        if span.start > span.end:
            self._tally.swapped.append(self._number)
        if end > limit:
            self._tally.beyond.append(self._number)
            end = limit
        words = self._text[start:end].strip()
        if len(words) < end - start:
            self._tally.trimmed.append(self._number)
            start = self._text.index(words, start)
        return Term(words, Span(start, start + len(words)))


def write(corpus: Corpus, path: Path) -> None:
    """Write one line an example, with terms as offsets of characters; ids are not kept."""
    path.write_bytes(b"".join([_write_line(example) for example in corpus]))


def _write_line(example: Example) -> bytes:
    quads = []
    for quad in example.quads:
        if quad.category is None or not is_whole(quad.category):
            found, expected = f"the category {quad.category!r:.80}", "one in every quad, of whole characters"
            raise DataError(f"example {example.id!r}: found {found}: expected {expected}; {REMEDY}")
        aspect, opinion = (_write_offsets(example, term) for term in (quad.aspect, quad.opinion))
        quads.append([quad.category, aspect, opinion, polarity_code(example, quad.polarity, _POLARITIES)])
    text, listed = example.text, repr(quads)
    line = f"{text}{MARK}{listed}"
    return encode_line(example, line, listed, same=line.rpartition(MARK) == (text, MARK, listed))


def _write_offsets(example: Example, term: Term | None) -> str:
    if term is None:
        return "-1,-1"
    if term.span is None or term.text != term.text.strip():
        expected = "a term of the text without whitespace around it"
        raise DataError(f"example {example.id!r}: found {term.text!r:.80}: expected {expected}; {REMEDY}")
    return f"{term.span.start},{term.span.end}"


FORMAT = Format(
    "En-Phone quadruples (ASQP-Datasets), one review a line, by characters",
    sniff,
    read,
    write,
    annotates=frozenset(Part),
    loses=frozenset(Loss) - {Loss.CATEGORIES, Loss.OFFSETS},
)
