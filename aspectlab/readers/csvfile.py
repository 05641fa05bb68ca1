"""CSV and TSV within bounds: rows with the lines they begin on, or a DataError that names the line."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal

from aspectlab.errors import DataError
from aspectlab.readers.source import MAX_LINE_BYTES, Head, Source

DELIMITERS = ",;\t|"

Row = tuple[int, list[str]]
"""The number of the line that a row begins on, and its cells; an empty cell is the empty string."""


def detect_delimiter(line: str) -> str:
    r"""Tell by the header what separates the cells: the character that makes most columns.

    A single column is taken as tab-separated, so that texts with commas need no quotes.

    >>> detect_delimiter('"id";"text, verbatim"')
    ';'
    >>> detect_delimiter("review")
    '\t'
    """
    counts = {delimiter: len(split_header(line, delimiter)) for delimiter in DELIMITERS}
    most = max(counts.values())
    return next(delimiter for delimiter, count in counts.items() if count == most) if most > 1 else "\t"


def split_header(line: str, delimiter: str) -> list[str]:
    """Split a header line; one that is broken has no columns.

    >>> split_header('id;"text"', ";")
    ['id', 'text']
    """
    try:
        return next(csv.reader([line], delimiter=delimiter, strict=True), [])
    except csv.Error:
        return []


def head_columns(head: Head) -> list[str]:
    """Give the column names of a file that may be CSV, in lower case.

    >>> head_columns(Head("a.csv", b"", ("Id;Text", "1;Nice.")))
    ['id', 'text']
    """
    line = head.lines[0] if head.lines else ""
    return [name.strip().lower() for name in split_header(line, detect_delimiter(line))]


def read_csv(source: Source, delimiter: str | None = None) -> Iterator[Row]:
    """Stream the rows that are not blank, the header among them."""
    first = source.head.lines[0] if source.head.lines else ""
    rows = csv.reader(_lines(source), delimiter=delimiter or detect_delimiter(first), strict=True)
    while True:
        number = rows.line_num + 1
        try:
            cells = next(rows, None)
        except csv.Error as error:
            raise _describe(source, number, error) from None
        if cells is None:
            return
        if any(cell.strip() for cell in cells):
            yield number, cells


def _describe(source: Source, number: int, error: csv.Error) -> DataError:
    if "field limit" in str(error):
        found, remedy = (
            f"a cell of over {csv.field_size_limit():,} characters",
            "close its quote, or use JSONL",
        )
        return source.error(number, found, "shorter cells", remedy)
    if "new-line character" in str(error):
        remedy = "quote the cell that holds it, or save the file with line ends of Unix or Windows"
        return source.error(number, "a carriage return without a line feed", "line feeds", remedy)
    remedy = 'quote the cell and double the quotes in it: "so ""quoted"" here"'
    return source.error(number, f"a broken row ({error})", "cells that end", remedy)


def write_csv(path: Path, rows: Iterable[Sequence[str | int]], delimiter: str, *, quote: bool) -> None:
    """Write rows that `read_csv` reads again; with `quote`, every string is quoted and numbers are not."""
    # without quotes everywhere, only a carriage return in the line end makes the writer quote one in a cell
    quoting: Literal[0, 2] = csv.QUOTE_NONNUMERIC if quote else csv.QUOTE_MINIMAL
    end = "\n" if quote else "\r\n"
    limit = csv.field_size_limit()
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, delimiter=delimiter, quoting=quoting, lineterminator=end)
        for row in rows:
            if any(isinstance(cell, str) and len(cell) > limit for cell in row):
                found = f"a cell of over {limit:,} characters"
                raise DataError(f"row {row[0]!r:.80}: found {found}: expected shorter ones; write jsonl")
            try:
                writer.writerow(row)
            except UnicodeEncodeError as error:
                found = repr(error.object[error.start : error.end])
                expected = "characters that UTF-8 can hold; correct the text"
                raise DataError(f"row {row[0]!r:.80}: found {found}: expected {expected}") from None


def _lines(source: Source) -> Iterator[str]:
    """Stream the lines with their ends: `Source.lines` drops them, but a quoted cell may hold some."""
    with source.path.open("rb") as stream:
        number = 0
        while line := stream.readline(MAX_LINE_BYTES + 1):
            number += 1
            if len(line) > MAX_LINE_BYTES:
                found = f"over {MAX_LINE_BYTES:,} bytes"
                raise source.error(number, found, "a shorter line", "is this a CSV file?")
            try:
                yield line.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                found = f"{error.object[error.start : error.end]!r} at byte {error.start} of the line"
                raise source.error(number, found, "UTF-8", "save the file as CSV in UTF-8") from None
