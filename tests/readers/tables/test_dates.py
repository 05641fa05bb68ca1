"""Dates of review files; expected values are read off by hand."""

import pytest
from hypothesis import given, strategies as st

from aspectlab.readers.tables.dates import is_day_first, parse_date


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2025-01-04", "2025-01-04"),
        ("2025/1/4", "2025-01-04"),
        ("20.1.2025", None),
        ("2025-01-04 10:11:12", "2025-01-04"),
        ("2025-01-04T10:11:12.5+02:00", "2025-01-04"),
        ("1/4/25", "2025-01-04"),
        ("January 4, 2025", "2025-01-04"),
        ("4 Jan 2025", "2025-01-04"),
        ("Sat Jan 4 10:11:12 2025", "2025-01-04"),
        ("Sat, 04 Jan 2025 10:11:12 GMT", "2025-01-04"),
        ("Reviewed in May on 4 January 2025", "2025-01-04"),
        ("2025-01", "2025-01"),
        ("1735985472", "2025-01-04"),
        ("1735985472000", "2025-01-04"),
        ("20250104", "2025-01-04"),
        ("01 4, 2025", "2025-01-04"),
        ("04-JAN-25 10.11.12", "2025-01-04"),
        ("Sat Jan 04 10:11:12 +0000 2025", "2025-01-04"),
        ("Sat Jan  4 10:11:12 CET 2025", "2025-01-04"),
        ("1735985472.0", "2025-01-04"),
        ("20251304", None),
        ("2025-02-30", None),
        ("5", None),
        ("2025", None),
        ("", None),
        ("Good soup", None),
        ("45661", None),
    ],
)
def test_date_is_read_as_people_write_it(text: str, expected: str | None) -> None:
    assert parse_date(text) == expected


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        *[(["13/1/2025"], True), (["1/13/2025"], False), (["1/2/2025"], False), (["1.2.2025"], True)],
        # the first date that shows it decides: one that is mistyped further down changes no other
        *[([], False), (["1/13/2025", "13/1/2025"], False), (["1/2/2025", "13/1/2025"], True)],
    ],
)
def test_day_comes_first_where_a_date_shows_it(texts: list[str], expected: bool) -> None:
    assert is_day_first(texts) is expected


@given(st.text())
def test_date_of_any_text_is_iso_or_none(text: str) -> None:
    found = parse_date(text)
    assert found is None or found[:4].isdigit()
