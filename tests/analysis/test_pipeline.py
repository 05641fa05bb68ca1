"""The analysis from file to tables and aggregate; expected values are counted by hand."""

import csv
import json
from pathlib import Path
from zlib import crc32

import pytest

from aspectlab.analysis import BlockCounts
from aspectlab.analysis.aggregate import Aggregate, aggregate_from_dict
from aspectlab.analysis.assembly import MAX_EVIDENCE
from aspectlab.analysis.pipeline import (
    Settings,
    analyze,
    can_resume,
    load_finished,
    prepare,
    refuse_foreign_folder,
)
from aspectlab.data import PolarityCounts
from aspectlab.errors import ConfigError, DataError
from aspectlab.progress import Progress
from aspectlab.readers.opiniontable import COLUMNS
from aspectlab.readers.reviews import ReviewOptions
from tests.support.keyword_predictor import KeywordPredictor

duckdb = pytest.importorskip("duckdb")

REVIEWS = """id,product,date,rating,text
r1,Nook,2025-01-04,5,"The food was great. The waiter was kind, the service slow."
r2,Nook,2025-01-09,1,"Rude staff!
=Bad food"
r3,Vale,2025-02-11,4,"Good pizza, fair prices."
r4,Vale,2025-02-20,3,"We came by bus."
r5,Vale,,,
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "reviews.csv"
    path.write_text(REVIEWS, encoding="utf-8")
    return path


def run(source: Path, out: Path, settings: Settings | None = None) -> Aggregate:
    return analyze(prepare([source], settings), KeywordPredictor(), out).aggregate


def read_csv(out: Path) -> list[dict[str, str]]:
    with (out / "opinions.csv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def read_parquet(out: Path) -> list[dict[str, object]]:
    rows = duckdb.execute("FROM read_parquet(?)", [str(out / "opinions.parquet")])
    names = [column[0] for column in rows.description]
    return [dict(zip(names, row, strict=True)) for row in rows.fetchall()]


def test_tables_hold_one_row_an_opinion(source: Path, tmp_path: Path) -> None:
    run(source, tmp_path / "out")
    rows = read_parquet(tmp_path / "out")
    assert tuple(rows[0]) == COLUMNS
    assert [(row["review"], row["sentence"], row["aspect"], row["opinion"]) for row in rows] == [
        ("r1", 0, "food", "great"),
        ("r1", 1, "waiter", "kind"),
        ("r1", 1, "service", "slow"),
        ("r2", 0, "staff", "Rude"),
        ("r2", 1, "food", "Bad"),
        ("r3", 0, "pizza", "Good"),
        ("r3", 0, "prices", "fair"),
    ]
    assert [row["polarity"] for row in rows][:3] == ["positive", "positive", "negative"]
    assert {row["review"]: (row["group"], row["date"], row["rating"]) for row in rows}["r3"] == (
        *("Vale", "2025-02-11", "4"),
    )


def test_offsets_count_characters_of_the_review(source: Path, tmp_path: Path) -> None:
    run(source, tmp_path / "out")
    texts = {
        review.id: review.text for review in prepare([source]).reviews.read(prepare([source]).survey.tally)
    }
    for row in read_parquet(tmp_path / "out"):
        text = texts[str(row["review"])]
        assert text[row["aspect_start"] : row["aspect_end"]] == row["aspect"]  # type: ignore[misc]
        assert text[row["opinion_start"] : row["opinion_end"]] == row["opinion"]  # type: ignore[misc]
        assert text[row["sentence_start"] :].startswith(str(row["text"]))  # type: ignore[misc]


def test_csv_escapes_formulas_and_parquet_does_not(source: Path, tmp_path: Path) -> None:
    run(source, tmp_path / "out")
    assert [row["text"] for row in read_csv(tmp_path / "out")][4] == "'=Bad food"
    assert [row["text"] for row in read_parquet(tmp_path / "out")][4] == "=Bad food"
    cells = [cell for row in read_csv(tmp_path / "out") for cell in row.values()]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]


def test_reviews_with_opinions_are_counted_also_where_they_share_an_id(tmp_path: Path) -> None:
    path = tmp_path / "reviews.csv"
    path.write_text("id,text\n7,Good food.\n7,Bad food.\n7,We came.\n7,Rude staff.\n", encoding="utf-8")
    totals = run(path, tmp_path / "out").totals
    assert (totals.reviews, totals.reviews_with_opinions) == (4, 3)


def test_aggregate_counts_what_was_read_and_found(source: Path, tmp_path: Path) -> None:
    aggregate = run(source, tmp_path / "out")
    totals = aggregate.totals
    # r1 and r2 have two sentences each, r3 and r4 one; r5 has no text
    assert (totals.reviews, totals.sentences, totals.opinions, totals.empty) == (4, 6, 7, 1)
    assert totals.reviews_with_opinions == 3
    assert aggregate.counts == PolarityCounts(positive=4, negative=3)
    assert {category.name: category.counts for category in aggregate.categories} == {
        "food": PolarityCounts(positive=2, negative=1),
        "staff": PolarityCounts(positive=1, negative=1),
        "service": PolarityCounts(negative=1),
        "price": PolarityCounts(positive=1),
    }


def test_aggregate_slices_by_group_month_and_rating(source: Path, tmp_path: Path) -> None:
    aggregate = run(source, tmp_path / "out")
    assert [(each.name, each.reviews, each.counts) for each in aggregate.groups] == [
        ("Nook", 2, PolarityCounts(positive=2, negative=3)),
        ("Vale", 2, PolarityCounts(positive=2)),
    ]
    assert [(each.name, each.reviews, each.counts.total) for each in aggregate.months] == [
        ("2025-01", 2, 5),
        ("2025-02", 2, 2),
    ]
    assert [each.name for each in aggregate.ratings] == ["1", "3", "4", "5"]
    assert aggregate.groups[0].months == {"2025-01": PolarityCounts(positive=2, negative=3)}
    assert aggregate.groups[0].categories["food"] == PolarityCounts(positive=1, negative=1)


def test_aggregate_shows_terms_opinions_edges_and_evidence(source: Path, tmp_path: Path) -> None:
    aggregate = run(source, tmp_path / "out")
    food = aggregate.categories[0]
    assert [(term.name, term.counts.total) for term in food.terms] == [("food", 2), ("pizza", 1)]
    assert {word.name for word in food.opinions} == {"great", "bad", "good"}
    assert ("food", "great", "positive", 1) in {
        (edge.aspect, edge.opinion, edge.polarity, edge.count) for edge in aggregate.edges
    }
    evidence = next(each for each in food.evidence if each.review == "r2")
    assert evidence.aspect is not None
    assert evidence.text[slice(*evidence.aspect)] == "food"


def test_evidence_is_bounded_and_shows_a_sentence_once(tmp_path: Path) -> None:
    lines = ["Good food here", "good food here"] * 20 + [f"Good food {'x' * number}" for number in range(60)]
    (tmp_path / "a.txt").write_text("\n".join(lines), encoding="utf-8")
    (category,) = run(tmp_path / "a.txt", tmp_path / "out").categories
    texts = [each.text.casefold() for each in category.evidence]
    assert len(texts) == len(set(texts)) == MAX_EVIDENCE
    shares = [each.probability for each in category.evidence]
    assert shares[0] == max(shares)


@pytest.mark.parametrize("step", [1, -1])
def test_evidence_of_equal_worth_hangs_on_no_order(tmp_path: Path, step: int) -> None:
    lines = [f"Good food on day {day:03}" for day in range(200)][::step]
    (tmp_path / "a.txt").write_text("\n".join(lines), encoding="utf-8")
    (category,) = run(tmp_path / "a.txt", tmp_path / "out").categories
    days = [int(each.text[-3:]) for each in category.evidence]
    # by zlib.crc32 of the lines in lower case, the highest first; the first days would be 0 to 7
    assert days == sorted(range(200), key=lambda day: -crc32(f"good food on day {day:03}".encode()))[:8]


def test_given_aspects_name_the_categories(source: Path, tmp_path: Path) -> None:
    aggregate = run(source, tmp_path / "out", Settings(aspects=("Food", "Service")))
    assert {category.name for category in aggregate.categories} == {"Food", "Service", "other"}


def test_unsplit_reviews_are_one_sentence_each(source: Path, tmp_path: Path) -> None:
    assert run(source, tmp_path / "out", Settings(split=False)).totals.sentences == 4


def test_summary_file_gives_the_aggregate_back(source: Path, tmp_path: Path) -> None:
    aggregate = run(source, tmp_path / "out")
    record = json.loads((tmp_path / "out" / "analysis.json").read_text(encoding="utf-8"))
    assert aggregate_from_dict(record["aggregate"]) == aggregate


@pytest.mark.parametrize("record", [None, {}, {"format": 99}, {"format": 1, "title": 3}, [1]])
def test_summary_of_another_format_is_refused(record: object) -> None:
    with pytest.raises(DataError, match="expected an analysis"):
        aggregate_from_dict(record)


def test_finished_analysis_is_found_again(source: Path, tmp_path: Path) -> None:
    aggregate = run(source, tmp_path / "out")
    prepared, predictor = prepare([source]), KeywordPredictor()
    assert load_finished(prepared, predictor, tmp_path / "out") == aggregate
    assert predictor.calls == []
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        *[".work", "analysis.json", "opinions.csv", "opinions.parquet", "report.html"]
    ]


def test_finished_analysis_without_its_counts_is_refused(source: Path, tmp_path: Path) -> None:
    run(source, tmp_path / "out")
    path = tmp_path / "out" / "analysis.json"
    record = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({"identity": record["identity"]}), encoding="utf-8")
    with pytest.raises(DataError, match=r"analysis\.json: .*make it again; delete the folder first"):
        load_finished(prepare([source]), KeywordPredictor(), tmp_path / "out")


def test_one_call_does_all_that_the_command_does(source: Path, tmp_path: Path) -> None:
    loaded: list[KeywordPredictor] = []
    heard: list[str] = []

    def load() -> KeywordPredictor:
        loaded.append(KeywordPredictor())
        return loaded[-1]

    first = analyze([source], load, tmp_path / "out", Settings(block=1), notify=heard.append)
    assert heard[0].startswith(f"{source}: columns: text: 'text'")
    again = analyze([source], load, tmp_path / "out", Settings(block=1), notify=heard.append)
    assert again == first
    assert heard[-1].endswith("this analysis is complete already")
    assert [len(predictor.calls) > 0 for predictor in loaded] == [True, False]


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("counts", "positive"), "3"),
        (("counts", "negative"), -1),
        (("counts", "neutral"), True),
        (("totals", "reviews"), 1 << 60),
        (("totals", "sentences"), None),
        (("settings", "model"), 3),
        (("edges", 0, "count"), "3"),
        (("edges", 0, "aspect"), ["food"]),
        (("categories", 0, "counts", "positive"), "3"),
        (("categories", 0, "evidence", 0, "polarity"), []),
        (("categories", 0, "evidence", 0, "probability"), float("nan")),
        (("categories", 0, "evidence", 0, "aspect"), ["1", 2]),
    ],
    ids=str,
)
def test_finished_analysis_that_was_altered_is_refused(
    source: Path, tmp_path: Path, place: tuple[str | int, ...], value: object
) -> None:
    run(source, tmp_path / "out")
    path = tmp_path / "out" / "analysis.json"
    record = json.loads(path.read_text(encoding="utf-8"))
    part = record["aggregate"]
    for key in place[:-1]:
        part = part[key]
    part[place[-1]] = value
    path.write_text(json.dumps(record), encoding="utf-8")
    with pytest.raises(DataError, match="lacks or changes"):
        load_finished(prepare([source]), KeywordPredictor(), tmp_path / "out")


def test_summary_nested_too_deeply_is_that_of_no_analysis(source: Path, tmp_path: Path) -> None:
    run(source, tmp_path / "out")
    (tmp_path / "out" / "analysis.json").write_text("[" * 100_000, encoding="utf-8")
    assert load_finished(prepare([source]), KeywordPredictor(), tmp_path / "out") is None


def test_finished_analysis_is_not_that_of_changed_reviews_or_settings(source: Path, tmp_path: Path) -> None:
    run(source, tmp_path / "out")
    changed = prepare([source], Settings(aspects=("Food",)))
    assert load_finished(changed, KeywordPredictor(), tmp_path / "out") is None
    source.write_text(REVIEWS.replace("great", "good"), encoding="utf-8")
    assert load_finished(prepare([source]), KeywordPredictor(), tmp_path / "out") is None


class Interrupted(KeywordPredictor):
    """Is stopped at its third call, as by Ctrl-C."""

    def predict(self, texts: list[str]) -> list[tuple]:  # type: ignore[type-arg, override]
        if len(self.calls) == 2:
            raise KeyboardInterrupt
        return super().predict(texts)


def test_interrupted_analysis_does_no_block_twice(source: Path, tmp_path: Path) -> None:
    prepared, out = prepare([source], Settings(block=1)), tmp_path / "out"
    with pytest.raises(KeyboardInterrupt):
        analyze(prepared, Interrupted(), out)
    predictor = KeywordPredictor()
    assert can_resume(prepared, predictor, out)
    reached: list[Progress[BlockCounts]] = []
    aggregate = analyze(prepared, predictor, out, progress=reached.append).aggregate
    assert len(predictor.calls) == 2
    assert [progress.share for progress in reached] == [0.5, 0.75, 1.0]
    assert [progress.text for progress in reached] == [f"{done} of 4 reviews" for done in (2, 3, 4)]
    assert [progress.detail.sentences for progress in reached] == [4, 5, 6]
    assert aggregate == run(source, tmp_path / "whole", Settings(block=1))


@pytest.mark.parametrize("settings", [Settings(split=False), Settings(reading=ReviewOptions(limit=2))])
def test_work_of_other_settings_is_begun_anew(source: Path, tmp_path: Path, settings: Settings) -> None:
    out = tmp_path / "out"
    with pytest.raises(KeyboardInterrupt):
        analyze(prepare([source], Settings(block=1)), Interrupted(), out)
    run(source, out, settings)
    run(source, tmp_path / "whole", settings)
    assert (out / "opinions.csv").read_bytes() == (tmp_path / "whole" / "opinions.csv").read_bytes()


def test_folder_of_others_is_refused(source: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    refuse_foreign_folder(tmp_path / "out", [source])
    (tmp_path / "out" / "thesis.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(ConfigError, match="choose another --out"):
        refuse_foreign_folder(tmp_path / "out", [source])


def test_folder_of_another_analysis_is_refused(source: Path, tmp_path: Path) -> None:
    run(source, tmp_path / "out")
    refuse_foreign_folder(tmp_path / "out", [source])
    with pytest.raises(ConfigError, match="other files"):
        refuse_foreign_folder(tmp_path / "out", [tmp_path / "else.csv"])


def test_file_without_any_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,text\n1,\n2,\n", encoding="utf-8")
    with pytest.raises(DataError, match="found no review"):
        prepare([tmp_path / "a.csv"])


def test_analysis_of_no_opinion_gives_empty_tables(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("We came by bus.", encoding="utf-8")
    aggregate = run(tmp_path / "a.txt", tmp_path / "o*t [1]'s")
    assert (aggregate.totals.opinions, aggregate.categories) == (0, ())
    assert read_csv(tmp_path / "o*t [1]'s") == read_parquet(tmp_path / "o*t [1]'s") == []


def test_result_does_not_tell_where_the_files_lie(tmp_path: Path) -> None:
    (tmp_path / "private").mkdir()
    path = tmp_path / "private" / "a.csv"
    path.write_text("id,text\n1,Good food\n2\n", encoding="utf-8")
    prepared = prepare([path])
    assert str(path) in prepared.notices[0]
    aggregate = analyze(prepared, KeywordPredictor(), tmp_path / "out").aggregate
    assert aggregate.notices[0] == "a.csv: line 3: found 1 cells, not 2 as in the first row: row skipped"
    assert "private" not in (tmp_path / "out" / "analysis.json").read_text(encoding="utf-8")
