"""Sheet: what one annotator handed in. Of JSONL and tables broken segments are kept apart, not refused."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from aspectlab.annotation.findings import Fault, Finding
from aspectlab.annotation.rows import read_rows
from aspectlab.data import Corpus, Example, Part, Polarity, annotated_parts
from aspectlab.data.jsonl import example_from_dict
from aspectlab.errors import DataError
from aspectlab.readers import READERS, read
from aspectlab.readers import sniff as sniff_format
from aspectlab.readers.jsonl import sniff
from aspectlab.readers.parquetfile import is_parquet
from aspectlab.readers.source import Source, parse_json

_TERMS = ("aspect", "opinion")
_TABLES = ("table", "muse")
_QUOTED = re.compile(r"'(.*)'")


@dataclass(frozen=True, slots=True)
class Sheet:
    """One annotator's examples; an id may stand there twice, which the panel finds."""

    name: str
    language: str
    annotates: frozenset[Part]
    examples: tuple[Example, ...]
    broken: tuple[Finding, ...] = ()
    sha256: str = ""


def read_sheet(path: Path) -> Sheet:
    """Read a file of any known format; what neither JSONL nor a table can hold is refused by its reader.

    >>> len(read_sheet(Path("examples/sample.jsonl")).broken)
    0
    """
    source = Source(path)
    if not sniff(source.head):
        return _read_other(path)
    examples: list[Example] = []
    broken: list[Finding] = []
    language = "und"
    for number, line in source.lines():
        if not line.strip():
            continue
        record: object = None
        try:
            record = parse_json(source, number, line)
            language = _find_language(record) or language
            examples.append(example_from_dict(record))
        except DataError as error:
            broken.append(_describe(record, path, number, error))
    # a file that describes itself may name a part that no line has; only what is there can be compared
    found = annotated_parts(examples)
    return Sheet(path.stem, language, found, tuple(examples), tuple(broken), source.sha256)


def _read_other(path: Path) -> Sheet:
    source = Source(path)
    chosen = sniff_format(source)
    found = read_rows(source) if chosen in _TABLES and not is_parquet(source.head) else None
    if found is not None:
        examples, broken = found
        language = READERS[chosen].language
        return Sheet(
            path.stem, language, annotated_parts(examples), tuple(examples), tuple(broken), source.sha256
        )
    corpus = read(path)
    moved = tuple(_find_moved(corpus))
    digest = corpus.provenance.sha256
    return Sheet(path.stem, corpus.language, corpus.annotates, corpus.examples, moved, digest)


def _find_moved(corpus: Corpus) -> Iterator[Finding]:
    """Find the examples whose offsets the reader had to mend; a note names its example or its line."""
    for note in corpus.provenance.notes:
        where, is_term, _ = note.partition(": term ")
        if is_term:
            named = _QUOTED.search(where)
            yield Finding(Fault.OFFSET, named.group(1) if named else where, note)


def _find_language(record: object) -> str | None:
    corpus = record.get("corpus") if isinstance(record, dict) else None
    language = corpus.get("language") if isinstance(corpus, dict) else None
    return language if isinstance(language, str) else None


def _describe(record: object, path: Path, number: int, error: DataError) -> Finding:
    fields = record if isinstance(record, dict) else {}
    segment, where = fields.get("id"), f"{path.name}, line {number}"
    quads = [quad for quad in _as_list(fields.get("quads")) if isinstance(quad, dict)]
    fault = Fault.RECORD
    if any(quad.get("polarity") not in (None, *Polarity) for quad in quads):
        fault = Fault.LABEL
    elif any(_is_misplaced(quad.get(part), fields.get("text")) for quad in quads for part in _TERMS):
        fault = Fault.OFFSET
    return Finding(fault, segment if isinstance(segment, str) else f"line {number}", f"{where}: {error}")


def _is_misplaced(term: object, text: object) -> bool:
    if not isinstance(term, dict) or not isinstance(text, str):
        return False
    start, end = term.get("start"), term.get("end")
    return isinstance(start, int) and isinstance(end, int) and text[start:end] != term.get("text")


def _as_list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
