"""CSV: the delimiter is found, and broken rows take no other row with them."""

import csv
import io
import re

import pytest
from hypothesis import given, settings, strategies as st

from aspectlab.readers.tables.csvfile import (
    BrokenRow,
    CsvDialect,
    detect_dialect,
    escape_formula,
    read_lenient_rows,
    unescape_formula,
)


@pytest.mark.parametrize(
    ("text", "delimiter", "is_quoted"),
    [
        ("id,text\n1,Good soup\n2,Bad bread\n", ",", True),
        ('id,text\n1,"Good, hot soup"\n2,"Bad, cold bread"\n', ",", True),
        ("id;text\n1;Good, hot, cheap\n2;Bad, cold\n3;So, so\n", ";", True),
        ("id\ttext\n1\tGood, hot\n2\tBad; cold\n", "\t", True),
        ("id|text|stars\n1|Good, hot|5\n2|Bad|1\n", "|", True),
        ('id\ttext\n1\t"Good" soup\n2\t"Bad" bread\n3\t"So" so\n', "\t", False),
        ("review\nGood, hot soup\nBad bread\n", "\x1f", True),
        ('review\n"Good" soup, hot\n"Bad" bread\n', "\x1f", False),
        ("Good, hot soup\nBad bread, cold, dry, old\nFine\nNice\n", "\x1f", True),
    ],
)
def test_dialect_is_what_makes_even_rows(text: str, delimiter: str, is_quoted: bool) -> None:
    assert detect_dialect(text.splitlines(keepends=True)) == CsvDialect(delimiter, is_quoted)


def test_dialect_tells_a_backslash_before_quotes_from_doubled_ones() -> None:
    # as Spark writes it; the commas within the quotes would else end cells
    lines = ["id,text,stars\n", '1,"A \\"warm\\", bright lamp",5\n', "2,Solid,4\n"]
    dialect = detect_dialect(lines)
    assert dialect == CsvDialect(",", is_escaped=True)
    assert list(read_lenient_rows(lines, dialect, 3))[1] == (2, ["1", 'A "warm", bright lamp', "5"])


def test_dialect_keeps_a_backslash_that_ends_a_cell() -> None:
    lines = ["id,text\n", '1,"It lies in C:\\"\n', '2,"A ""warm"" lamp"\n']
    assert detect_dialect(lines) == CsvDialect(",")


def read(text: str, width: int = 2) -> tuple[list[list[str]], list[int]]:
    rows = list(read_lenient_rows(text.splitlines(keepends=True), CsvDialect(","), width))
    return [row[1] for row in rows if not isinstance(row, BrokenRow)], [
        row.number for row in rows if isinstance(row, BrokenRow)
    ]


@pytest.mark.parametrize(
    ("text", "good", "broken"),
    [
        ("1,a\n2,b\n", ["1", "2"], []),
        ("1,a\n2\n3,c\n", ["1", "3"], [2]),
        ("1,a\n2,b,x\n3,c\n", ["1", "3"], [2]),
        ("1,a\n2,b,,\n3,c\n", ["1", "2", "3"], []),
        ('1,a\n2,"never closed\n3,c\n4,d\n', ["1", "3", "4"], [2]),
        ('1,a\n2,"never closed\n3,"closed"\n4,d\n', ["1", "3", "4"], [2]),
        ('1,"two\nlines"\n\n3,c\n', ["1", "3"], []),
        ('1,"so" said\n3,c\n', ["3"], [1]),
    ],
)
def test_row_that_is_broken_is_named_and_passed_over(text: str, good: list[str], broken: list[int]) -> None:
    rows, numbers = read(text)
    assert ([row[0] for row in rows], numbers) == (good, broken)


def test_quote_that_is_never_closed_swallows_no_more_than_a_cell() -> None:
    rows, numbers = read('1,"open\n' + "2,fine\n" * 50_000)
    assert (len(rows), numbers) == (50_000, [1])


@given(st.lists(st.tuples(st.text(min_size=1), st.text()), min_size=1))
def test_rows_that_were_written_are_read_again(table: list[tuple[str, str]]) -> None:
    stream = io.StringIO(newline="")
    csv.writer(stream, quoting=csv.QUOTE_ALL).writerows(table)
    stream.seek(0)
    rows = list(read_lenient_rows(stream, CsvDialect(","), 2))
    seen = [list(row) for row in table if any(cell.strip() for cell in row)]
    assert [row if isinstance(row, BrokenRow) else row[1] for row in rows] == seen


@given(st.lists(st.sampled_from(['"', ",", "\n", "a", "1", ";"])).map("".join))
def test_rows_of_any_text_come_to_an_end(text: str) -> None:
    rows = list(read_lenient_rows(text.splitlines(keepends=True), CsvDialect(","), 2))
    assert len(rows) <= text.count("\n") + 1


@settings(max_examples=500)
@given(st.text("';=+-@\t\r\na1(.)"))
def test_marks_of_formulas_can_be_taken_back(text: str) -> None:
    assert unescape_formula(str(escape_formula(text))) == text


@pytest.mark.parametrize("cell", ["tea;=1+1", "tea\n=1+1", "tea;@SUM(A1)", "tea;+cmd|' /C calc'!A0", ";-1"])
def test_formula_behind_a_semicolon_was_not_marked(cell: str) -> None:
    """A spreadsheet of a country with decimal commas splits there, quotes or not."""
    marked = str(escape_formula(cell))
    assert not any(part.startswith(("=", "+", "-", "@")) for part in re.split("[;\n]", marked))


@pytest.mark.parametrize("cell", ["fine ;-)", "good; -5 degrees", "a=b", "https://a.example/?a=1;b=2"])
def test_cell_that_is_no_formula_stays(cell: str) -> None:
    assert escape_formula(cell) == cell
