"""OATS quads, in XML: reviews whose sentences have targets, categories and opinion phrases.

Its offsets count characters, and `..._to` is that of the last one. A category like `POLARITY#NEGATIVE`, which
47 opinions of the published files have, is a slip of the annotators: it is kept, and counted in a note.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING

from aspectlab.data import Example, Part, Quad, Span, Term
from aspectlab.readers import Format, Head, Source, locate_term, xmlfile

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_SIGNS = re.compile(r"<sentence\s+sid\s*=|\sopinion_phrase\s*=")
_OFFSET = re.compile(r"-?[0-9]{1,9}")
_NULL = "NULL"
_MARKERS = re.compile(r"[TO]_NULL?")
"""What the annotation tool calls an implicit term (target or opinion); some have lost their last letter."""


@dataclass(slots=True)
class _Tally:
    """The sentences in which something was mended, or looks odd."""

    markers: list[str] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)
    slips: list[str] = field(default_factory=list)

    def note(self, source: Source) -> None:
        """Note how often each happened."""
        for names, message in (
            (self.markers, "terms that stand for none behind the text (T_NULL, O_NULL), read as implicit"),
            (self.outside, "terms of another sentence, kept without a span"),
            (self.slips, "opinions whose category names a polarity (POLARITY#...), kept as they are"),
        ):
            if names:
                source.note("whole file", f"{message}: {len(names):,}, first in sentence {names[0]!r:.80}")


def sniff(head: Head) -> bool:
    """Recognise XML whose root is `<Reviews>` and whose sentences have a sid or opinion phrases."""
    return xmlfile.root_tag(head) == "Reviews" and _SIGNS.search(xmlfile.head_text(head)) is not None


def read(source: Source) -> Iterator[Example]:
    """Stream the sentences of all reviews; those without opinions stay."""
    tally, numbers = _Tally(), count(1)
    for number, review in enumerate(xmlfile.read_records(source, "Reviews", "Review"), start=1):
        where = f"review {xmlfile.read_name(source, review, 'rid', number)!r:.80}"
        for sentence in xmlfile.each_inside(source, where, review, ("sentences",), ("sentence",)):
            yield _read_sentence(source, sentence, next(numbers), tally)
    tally.note(source)


def _read_sentence(source: Source, sentence: Element, number: int, tally: _Tally) -> Example:
    name = xmlfile.read_name(source, sentence, "sid", number)
    where = f"sentence {name!r:.80}"
    text = xmlfile.read_text(source, where, sentence)
    reading = _Sentence(source, name, text, tally)
    opinions = xmlfile.each_inside(source, where, sentence, ("text", "Opinions"), ("Opinion",))
    return Example(name, text, tuple(reading.read_quad(opinion) for opinion in opinions))


class _Sentence:
    """One sentence, whose opinions are read."""

    def __init__(self, source: Source, name: str, text: str, tally: _Tally) -> None:
        self._source, self._name, self._text, self._tally = source, name, text, tally
        self._where = f"sentence {name!r:.80}"

    def read_quad(self, opinion: Element) -> Quad:
        """Return the quad of an `<Opinion>`."""
        category = self._required(opinion, "category")
        if category.startswith("POLARITY#"):
            self._tally.slips.append(self._name)
        aspect, phrase = (self._read_term(opinion, key) for key in ("target", "opinion_phrase"))
        return Quad(aspect, category, phrase, xmlfile.read_polarity(self._source, self._where, opinion))

    def _read_term(self, opinion: Element, key: str) -> Term | None:
        surface = self._required(opinion, key)
        if surface == _NULL:
            return None
        start, last = (self._read_offset(opinion, f"{key}_{side}") for side in ("from", "to"))
        # the end is that of the last character, and in files that were mended by others the one behind it
        for end in (last + 1, last):
            if 0 <= start < end and self._text[start:end] == surface:
                return Term(surface, Span(start, end))
        if start >= len(self._text) and (start == last or _MARKERS.fullmatch(surface)):
            self._tally.markers.append(self._name)
            return None
        if start < 0 and last < 0 and surface not in self._text:
            self._tally.outside.append(self._name)
            return Term(surface)
        return locate_term(self._source, self._where, self._text, surface, start, last + 1)

    def _read_offset(self, opinion: Element, key: str) -> int:
        value = self._required(opinion, key)
        if not _OFFSET.fullmatch(value):
            found = f'{key}="{value:.40}"'
            raise self._source.error(
                self._where, found, "a number of characters from the start", "correct it"
            )
        return int(value)

    def _required(self, opinion: Element, key: str) -> str:
        return xmlfile.read_required(self._source, self._where, opinion, key)


FORMAT = Format("OATS XML: quads per sentence of a review", sniff, read, annotates=frozenset(Part))
