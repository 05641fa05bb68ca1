"""Review tables that are broken in part: what is lost is counted, and nothing else is."""

from pathlib import Path

import pytest

from aspectlab.readers.reviews import Review, open_reviews
from aspectlab.readers.tables.lenient import ReadCounts
from tests.support.parquet_files import (
    write_with_broken_cell,
    write_with_broken_page,
    write_with_missing_rows,
)


def read(*paths: Path) -> tuple[list[Review], ReadCounts]:
    tally = ReadCounts()
    return list(open_reviews(paths).read(tally)), tally


@pytest.mark.parametrize("are_strings", [True, False], ids=["strings", "bytes"])
def test_parquet_cell_that_is_no_utf8_loses_only_its_row(tmp_path: Path, are_strings: bool) -> None:
    path = write_with_broken_cell(tmp_path / "a.parquet", are_strings=are_strings)
    reviews, tally = read(path)
    assert (len(reviews), tally.reviews, tally.broken) == (999, 999, 1)
    assert tally.skipped == [f"{path}: row 6: found bytes that are no text: row skipped"]
    assert reviews[-1].text == "The food was good, number 1000."


def test_parquet_that_ends_early_is_not_silently_complete(tmp_path: Path) -> None:
    path = write_with_missing_rows(tmp_path / "a.parquet")
    reviews, tally = read(path)
    assert (len(reviews), tally.broken) == (1_000, 10)
    assert list(tally.notices()) == [
        f"{path}: row 1001 on: found 1,000 rows: expected 1,010, as its footer says; is it complete? Make it "
        "again: 10 rows skipped",
        "10 broken rows skipped",
    ]


def test_parquet_that_cannot_be_unpacked_loses_as_many_reviews_as_it_has_rows(tmp_path: Path) -> None:
    (tmp_path / "b.csv").write_text("review\nThe tea was good, and cheap.\n", encoding="utf-8")
    broken = write_with_broken_page(tmp_path / "a.parquet")
    reviews, tally = read(broken, tmp_path / "b.csv")
    assert ([review.text for review in reviews], tally.broken) == (["The tea was good, and cheap."], 1_000)
    assert tally.skipped[0].endswith("is it complete? Make it again: 1,000 rows skipped")
