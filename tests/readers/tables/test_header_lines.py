"""Tables with lines above their header: none of them is taken for reviews."""

from pathlib import Path

import openpyxl
import pytest

from aspectlab.readers.reviews import open_reviews
from aspectlab.readers.tables.columns import count_lines_above
from aspectlab.readers.tables.lenient import ReadCounts

TABLE = ["id;text;stars", "r1;A warm, bright lamp.;5", "r2;It broke; twice;1", "r3;A solid desk.;4"]


def read_ids(path: Path) -> tuple[list[str], ReadCounts]:
    tally = ReadCounts()
    return [review.id for review in open_reviews([path]).read(tally)], tally


@pytest.mark.parametrize(
    ("above", "line"),
    [([], 3), (["sep=;"], 4), (['"sep=;"'], 4), (["Reviews"], 4), (["Shop X, May", "of 3 May", ""], 6)],
)
def test_lines_above_the_header_are_no_reviews(tmp_path: Path, above: list[str], line: int) -> None:
    path = tmp_path / "a.csv"
    path.write_text("\n".join([*above, *TABLE]), encoding="utf-8")
    ids, tally = read_ids(path)
    assert ids == ["r1", "r3"]
    # the broken row is named by its line in the file
    assert tally.skipped == [f"{path}: line {line}: found 4 cells, not 3 as in the first row: row skipped"]


def test_title_of_a_workbook_is_no_header(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    assert book.active is not None
    for row in (
        ["Review export"],
        [],
        ["ID", "When", "Comment"],
        ["r1", "2025-03-01", "A warm, bright lamp."],
    ):
        book.active.append(row)
    book.create_sheet("more")
    book.save(tmp_path / "a.xlsx")
    reviews = open_reviews([tmp_path / "a.xlsx"])
    assert reviews.files[0].describe() == {"text": "Comment", "id": "ID", "date": "When"}
    assert [(review.id, review.text) for review in reviews.read(ReadCounts())] == [
        ("r1", "A warm, bright lamp.")
    ]
    (notice,) = reviews.notices
    assert (
        notice
        == f"{tmp_path / 'a.xlsx'}: workbook: only sheet 'Sheet' of 2 is read; name another with --sheet"
    )


@pytest.mark.parametrize("text", ["review\nGood, text\n", "Fine.\nThe text, the review\n", "", "x" * 200_000])
def test_reviews_are_not_taken_for_what_stands_above(text: str) -> None:
    assert count_lines_above(text.splitlines(keepends=True)) == 0
