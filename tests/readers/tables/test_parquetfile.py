"""Cells of Parquet files: types, names and paths; pyarrow makes the files, and reads what is written."""

from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path

import pyarrow
import pytest
from pyarrow import parquet

from aspectlab.errors import DataError
from aspectlab.readers import Source
from aspectlab.readers.tables.parquetfile import (
    UNREADABLE,
    pack_lines,
    read_cells,
    read_names,
    read_plain_names,
    write_rows,
)
from tests.support.parquet_files import (
    BROKEN_ROW,
    write_with_broken_cell,
    write_with_broken_levels,
    write_with_missing_rows,
)

NOON = datetime(2020, 2, 29, 12, 0)
ROWS: list[dict[str, str | int | float | None]] = [
    {"word": "tea\0", "place": -1, "share": 1 / 3},
    {"word": None, "place": None, "share": None},
    {"word": "", "place": 1 << 40, "share": 1e300},
    {"word": 'é😀"\\\r\n\u2028', "place": 0, "share": -0.5},
]
TYPES = {"word": "VARCHAR", "place": "BIGINT", "share": "DOUBLE"}


def make(path: Path, columns: dict[str, object]) -> Source:
    parquet.write_table(pyarrow.table(columns), path)
    return Source(path)


def cells_of(source: Source, name: str) -> list[str | None]:
    return [row["cell"] for row in read_cells(source, {"cell": name})]


@pytest.mark.parametrize(
    ("type", "value", "cell"),
    [
        (pyarrow.string(), "tea", "tea"),
        (pyarrow.large_string(), "é", "é"),
        (pyarrow.binary(), b"tea", "tea"),
        (pyarrow.bool_(), True, "True"),
        (pyarrow.uint64(), 2**64 - 1, "18446744073709551615"),
        (pyarrow.float32(), 4.0, "4"),
        (pyarrow.float64(), 4.5, "4.5"),
        (pyarrow.float64(), float("nan"), "nan"),
        (pyarrow.decimal128(9, 2), Decimal("4.50"), "4.50"),
        (pyarrow.date32(), date(2020, 2, 29), "2020-02-29"),
        (pyarrow.time64("us"), time(12, 30), "12:30:00"),
        (pyarrow.timestamp("ns"), NOON, "2020-02-29 12:00:00"),
        (pyarrow.timestamp("us", "UTC"), NOON, "2020-02-29 12:00:00+00"),
        # a year that Python's dates do not know
        (pyarrow.timestamp("s"), 1 << 40, "36812-02-20 00:36:16"),
        (pyarrow.null(), None, None),
    ],
    ids=str,
)
def test_parquet_cell_is_text(
    tmp_path: Path, type: pyarrow.DataType, value: object, cell: str | None
) -> None:
    source = make(tmp_path / "a.parquet", {"value": pyarrow.array([value, None], type)})
    assert cells_of(source, "value") == [cell, None]


def test_parquet_plain_names_are_those_of_strings_and_numbers(tmp_path: Path) -> None:
    columns = {"text": ["a"], "tags": [["a"]], "point": [{"x": 1}], "stars": [5], "when": [NOON]}
    source = make(tmp_path / "a.parquet", columns)
    assert read_names(source) == list(columns)
    assert read_plain_names(source) == ["text", "stars", "when"]


@pytest.mark.parametrize("name", ["tExt", 'the "text"', "it's", "", "a\nb", "c1", "SELECT", "é"])
def test_parquet_column_may_have_any_name(tmp_path: Path, name: str) -> None:
    # DuckDB itself takes names that differ in case for one
    source = make(tmp_path / "a.parquet", {"text": ["small"], name: ["this"], "TEXT": ["large"]})
    assert cells_of(source, name) == ["this"]


@pytest.mark.parametrize(
    "name", ["it's.parquet", "[ab].parquet", "*.parquet", "a?.parquet", "**", "{a,b}", "k=v", "a b", "$HOME"]
)
def test_parquet_path_stands_for_itself(tmp_path: Path, name: str) -> None:
    make(tmp_path / "a.parquet", {"text": ["another file"]})
    folder = tmp_path / "k=[1]*"
    folder.mkdir()
    write_rows(folder / name, [{"text": "this file"}], {"text": "VARCHAR"})
    assert cells_of(Source(folder / name), "text") == ["this file"]
    assert [path.name for path in folder.iterdir()] == [name]


