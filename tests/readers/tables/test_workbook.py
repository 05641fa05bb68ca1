"""Workbooks as people make them: date systems, hidden and title sheets, merged cells, formulas, formats."""

import io
import re
import zipfile
from collections.abc import Sequence
from datetime import date, datetime
from pathlib import Path

import openpyxl
import pytest
import xlwt
from openpyxl.utils.datetime import CALENDAR_MAC_1904
from openpyxl.worksheet.worksheet import Worksheet

from aspectlab.errors import AspectlabError, ConfigError, DataError
from aspectlab.readers import Review, ReviewOptions, open_reviews
from aspectlab.readers.tables import ReadCounts

DAY = date(2025, 3, 1)
ROWS: list[list[object]] = [
    ["id", "when", "review"],
    ["r1", DAY, "A warm, bright lamp."],
    ["r2", datetime(2025, 3, 2, 9, 5), "The cable is short."],
]
REVIEWS = [
    Review("r1", "A warm, bright lamp.", date="2025-03-01"),
    Review("r2", "The cable is short.", date="2025-03-02"),
]


def fill(sheet: Worksheet, rows: Sequence[Sequence[object]]) -> None:
    for row in rows:
        sheet.append(row)


def new_book() -> tuple[openpyxl.Workbook, Worksheet]:
    book = openpyxl.Workbook()
    assert isinstance(book.active, Worksheet)
    return book, book.active


def read(path: Path, sheet: str | None = None) -> list[Review]:
    return list(open_reviews([path], ReviewOptions(sheet=sheet)).read(ReadCounts()))


def test_workbook_of_the_1904_system_has_the_dates_that_excel_shows(tmp_path: Path) -> None:
    book, sheet = new_book()
    book.epoch = CALENDAR_MAC_1904
    fill(sheet, ROWS)
    book.save(tmp_path / "a.xlsx")
    with zipfile.ZipFile(tmp_path / "a.xlsx") as archive:
        assert b'date1904="1"' in archive.read("xl/workbook.xml")
    assert read(tmp_path / "a.xlsx") == REVIEWS


@pytest.mark.parametrize("state", ["hidden", "veryHidden"])
def test_hidden_sheet_is_not_read(tmp_path: Path, state: str) -> None:
    book, sheet = new_book()
    sheet.sheet_state = state
    fill(sheet, [["review"], *(["Codes of staff, not a review."] for _ in range(9))])
    fill(book.create_sheet("Reviews"), ROWS)
    book.save(tmp_path / "a.xlsx")
    assert read(tmp_path / "a.xlsx") == REVIEWS
    reviews = open_reviews([tmp_path / "a.xlsx"])
    assert "only sheet 'Reviews' of 2 (1 hidden) is read" in reviews.notices[0]


def test_hidden_sheet_is_read_by_its_name(tmp_path: Path) -> None:
    book, sheet = new_book()
    fill(sheet, [["review"], ["Good soup and bread."]])
    book.create_sheet("Old").sheet_state = "hidden"
    fill(book["Old"], ROWS)
    book.save(tmp_path / "a.xlsx")
    assert read(tmp_path / "a.xlsx", "old") == REVIEWS


def test_title_sheet_before_the_reviews_is_passed_over(tmp_path: Path) -> None:
    book, sheet = new_book()
    fill(
        sheet,
        [
            ["Export of customer reviews"],
            ["Date", "2025-03-01"],
            *(["Notes on the export"] for _ in range(9)),
        ],
    )
    fill(book.create_sheet("Data"), ROWS)
    book.save(tmp_path / "a.xlsx")
    assert read(tmp_path / "a.xlsx") == REVIEWS


def test_sheet_with_most_rows_is_read_where_no_column_is_named(tmp_path: Path) -> None:
    book, sheet = new_book()
    fill(sheet, [["Export of May"]])
    fill(book.create_sheet("Data"), [["Good soup and bread."], ["Bad soup and bread."]])
    book.save(tmp_path / "a.xlsx")
    assert [review.text for review in read(tmp_path / "a.xlsx")] == [
        "Good soup and bread.",
        "Bad soup and bread.",
    ]


def test_title_that_is_merged_over_the_columns_is_no_header(tmp_path: Path) -> None:
    book, sheet = new_book()
    fill(sheet, [["Reviews of March"], [], *ROWS])
    sheet.merge_cells("A1:C2")
    book.save(tmp_path / "a.xlsx")
    assert read(tmp_path / "a.xlsx") == REVIEWS


def test_cell_that_is_merged_downwards_counts_for_each_row(tmp_path: Path) -> None:
    book, sheet = new_book()
    fill(sheet, [["hotel", "review"], ["Sea", "Good soup."], [None, "Bad soup."], ["Hill", "Fine soup."]])
    sheet.merge_cells("A2:A3")
    book.save(tmp_path / "a.xlsx")
    assert [review.group for review in read(tmp_path / "a.xlsx")] == ["Sea", "Sea", "Hill"]


