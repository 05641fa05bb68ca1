"""DimABSA (SemEval-2026 Task 3): one JSON object a line, with terms by their words, and valence#arousal.

The polarity is that of the valence, from 1 to 9: negative below 5, positive above 5.5, neutral in between.
So read, 85.3 % of the restaurant and 88.9 % of the laptop quads of the English training files agree with
ACOS, whose quads they annotate anew (2,340 and 3,789 with the same terms and category; with cuts at 4 and 6
it would be 77.4 % and 75.8 %). Valence and arousal themselves are not kept.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import islice, product

from aspectlab.data import Example, Polarity, Quad, Span, Term
from aspectlab.readers import Format, Head, Source, each_term, find_term_caseless, parse_json
from aspectlab.readers.arts import has_keys
from aspectlab.readers.jsonfields import JsonRecord
from aspectlab.readers.textfields import check_length, check_pairs, note_lines

NEGATIVE_BELOW, POSITIVE_ABOVE = 5.0, 5.5
"""The valences between which an opinion is neutral."""

LISTS = ("Quadruplet", "Triplet", "Aspect_VA")
"""The key of the opinions, by subtask."""

_VALUES = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,9})?)#([0-9]{1,3}(?:\.[0-9]{1,9})?)")
_LOWEST, _HIGHEST = 1.0, 9.0
_IMPLICIT = "NULL"
_OCCURRENCES = 50


@dataclass(slots=True)
class _Tally:
    """The lines on which something was left out, or looks odd."""

    valued: list[int] = field(default_factory=list)
    aroused: list[int] = field(default_factory=list)
    unplaced: list[int] = field(default_factory=list)

    def note(self, source: Source) -> None:
        """Note how often each happened."""
        note_lines(
            source, self.valued, "opinions whose valence was read as a polarity, and whose arousal was not"
        )
        note_lines(source, self.aroused, "opinions whose arousal is not from 1 to 9")
        note_lines(source, self.unplaced, "terms that are not in the text, kept without a span")


def sniff(head: Head) -> bool:
    """Recognise objects with the keys ID and Text, and one of the lists of opinions."""
    return any(has_keys(head, "ID", "Text", key) for key in LISTS)


def read(source: Source) -> Iterator[Example]:
    """Stream one example a line; of what occurs often, the aspect and the opinion nearest to each other."""
    tally = _Tally()
    for number, line in source.lines():
        if not line.strip():
            continue
        values = parse_json(source, number, line)
        if not isinstance(values, dict):
            raise source.error(number, f"{values!r:.60}", "an object with the keys ID and Text")
        record = JsonRecord(source, number, values)
        name, text = record.string("ID"), record.string("Text")
        check_length(source, number, text)
        items = [item for key in LISTS for item in record.items(key)]
        check_pairs(source, number, len(items))
        # a term may recur in many quads of a broken line: it is looked for once
        find = cache(partial(_find_all, text))
        yield Example(name, text, tuple(_read_quad(source, number, item, find, tally) for item in items))
    tally.note(source)


def _read_quad(
    source: Source, number: int, item: object, find: Callable[[str], tuple[Term, ...]], tally: _Tally
) -> Quad:
    if not isinstance(item, dict):
        raise source.error(number, f"{item!r:.60}", "an object with an aspect", "correct or remove it")
    record = JsonRecord(source, number, item)
    aspects, opinions = (_read_terms(record, key, find) for key in ("Aspect", "Opinion"))
    aspect, opinion = min(product(aspects, opinions), key=_distance)
    tally.unplaced += [number for term in (aspect, opinion) if term is not None and term.span is None]
    category = record.string("Category") if "Category" in item else None
    return Quad(aspect, category, opinion, _read_polarity(record, number, tally))


def _read_terms(
    record: JsonRecord, key: str, find: Callable[[str], tuple[Term, ...]]
) -> tuple[Term | None, ...]:
    if key == "Opinion" and key not in record.values:
        return (None,)
    surface = record.string(key).strip()
    if not surface:
        raise record.source.error(record.where, f"an empty {key}", f"words, or {_IMPLICIT}", "correct it")
    return (None,) if surface == _IMPLICIT else find(surface)


def _find_all(text: str, surface: str) -> tuple[Term, ...]:
    """Return the occurrences of a term: as a word, or else inside one, or else in another case."""
    found = tuple(islice(each_term(text, surface), _OCCURRENCES))
    if not found and (start := text.find(surface)) >= 0:
        return (Term(surface, Span(start, start + len(surface))),)
    return found or (find_term_caseless(text, surface),)


def _distance(pair: tuple[Term | None, Term | None]) -> int:
    """Return how many characters lie between two terms; the first pair wins where there are none."""
    spans = [term.span for term in pair if term is not None and term.span is not None]
    if len(spans) < 2:
        return 0
    one, other = spans
    return max(one.start, other.start) - min(one.end, other.end)


def _read_polarity(record: JsonRecord, number: int, tally: _Tally) -> Polarity:
    values = record.string("VA")
    match = _VALUES.fullmatch(values.strip())
    if match is None or not _LOWEST <= float(match[1]) <= _HIGHEST:
        expected = "valence#arousal like 6.75#5.50, both from 1 to 9"
        raise record.source.error(record.where, f"the values {values!r:.60}", expected, "correct them")
    tally.valued.append(number)
    if not _LOWEST <= float(match[2]) <= _HIGHEST:
        tally.aroused.append(number)
    valence = float(match[1])
    if valence < NEGATIVE_BELOW:
        return Polarity.NEGATIVE
    return Polarity.POSITIVE if valence > POSITIVE_ABOVE else Polarity.NEUTRAL


FORMAT = Format(
    "DimABSA JSONL (SemEval-2026 Task 3): quads, triplets or aspects with valence and arousal",
    sniff,
    read,
    language="und",
)
