"""Table: CSV, TSV, a workbook or Parquet with one row per quad or per text, columns by name or by option."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from aspectlab.data import Corpus, Example
from aspectlab.readers import Format, Head, Source, muse
from aspectlab.readers.opiniontable import COLUMNS, is_opinion_table, read_opinions
from aspectlab.readers.quadrows import (
    NAMES,
    OFFSETS,
    QuadRow,
    choose_columns,
    note_unread,
    read_examples,
    to_rows,
)
from aspectlab.readers.tables.csvfile import head_columns, unescape_formula, write_csv
from aspectlab.readers.tables.opening import StrictTable, open_strict_table
from aspectlab.readers.tables.parquetfile import is_parquet, read_cells, read_names, write_rows
from aspectlab.readers.tables.workbook import is_workbook

_NO_TABLE = ("{", "[", "<")


def sniff(head: Head) -> bool:
    """Recognise a workbook, a header that names a text column, or the ending of the file name."""
    if is_workbook(head):
        return True
    if not head.lines or head.lines[0].lstrip().startswith(_NO_TABLE):
        return False
    named = head.name.lower().endswith((".csv", ".tsv"))
    return named or not set(NAMES["text"]).isdisjoint(head_columns(head))


def read(
    source: Source,
    *,
    text_column: str | None = None,
    id_column: str | None = None,
    aspect_column: str | None = None,
    opinion_column: str | None = None,
    category_column: str | None = None,
    polarity_column: str | None = None,
) -> Iterator[Example]:
    """Return the examples; an option names a column with another name, or says with "" that there is none."""
    chosen = {
        "text": text_column,
        "id": id_column,
        "aspect": aspect_column,
        "opinion": opinion_column,
        "category": category_column,
        "polarity": polarity_column,
    }
    if is_parquet(source.head):
        header = read_names(source)
        if is_opinion_table(header) and not any(chosen.values()):
            names = {name: name for name in COLUMNS if name in header}
            yield from read_opinions(source, _number(read_cells(source, names)))
            return
        columns = choose_columns(source, header, chosen)
        note_unread(source, header, columns)
        yield from read_examples(source, columns, _read_packed(source, header, columns))
        return
    sheet = open_strict_table(source)
    if is_opinion_table(sheet.header) and not any(chosen.values()):
        yield from read_opinions(source, _name_cells(sheet))
        return
    # the strings of a workbook are too far from its beginning for sniffing to see them
    if is_workbook(source.head) and muse.has_columns(sheet.header) and not any(chosen.values()):
        yield from muse.read_sheet(source, sheet)
        return
    columns = choose_columns(source, sheet.header, chosen)
    note_unread(source, sheet.header, columns)
    yield from read_examples(source, columns, _read_rows(sheet, columns))


def _name_cells(sheet: StrictTable) -> Iterator[tuple[int | str, dict[str, str | None]]]:
    """Return the cells of a table that an analysis wrote, which marks what spreadsheets take for formulas."""
    for number, cells in sheet.rows:
        named = zip(sheet.header, map(unescape_formula, cells), strict=False)
        yield number, dict(named)


def _number(rows: Iterable[dict[str, str | None]]) -> Iterator[tuple[int | str, dict[str, str | None]]]:
    for number, cells in enumerate(rows, start=1):
        yield f"row {number}", cells


def _read_rows(sheet: StrictTable, columns: dict[str, int]) -> Iterator[QuadRow]:
    for number, cells in sheet.rows:
        yield QuadRow(number, {name: decode(cells[column]) for name, column in columns.items()})


def _read_packed(source: Source, header: list[str], columns: dict[str, int]) -> Iterator[QuadRow]:
    names = {name: header[column] for name, column in columns.items()}
    for number, cells in enumerate(read_cells(source, names), start=1):
        yield QuadRow(f"row {number}", cells)


def write(corpus: Corpus, path: Path) -> None:
    """Write a CSV file from which the same examples are read again."""
    rows = ([encode(row[name]) for name in NAMES] for row in to_rows(corpus))
    write_csv(path, _with_header(rows), ",", quote=False)


def _with_header(rows: Iterator[list[str | int]]) -> Iterator[list[str | int]]:
    yield list(NAMES)
    yield from rows


def encode(value: str | int | None) -> str | int:
    """Write an absent value as an empty cell, and the empty string as two quotes.

    A cell of quotes only, an even number of them, gets two more, so that nothing else is read as empty.

    >>> encode(None), encode(""), encode("so"), len(encode(2 * '"'))
    ('', '""', 'so', 4)
    """
    if value is None:
        return ""
    return f'{value}""' if isinstance(value, str) and _is_quotes(value) else value


def decode(cell: str) -> str | None:
    """Undo `encode`.

    >>> decode(""), decode('""'), decode("so")
    (None, '', 'so')
    """
    if not cell:
        return None
    return cell[2:] if _is_quotes(cell) else cell


def _is_quotes(text: str) -> bool:
    return len(text) % 2 == 0 and text == '"' * len(text)


FORMAT = Format(
    "table (CSV, TSV, workbook): one row per quad or text, columns by name",
    sniff,
    read,
    write,
    language="und",
)


def write_parquet(corpus: Corpus, path: Path) -> None:
    """Write a Parquet file from which the same examples are read again."""
    write_rows(path, to_rows(corpus), {name: "INTEGER" if name in OFFSETS else "VARCHAR" for name in NAMES})


PARQUET_FORMAT = Format(
    "Parquet: one row per quad or text, columns by name", is_parquet, read, write_parquet, language="und"
)
