"""MEMD-ABSA quads: a JSON list of sentences, whose terms have their words and a half-open range of tokens."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from aspectlab.data import Corpus, Example, Part, Quad, Term
from aspectlab.errors import DataError
from aspectlab.readers import Format, Head, Loss, Source, parse_json, term_of_tokens, token_spans
from aspectlab.readers.jsonfields import JsonRecord
from aspectlab.readers.textfields import (
    CODES,
    REMEDY,
    TokenSpans,
    check_length,
    check_pairs,
    find_phrase,
    note_lines,
    polarity_code,
)

_NULL = ["NULL"]


@dataclass(slots=True)
class _Tally:
    """The sentences in which something was mended, or looks odd."""

    swapped: list[int] = field(default_factory=list)
    moved: list[int] = field(default_factory=list)
    unplaced: list[int] = field(default_factory=list)
    uncategorised: list[int] = field(default_factory=list)

    def note(self, source: Source) -> None:
        """Note how often each happened."""
        unit = "sentence"
        note_lines(source, self.swapped, "terms whose end stood before their start, which were swapped", unit)
        note_lines(source, self.moved, "terms placed where their words stand, and not as given", unit)
        note_lines(source, self.unplaced, "terms whose words are not in the text, kept without a span", unit)
        odd = "quads whose category is not ENTITY#ATTRIBUTE (None), kept as they are"
        note_lines(source, self.uncategorised, odd, unit)


def sniff(head: Head) -> bool:
    """Recognise a list of objects with the keys raw_words and quadruples."""
    text = head.text
    keys = ('"raw_words"', '"quadruples"')
    return re.match(r"\s*\[\s*\{", text) is not None and all(key in text for key in keys)


def read(source: Source) -> Iterator[Example]:
    """Return one example a sentence; a term is placed by its words where its range says something else."""
    values = parse_json(source, "whole file", source.text())
    if not isinstance(values, list):
        raise source.error(
            "whole file", f"{values!r:.60}", "a list of sentences", "is this a MEMD-ABSA file?"
        )
    tally = _Tally()
    for number, value in enumerate(values, start=1):
        where = f"sentence {number}"
        record = _record(source, where, value)
        text = record.string("raw_words")
        check_length(source, where, text)
        items = record.items("quadruples")
        check_pairs(source, where, len(items))
        place = _Placing(source, number, text, tally)
        quads = [_read_quad(_record(source, where, item), place) for item in items]
        tally.uncategorised += [number for quad in quads if "#" not in (quad.category or "")]
        yield Example(str(number), text, tuple(quads))
    tally.note(source)


def _record(source: Source, where: str, value: object) -> JsonRecord:
    if not isinstance(value, dict):
        raise source.error(where, f"{value!r:.60}", "an object", "correct or remove it")
    return JsonRecord(source, where, value)


def _read_quad(record: JsonRecord, place: _Placing) -> Quad:
    code = record.string("sentiment")
    if code not in CODES:
        expected = f"one of {', '.join(CODES)}"
        raise record.source.error(record.where, f"the sentiment {code!r:.60}", expected, "correct it")
    aspect, opinion = (place.locate(record.values.get(part)) for part in ("aspect", "opinion"))
    return Quad(aspect, record.string("category"), opinion, CODES[code])


class _Placing:
    """The tokens of one sentence, to place terms among them."""

    def __init__(self, source: Source, number: int, text: str, tally: _Tally) -> None:
        self._source, self._number, self._text, self._tally = source, number, text, tally
        self._words, self._spans = text.split(), token_spans(text)

    def locate(self, value: object) -> Term | None:
        """Return the term with these words, at its range of tokens or at the nearest that has them."""
        match value:
            case {"from": int(start), "to": int(end), "term": [str(), *_] as words}:
                # bool is an int to Python, but true is not an index
                if bool not in (type(start), type(end)) and all(isinstance(word, str) for word in words):
                    is_implicit = (start, end, words) == (-1, -1, _NULL)
                    return None if is_implicit else self._place(words, start, end)
        expected = "a term like {'from': 3, 'to': 5, 'term': ['two', 'words']}, or -1, -1 and ['NULL']"
        raise self._error(f"{value!r:.80}", expected)

    def _place(self, words: Sequence[str], start: int, end: int) -> Term:
        first, behind = min(start, end), max(start, end)
        if first >= 0 and self._words[first:behind] == words:
            if start > end:
                self._tally.swapped.append(self._number)
            return self._term(first, words)
        # beyond the text, the words are looked for from its end
        at = find_phrase(self._words, words, min(max(first, 0), len(self._words)))
        if at is not None:
            self._tally.moved.append(self._number)
            return self._term(at, words)
        if words == _NULL or first < 0 or behind > len(self._words):
            found = f"the term {' '.join(words)!r:.60} at {start}:{end}"
            raise self._error(found, f"its words within 0:{len(self._words)} of the tokens")
        self._tally.unplaced.append(self._number)
        return Term(" ".join(words))

    def _term(self, first: int, words: Sequence[str]) -> Term:
        return term_of_tokens(self._text, self._spans, first, first + len(words) - 1)

    def _error(self, found: str, expected: str) -> DataError:
        return self._source.error(f"sentence {self._number}", found, expected, "correct the term")


def write(corpus: Corpus, path: Path) -> None:
    """Write the sentences as a JSON list, in ASCII as the published files; ids are not kept."""
    records = [_to_record(example) for example in corpus]
    path.write_text(json.dumps(records, indent=2) + "\n", encoding="ascii", newline="\n")


def _to_record(example: Example) -> dict[str, object]:
    tokens, words = TokenSpans(example), example.text.split()
    quads = []
    for quad in example.quads:
        if quad.category is None:
            raise DataError(
                f"example {example.id!r}: found no category: expected one in every quad; {REMEDY}"
            )
        aspect, opinion = (
            _to_term(words, tokens.locate(term, part) if term else None)
            for term, part in ((quad.aspect, "aspect"), (quad.opinion, "opinion"))
        )
        code = polarity_code(example, quad.polarity, CODES)
        quads.append({"aspect": aspect, "category": quad.category, "opinion": opinion, "sentiment": code})
    return {"raw_words": example.text, "task": "ACOS", "quadruples": quads}


def _to_term(words: Sequence[str], tokens: tuple[int, int] | None) -> dict[str, object]:
    if tokens is None:
        return {"from": -1, "to": -1, "term": _NULL}
    first, last = tokens
    return {"from": first, "to": last + 1, "term": words[first : last + 1]}


FORMAT = Format(
    "MEMD-ABSA JSON: quads with categories and implicit terms",
    sniff,
    read,
    write,
    annotates=frozenset(Part),
    loses=frozenset(Loss) - {Loss.CATEGORIES, Loss.OFFSETS},
)
