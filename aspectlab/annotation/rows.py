"""Rows: read the table of an annotator segment by segment, so that a fault costs a segment and not the file.

The readers join all rows of an id, wherever they stand, and put offsets right. Of an annotator's own table
neither is taken for granted: rows that come back to a segment may be a second annotation of it, and offsets
that do not fit may belong to another text.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from aspectlab.annotation.findings import Fault, Finding
from aspectlab.data import Example
from aspectlab.errors import DataError
from aspectlab.readers import muse
from aspectlab.readers.columns import POLARITIES, Sheet, find_column, open_sheet
from aspectlab.readers.csvfile import Row
from aspectlab.readers.quadrows import EMPTY_QUAD, NAMES, QuadRow, choose_columns, read_examples
from aspectlab.readers.source import Source
from aspectlab.readers.table import decode

Read = Callable[[Sequence[Row]], Iterator[Example]]
"""From the rows of one segment to its example; more than one if they do not belong together."""


def read_rows(source: Source) -> tuple[list[Example], list[Finding]] | None:
    """Read a CSV, TSV or XLSX file; None where no column names the segment, so that every row is one."""
    sheet = open_sheet(source)
    is_muse = muse.has_columns(sheet.header)
    named = [find_column(sheet.header, [name]) for name in (("id", "segment_id") if is_muse else ("id",))]
    places = [place for place in named if place is not None]
    if not places or (not is_muse and find_column(sheet.header, NAMES["text"]) is None):
        return None
    blocks: dict[str, list[list[Row]]] = defaultdict(list)
    for segment, rows in groupby(sheet.rows, key=lambda row: _name(row, places, is_muse)):
        blocks[segment].append(list(rows))
    read = _choose(source, sheet.header, is_muse)
    outcomes = [_read_segment(source, segment, found, read) for segment, found in blocks.items()]
    labels = find_column(sheet.header, NAMES["polarity"])
    return (
        [outcome for outcome in outcomes if isinstance(outcome, Example)],
        [
            _sharpen(outcome, blocks[outcome.segment], labels)
            for outcome in outcomes
            if isinstance(outcome, Finding)
        ],
    )


def _choose(source: Source, header: tuple[str, ...], is_muse: bool) -> Read:
    if is_muse:
        return lambda rows: muse.read_sheet(source, Sheet(header, iter(rows)))
    columns = choose_columns(source, header, {})

    def read(rows: Sequence[Row]) -> Iterator[Example]:
        cells = ({name: decode(row[place]) for name, place in columns.items()} for _, row in rows)
        return read_examples(
            source,
            columns,
            [QuadRow(number, found) for (number, _), found in zip(rows, cells, strict=True)],
        )

    return read


def _read_segment(source: Source, segment: str, blocks: list[list[Row]], read: Read) -> Example | Finding:
    where = f"{source.path.name}, line {blocks[0][0][0]}"
    if len(blocks) > 1:
        lines = ", ".join(str(block[0][0]) for block in blocks)
        return Finding(Fault.TWICE, segment, f"{source.path.name}: its rows begin anew in lines {lines}")
    before = len(source.notes)
    try:
        examples = list(read(blocks[0]))
    except DataError as error:
        fault = Fault.OFFSET if "offsets within" in str(error) else Fault.RECORD
        return Finding(fault, segment, str(error))
    if len(examples) != 1:
        return Finding(Fault.TEXT, segment, f"{where}: its rows have {len(examples)} texts")
    for note in source.notes[before:]:
        if note.startswith("segment "):  # of several texts MuSe-CarASTE's reader takes the most frequent
            return Finding(Fault.TEXT, segment, f"{where}: {note}")
        if not note.startswith("whole file"):
            return Finding(Fault.OFFSET, segment, f"{source.path.name}, {note}")
    return examples[0]


def _sharpen(finding: Finding, blocks: list[list[Row]], labels: int | None) -> Finding:
    """Say of a record that cannot be read whether it is its label that is unknown."""
    words = [] if labels is None else [cells[labels] for block in blocks for _, cells in block]
    if finding.fault is Fault.RECORD and not all(map(_is_known, words)):
        return Finding(Fault.LABEL, finding.segment, finding.detail)
    return finding


def _is_known(word: str) -> bool:
    plain = word.strip().lower().removesuffix(".0")
    return plain in {"", "-", EMPTY_QUAD} or plain in POLARITIES


def _name(row: Row, places: Sequence[int], is_muse: bool) -> str:
    """Give the id as the reader does: numbers of MuSe-CarASTE may have become 15.0, other ids stay."""
    cells = [row[1][place].strip() for place in places]
    return "-".join(cell.removesuffix(".0") for cell in cells) if is_muse else cells[0]
