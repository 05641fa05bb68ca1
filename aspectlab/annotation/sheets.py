"""Sheet: what one annotator handed in. Of a JSONL file broken lines are kept apart, not refused."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from aspectlab.annotation.findings import Fault, Finding
from aspectlab.data import Example, Part, Polarity, annotated_parts
from aspectlab.data.jsonl import example_from_dict
from aspectlab.errors import DataError
from aspectlab.readers import read
from aspectlab.readers.jsonl import sniff
from aspectlab.readers.source import Source, parse_json

_TERMS = ("aspect", "opinion")


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
    """Read a file of any known format; what another format than JSONL cannot hold is refused by its reader.

    >>> len(read_sheet(Path("examples/sample.jsonl")).broken)
    0
    """
    source = Source(path)
    if not sniff(source.head):
        corpus = read(path)
        return Sheet(
            path.stem, corpus.language, corpus.annotates, corpus.examples, sha256=corpus.provenance.sha256
        )
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
