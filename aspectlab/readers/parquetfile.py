"""Parquet within bounds: rows of strings; the file is unpacked by DuckDB, after a look at its footer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aspectlab.readers.database import MEMORY, escape_pattern, open_database
from aspectlab.readers.parquetfooter import Footer, read_footer
from aspectlab.readers.source import MAX_LINE_BYTES, Head, Source

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_FREE_ROWS = 1 << 20
_FREE_BYTES = 64 << 20
_FREE_TEXT_BYTES = 256 << 20
_BLOCK_BYTES = 64 << 20
_BLOCK_ROWS = 2048  # the database hands out so many rows at a time, each with a copy of its text
_MAX_RATIO = 200

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
    """How SQL gives a cell, and how many bytes of text it holds."""

    value: str
    size: str


def is_parquet(head: Head) -> bool:
    """Tell whether a file begins as Parquet does.

    >>> is_parquet(Head("a.parquet", b"PAR1....", ()))
    True
    """
    return head.start.startswith(b"PAR1")


def read_names(source: Source) -> list[str]:
    """Give the names of the columns."""
    with _as_data_errors(source):
        return list(_check_footer(source).names)


def read_plain_names(source: Source) -> list[str]:
    """Give the names of the columns that `read_cells` can read: those of strings, numbers and dates."""
    with _as_data_errors(source):
        names = _check_footer(source).names
        with open_database(source.path.resolve()) as database:
            cells = _find_cells(source, database)
        return [name for name, (_, cell) in zip(names, cells, strict=True) if cell is not None]


def read_cells(source: Source, columns: Mapping[str, str]) -> Iterator[dict[str, str | None]]:
    """Stream the rows; `columns` says which cells are wanted, and what their columns are called."""
    with _as_data_errors(source):
        names = _check_footer(source).names
        with open_database(source.path.resolve()) as database:
            cells = _choose_cells(source, database, names, columns)
            rows = f"read_parquet(?, hive_partitioning = false) AS t({_places(len(names))})"
            _check_text(source, database, cells, rows)
            values = ", ".join(cell.value for cell in cells)
            # nothing here comes from the file: columns go by their places
            database.execute(f"SELECT {values} FROM {rows}", [escape_pattern(source.path.resolve())])  # noqa: S608
            while row := database.fetchone():
                yield {name: _as_text(value) for name, value in zip(columns, row, strict=True)}


@contextmanager
def _as_data_errors(source: Source) -> Iterator[None]:
    import duckdb

    remedy = "is it complete? Make it again"
    try:
        yield
    except duckdb.OutOfMemoryException:
        found, expected = f"a part that takes over {MEMORY} to unpack", "smaller ones"
        raise source.error("a row group", found, expected, f"{remedy}, with smaller row groups") from None
    # broken bytes can also end in the errors of the Python types that are made from them
    except (duckdb.Error, OSError, ValueError, LookupError, OverflowError, MemoryError) as error:
        found = str(error).partition("\n")[0]
        raise source.error("whole file", f"{found:.160}", "a Parquet file", remedy) from None


def _check_footer(source: Source) -> Footer:
    """Read the footer unless it claims far more than the file can hold."""
    size, footer = source.path.stat().st_size, read_footer(source.path)
    if footer.rows > _FREE_ROWS + size or footer.unpacked_bytes > max(_FREE_BYTES, _MAX_RATIO * size):
        found = f"{footer.rows:,} rows and {footer.unpacked_bytes:,} bytes in a file of {size:,}"
        raise source.error("footer", found, "what a file of this size can hold", "split it into parts")
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
    """Give the type of each column, and how to take its cells; None where they are no strings or numbers."""
    path = escape_pattern(source.path.resolve())
    rows = database.execute("DESCRIBE FROM read_parquet(?, hive_partitioning = false)", [path]).fetchall()
    return [(row[1], _take(f"c{place}", row[1])) for place, row in enumerate(rows)]


def _take(column: str, type: str) -> _Cell | None:
    if type == "VARCHAR":
        return _Cell(column, f"strlen({column})")
    if type == "BLOB":
        return _Cell(column, f"octet_length({column})")
    if type.endswith("]"):  # a list of what its name begins with
        return None
    if type.startswith(_SPELLED):
        return _Cell(f"{column}::VARCHAR", f"strlen({column}::VARCHAR)")
    return _Cell(column, "0") if type.startswith(_NUMBERS) else None


def _places(n: int) -> str:
    return ", ".join(f"c{place}" for place in range(n))


def _check_text(source: Source, database: DuckDBPyConnection, cells: list[_Cell], rows: str) -> None:
    """Refuse rows with more text than memory holds, before any leaves the database.

    A text of a megabyte may stand in the file once and in a million rows.
    """
    size = " + ".join(["0", *(f"coalesce({cell.size}, 0)" for cell in cells)])
    numbered = f"SELECT row_number() OVER () AS number, {size} AS bytes FROM {rows}"  # noqa: S608
    found = database.execute(_MEASURE.format(rows=numbered), [escape_pattern(source.path.resolve())])
    total, longest, row, most, first = found.fetchone() or (0, 0, 1, 0, 1)
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
        return value.decode("utf-8")
    if value is None or isinstance(value, str):
        return value
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