def test_parquet_path_may_be_relative(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    make(Path("~a.parquet"), {"text": ["here"]})
    assert cells_of(Source(Path("~a.parquet")), "text") == ["here"]


def test_parquet_rows_are_written_for_everyone(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    write_rows(path, ROWS, TYPES)
    assert parquet.read_table(path).to_pylist() == ROWS
    assert cells_of(Source(path), "word") == [row["word"] for row in ROWS]


def test_parquet_equal_rows_give_equal_bytes(tmp_path: Path) -> None:
    write_rows(tmp_path / "a", ROWS * 9000, TYPES)
    write_rows(tmp_path / "b", iter(ROWS * 9000), TYPES)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_parquet_writer_takes_no_rows_and_long_ones(tmp_path: Path) -> None:
    write_rows(tmp_path / "none", [], TYPES)
    assert read_names(Source(tmp_path / "none")) == list(TYPES)
    write_rows(tmp_path / "long", [{"text": "a" * 3_000_000}], {"text": "VARCHAR"})
    assert [len(cell or "") for cell in cells_of(Source(tmp_path / "long"), "text")] == [3_000_000]


def test_parquet_writer_names_a_folder_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "lines").write_text('{"text": "a"}\n')
    with pytest.raises(DataError, match="cannot be written"):
        pack_lines(tmp_path / "lines", tmp_path / "no" / "a", {"text": "VARCHAR"}, longest=1 << 20)


@pytest.mark.parametrize("are_strings", [True, False], ids=["strings", "bytes"])
@pytest.mark.parametrize(
    "options", [{}, {"use_dictionary": False}, {"row_group_size": 4}, {"row_group_size": 100}], ids=str
)
def test_parquet_cell_that_is_no_utf8_loses_no_other_row(
    tmp_path: Path, are_strings: bool, options: dict[str, object]
) -> None:
    path = write_with_broken_cell(tmp_path / "a.parquet", are_strings=are_strings, **options)
    found = [row["cell"] or "" for row in read_cells(Source(path), {"cell": "text"}, mark=True)]
    assert found[BROKEN_ROW - 1] == UNREADABLE
    assert [cell for cell in found if cell != UNREADABLE] == [
        f"The food was good, number {number}." for number in range(1, 1_001) if number != BROKEN_ROW
    ]


@pytest.mark.parametrize("are_strings", [True, False], ids=["strings", "bytes"])
def test_parquet_row_that_is_no_utf8_is_named(tmp_path: Path, are_strings: bool) -> None:
    source = Source(write_with_broken_cell(tmp_path / "a.parquet", are_strings=are_strings))
    with pytest.raises(DataError, match=r"row 6: found bytes that are not UTF-8 in column 'text'"):
        cells_of(source, "text")


def test_parquet_with_fewer_rows_than_its_footer_says_is_not_complete(tmp_path: Path) -> None:
    rows = read_cells(Source(write_with_missing_rows(tmp_path / "a.parquet")), {"cell": "text"})
    assert len([next(rows) for _ in range(1_000)]) == 1_000
    with pytest.raises(DataError, match=r"found 1,000 rows: expected 1,010, as its footer says"):
        next(rows)


def test_parquet_page_that_contradicts_the_statistics_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"whole file: found empty cells: expected texts, as its footer says"):
        cells_of(Source(write_with_broken_levels(tmp_path / "a.parquet")), "text")


def test_thousands_of_columns_took_time_that_grows_with_their_square(tmp_path: Path) -> None:
    """19 s of a processor for a file of 4 MB with 40,000 columns; it is refused by its footer."""
    table = pyarrow.table({f"c{number}": ["x"] for number in range(4_097)})
    parquet.write_table(table, tmp_path / "wide.parquet")
    with pytest.raises(DataError, match="found 4,097 columns: expected at most 4,096"):
        read_names(Source(tmp_path / "wide.parquet"))
