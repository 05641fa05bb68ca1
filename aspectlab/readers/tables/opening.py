"""Open a file as a table: strictly, as data sets are read, or leniently, as reviews are.

A strict table raises an error that names the line; a lenient one counts the rows that are broken and leaves
them out. Both tell CSV, workbooks and Parquet by content.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from aspectlab.errors import DataError
from aspectlab.readers.source import Source, TextEncoding, detect_encoding, find_packing, read_lines
from aspectlab.readers.tables.columns import (
    KNOWN_NAMES,
    MOST_ROWS,
    count_lines_above,
    count_named,
    count_rows_above,
    normalise_name,
)
from aspectlab.readers.tables.csvfile import BrokenRow, Row, detect_dialect, read_csv, read_lenient_rows
from aspectlab.readers.tables.dates import parse_date
from aspectlab.readers.tables.lenient import (
    CsvTable,
    JsonTable,
    LenientTable,
    LineTable,
    ParquetTable,
    ReadCounts,
    WorkbookTable,
    name_columns,
    read_records,
    union_of_keys,
)
from aspectlab.readers.tables.parquetfile import is_parquet, read_plain_names
from aspectlab.readers.tables.workbook import choose_sheet, is_workbook, read_sheet

_SAMPLE_RECORDS = 200
_LONGEST_NAME = 50
_PROSE = re.compile(r"[.!?…]\s*$|[,;!?]\s|\s\S+\s\S+\s\S+\s")
_OTHER_KINDS = {
    b"%PDF-": "a PDF file",
    b"SQLite format 3\0": "an SQLite file",
}
# bytes that no text in a one-byte encoding or in UTF-8 holds, but for a stray one
_CONTROL = bytes(set(range(32)) - set(b"\t\n\v\f\r\x1a\x1b\x1c\x1d\x1e\x1f"))
_MOST_CONTROL, _MOST_CONTROL_SHARE = 32, 0.02
_WIDE = ("utf-16", "utf-32")


@dataclass(frozen=True, slots=True)
class StrictTable:
    """A header and the rows below it, each with at least as many cells as the header has."""

    header: tuple[str, ...]
    rows: Iterator[Row]


def open_strict_table(source: Source, delimiter: str | None = None) -> StrictTable:
    """Open a CSV, TSV or workbook file; its first row that is not empty is the header."""
    workbook = is_workbook(source.head)
    rows = read_sheet(source, choose_sheet(source).name) if workbook else read_csv(source, delimiter)
    _, cells = next(rows, (0, []))
    if not cells:
        raise source.error("whole file", "no row", "a header and rows", "check the path")
    header = tuple(cell.strip() for cell in cells)
    return StrictTable(header, _padded(rows, len(header)) if workbook else _checked(source, rows, header))


def _padded(rows: Iterator[Row], width: int) -> Iterator[Row]:
    """Fill up what a workbook leaves out at the end of a row."""
    for number, cells in rows:
        yield number, cells + [""] * (width - len(cells))


def _checked(source: Source, rows: Iterator[Row], header: Sequence[str]) -> Iterator[Row]:
    """Refuse a row with too many or too few cells; a delimiter too many at the end of the lines is common."""
    named = count_named(header)
    for number, cells in rows:
        if len(cells) < named or any(cells[len(header) :]):
            expected = f"{len(header)}, as in the header"
            raise source.error(number, f"{len(cells)} cells", expected, "quote cells that hold the delimiter")
        yield number, cells + [""] * (len(header) - len(cells))


def open_lenient_table(
    path: Path, encoding: TextEncoding | None = None, sheet: str | None = None
) -> tuple[LenientTable, list[str]]:
    """Open a file as a table, and say what had to be guessed; content counts more than the ending."""
    source = Source(path)
    start = source.head.start
    if not start.strip():
        raise source.error("whole file", "nothing", "reviews", "check the path")
    if packing := find_packing(start):
        raise source.error("whole file", f"a file packed with {packing.name}", "reviews", "unpack it first")
    if is_parquet(source.head):
        return ParquetTable(path, _plain_columns(source)), []
    if is_workbook(source.head):
        table = _open_workbook(source, sheet)
        return table, [f"{path}: {note}; name another with --sheet" for note in source.notes]
    chosen = encoding or detect_encoding(path)
    # two and four bytes a letter are mostly zeros, and an encoding that is named may have its own marks
    _refuse_binary(source, may_hold_control=encoding is not None or chosen.name.startswith(_WIDE))
    notes = [f"{path}: not UTF-8: read as {chosen.name}; name another with --encoding"]
    return _open_text(source, chosen.name), notes if chosen.is_guess else []


def _refuse_binary(source: Source, *, may_hold_control: bool) -> None:
    """Refuse what is not text: read as Windows-1252, any file has lines."""
    start = source.head.start
    kind = next((name for mark, name in _OTHER_KINDS.items() if start.startswith(mark)), None)
    control = 0 if may_hold_control else len(start) - len(start.translate(None, _CONTROL))
    if kind or control > max(_MOST_CONTROL, _MOST_CONTROL_SHARE * len(start)):
        found = kind or "bytes that are no text"
        raise source.error("whole file", found, "reviews", "save it as csv, xlsx or parquet")


def _open_text(source: Source, encoding: str) -> LenientTable:
    path, ending = source.path, source.path.suffix.lower()
    first = next((line.strip() for line in read_lines(path, encoding) if line.strip()), "")
    is_array = (first.startswith("[") and ending == ".json") or first.startswith("[{")
    if first.startswith("{") or is_array or ending in {".jsonl", ".ndjson"}:
        keys = union_of_keys(read_records(path, encoding, ReadCounts()), _SAMPLE_RECORDS)
        if not keys:
            raise _refuse_json(source, first)
        return JsonTable(path, keys, encoding)
    if ending == ".json":
        raise _refuse_json(source, first)
    if ending in {".csv", ".tsv", ".tab"}:
        return _open_csv(source, encoding)
    return LineTable(path, encoding)


def _refuse_json(source: Source, first: str) -> DataError:
    """Refuse what holds no object with a review."""
    return source.error(1, f"{first[:60]!r}", "JSON objects, in lines or in an array", "check the file")


def _open_csv(source: Source, encoding: str) -> LenientTable:
    above = count_lines_above(read_lines(source.path, encoding))
    dialect = detect_dialect(islice(read_lines(source.path, encoding), above, None))
    first = next(read_lenient_rows(islice(read_lines(source.path, encoding), above, None), dialect), None)
    if first is None or isinstance(first, BrokenRow):
        found = "no row" if first is None else first.found
        raise source.error("header", found, "the names of the columns", "is this a CSV file?")
    has_header = is_header(first[1])
    return CsvTable(source.path, name_columns(first[1], has_header), encoding, dialect, has_header, above)


def _open_workbook(source: Source, name: str | None) -> LenientTable:
    sheet = choose_sheet(source, name)
    rows = sheet.rows or [cells for _, cells in islice(read_sheet(source, sheet.name), MOST_ROWS)]
    if not rows:
        raise source.error(f"sheet {sheet.name!r:.60}", "no row", "reviews", "name another with --sheet")
    above = count_rows_above(rows)
    has_header = is_header(rows[above])
    return WorkbookTable(source.path, name_columns(rows[above], has_header), has_header, above, sheet.name)


def _plain_columns(source: Source) -> tuple[str, ...]:
    """Name the columns of a Parquet file whose cells are strings or numbers."""
    plain = read_plain_names(source)
    if not plain:
        raise source.error("schema", "no column of strings or numbers", "reviews", "choose another file")
    return tuple(plain)


def is_header(cells: Iterable[str]) -> bool:
    """Distinguish column names from a first review: names are short, and no numbers, dates or prose.

    >>> is_header(["id", "Review text"]), is_header(["review"]), is_header(["17", "Nice and cheap!"])
    (True, True, False)
    """
    names = [cell.strip() for cell in cells]
    if any(normalise_name(name) in KNOWN_NAMES for name in names):
        return True
    return all(
        len(name) <= _LONGEST_NAME
        and not _PROSE.search(name)
        and not name.replace(".", "", 1).removeprefix("-").isdigit()
        and parse_date(name) is None
        for name in names
    )
