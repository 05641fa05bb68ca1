"""Sheets: the annotations of one person, read leniently: faults are reported, not raised."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from aspectlab.data import Corpus, Example, Part, Polarity, annotated_parts, example_from_dict
from aspectlab.errors import DataError
from aspectlab.readers import (
    EMPTY_QUAD,
    NAMES,
    READERS,
    Fault,
    QuadRow,
    Source,
    choose_columns,
    decode,
    muse,
    parse_json,
    read,
    read_examples,
    sniff,
)
from aspectlab.readers.tables import POLARITIES, Row, StrictTable, find_column, is_parquet, open_strict_table

__all__ = ["Fault", "SheetFinding", "count_faults"]


@dataclass(frozen=True, slots=True)
class SheetFinding:
    """One segment that cannot be compared, and why."""

    fault: Fault
    segment: str
    detail: str

    def __str__(self) -> str:
        return f"{self.fault}: segment {self.segment!r}: {self.detail}"


def count_faults(findings: Sequence[SheetFinding]) -> dict[str, int]:
    """Count findings by fault.

    >>> count_faults([SheetFinding(Fault.TEXT, "1", "a, b")])
    {'texts differ': 1}
    """
    counts = Counter(finding.fault for finding in findings)
    return {fault.value: counts[fault] for fault in Fault if counts[fault]}


Read = Callable[[Sequence[Row]], Iterator[Example]]
"""From the rows of one segment to its example; more than one if they do not belong together."""


def read_rows(source: Source) -> tuple[list[Example], list[SheetFinding]] | None:
    """Read a CSV, TSV or XLSX file; None where no column names the segment, so that every row is one."""
    sheet = open_strict_table(source)
    is_muse = muse.has_columns(sheet.header)
    named = [find_column(sheet.header, [name]) for name in (("id", "segment_id") if is_muse else ("id",))]
    positions = [position for position in named if position is not None]
    if not positions or (not is_muse and find_column(sheet.header, NAMES["text"]) is None):
        return None
    blocks: dict[str, list[list[Row]]] = defaultdict(list)
    for segment, rows in groupby(sheet.rows, key=lambda row: _name(row, positions, is_muse)):
        blocks[segment].append(list(rows))
    read = _choose(source, sheet.header, is_muse)
    outcomes = [_read_segment(source, segment, found, read) for segment, found in blocks.items()]
    labels = find_column(sheet.header, NAMES["polarity"])
    return (
        [outcome for outcome in outcomes if isinstance(outcome, Example)],
        [
            _sharpen(outcome, blocks[outcome.segment], labels)
            for outcome in outcomes
            if isinstance(outcome, SheetFinding)
        ],
    )


def _choose(source: Source, header: tuple[str, ...], is_muse: bool) -> Read:
    if is_muse:
        return lambda rows: muse.read_sheet(source, StrictTable(header, iter(rows)))
    columns = choose_columns(source, header, {})

    def read(rows: Sequence[Row]) -> Iterator[Example]:
        cells = ({name: decode(row[position]) for name, position in columns.items()} for _, row in rows)
        return read_examples(
            source,
            columns,
            [QuadRow(number, found) for (number, _), found in zip(rows, cells, strict=True)],
        )

    return read


def _read_segment(
    source: Source, segment: str, blocks: list[list[Row]], read: Read
) -> Example | SheetFinding:
    where = f"{source.path.name}, line {blocks[0][0][0]}"
    if len(blocks) > 1:
        lines = ", ".join(str(block[0][0]) for block in blocks)
        return SheetFinding(
            Fault.TWICE, segment, f"{source.path.name}: its rows begin again in lines {lines}"
        )
    before = len(source.notes)
    try:
        examples = list(read(blocks[0]))
    except DataError as error:
        fault = Fault.OFFSET if "offsets within" in str(error) else Fault.RECORD
        return SheetFinding(fault, segment, str(error))
    if len(examples) != 1:
        return SheetFinding(Fault.TEXT, segment, f"{where}: its rows have {len(examples)} texts")
    for note in source.notes[before:]:
        if note.startswith("segment "):  # of several texts MuSe-CarASTE's reader takes the most frequent
            return SheetFinding(Fault.TEXT, segment, f"{where}: {note}")
        if not note.startswith("whole file"):
            return SheetFinding(Fault.OFFSET, segment, f"{source.path.name}, {note}")
    return examples[0]


def _sharpen(finding: SheetFinding, blocks: list[list[Row]], labels: int | None) -> SheetFinding:
    """Return whether an unknown label is what makes a record unreadable."""
    words = [] if labels is None else [cells[labels] for block in blocks for _, cells in block]
    if finding.fault is Fault.RECORD and not all(map(_is_known, words)):
        return SheetFinding(Fault.LABEL, finding.segment, finding.detail)
    return finding


def _is_known(word: str) -> bool:
    plain = word.strip().lower().removesuffix(".0")
    return plain in {"", "-", EMPTY_QUAD} or plain in POLARITIES


def _name(row: Row, positions: Sequence[int], is_muse: bool) -> str:
    """Return the id as the reader does: numbers of MuSe-CarASTE may have become 15.0, other ids stay."""
    cells = [row[1][position].strip() for position in positions]
    return "-".join(cell.removesuffix(".0") for cell in cells) if is_muse else cells[0]


_TERMS = ("aspect", "opinion")
_TABLES = ("table", "muse")
_QUOTED = re.compile(r"'(.*)'")


@dataclass(frozen=True, slots=True)
class AnnotationSheet:
    """One annotator's examples; an id may stand there twice, which the panel finds."""

    name: str
    language: str
    annotates: frozenset[Part]
    examples: tuple[Example, ...]
    broken: tuple[SheetFinding, ...] = ()
    sha256: str = ""


