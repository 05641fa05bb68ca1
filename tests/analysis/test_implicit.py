"""Opinions that name no aspect, or no words that judge: tables, groups, counts, pairs, and the least sure."""

import csv
from pathlib import Path

import pytest

from aspectlab.analysis.aggregate import Aggregate
from aspectlab.analysis.grouping import Grouping, group_terms
from aspectlab.analysis.pipeline import Settings, analyze, load_finished, prepare
from aspectlab.data import PolarityCounts
from aspectlab.errors import ConfigError
from aspectlab.readers.opiniontable import COLUMNS, NOT_NAMED, OTHER
from tests.support.keyword_predictor import KeywordPredictor
from tests.support.quad_predictor import CALLED, FAILED, NEVER, PRICEY, TASTY, WORTH, QuadPredictor

duckdb = pytest.importorskip("duckdb")

# a group needs two opinions
THREE = "Kind waiter, good bed, fair prices."
REVIEWS = [CALLED, f"{PRICEY} The food was great.", f"{TASTY} {NEVER}", FAILED, WORTH, THREE, "Fair prices."]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "reviews.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([["id", "text"], *enumerate(REVIEWS)])
    return path


def run(source: Path, out: Path, settings: Settings | None = None) -> Aggregate:
    return analyze(prepare([source], settings), QuadPredictor(), out).aggregate


def read_rows(out: Path) -> list[tuple[str, str, str, str]]:
    with (out / "opinions.csv").open(encoding="utf-8", newline="") as stream:
        return [
            (row["aspect"], row["opinion"], row["predicted_category"], row["category"])
            for row in csv.DictReader(stream)
        ]


def test_tables_leave_empty_what_is_not_named(source: Path, tmp_path: Path) -> None:
    run(source, tmp_path / "out")
    assert read_rows(tmp_path / "out") == [
        ("waiter", "", "SERVICE#GENERAL", "staff"),
        ("pizza", "good", "FOOD#QUALITY", "food"),
        ("", "Way too expensive", "RESTAURANT#PRICES", "price"),
        ("food", "great", "", "food"),
        ("", "delicious", "FOOD#QUALITY", "food"),
        ("", "", "", "overall"),
        ("bed", "", "ROOM#QUALITY", "bed"),
        ("", "Worth", "price", "price"),
        ("waiter", "Kind", "", "staff"),
        ("bed", "good", "", "bed"),
        ("prices", "fair", "", "price"),
        ("prices", "Fair", "", "price"),
    ]
    rows = duckdb.execute(
        "SELECT aspect, aspect_start, opinion_end, probability FROM read_parquet(?) WHERE review = '2'",
        [str(tmp_path / "out" / "opinions.parquet")],
    ).fetchall()
    assert rows == [("", None, 16, 0.8), ("", None, None, 0.4)]


def test_column_of_a_table_keeps_its_index() -> None:
    # the columns of the first version, in order; others may follow
    assert COLUMNS[6:16] == (
        *("aspect", "aspect_start", "aspect_end", "opinion", "opinion_start", "opinion_end"),
        *("polarity", "probability", "category", "text"),
    )


def test_counts_hold_what_is_not_named(source: Path, tmp_path: Path) -> None:
    aggregate = run(source, tmp_path / "out")
    totals = aggregate.totals
    assert (totals.opinions, totals.without_aspect, totals.without_opinion) == (12, 4, 3)
    assert aggregate.counts == PolarityCounts(positive=8, negative=4)
    found = {each.name: (each.counts.total, each.without_aspect) for each in aggregate.categories}
    assert found == {
        "food": (3, 1),
        "price": (4, 2),
        "staff": (2, 0),
        "bed": (2, 0),
        "overall": (1, 1),
    }


def test_evidence_says_what_stands_for_the_aspect(source: Path, tmp_path: Path) -> None:
    aggregate = run(source, tmp_path / "out")
    shown = {quote.text: quote.category for each in aggregate.categories for quote in each.evidence}
    assert shown == {
        CALLED: "",
        PRICEY: "restaurant: prices",
        "The food was great.": "",
        TASTY: "food: quality",
        NEVER: NOT_NAMED,
        FAILED: "",
        WORTH: "price",
        THREE: "",
        "Fair prices.": "",
    }


def test_pairs_hold_one_side_that_is_not_named(source: Path, tmp_path: Path) -> None:
    edges = {(edge.aspect, edge.opinion, edge.category) for edge in run(source, tmp_path / "out").edges}
    assert edges == {
        ("waiter", "", "staff"),
        ("waiter", "kind", "staff"),
        ("pizza", "good", "food"),
        ("", "way too expensive", "price"),
        ("food", "great", "food"),
        ("", "delicious", "food"),
        ("bed", "", "bed"),
        ("bed", "good", "bed"),
        ("", "worth", "price"),
        ("price", "fair", "price"),
    }