def test_formula_counts_as_the_value_that_was_saved(tmp_path: Path) -> None:
    book, sheet = new_book()
    fill(sheet, [["rating", "review"], [4, "Good soup."]])
    sheet["A2"] = "=2+2"
    book.save(tmp_path / "a.xlsx")
    # openpyxl saves no value; Excel does, in <v>
    replaced = io.BytesIO()
    with zipfile.ZipFile(tmp_path / "a.xlsx") as old, zipfile.ZipFile(replaced, "w") as new:
        for part in old.infolist():
            new.writestr(part, re.sub(rb"(<f>2\+2</f>)<v ?/>", rb"\1<v>4</v>", old.read(part)))
    (tmp_path / "a.xlsx").write_bytes(replaced.getvalue())
    assert read(tmp_path / "a.xlsx") == [Review("1", "Good soup.", rating="4")]


def test_rows_and_columns_that_are_empty_before_the_table_do_not_shift_it(tmp_path: Path) -> None:
    book, sheet = new_book()
    for down, row in enumerate(ROWS):
        for right, cell in enumerate(row):
            sheet.cell(5 + down, 3 + right, cell)
    book.save(tmp_path / "a.xlsx")
    assert read(tmp_path / "a.xlsx") == REVIEWS


def test_old_binary_workbook_is_read(tmp_path: Path) -> None:
    book = xlwt.Workbook()
    book.add_sheet("Cover").write(0, 0, "Export")
    sheet = book.add_sheet("Data")
    for down, row in enumerate(ROWS):
        for right, cell in enumerate(row):
            style = (
                xlwt.easyxf(num_format_str="YYYY-MM-DD HH:MM") if isinstance(cell, date) else xlwt.XFStyle()
            )
            sheet.write(down, right, cell, style)
    book.save(str(tmp_path / "a.xls"))
    assert read(tmp_path / "a.xls") == REVIEWS


ODS_HEAD = (
    '<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" office:version="1.2"><office:body>'
    '<office:spreadsheet><table:table table:name="Data">'
)
ODS_TAIL = "</table:table></office:spreadsheet></office:body></office:document-content>"


def write_ods(path: Path, rows: str) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("META-INF/manifest.xml", "<manifest:manifest xmlns:manifest='m'/>")
        archive.writestr("content.xml", ODS_HEAD + rows + ODS_TAIL)


def test_open_document_is_read_with_its_dates(tmp_path: Path) -> None:
    def text(cell: str) -> str:
        return f'<table:table-cell office:value-type="string"><text:p>{cell}</text:p></table:table-cell>'

    dated = '<table:table-cell office:value-type="date" office:date-value="2025-03-01"/>'
    empty = '<table:table-cell table:number-columns-repeated="16000"/>'
    rows = [
        *(text("id"), text("when"), text("review")),
        *(text("r1"), dated, text("A warm, bright lamp.")),
    ]
    table = "".join(
        f"<table:table-row>{''.join(rows[at : at + 3])}{empty}</table:table-row>" for at in (0, 3)
    )
    padding = f'<table:table-row table:number-rows-repeated="1048000">{empty}</table:table-row>'
    write_ods(tmp_path / "a.ods", table + padding)
    assert read(tmp_path / "a.ods") == REVIEWS[:1]


def test_open_document_that_repeats_a_cell_without_end_is_refused(tmp_path: Path) -> None:
    cell = (
        '<table:table-cell table:number-columns-repeated="16000" office:value-type="float" office:value="1"/>'
    )
    write_ods(
        tmp_path / "a.ods", f'<table:table-row table:number-rows-repeated="1048000">{cell}</table:table-row>'
    )
    with pytest.raises(DataError, match="found no workbook: expected an XLSX"):
        read(tmp_path / "a.ods")


@pytest.mark.parametrize(
    ("sheet", "message"),
    [
        ("Dta", r"a\.xlsx: --sheet 'Dta': no such sheet: .*did you mean 'Data'"),
        ("Empty", r"a\.xlsx: sheet 'Empty': found no row: expected reviews"),
    ],
)
def test_sheet_that_is_misspelt_or_empty_is_refused(tmp_path: Path, sheet: str, message: str) -> None:
    book, first = new_book()
    first.title = "Data"
    fill(first, ROWS)
    book.create_sheet("Empty")
    book.save(tmp_path / "a.xlsx")
    with pytest.raises(AspectlabError, match=message):
        read(tmp_path / "a.xlsx", sheet)


def test_workbook_with_nothing_but_hidden_rows_is_refused(tmp_path: Path) -> None:
    book, _ = new_book()
    fill(book.create_sheet("Secret"), ROWS)
    book["Secret"].sheet_state = "hidden"
    book.save(tmp_path / "a.xlsx")
    with pytest.raises(DataError, match="found only hidden sheets, such as 'Secret'"):
        read(tmp_path / "a.xlsx")


def test_sheet_of_files_that_have_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,text\n1,Nice soup.\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="--sheet 'Data': found no workbook"):
        read(tmp_path / "a.csv", "Data")
