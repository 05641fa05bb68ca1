"""CSV and TSV within bounds: strict, where an error names the line, and lenient, past broken rows."""

import csv
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Literal

from aspectlab.errors import DataError
from aspectlab.readers.source import Head, Source

DELIMITERS = ",;\t|"
"""What may separate cells."""

_FIRST, _LATER = r"(?='*[=+\-@\t\r])", r"(?='*(?:[=@]|[+-][\w(.]))"
_FORMULA = re.compile(rf"(\A){_FIRST}|([;\r\n]){_LATER}")
"""What a spreadsheet may take for a formula: at the start of a cell, or behind what may end one in another
country: where the decimal sign is a comma, a semicolon separates cells and quotes in a cell are but signs."""

_MARKED = re.compile(rf"(\A)'{_FIRST}|([;\r\n])'{_LATER}")

Row = tuple[int, list[str]]
"""The number of the line that a row begins on, and its cells; an empty cell is the empty string."""


def detect_delimiter(line: str) -> str:
    r"""Detect the delimiter by the header: the character that makes most columns.

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
    """Return the column names of a file that may be CSV, in lower case.

    >>> head_columns(Head("a.csv", b"", ("Id;Text", "1;Nice.")))
    ['id', 'text']
    """
    line = head.lines[0] if head.lines else ""
    return [name.strip().lower() for name in split_header(line, detect_delimiter(line))]


def read_csv(source: Source, delimiter: str | None = None) -> Iterator[Row]:
    """Stream the rows that are not empty, the header among them."""
    first = source.head.lines[0] if source.head.lines else ""
    rows = csv.reader(_decode_lines(source), delimiter=delimiter or detect_delimiter(first), strict=True)
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


def _decode_lines(source: Source) -> Iterator[str]:
    """Stream the lines with their ends: `Source.lines` drops them, but a quoted cell may hold some."""
    for number, line in source.raw_lines("CSV"):
        yield source.decode(number, line, "save the file as CSV in UTF-8")


_NONE = "\x1f"
"""Separates the cells of a file that has only one column: it occurs in no text."""

_SAMPLE_LINES, _SAMPLE_CHARS = 400, 256 << 10
_LEAST_AGREEMENT = 0.5
_QUOTES_MAY_BREAK = 0.05


@dataclass(frozen=True, slots=True)
class BrokenRow:
    """A row that cannot be read: the line it begins on, and what is wrong with it."""

    number: int
    found: str


@dataclass(frozen=True, slots=True)
class CsvDialect:
    """How a file separates its cells, and whether quotes hold cells together.

    Mostly a quote within a cell is doubled; some programs (Spark, MySQL) put a backslash before it.
    """

    delimiter: str
    is_quoted: bool = True
    is_escaped: bool = False


def detect_dialect(lines: Iterable[str]) -> CsvDialect:
    r"""Choose what makes rows of the most even width; commas of the texts differ from row to row.

    >>> detect_dialect(["id;text\n", "1;Good, cheap, near\n", "2;Slow\n"]).delimiter
    ';'
    >>> detect_dialect(["review\n", "Good, cheap\n", "Slow\n"]) == CsvDialect("\x1f")
    True
    """
    sample = list(_sample(lines))
    is_escaped = any('\\"' in line for line in sample)
    scores = {dialect: _rate(dialect, sample) for dialect in _dialects(DELIMITERS, is_escaped)}
    best = max(scores, key=lambda dialect: scores[dialect])
    if scores[best] > 0:
        # texts with a stray quote break rows of files that do not quote; elsewhere quotes are the rule
        ways = CsvDialect(best.delimiter), CsvDialect(best.delimiter, is_escaped=is_escaped)
        quoted = max(ways, key=lambda dialect: scores[dialect])
        return quoted if scores[quoted] >= scores[best] - _QUOTES_MAY_BREAK else best
    single = CsvDialect(_NONE)
    return single if _agreement(single, sample)[1] >= 1 - _QUOTES_MAY_BREAK else CsvDialect(_NONE, False)


def read_lenient_rows(
    lines: Iterable[str], dialect: CsvDialect, width: int | None = None
) -> Iterator[Row | BrokenRow]:
    r"""Stream the rows that are not empty; with `width`, a row of another one is broken.

    After a broken row reading goes on at the line below its first, so that a quote that is never closed
    takes no other row with it.

    >>> for row in read_lenient_rows(["1,Fine\n", '2,"Never closed\n', "3,Fine\n"], CsvDialect(","), 2):
    ...     print(row)
    (1, ['1', 'Fine'])
    BrokenRow(number=2, found='a broken row (unexpected end of data)')
    (3, ['3', 'Fine'])
    """
    feed = _Feed(iter(lines))
    reader = _open_reader(feed, dialect)
    while True:
        feed.begin_row()
        try:
            cells = next(reader, None)
        except csv.Error as error:
            yield BrokenRow(feed.number, f"a broken row ({error})")
            feed.go_back()
            reader = _open_reader(feed, dialect)
            continue
        if cells is None:
            return
        if not any(cell.strip() for cell in cells):
            continue
        if width is None or _fits(cells, width):
            yield feed.number, cells
            continue
        yield BrokenRow(feed.number, f"{len(cells)} cells, not {width} as in the first row")
        if len(feed.taken) > 1 and _fits(
            next(csv.reader(feed.taken[:1], delimiter=dialect.delimiter)), width
        ):
            feed.go_back()
            reader = _open_reader(feed, dialect)


class _Feed:
    """Lines for a CSV reader, which can go back to the second line of the row that it is in."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines
        self._again: deque[str] = deque()
        self.taken: list[str] = []
        self.number = 1

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._again.popleft() if self._again else next(self._lines)
        self.taken.append(line)
        return line

    def begin_row(self) -> None:
        """Forget the lines of the row before."""
        self.number += len(self.taken)
        self.taken.clear()

    def go_back(self) -> None:
        """Offer all lines of this row but its first again."""
        self._again.extendleft(reversed(self.taken[1:]))
        del self.taken[1:]


