"""Write Parquet in bounded memory: rows go through a file of JSON lines, which DuckDB packs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from aspectlab.errors import DataError
from aspectlab.readers.database import escape_pattern, open_database, quote

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
