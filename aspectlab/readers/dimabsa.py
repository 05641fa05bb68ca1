"""DimABSA (SemEval-2026 Task 3): one JSON object a line, with terms by their words, and valence#arousal.

The polarity is that of the valence: `Intensity.polarity` has the cuts.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import islice, product
from pathlib import Path

from aspectlab.data import HIGHEST, LOWEST, Corpus, Example, Intensity, Part, Quad, Span, Term
from aspectlab.errors import DataError
from aspectlab.readers import Format, Head, Loss, Source, dump_line, each_term, find_term_caseless, parse_json
from aspectlab.readers.arts import has_keys
from aspectlab.readers.jsonfields import JsonRecord
from aspectlab.readers.textfields import check_length, check_pairs, note_lines

SUBTASK_LISTS = {3: "Quadruplet", 2: "Triplet", 1: "Aspect_VA"}
"""The key of the opinions, by subtask."""

_VALUES = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,9})?)#([0-9]{1,3}(?:\.[0-9]{1,9})?)")
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
        note_lines(source, self.valued, "opinions whose polarity is that of their valence")
        note_lines(source, self.aroused, "opinions whose arousal is not from 1 to 9")
        note_lines(source, self.unplaced, "terms that are not in the text, kept without a span")


def sniff(head: Head) -> bool:
    """Recognise objects with the keys ID and Text, and one of the lists of opinions."""
    return any(has_keys(head, "ID", "Text", key) for key in SUBTASK_LISTS.values())


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
        items = [item for key in SUBTASK_LISTS.values() for item in record.items(key)]
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
    intensity = _read_intensity(record, number, tally)
    return Quad(aspect, category, opinion, intensity.polarity, intensity=intensity)


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


def _read_intensity(record: JsonRecord, number: int, tally: _Tally) -> Intensity:
    values = record.string("VA")
    intensity = _parse_values(values.strip())
    if intensity is None:
        expected = "valence#arousal like 6.75#5.50, both from 1 to 9"
        raise record.source.error(record.where, f"the values {values!r:.60}", expected, "correct them")
    tally.valued.append(number)
    if not intensity.in_range:
        tally.aroused.append(number)
    return intensity


def _parse_values(values: str) -> Intensity | None:
    """Read valence#arousal; a valence out of its range, which has no polarity, is none."""
    match = _VALUES.fullmatch(values)
    if match is None or not LOWEST <= float(match[1]) <= HIGHEST:
        return None
    return Intensity(float(match[1]), float(match[2]))


def write(corpus: Corpus, path: Path) -> None:
    """Write one example a line, as of the subtask that judges what the corpus annotates.

    Offsets are not kept: the reader finds the occurrences again that are nearest to each other.
    """
    subtask = 3 if Part.CATEGORY in corpus.annotates else 2 if Part.OPINION in corpus.annotates else 1
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        for example in corpus:
            items = [_to_item(example, quad, subtask) for quad in example.quads]
            record = {"ID": example.id, "Text": example.text, SUBTASK_LISTS[subtask]: items}
            stream.write(dump_line(record) + "\n")


def _to_item(example: Example, quad: Quad, subtask: int) -> dict[str, str]:
    terms = {"Aspect": quad.aspect} | ({"Opinion": quad.opinion} if subtask > 1 else {})
    item = {key: _spell_term(example, term) for key, term in terms.items()}
    if subtask == 3:
        if quad.category is None:
            raise _error(example, "no category", "one in every quad, or in none")
        item["Category"] = quad.category
    return item | {"VA": _spell_values(example, quad)}


def _spell_term(example: Example, term: Term | None) -> str:
    if term is None:
        return _IMPLICIT
    surface = term.text
    if surface in (_IMPLICIT, "") or surface != surface.strip():
        expected = f"words without whitespace around them; {_IMPLICIT} means implicit"
        raise _error(example, f"the term {surface!r:.60}", expected)
    if _find_all(example.text, surface)[0].text != surface:
        raise _error(example, f"the term {surface!r:.60}", "its words as they are in the text")
    return surface


def _spell_values(example: Example, quad: Quad) -> str:
    intensity = quad.intensity
    if intensity is None:
        raise _error(example, "a quad without valence and arousal", "both in every quad")
    values = "#".join(map(_spell_number, (intensity.valence, intensity.arousal)))
    found = _parse_values(values)
    if found is None or found.polarity is not quad.polarity:
        shown = f"the values {values} of a quad that is {quad.polarity}"
        raise _error(example, shown, "a valence from 1 to 9 with the polarity of the quad")
    return values


def _spell_number(value: float) -> str:
    """Write two decimals as the organisers do, and more where there are more."""
    short = f"{value:.2f}"
    return short if float(short) == value else f"{value:.9f}".rstrip("0")


def _error(example: Example, found: str, expected: str) -> DataError:
    where = f"example {example.id!r}: found {found}"
    return DataError(f"{where}: expected {expected}; convert to `jsonl`, which keeps all")


FORMAT = Format(
    "DimABSA JSONL (SemEval-2026 Task 3): quads, triplets or aspects with valence and arousal",
    sniff,
    read,
    write,
    language="und",
    loses=frozenset({Loss.OFFSETS, Loss.ORIGINS, Loss.CONFIDENCES}),
)