def _open_reader(feed: _Feed, dialect: CsvDialect) -> Iterator[list[str]]:
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if dialect.is_quoted else csv.QUOTE_NONE
    return csv.reader(
        feed,
        delimiter=dialect.delimiter,
        quoting=quoting,
        escapechar="\\" if dialect.is_escaped else None,
        doublequote=not dialect.is_escaped,
        strict=True,
    )


def _fits(cells: list[str], width: int) -> bool:
    """Accept delimiters too many at the end of a line, which are common."""
    return len(cells) >= width and not any(cells[width:])


def _sample(lines: Iterable[str]) -> Iterator[str]:
    chars = 0
    for line in islice(lines, _SAMPLE_LINES):
        chars += len(line)
        if chars > _SAMPLE_CHARS:
            return
        yield line


def _dialects(delimiters: str, is_escaped: bool) -> Iterator[CsvDialect]:
    for delimiter in delimiters:
        yield CsvDialect(delimiter)
        if is_escaped:
            yield CsvDialect(delimiter, is_escaped=True)
        yield CsvDialect(delimiter, is_quoted=False)


def _rate(dialect: CsvDialect, sample: list[str]) -> float:
    """Rate a dialect: rows of one width are good, many columns are better, one column is nothing."""
    width, agreement = _agreement(dialect, sample)
    return agreement * (1 - 1 / width) if width > 1 and agreement > _LEAST_AGREEMENT else 0.0


def _agreement(dialect: CsvDialect, sample: list[str]) -> tuple[int, float]:
    """Return the width of the first row, and the share of rows that have it."""
    rows = list(read_lenient_rows(sample, dialect))
    # the sample may end within a row
    rows = rows[:-1] if len(rows) > 2 and isinstance(rows[-1], BrokenRow) else rows
    widths = [0 if isinstance(row, BrokenRow) else len(row[1]) for row in rows]
    if not widths or not widths[0]:
        return 0, 0.0
    return widths[0], widths.count(widths[0]) / len(widths)


def escape_formula(cell: str | int | float | None) -> str | int:
    """Keep a spreadsheet from taking a cell for a formula, as is usual: with an apostrophe before it.

    >>> escape_formula("=1+1"), escape_formula("fine"), escape_formula(None), escape_formula(0.5)
    ("'=1+1", 'fine', '', '0.5000')
    >>> escape_formula("good;=1+1"), escape_formula("fine ;-)")
    ("good;'=1+1", 'fine ;-)')
    """
    if cell is None:
        return ""
    if isinstance(cell, float):
        return f"{cell:.4f}"
    return _FORMULA.sub(r"\1\2'", cell) if isinstance(cell, str) else cell


def unescape_formula(cell: str) -> str:
    """Take back the apostrophes that `escape_formula` put into a cell.

    >>> unescape_formula("'=1+1"), unescape_formula("'tis")
    ('=1+1', "'tis")
    """
    return _MARKED.sub(r"\1\2", cell)