def read_sheet(path: Path) -> AnnotationSheet:
    """Read a file of any known format; what neither JSONL nor a table can hold is refused by its reader.

    >>> len(read_sheet(Path("examples/sample.jsonl")).broken)
    0
    """
    source = Source(path)
    if not READERS["jsonl"].sniff(source.head):
        return _read_other(path)
    examples: list[Example] = []
    broken: list[SheetFinding] = []
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
    return AnnotationSheet(path.stem, language, found, tuple(examples), tuple(broken), source.sha256)


def _read_other(path: Path) -> AnnotationSheet:
    source = Source(path)
    chosen = sniff(source)
    found = read_rows(source) if chosen in _TABLES and not is_parquet(source.head) else None
    if found is not None:
        examples, broken = found
        language = READERS[chosen].language
        return AnnotationSheet(
            path.stem, language, annotated_parts(examples), tuple(examples), tuple(broken), source.sha256
        )
    corpus = read(path)
    moved = tuple(_find_moved(corpus))
    digest = corpus.provenance.sha256
    return AnnotationSheet(path.stem, corpus.language, corpus.annotates, corpus.examples, moved, digest)


def _find_moved(corpus: Corpus) -> Iterator[SheetFinding]:
    """Find the examples whose offsets the reader had to mend; a note names its example or its line."""
    for note in corpus.provenance.notes:
        where, is_term, _ = note.partition(": term ")
        if is_term:
            named = _QUOTED.search(where)
            yield SheetFinding(Fault.OFFSET, named.group(1) if named else where, note)


def _find_language(record: object) -> str | None:
    corpus = record.get("corpus") if isinstance(record, dict) else None
    language = corpus.get("language") if isinstance(corpus, dict) else None
    return language if isinstance(language, str) else None


def _describe(record: object, path: Path, number: int, error: DataError) -> SheetFinding:
    fields = record if isinstance(record, dict) else {}
    segment, where = fields.get("id"), f"{path.name}, line {number}"
    quads = [quad for quad in _as_list(fields.get("quads")) if isinstance(quad, dict)]
    fault = Fault.RECORD
    if any(quad.get("polarity") not in (None, *Polarity) for quad in quads):
        fault = Fault.LABEL
    elif any(_is_misplaced(quad.get(part), fields.get("text")) for quad in quads for part in _TERMS):
        fault = Fault.OFFSET
    return SheetFinding(fault, segment if isinstance(segment, str) else f"line {number}", f"{where}: {error}")


def _is_misplaced(term: object, text: object) -> bool:
    if not isinstance(term, dict) or not isinstance(text, str):
        return False
    start, end = term.get("start"), term.get("end")
    return isinstance(start, int) and isinstance(end, int) and text[start:end] != term.get("text")


def _as_list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
