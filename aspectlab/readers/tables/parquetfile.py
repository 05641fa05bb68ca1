"""Parquet within bounds: read and written by DuckDB, in bounded memory, after a look at the footer."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from aspectlab.errors import DataError
from aspectlab.readers.source import MAX_LINE_BYTES, Head, Source
from aspectlab.readers.tables.parquetfooter import Footer, read_footer

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


MEMORY = "512MB"


@contextmanager
def open_database(*paths: Path, spill: Path | None = None) -> Iterator[DuckDBPyConnection]:
    """Open an empty database that may read and write these files; what exceeds memory goes to `spill`.

    >>> with open_database() as database:
    ...     database.execute("SELECT 6 * 7").fetchone()
    (42,)
    """
    import duckdb

    settings: dict[str, str | bool | int | float | list[str]] = {
        "threads": 1,
        "memory_limit": MEMORY,
        # without a folder of its own, it would write into the current one
        "temp_directory": "" if spill is None else str(spill),
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "allow_persistent_secrets": False,
    }
    with duckdb.connect(":memory:", config=settings) as database:
        forms = [form for path in paths for form in (str(path), escape_pattern(path))]
        database.execute("SET allowed_paths = ?", [forms])
        database.execute("SET enable_external_access = false")
        database.execute("SET TimeZone = 'UTC'")  # a time must not read differently elsewhere
        yield database


def escape_pattern(path: Path) -> str:
    """Write a path so that it matches itself only: DuckDB takes the path of a file to read as a pattern.

    >>> escape_pattern(Path("a[1]*.parquet"))
    'a[[]1][*].parquet'
    """
    return re.sub(r"([*?\[])", r"[\1]", str(path))


def quote(text: str) -> str:
    """Write a string as a literal of SQL.

    >>> print(quote("it's"))
    'it''s'
    """
    return "'" + text.replace("'", "''") + "'"


UNREADABLE = "\udcff"
"""Replaces a cell whose bytes are not UTF-8: no text holds half a surrogate pair."""

_REMEDY = "is it complete? Make it again"
_FREE_ROWS = 1 << 20
_FREE_BYTES = 64 << 20
_FREE_TEXT_BYTES = 256 << 20
_BLOCK_BYTES = 64 << 20
_BLOCK_ROWS = 2048  # the database hands out so many rows at a time, each with a copy of its text
_MAX_RATIO = 200
_MAX_COLUMNS = 4_096  # the database takes time that grows with their square

_NUMBERS = (
    *("BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "FLOAT", "DOUBLE", "DECIMAL"),
    *("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"),
)
# types that SQL spells as strings: Python knows fewer years than a file may hold
_SPELLED = ("DATE", "TIME", "UUID", "JSON", '"NULL"')


_MEASURE = f"""
WITH blocks AS (
  SELECT sum(bytes) AS total, min(number) AS first, max(bytes) AS longest, arg_max(number, bytes) AS place
  FROM ({{rows}}) GROUP BY (number - 1) // {_BLOCK_ROWS}
)
SELECT sum(total), max(longest), arg_max(place, longest), max(total), arg_max(first, total)
FROM blocks HAVING count(*) > 0
"""  # noqa: S608


@dataclass(frozen=True, slots=True)
class _Cell:
    """How SQL names a column, gives its cells, and says how many bytes of text they hold."""

    column: str
    value: str
    size: str
    is_string: bool = False
    """The database checks that it is UTF-8, and knows no text that is not."""


def is_parquet(head: Head) -> bool:
    """Return whether a file begins as Parquet does.

    >>> is_parquet(Head("a.parquet", b"PAR1....", ()))
    True
    """
    return head.start.startswith(b"PAR1")


def read_names(source: Source) -> list[str]:
    """Return the names of the columns."""
    with _as_data_errors(source):
        return list(_check_footer(source).names)


def read_plain_names(source: Source) -> list[str]:
    """Return the names of the columns that `read_cells` can read: those of strings, numbers and dates."""
    with _as_data_errors(source):
        names = _check_footer(source).names
        with open_database(source.path.resolve()) as database:
            cells = _find_cells(source, database)
        return [name for name, (_, cell) in zip(names, cells, strict=True) if cell is not None]


def count_rows(source: Source) -> int:
    """Return the number of rows that a file claims to have."""
    with _as_data_errors(source):
        return _check_footer(source).rows


def read_cells(
    source: Source, columns: Mapping[str, str], *, mark: bool = False
) -> Iterator[dict[str, str | None]]:
    """Stream the rows; `columns` says which cells are wanted, and what their columns are called.

    A cell that is not UTF-8 is an error, or with `mark` it is `UNREADABLE`. Rows that are missing at the end
    are an error once all others were given.
    """
    with _as_data_errors(source):
        footer = _check_footer(source)
        number = 0
        with open_database(source.path.resolve()) as database:
            cells = _choose_cells(source, database, footer.names, columns)
            _check_text(source, database, cells, _rows("t", len(footer.names)))
            rows = _fetch_texts(database, source, cells, len(footer.names))
            for number, row in enumerate(rows, start=1):
                if not mark and UNREADABLE in row:
                    name = list(columns.values())[row.index(UNREADABLE)]
                    found = f"bytes that are not UTF-8 in column {name!r:.60}"
                    raise source.error(f"row {number}", found, "UTF-8", "correct or remove the row")
                yield dict(zip(columns, row, strict=True))
        if number != footer.rows:
            expected = f"{footer.rows:,}, as its footer says"
            raise source.error("whole file", f"{number:,} rows", expected, _REMEDY)


@contextmanager
def _as_data_errors(source: Source) -> Iterator[None]:
    import duckdb

    try:
        yield
    except duckdb.OutOfMemoryException:
        found, expected = f"a part that takes over {MEMORY} to unpack", "smaller ones"
        raise source.error("a row group", found, expected, f"{_REMEDY}, with smaller row groups") from None
    # broken bytes can also end in the errors of the Python types that are made from them
    except (duckdb.Error, OSError, ValueError, LookupError, OverflowError, MemoryError) as error:
        found = str(error).partition("\n")[0]
        raise source.error("whole file", f"{found:.160}", "a Parquet file", _REMEDY) from None


def _check_footer(source: Source) -> Footer:
    """Read the footer unless it claims far more than the file can hold."""
    size, footer = source.path.stat().st_size, read_footer(source.path)
    if footer.rows > _FREE_ROWS + size or footer.unpacked_bytes > max(_FREE_BYTES, _MAX_RATIO * size):
        found = f"{footer.rows:,} rows and {footer.unpacked_bytes:,} bytes in a file of {size:,}"
        raise source.error("footer", found, "what a file of this size can hold", "split it into parts")
    if len(footer.names) > _MAX_COLUMNS:
        found, remedy = f"{len(footer.names):,} columns", "keep those with texts and what describes them"
        raise source.error("footer", found, f"at most {_MAX_COLUMNS:,}", remedy)
    return footer


def _choose_cells(
    source: Source, database: DuckDBPyConnection, names: tuple[str, ...], columns: Mapping[str, str]
) -> list[_Cell]:
    found = _find_cells(source, database)
    chosen = []
    for name in columns.values():
        type, cell = found[names.index(name)]
        if cell is None:
            remedy = "choose another column"
            raise source.error(f"column {name!r:.60}", f"{type:.60}", "strings or numbers", remedy)
        chosen.append(cell)
    return chosen


def _find_cells(source: Source, database: DuckDBPyConnection) -> list[tuple[str, _Cell | None]]:
    """Return the type of each column, and how to read its cells; None unless strings or numbers."""
    path = escape_pattern(source.path.resolve())
    rows = database.execute("DESCRIBE FROM read_parquet(?, hive_partitioning = false)", [path]).fetchall()
    return [(row[1], _take(f"c{index}", row[1])) for index, row in enumerate(rows)]


def _take(column: str, type: str) -> _Cell | None:
    value = f"t.{column}"
    if type == "VARCHAR":
        return _Cell(column, value, f"strlen({value})", is_string=True)
    if type == "BLOB":
        return _Cell(column, value, f"octet_length({value})")
    if type.endswith("]"):  # a list of what its name begins with
        return None
    if type.startswith(_SPELLED):
        return _Cell(column, f"{value}::VARCHAR", f"strlen({value}::VARCHAR)")
    return _Cell(column, value, "0") if type.startswith(_NUMBERS) else None


def _rows(name: str, width: int, validation: str = "replace") -> str:
    """Return the rows of the file as SQL has them; what is not UTF-8 is refused, replaced or left out."""
    columns = ", ".join(f"c{index}" for index in range(width))
    options = f"hive_partitioning = false, utf8_validation = '{validation}'"
    return f"read_parquet(?, {options}) AS {name}({columns})"


def _fetch_texts(
    database: DuckDBPyConnection, source: Source, cells: list[_Cell], width: int
) -> Iterator[list[str | None]]:
    """Stream the wanted cells of all rows."""
    import duckdb

    values = ", ".join(cell.value for cell in cells)
    number = 0
    try:
        # nothing in these queries comes from the file: columns are named by their indices
        for row in _fetch(database, source, f"SELECT {values} FROM {_rows('t', width, 'strict')}"):  # noqa: S608
            yield list(map(_as_text, row))
            number += 1
        return
    except duckdb.InvalidInputException:
        # some cell is not UTF-8, or else this happens again
        doubts = ", ".join(
            f"t.{cell.column} IS DISTINCT FROM u.{cell.column}" if cell.is_string else "false"
            for cell in cells
        )
    # what cannot be decoded becomes a question mark in one reading, and nothing in the other
    pairs = f"{_rows('t', width)} POSITIONAL JOIN {_rows('u', width, 'ignore')}"
    marked = _fetch(database, source, f"SELECT {values}, {doubts} FROM {pairs}")  # noqa: S608
    for row in islice(marked, number, None):
        yield [
            UNREADABLE if is_broken else _as_text(value)
            for value, is_broken in zip(row[: len(cells)], row[len(cells) :], strict=True)
        ]


def _fetch(database: DuckDBPyConnection, source: Source, query: str) -> Iterator[tuple[object, ...]]:
    database.execute(query, [escape_pattern(source.path.resolve())] * query.count("?"))
    while row := database.fetchone():
        yield row


def _check_text(source: Source, database: DuckDBPyConnection, cells: list[_Cell], rows: str) -> None:
    """Refuse rows with more text than memory holds, before any leaves the database.

    A text of a megabyte may be in the file once and in a million rows.
    """
    size = " + ".join(["0", *(f"coalesce({cell.size}, 0)" for cell in cells)])
    numbered = f"SELECT row_number() OVER () AS number, {size} AS bytes FROM {rows}"  # noqa: S608
    found = database.execute(_MEASURE.format(rows=numbered), [escape_pattern(source.path.resolve())])
    total, longest, row, most, first = found.fetchone() or (0, 0, 1, 0, 1)
    # where the footer counts no empty cell, the database need not look for any
    if longest is None:
        raise source.error("whole file", "empty cells", "texts, as its footer says", _REMEDY)
    if longest > MAX_LINE_BYTES:
        raise source.error(
            f"row {row}", f"{longest:,} bytes of text", f"at most {MAX_LINE_BYTES:,}", "split it"
        )
    if most > _BLOCK_BYTES:
        expected = f"at most {_BLOCK_BYTES:,} in {_BLOCK_ROWS:,} rows"
        raise source.error(f"row {first} on", f"{most:,} bytes of text", expected, "write it as JSONL")
    if total > max(_FREE_TEXT_BYTES, _MAX_RATIO * source.path.stat().st_size):
        expected = "what a file of this size can hold"
        raise source.error("whole file", f"{total:,} bytes of text", expected, "split it into parts")


def _as_text(value: object) -> str | None:
    """Write a value as the cell of a table; None is an empty cell."""
    if isinstance(value, bytes):
        try:
            return value.decode("utf-8")
        except UnicodeDecodeError:
            return UNREADABLE
    if value is None or isinstance(value, str):
        return value
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


GROUP_ROWS = 20_480
"""The rows of a row group, which is what a reader must unpack at once."""

_LEAST_LINE_BYTES = 1 << 20


def write_rows(
    path: Path, rows: Iterable[Mapping[str, str | int | float | None]], columns: Mapping[str, str]
) -> None:
    """Write rows; `columns` gives each name its SQL type, such as VARCHAR, INTEGER or DOUBLE.

    Equal rows give equal bytes.
    """
    with TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as folder:
        lines = Path(folder) / "rows.jsonl"
        longest = _LEAST_LINE_BYTES
        with lines.open("wb") as stream:
            for row in rows:
                longest = max(longest, stream.write(_encode(row)))
        pack_lines(lines, path, columns, longest=longest)


def pack_lines(lines: Path, path: Path, columns: Mapping[str, str], *, longest: int) -> None:
    """Write a file of JSON objects, one a line, as Parquet; `longest` is at least the bytes of any line."""
    import duckdb

    types = ", ".join(f"{quote(name)}: {quote(type)}" for name, type in columns.items())
    source, target = lines.resolve(), path.resolve()
    rows = (
        f"read_json({quote(escape_pattern(source))}, format = 'newline_delimited', "
        f"maximum_object_size = {longest}, columns = {{{types}}})"
    )
    form = f"FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {GROUP_ROWS}, USE_TMP_FILE false"
    try:
        with open_database(source, target, spill=source.parent) as database:
            database.execute(f"COPY (FROM {rows}) TO {quote(str(target))} ({form})")
    except duckdb.Error as error:
        found = str(error).partition("\n")[0]
        raise DataError(f"{path}: cannot be written: {found:.160}; check the folder and its space") from None


def _encode(row: Mapping[str, str | int | float | None]) -> bytes:
    try:
        return json.dumps(row, ensure_ascii=False, allow_nan=False).encode() + b"\n"
    except UnicodeEncodeError as error:
        where, found = f"text {error.object[:60]!r}", repr(error.object[error.start : error.end])
        raise DataError(f"{where}: found {found}: expected UTF-8; correct it") from None
