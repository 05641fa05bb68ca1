"""Columns: the table of a CSV or XLSX file, and what its columns are called."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from aspectlab.data import Polarity
from aspectlab.errors import ConfigError
from aspectlab.readers.csvfile import Row, read_csv
from aspectlab.readers.source import Source
from aspectlab.readers.xlsxfile import is_zip, read_xlsx
from aspectlab.registry import suggest

POLARITIES = {
    **dict.fromkeys(("positive", "pos", "1"), Polarity.POSITIVE),
    **dict.fromkeys(("negative", "neg", "-1"), Polarity.NEGATIVE),
    **dict.fromkeys(("neutral", "neu", "0"), Polarity.NEUTRAL),
    "conflict": Polarity.CONFLICT,
}
"""The words and numbers for polarities that tables use, in lower case."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A header and the rows below it, each with at least as many cells as the header has."""

    header: tuple[str, ...]
    rows: Iterator[Row]


def open_sheet(source: Source, delimiter: str | None = None) -> Sheet:
    """Open a CSV, TSV or XLSX file; its first row that is not blank is the header."""
    workbook = is_zip(source.head)
    rows = read_xlsx(source) if workbook else read_csv(source, delimiter)
    _, cells = next(rows, (0, []))
    if not cells:
        raise source.error("whole file", "no row", "a header and rows", "check the path")
    header = tuple(cell.strip() for cell in cells)
    return Sheet(header, _padded(rows, len(header)) if workbook else _checked(source, rows, header))


def _padded(rows: Iterator[Row], width: int) -> Iterator[Row]:
    """Fill up what a workbook leaves out at the end of a row."""
    for number, cells in rows:
        yield number, cells + [""] * (width - len(cells))


def _checked(source: Source, rows: Iterator[Row], header: Sequence[str]) -> Iterator[Row]:
    """Refuse a row with too many or too few cells; a delimiter too many at the end of the lines is common."""
    named = max((index + 1 for index, name in enumerate(header) if name), default=0)
    for number, cells in rows:
        if len(cells) < named or any(cells[len(header) :]):
            expected = f"{len(header)}, as in the header"
            raise source.error(number, f"{len(cells)} cells", expected, "quote cells that hold the delimiter")
        yield number, cells + [""] * (len(header) - len(cells))


def find_column(header: Sequence[str], names: Sequence[str]) -> int | None:
    """Give the place of the first of these names that the header has, in any case.

    >>> find_column(["Id", "Sentence"], ["text", "sentence", "review"])
    1
    """
    lower = [name.lower() for name in header]
    return next((lower.index(name) for name in names if name in lower), None)


def need_column(source: Source, header: Sequence[str], *names: str) -> int:
    """Give the place of a column that must be there."""
    column = find_column(header, names)
    if column is None:
        found, expected = f"the columns {', '.join(header):.200}", f"a column {' or '.join(names)}"
        raise source.error("header", found, expected, "name the columns in the first row")
    return column


def choose_column(header: Sequence[str], names: Sequence[str], option: str, chosen: str | None) -> int | None:
    """Find a column by the name a user gave, or by its usual names; an empty name means that there is none.

    >>> choose_column(["Comment", "Text"], ["text"], "text_column", "Comment")
    0
    """
    if chosen == "":
        return None
    if chosen is None:
        return find_column(header, names)
    column = find_column(header, [chosen.strip().lower()])
    if column is None:
        raise ConfigError(f"{option} = {chosen!r}: the file has no such column: {suggest(chosen, header)}")
    return column


def parse_polarity(source: Source, where: int | str, word: str) -> Polarity:
    """Take a cell as a polarity, or say which words there are."""
    polarity = POLARITIES.get(word.strip().lower().removesuffix(".0"))
    if polarity is None:
        found, expected = f"the polarity {word!r:.60}", f"one of {', '.join(POLARITIES)}"
        raise source.error(where, found, expected, "correct it or choose another column")
    return polarity
