"""The survey: what the report cannot tell apart is said; expected numbers are counted by hand."""

from pathlib import Path

import pytest

from aspectlab.analysis.survey import Survey, month_of, survey_reviews
from aspectlab.readers.reviews import open_reviews


def survey(path: Path, rows: list[str]) -> Survey:
    path.write_text("\n".join(["product,date,rating,text", *rows]), encoding="utf-8")
    return survey_reviews(open_reviews([path]))


@pytest.mark.parametrize("date", ["0000-00-00", "2025-13-45", "2025-0312", "0000-01-01", "soon"])
def test_month_of_what_is_no_date_is_none(date: str) -> None:
    assert month_of(date) == ""


def test_survey_says_which_dates_are_not_understood(tmp_path: Path) -> None:
    rows = [f"Lamp,{date},5,A fine lamp." for date in ("0000-00-00", "2025-03-01", "", "some day")]
    found = survey(tmp_path / "a.csv", rows)
    assert found.month_names() == ["2025-03"]
    assert list(found.notices()) == [
        "dates that are not understood: 2, such as '0000-00-00': these reviews count for no month"
    ]


def test_survey_says_that_ratings_and_months_are_left_out(tmp_path: Path) -> None:
    # 21 years of 12 months, and 30 ratings
    rows = [f"Lamp,{2000 + k // 12}-{k % 12 + 1:02},{k % 30},A fine lamp." for k in range(21 * 12)]
    found = survey(tmp_path / "a.csv", rows)
    assert list(found.notices()) == [
        "the last 240 of 252 months are told apart",
        "the 12 most frequent of 30 ratings are told apart",
    ]


def test_survey_does_not_understate_how_many_groups_there_are() -> None:
    found = Survey()
    for number in range(25_000):
        found.groups.add(str(number))
    assert list(found.notices()) == ["the 50 largest of over 20,000 groups are compared"]


@pytest.mark.parametrize(
    "ratings",
    [
        ["2/10", "8/10", "10/10"],
        ["★☆☆☆☆", "★★★★☆", "★★★★★"],
        ["1 star", "4,5 stars", "5 stars"],
        ["9", "10", "n/a"],
    ],
)
def test_ratings_stand_in_the_order_of_their_value(tmp_path: Path, ratings: list[str]) -> None:
    rows = [f'Lamp,,"{rating}",A fine lamp.' for rating in reversed(ratings)]
    assert survey(tmp_path / "a.csv", rows).rating_names() == ratings


def test_survey_counts_a_group_whole_that_was_forgotten_for_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # of five groups that are met once the first two are kept; the last one comes three times more
    monkeypatch.setattr("aspectlab.analysis.survey._COUNTED", 2)
    found = survey(tmp_path / "a.csv", [f"{name},2025-03,5,A fine lamp." for name in "abcdeeee"])
    assert found.group_names()[0] == "e"
    assert found.groups["e"] == 4
