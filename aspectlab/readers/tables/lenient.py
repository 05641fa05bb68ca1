"""Tables of any kind read leniently: their columns, and their rows, past those that are broken."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from io import TextIOWrapper
from itertools import chain, count, islice
from math import isfinite
from pathlib import Path
from typing import Protocol

from aspectlab.errors import DataError
from aspectlab.readers.source import Source, is_clean, open_binary, read_lines
from aspectlab.readers.tables.columns import count_named
from aspectlab.readers.tables.csvfile import BrokenRow, CsvDialect, Row, read_lenient_rows
from aspectlab.readers.tables.parquetfile import count_rows, read_cells
from aspectlab.readers.tables.workbook import read_sheet
from aspectlab.untrusted import parse_json

NAMED_ROWS = 5
"""So many broken rows are named; the others are only counted."""


@dataclass(eq=False, slots=True)
class ReadCounts:
    """Counts of what was read and of what was left out; its size does not grow with the files."""

    reviews: int = 0
    empty: int = 0
    cut: int = 0
    broken: int = 0
    skipped: list[str] = field(default_factory=list)

    def skip(self, path: Path, where: int | str, found: str, rows: int = 1) -> None:
        """Count a row that cannot be read, or several in a row; the first few are named."""
        self.broken += rows
        if len(self.skipped) < NAMED_ROWS:
            named = f"line {where}" if isinstance(where, int) else where
            count = "row" if rows == 1 else f"{rows:,} rows"
            self.skipped.append(f"{path}: {named}: found {found}: {count} skipped")

    def notices(self) -> Iterator[str]:
        """Describe what was left out, for people.

        >>> tally = ReadCounts(empty=2)
        >>> tally.skip(Path("a.csv"), 7, "2 cells, not 3")
        >>> for notice in tally.notices():
        ...     print(notice)
        a.csv: line 7: found 2 cells, not 3: row skipped
        1 broken row skipped
        2 reviews without text skipped
        """
        yield from self.skipped
        if self.broken:
            yield f"{_format_count(self.broken, 'broken row')} skipped"
        if self.empty:
            yield f"{_format_count(self.empty, 'review')} without text skipped"
        if self.cut:
            yield f"{_format_count(self.cut, 'very long review')} cut"


def _format_count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


MAX_COLUMNS = 1_000
"""Columns further to the right are not looked at."""

CARRIED = "+"
"""How the names of cells begin that are not read, only carried to the tables."""

Wanted = Mapping[str, int]
"""Which columns are wanted: the index in the header by what they hold."""

Cells = dict[str, str]
"""The wanted cells of a row by what they hold."""

Numbered = tuple[int | str, Cells]
"""The line or row number, and the cells."""


class LenientTable(Protocol):
    """A file with columns whose rows can be read again and again."""

    @property
    def path(self) -> Path:
        """The file."""
        ...

    @property
    def header(self) -> tuple[str, ...]:
        """The names of the columns."""
        ...

    def rows(self, wanted: Wanted, tally: ReadCounts) -> Iterator[Cells]:
        """Stream the wanted cells; rows that are broken are counted and left out."""
        ...


@dataclass(frozen=True, slots=True)
class CsvTable:
    """Lines whose cells a delimiter separates."""

    path: Path
    header: tuple[str, ...]
    encoding: str
    dialect: CsvDialect
    has_header: bool
    above: int = 0
    """Lines above the first row."""

    def rows(self, wanted: Wanted, tally: ReadCounts) -> Iterator[Cells]:
        """Stream the rows of the right width."""
        width = count_named(self.header) or 1
        lines = islice(read_lines(self.path, self.encoding), self.above, None)
        rows = read_lenient_rows(lines, self.dialect, width)
        return _keep_clean(self.path, self._numbered(rows, wanted, tally), tally)

    def _numbered(
        self, rows: Iterator[Row | BrokenRow], wanted: Wanted, tally: ReadCounts
    ) -> Iterator[Numbered]:
        for row in islice(rows, int(self.has_header), None):
            if isinstance(row, BrokenRow):
                tally.skip(self.path, row.number + self.above, row.found)
            else:
                yield row[0] + self.above, _pick(row[1], wanted)


@dataclass(frozen=True, slots=True)
class WorkbookTable:
    """A sheet of a workbook."""

    path: Path
    header: tuple[str, ...]
    has_header: bool
    above: int = 0
    """Rows above the first one that counts."""

    sheet: str = ""

    def rows(self, wanted: Wanted, tally: ReadCounts) -> Iterator[Cells]:
        """Stream the rows below the header."""
        rows = islice(read_sheet(Source(self.path), self.sheet), self.above + self.has_header, None)
        picked = ((number, _pick(cells, wanted)) for number, cells in rows)
        return _keep_clean(self.path, picked, tally)


@dataclass(frozen=True, slots=True)
class JsonTable:
    """JSON, one object a line or an array of them; their keys are the columns."""

    path: Path
    header: tuple[str, ...]
    encoding: str

    def rows(self, wanted: Wanted, tally: ReadCounts) -> Iterator[Cells]:
        """Stream the objects; an absent key is an empty cell."""
        keys = {name: self.header[index] for name, index in wanted.items()}
        picked = (
            (number, {name: _as_cell(record.get(key)) for name, key in keys.items()})
            for number, record in read_records(self.path, self.encoding, tally)
        )
        return _keep_clean(self.path, picked, tally)


@dataclass(frozen=True, slots=True)
class ParquetTable:
    """The columns of a Parquet file that hold strings or numbers."""

    path: Path
    header: tuple[str, ...]

    def rows(self, wanted: Wanted, tally: ReadCounts) -> Iterator[Cells]:
        """Stream the rows; where they end early, those that are missing are counted as broken."""
        return _keep_clean(self.path, self._numbered(wanted, tally), tally)

    def _numbered(self, wanted: Wanted, tally: ReadCounts) -> Iterator[Numbered]:
        source, number = Source(self.path), 0
        names = {name: self.header[index] for name, index in wanted.items()}
        try:
            for number, row in enumerate(read_cells(source, names, mark=True), start=1):
                yield f"row {number}", {name: cell or "" for name, cell in row.items()}
        except DataError as error:
            missing = count_rows(source) - number
            found = str(error).partition(": found ")[2]
            tally.skip(self.path, f"row {number + 1} on", found, max(1, missing))


@dataclass(frozen=True, slots=True)
class LineTable:
    """A text with one review per line; empty lines are none."""

    path: Path
    encoding: str
    header: tuple[str, ...] = ("text",)

    def rows(self, wanted: Wanted, tally: ReadCounts) -> Iterator[Cells]:
        """Stream the lines that are not empty."""
        lines = enumerate(read_lines(self.path, self.encoding), start=1)
        picked = (
            (number, dict.fromkeys(wanted, line.rstrip("\r\n"))) for number, line in lines if line.strip()
        )
        return _keep_clean(self.path, picked, tally)


def read_records(
    path: Path, encoding: str, tally: ReadCounts
) -> Iterator[tuple[int | str, dict[str, object]]]:
    """Stream the objects of a JSONL file or of a JSON array; a bare string is the text of a review.

    An object within an object is taken apart: its keys stand behind that of the outer one and a dot.
    """
    first = next((line.lstrip("\ufeff \t") for line in read_lines(path, encoding) if line.strip()), "")
    values = _read_array(path, encoding) if first.startswith("[") else _read_json_lines(path, encoding, tally)
    for where, value in values:
        if isinstance(value, str):
            yield where, {"text": value}
        elif isinstance(value, dict):
            yield where, _flatten(value)
        else:
            tally.skip(path, where, f"{value!r:.60}, which is no JSON object")


def _read_json_lines(path: Path, encoding: str, tally: ReadCounts) -> Iterator[tuple[int | str, object]]:
    for number, line in enumerate(read_lines(path, encoding), start=1):
        if not line.strip():
            continue
        try:
            yield number, parse_json(line)
        except ValueError:
            tally.skip(path, number, f"{line[:60]!r}, which is no JSON")


_PIECE_CHARS, _MAX_ITEM_CHARS = 1 << 16, 4 << 20
_GAP = re.compile(r"[\s,]*")


def _read_array(path: Path, encoding: str) -> Iterator[tuple[int | str, object]]:
    """Stream the items of a JSON array, piece by piece: the memory does not grow with the file."""
    decoder, held, number, start = json.JSONDecoder(), "", 0, 0
    with open_binary(path) as binary, TextIOWrapper(binary, encoding, "replace") as stream:
        held = stream.read(_PIECE_CHARS).lstrip("\ufeff \t\r\n")[1:]
        while True:
            start = match.end() if (match := _GAP.match(held, start)) else start
            if held.startswith("]", start):
                return
            try:
                value, end = decoder.raw_decode(held, start)
            except (ValueError, RecursionError):
                value, end = None, len(held)
            # a number may go on in the next piece
            if end < len(held):
                number, start = number + 1, end
                yield f"item {number}", value
                continue
            held, start = held[start:], 0
            piece = stream.read(_PIECE_CHARS)
            if not piece or len(held) > _MAX_ITEM_CHARS:
                found = f"{held[:60]!r}, which is no JSON value" if held.strip() else "no end of the array"
                expected = "values with commas between them, and ]"
                raise Source(path).error(
                    f"item {number + 1}", found, expected, "check where the file was cut"
                )
            held += piece


_MOST_LEVELS = 5


def _flatten(record: dict[str, object], level: int = 1) -> dict[str, object]:
    """Take apart objects within an object.

    >>> _flatten({"id": 7, "review": {"title": "Nice", "body": "Good soup."}})
    {'id': 7, 'review.title': 'Nice', 'review.body': 'Good soup.'}
    """
    flat: dict[str, object] = {}
    for key, value in record.items():
        if isinstance(value, dict) and level < _MOST_LEVELS:
            flat |= {f"{key}.{name}": part for name, part in _flatten(value, level + 1).items()}
        else:
            flat[key] = value
    return flat


def read_all(table: LenientTable, columns: Wanted, tally: ReadCounts) -> Iterator[Cells]:
    """Stream the rows of a file; where it turns out broken midway, what follows is counted as one row."""
    rows = table.rows(columns, tally)
    for _ in count():
        try:
            cells = next(rows, None)
        except DataError as error:
            tally.skip(table.path, "rest of the file", str(error).removeprefix(f"{table.path}: "))
            return
        if cells is None:
            return
        yield cells


def name_columns(first: Sequence[str], is_header: bool) -> tuple[str, ...]:
    """Name the columns by the first row, or number them where that is a review already.

    A name of several columns is numbered from the second on, so that each can be named.

    >>> name_columns(["Id", " Text "], True), name_columns(["1", "Nice."], False)
    (('Id', 'Text'), ('column 1', 'column 2'))
    >>> name_columns(["text", "text", ""], True)
    ('text', 'text (2)', '')
    """
    if is_header:
        return tuple(_tell_apart(name.strip() for name in first))
    return tuple(f"column {number}" for number in range(1, len(first) + 1))


def _tell_apart(names: Iterable[str]) -> Iterator[str]:
    met: Counter[str] = Counter()
    for name in names:
        met[name] += 1
        yield f"{name} ({met[name]})" if name and met[name] > 1 else name


def union_of_keys(records: Iterator[tuple[int | str, dict[str, object]]], sample: int) -> tuple[str, ...]:
    """Name the keys of the first records, in the order in which they are met."""
    keys = chain.from_iterable(record for _, record in islice(records, sample))
    return tuple(dict.fromkeys(islice(keys, sample * MAX_COLUMNS)))[:MAX_COLUMNS]


def _pick(cells: list[str], wanted: Wanted) -> Cells:
    return {name: cells[index] if index < len(cells) else "" for name, index in wanted.items()}


def _keep_clean(path: Path, rows: Iterable[Numbered], tally: ReadCounts) -> Iterator[Cells]:
    """Leave out rows in which a wanted cell holds bytes that are no text; those only carried are mended."""
    for where, cells in rows:
        if all(map(is_clean, cells.values())):
            yield cells
        elif all(is_clean(cell) for name, cell in cells.items() if not name.startswith(CARRIED)):
            yield {name: cell if is_clean(cell) else _mend(cell) for name, cell in cells.items()}
        else:
            tally.skip(path, where, "bytes that are no text")


def _mend(cell: str) -> str:
    return cell.encode("utf-8", "replace").decode()


def _as_cell(value: object) -> str:
    """Take a JSON value as a cell; lists and objects are empty, and so is NaN, which means nothing."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    if isinstance(value, float) and not isfinite(value):
        return ""
    return value if isinstance(value, str) else repr(value)