COUNTS = [("pizza", 9), ("food", 4), ("service", 8), ("waiter", 5)]


def group(aspects: list[str] | None, *categories: str) -> Grouping:
    return group_terms(COUNTS, KeywordPredictor().embed, aspects, categories)


@pytest.mark.parametrize(
    ("category", "name"),
    [
        ("FOOD#QUALITY", "pizza"),
        ("service", "service"),
        ("HOTEL#SERVICE", "service"),
        ("ROOM_AMENITIES#DESIGN_FEATURES", "room amenities: design features"),
        ("", NOT_NAMED),
    ],
)
def test_opinion_without_an_aspect_joins_the_group_of_its_category(category: str, name: str) -> None:
    assert group(None, category).find_category(category) == name


@pytest.mark.parametrize(
    ("category", "name"),
    # the themes of the predictor: costs are prices, staff is service, and a lamp is neither
    [("FOOD#COST", "Meals"), ("STAFF#GENERAL", "Service"), ("LAMP#GENERAL", OTHER), ("", NOT_NAMED)],
)
def test_opinion_without_an_aspect_goes_to_the_nearest_given_name(category: str, name: str) -> None:
    terms = [*COUNTS, ("meal", 2), ("food meal", 2)]
    grouping = group_terms(terms, KeywordPredictor().embed, ["Meals", "Service"], [category])
    assert grouping.find_category(category) == name


@pytest.mark.parametrize("aspects", [None, ["Food", "Staff"]])
def test_named_aspects_are_grouped_the_same_beside_categories(aspects: list[str] | None) -> None:
    plain, beside = group(aspects), group(aspects, "ROOM#QUALITY", "FOOD#PRICES")
    assert (plain.names, plain.by_term, plain.by_word) == (beside.names, beside.by_term, beside.by_word)


def test_improbable_opinions_are_in_no_table_and_no_count(source: Path, tmp_path: Path) -> None:
    aggregate = run(source, tmp_path / "out", Settings(min_probability=0.7))
    # left out: the waiter (.6), never again (.4), worth every penny (.55); of keywords a letter makes .01
    # beside .5: the great food of 19 letters and the fair prices of 12, but not the three of 35
    assert [row[1] for row in read_rows(tmp_path / "out")] == [
        *("good", "Way too expensive", "delicious", "", "Kind", "good", "fair")
    ]
    totals = aggregate.totals
    assert (totals.opinions, totals.left_out, totals.without_aspect) == (7, 5, 2)
    # of seven reviews, neither that on the penny nor the last has one that is left
    assert (totals.reviews, totals.reviews_with_opinions) == (7, 5)
    assert aggregate.counts.total == 7
    assert aggregate.settings["minimum probability"] == "0.7"


def test_another_minimum_does_not_run_the_model_again(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(source, out, Settings(min_probability=0.7))
    predictor = QuadPredictor()
    analyze(prepare([source], Settings(min_probability=0.5)), predictor, out)
    assert predictor.calls == []
    analyze(prepare([source]), predictor, out)
    assert predictor.calls == []
    run(source, tmp_path / "whole")
    for name in ("opinions.csv", "opinions.parquet", "analysis.json", "report.html"):
        assert (out / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    assert sorted(path.name for path in out.iterdir()) == sorted(
        path.name for path in (tmp_path / "whole").iterdir()
    )


def test_finished_analysis_is_not_that_of_another_minimum(source: Path, tmp_path: Path) -> None:
    run(source, tmp_path / "out", Settings(min_probability=0.7))
    again = prepare([source], Settings(min_probability=0.7))
    assert load_finished(again, QuadPredictor(), tmp_path / "out") is not None
    other = prepare([source], Settings(min_probability=0.6))
    assert load_finished(other, QuadPredictor(), tmp_path / "out") is None


def test_opinions_of_another_style_are_found_anew(source: Path, tmp_path: Path) -> None:
    out, settings = tmp_path / "out", Settings(min_probability=0.7)
    run(source, out, settings)
    predictor = QuadPredictor(style="laptops")
    analyze(prepare([source], settings), predictor, out)
    assert predictor.calls != []


@pytest.mark.parametrize("least", [-0.1, 1.5, float("nan")])
def test_minimum_that_is_no_probability_is_refused(least: float) -> None:
    with pytest.raises(ConfigError, match="expected a number from 0 to 1"):
        Settings(min_probability=least)
