"""Find review files and open each as a table: csv, tsv, jsonl, parquet, xlsx or txt."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from aspectlab.errors import DataError
from aspectlab.insight.dates import parse_date
from aspectlab.insight.reviewcolumns import KNOWN_NAMES, normalise_name
from aspectlab.insight.reviewcsv import Broken, detect_dialect, read_rows
from aspectlab.insight.reviewheads import MOST_ROWS, count_lines_above, count_rows_above
from aspectlab.insight.reviewtables import (
    CsvTable,
    JsonTable,
    LineTable,
    ParquetTable,
    Table,
    WorkbookTable,
    name_columns,
    read_records,
    union_of_keys,
)
from aspectlab.insight.reviewtext import Encoding, detect_encoding, read_lines
from aspectlab.insight.tally import Tally
from aspectlab.readers.parquetfile import is_parquet, read_plain_names
from aspectlab.readers.source import Source, find_packing
from aspectlab.readers.xlsxfile import is_zip, read_xlsx

ENDINGS = (".csv", ".tsv", ".tab", ".jsonl", ".ndjson", ".json", ".parquet", ".xlsx", ".txt")
"""The files of a folder that are taken as reviews."""

SUMMARY, FOLDER = "analysis.json", ".work"
"""What the folder of a complete analysis holds, and that of one under way: it is no folder of reviews."""

_SAMPLE_RECORDS = 200
_LONGEST_NAME = 50
_PROSE = re.compile(r"[.!?…]\s*$|[,;!?]\s|\s\S+\s\S+\s\S+\s")
_OTHER_KINDS = {
    b"\xd0\xcf\x11\xe0": "an old Excel or Word file",
    b"%PDF-": "a PDF file",
    b"SQLite format 3\0": "an SQLite file",
}
# bytes that no text in a one-byte encoding or in UTF-8 holds, but for a stray one
_CONTROL = bytes(set(range(32)) - set(b"\t\n\v\f\r\x1a\x1b\x1c\x1d\x1e\x1f"))
_MOST_CONTROL, _MOST_CONTROL_SHARE = 32, 0.02
_WIDE = ("utf-16", "utf-32")


def find_files(paths: Sequence[Path]) -> list[Path]:
    """List the files to read: those named, and in folders those with a known ending, in order of name."""
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            inside = sorted(filter(_has_known_ending, _files_below(path)))
            if not inside:
                raise DataError(
                    f"{path}: found no review file in this folder: expected {', '.join(ENDINGS)}; name a file"
                )
            found += inside
        elif path.exists():
            found.append(path)
        else:
            raise DataError(f"{path}: cannot be read: No such file or directory; check the path")
    # two paths may lead to one file: its reviews count once
    once: dict[Path, Path] = {}
    for path in found:
        once.setdefault(path.resolve(), path)
    return list(once.values())


def name_unread_files(paths: Sequence[Path]) -> Iterator[str]:
    """Say of each folder which of its files are not read, so that no packed or old one is missed unseen."""
    for path in filter(Path.is_dir, paths):
        others = sorted(found.name for found in _files_below(path) if not _has_known_ending(found))
        if others:
            more = f" and {len(others) - 1:,} more" if len(others) > 1 else ""
            yield f"{path.resolve().name}: not read, since of another kind: {others[0]!r}{more}"


def open_table(path: Path, encoding: Encoding | None = None) -> tuple[Table, list[str]]:
    """Open a file as a table, and say what had to be guessed; content counts more than the ending."""
    source = Source(path)
    start = source.head.start
    if not start.strip():
        raise source.error("whole file", "nothing", "reviews", "check the path")
    if packing := find_packing(start):
        raise source.error("whole file", f"a file packed with {packing.name}", "reviews", "unpack it first")
    if is_parquet(source.head):
        return ParquetTable(path, _plain_columns(source)), []
    if is_zip(source.head):
        return _open_workbook(source), [f"{path}: {note}" for note in source.notes]
    chosen = encoding or detect_encoding(path)
    # two and four bytes a letter are mostly zeros, and an encoding that is named may have its own marks
    _refuse_binary(source, may_hold_control=encoding is not None or chosen.name.startswith(_WIDE))
    notes = [f"{path}: not UTF-8: read as {chosen.name}; name another with --encoding"]
    return _open_text(source, chosen.name), notes if chosen.is_guess else []


def _refuse_binary(source: Source, *, may_hold_control: bool) -> None:
    """Refuse what is no text: read as Windows-1252, any file has lines."""
    start = source.head.start
    kind = next((name for mark, name in _OTHER_KINDS.items() if start.startswith(mark)), None)
    control = 0 if may_hold_control else len(start) - len(start.translate(None, _CONTROL))
    if kind or control > max(_MOST_CONTROL, _MOST_CONTROL_SHARE * len(start)):
        found = kind or "bytes that are no text"
        raise source.error("whole file", found, "reviews", "save it as csv, xlsx or parquet")


def _files_below(folder: Path) -> Iterator[Path]:
    """Give the files of a folder and those in it, without hidden ones and without what analyses wrote."""
    for path in folder.iterdir():
        if path.name.startswith("."):
            continue
        if path.is_dir():
            is_result = (path / SUMMARY).exists() or (path / FOLDER).exists()
            yield from () if is_result or path.is_symlink() else _files_below(path)
        elif path.is_file():
            yield path


def _has_known_ending(path: Path) -> bool:
    return path.suffix.lower() in ENDINGS


def _open_text(source: Source, encoding: str) -> Table:
    path, ending = source.path, source.path.suffix.lower()
    first = next((line.strip() for line in read_lines(path, encoding) if line.strip()), "")
    if first.startswith("{") or ending in {".jsonl", ".ndjson"}:
        keys = union_of_keys(read_records(path, encoding, Tally()), _SAMPLE_RECORDS)
        if not keys:
            raise _refuse_json(source, first)
        return JsonTable(path, keys, encoding)
    if ending == ".json":
        raise _refuse_json(source, first)
    if ending in {".csv", ".tsv", ".tab"}:
        return _open_csv(source, encoding)
    return LineTable(path, encoding)


def _refuse_json(source: Source, first: str) -> DataError:
    """Say how a list, which must be held in memory as a whole, becomes lines, which need not."""
    is_list = first.startswith("[")
    remedy = "write its parts as lines: jq -c '.[]' OLD > NEW.jsonl" if is_list else "check the file"
    return source.error(1, f"{first[:60]!r}", "one JSON object a line", remedy)


def _open_csv(source: Source, encoding: str) -> Table:
    above = count_lines_above(read_lines(source.path, encoding))
    dialect = detect_dialect(islice(read_lines(source.path, encoding), above, None))
    first = next(read_rows(islice(read_lines(source.path, encoding), above, None), dialect), None)
    if first is None or isinstance(first, Broken):
        found = "no row" if first is None else first.found
        raise source.error("header", found, "the names of the columns", "is this a CSV file?")
    has_header = is_header(first[1])
    return CsvTable(source.path, name_columns(first[1], has_header), encoding, dialect, has_header, above)


def _open_workbook(source: Source) -> Table:
    rows = [cells for _, cells in islice(read_xlsx(source), MOST_ROWS)]
    if not rows:
        raise source.error("first sheet", "no row", "reviews", "move them to the first sheet")
    above = count_rows_above(rows)
    has_header = is_header(rows[above])
    return WorkbookTable(source.path, name_columns(rows[above], has_header), has_header, above)


def _plain_columns(source: Source) -> tuple[str, ...]:
    """Name the columns of a Parquet file whose cells are strings or numbers."""
    plain = read_plain_names(source)
    if not plain:
        raise source.error("schema", "no column of strings or numbers", "reviews", "choose another file")
    return tuple(plain)


def is_header(cells: Iterable[str]) -> bool:
    """Tell the names of columns from a first review: names are short, and no numbers, dates or prose.

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
