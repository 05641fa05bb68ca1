"""Columns of review tables, by what they hold."""

import pytest

from aspectlab.readers.tables.columns import ColumnProfile


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (("2025-03-01", "2025-03-02"), True),
        (("20250301", "20250302"), True),
        # dates of birth, orders, and days since 1899
        (("19540301", "19610302"), False),
        (("1000000001", "1000000002"), False),
        (("45661", "45662"), False),
    ],
)
def test_numbers_are_dates_only_where_reviews_may_be_of_them(cells: tuple[str, ...], expected: bool) -> None:
    assert ColumnProfile(cells, len(cells)).is_date is expected


@pytest.mark.parametrize("end", ["\x1c", "\x1d", "\x1e", "\x1f", "\x85", "\xa0", "\u2028"])
def test_number_with_a_separator_behind_it_is_a_rating(end: str) -> None:
    # strip() takes all of these for blanks, float() not the first four
    cells = ("1", "2", "3,5", "1", f"4{end}", f"{end}2,5")
    assert ColumnProfile(cells, len(cells)).is_rating
