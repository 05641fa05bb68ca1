"""Parquet within bounds: rows of strings; pyarrow is imported only when a file is read or written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import date, datetime, time
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from aspectlab.errors import DataError
from aspectlab.readers.source import MAX_LINE_BYTES, Head, Source

if TYPE_CHECKING:
    from pyarrow import Array
    from pyarrow.parquet import ParquetFile

_BATCH_ROWS = 1024
_GROUP_ROWS = 50_000
_FREE_ROWS = 1 << 20
_FREE_BYTES = 64 << 20
_MAX_RATIO = 200
_MAX_FOOTER_ITEMS = 1 << 20


def is_parquet(head: Head) -> bool:
    """Tell whether a file begins as Parquet does.

    >>> is_parquet(Head("a.parquet", b"PAR1....", ()))
    True
    """
    return head.start.startswith(b"PAR1")


def read_names(source: Source) -> list[str]:
    """Give the names of the columns."""
    with _as_data_errors(source):
        return list(_open(source, []).schema_arrow.names)


def read_cells(source: Source, columns: Mapping[str, str]) -> Iterator[dict[str, str | None]]:
    """Stream the rows; `columns` says which cells are wanted, and what their columns are called."""
    with _as_data_errors(source):
        names = list(columns.values())
        # columns of text stay packed, so that a long text in a million rows takes its space once
        file = _open(source, _text_columns(source, names))
        for batch in file.iter_batches(_BATCH_ROWS, columns=names, use_threads=False):
            cells = [_cells(source, batch.column(name)) for name in names]
            for row in zip(*cells, strict=True):
                yield dict(zip(columns, row, strict=True))


def write_rows(
    path: Path, rows: Iterator[dict[str, str | int | None]], names: Iterable[str], numbers: Iterable[str]
) -> None:
    """Write rows with these names; those in `numbers` hold whole numbers, the others strings."""
    import pyarrow
    from pyarrow import parquet

    fields = [(name, pyarrow.int32() if name in numbers else pyarrow.string()) for name in names]
    schema = pyarrow.schema(fields)
    with parquet.ParquetWriter(path, schema) as writer:
        while group := list(islice(rows, _GROUP_ROWS)):
            try:
                writer.write_table(pyarrow.Table.from_pylist(group, schema))
            except UnicodeEncodeError as error:
                where, found = f"text {error.object[:60]!r}", repr(error.object[error.start : error.end])
                raise DataError(f"{where}: found {found}: expected UTF-8; correct it") from None


@contextmanager
def _as_data_errors(source: Source) -> Iterator[None]:
    from pyarrow import ArrowException

    # broken bytes can also end in the errors of the Python types that pyarrow makes
    try:
        yield
    except (ArrowException, OSError, ValueError, LookupError, OverflowError, MemoryError) as error:
        remedy = "is it complete? Make it again"
        raise source.error("whole file", f"{error!s:.160}", "a Parquet file", remedy) from None


def _open(source: Source, packed: list[str]) -> ParquetFile:
    """Open a file unless its footer claims far more than the file can hold."""
    from pyarrow import parquet

    size = source.path.stat().st_size
    file = parquet.ParquetFile(
        source.path,
        read_dictionary=packed,
        pre_buffer=False,
        buffer_size=1 << 20,
        thrift_string_size_limit=MAX_LINE_BYTES,
        thrift_container_size_limit=_MAX_FOOTER_ITEMS,
    )
    footer = file.metadata
    unpacked = sum(footer.row_group(index).total_byte_size for index in range(footer.num_row_groups))
    if footer.num_rows > _FREE_ROWS + size or unpacked > max(_FREE_BYTES, _MAX_RATIO * size):
        found = f"{footer.num_rows:,} rows and {unpacked:,} bytes in a file of {size:,}"
        raise source.error("footer", found, "what a file of this size can hold", "split it into parts")
    return file


def _text_columns(source: Source, names: list[str]) -> list[str]:
    from pyarrow import types

    schema = _open(source, []).schema_arrow
    return [field.name for field in schema if field.name in names and types.is_string(field.type)]


def _cells(source: Source, column: Array) -> list[str | None]:
    from pyarrow import DictionaryArray

    if isinstance(column, DictionaryArray):
        # the dictionary is that of the whole file part: only what this batch uses is taken from it
        used = column.indices.drop_null().unique()
        texts = [_cell(source, value) for value in column.dictionary.take(used).to_pylist()]
        values = dict(zip(used.to_pylist(), texts, strict=True))
        return [values.get(index) for index in column.indices.to_pylist()]
    return [_cell(source, value) for value in column.to_pylist()]


def _cell(source: Source, value: object) -> str | None:
    """Take a value as the cell of a table; None is an empty cell."""
    if value is None:
        return None
    if isinstance(value, bytes):
        value = value.decode("utf-8")
    if not isinstance(value, str | int | float | Decimal | date | datetime | time):
        found = f"{type(value).__name__} {value!r:.60}"
        raise source.error("a cell", found, "strings or numbers", "choose another column")
    text = str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
    if len(text) > MAX_LINE_BYTES:
        raise source.error("a cell", f"{len(text):,} characters", f"at most {MAX_LINE_BYTES:,}", "split it")
    return text
