"""`aspectlab audit` as a user meets it: draw, judge in a spreadsheet, read the shares."""

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from aspectlab.analysis import Settings, analyze
from aspectlab.cli.main import app
from aspectlab.errors import ConfigError, DataError
from aspectlab.readers import read
from tests.support.keyword_predictor import KeywordPredictor

pytest.importorskip("duckdb")

LINES = [
    *("Good food.", "Rude staff!", "The room was great.", "We came on Monday.", "It rained."),
    *("Bad pizza and slow service.", "Fair prices.", "The bed was bad.", "Nobody was there.", "We left."),
] * 6

Row = dict[str, str]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = [f"{number},{line}" for number, line in enumerate(LINES)]
    (tmp_path / "reviews.csv").write_text("\n".join(["id,text", *rows]) + "\n", encoding="utf-8")
    analyze([tmp_path / "reviews.csv"], KeywordPredictor(), tmp_path / "out", report=False)
    return tmp_path


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(app, ["audit", *map(str, words)])


def judge(folder: Path, verdict: Callable[[Row], Row]) -> None:
    """Fill the sheet as a person would, a row at a time."""
    path = folder / "out" / "audit.csv"
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0].keys())
        writer.writeheader()
        writer.writerows([row | verdict(row) for row in rows])


def agree(row: Row) -> Row:
    return {"verdict": "none" if row["aspect"].startswith("(") else "right"}


def test_sheet_has_each_opinion_and_a_row_for_what_was_missed(folder: Path) -> None:
    answer = run(folder / "out", folder / "reviews.csv", "--size", "20")
    assert answer.exit_code == 0, answer.output
    assert "20 of 60 sentences drawn" in answer.stderr
    with (folder / "out" / "audit.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len({row["number"] for row in rows}) == 20
    assert sum(row["aspect"] == "(anything missed?)" for row in rows) == 20
    pairs = {(row["text"], row["aspect"], row["opinion"]) for row in rows}
    assert {("Good food.", "food", "Good"), ("We left.", "(anything missed?)", "")} & pairs


def test_draw_is_the_same_for_one_seed(folder: Path) -> None:
    sheets = []
    for seed in ("1", "1", "2"):
        run(folder / "out", folder / "reviews.csv", "--seed", seed, "--size", "20", "--redraw")
        sheets.append((folder / "out" / "audit.csv").read_bytes())
    assert sheets[0] == sheets[1] != sheets[2]


def test_perfect_analysis_has_its_counted_shares_inside_the_intervals(folder: Path) -> None:
    run(folder / "out", folder / "reviews.csv", "--size", "40")
    judge(folder, agree)
    answer = run(folder / "out", "--json")
    result = json.loads(answer.stdout)
    assert result["judged"] == result["drawn"] == 40
    assert min(result["precision"]["low"], result["recall"]["low"]) > 0.8
    overall = result["overall"]
    # by hand: good food, great room, fair prices against rude staff, bad pizza, slow service, bad bed
    assert overall["counted"] == pytest.approx(3 / 7)
    assert overall["positive"]["low"] < 3 / 7 < overall["positive"]["high"]


def test_errors_of_the_model_move_the_shares(folder: Path) -> None:
    run(folder / "out", folder / "reviews.csv", "--size", "60")
    everything_bad = {"verdict": "changed", "right_polarity": "negative"}
    judge(folder, lambda row: agree(row) if row["aspect"].startswith("(") else everything_bad)
    result = json.loads(run(folder / "out", "--json").stdout)
    assert result["overall"]["positive"]["value"] < 0.1
    assert result["polarity"]["value"] == pytest.approx(4 / 7, abs=0.05)


def test_missed_opinions_lower_the_recall(folder: Path) -> None:
    run(folder / "out", folder / "reviews.csv", "--size", "60")

    def find_missed(row: Row) -> Row:
        if row["text"] != "It rained." or not row["aspect"].startswith("("):
            return agree(row)
        return {"right_opinion": "rained", "right_category": "room", "right_polarity": "negative"}

    judge(folder, find_missed)
    answer = run(folder / "out", "--json")
    # 42 of 48
    assert json.loads(answer.stdout)["recall"]["value"] == pytest.approx(42 / 48, abs=0.04)


def test_rows_without_a_verdict_are_not_judged(folder: Path) -> None:
    run(folder / "out", folder / "reviews.csv", "--size", "40")
    judge(folder, lambda row: agree(row) if int(row["number"]) <= 25 else {})
    answer = run(folder / "out")
    assert answer.exit_code == 0, answer.output
    assert "25 of 40 sentences judged" in answer.stdout
    assert "only 25 sentences are judged" in answer.stderr


def test_judged_sentences_are_training_data(folder: Path) -> None:
    run(folder / "out", folder / "reviews.csv", "--size", "40")
    judge(folder, agree)
    run(folder / "out", "--export", folder / "judged.jsonl")
    corpus = read(folder / "judged.jsonl")
    assert len(corpus) == 40
    found = {(example.text, str(quad.polarity)) for example in corpus for quad in example.quads}
    assert ("Good food.", "positive") in found


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"verdict": "perhaps"}, "verdict 'perhaps'"),
        ({"verdict": "changed", "right_polarity": "mixed"}, "right_polarity 'mixed'"),
        ({"verdict": "changed", "right_category": "foood"}, "right_category 'foood'"),
        ({"verdict": "changed", "right_aspect": "lobby"}, "right_aspect 'lobby'"),
    ],
)
def test_mistake_in_the_sheet_is_refused_with_its_line(folder: Path, row: Row, said: str) -> None:
    run(folder / "out", folder / "reviews.csv", "--size", "40")
    judge(folder, lambda old: agree(old) if old["aspect"].startswith("(") else row)
    answer = run(folder / "out")
    assert isinstance(answer.exception, DataError)
    assert "line 2" in str(answer.exception)
    assert said in str(answer.exception)


def test_other_reviews_are_refused(folder: Path) -> None:
    (folder / "other.csv").write_text("id,text\n1,Good food.\n2,We left.\n", encoding="utf-8")
    answer = run(folder / "out", folder / "other.csv")
    assert isinstance(answer.exception, DataError)
    assert "is not in the reviews given" in str(answer.exception)


def test_sheet_is_not_overwritten_unasked(folder: Path) -> None:
    run(folder / "out", folder / "reviews.csv")
    answer = run(folder / "out", folder / "reviews.csv")
    assert isinstance(answer.exception, ConfigError)
    assert "--redraw" in str(answer.exception)


def test_what_was_judged_is_in_the_tables_of_the_next_run(folder: Path) -> None:
    run(folder / "out", folder / "reviews.csv", "--size", "60")

    def correct(row: Row) -> Row:
        missed = row["aspect"].startswith("(")
        if row["text"] == "It rained." and missed:
            return {"right_opinion": "rained", "right_category": "room", "right_polarity": "negative"}
        if row["text"] == "Good food.":
            return {"verdict": "none"} if missed else {"verdict": "wrong"}
        return agree(row)

    judge(folder, correct)
    run(folder / "out")
    model = KeywordPredictor()
    again = analyze([folder / "reviews.csv"], model, folder / "out", report=False)
    assert [text for call in model.calls for text in call] == []  # the blocks hold what the model found
    with (folder / "out" / "opinions.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    texts = [row["text"] for row in rows]
    sheet = (folder / "out" / "audit.csv").read_text(encoding="utf-8")
    assert texts.count("It rained.") == sheet.count("It rained.") > 0
    assert texts.count("Good food.") == 0
    assert [int(row["review"]) for row in rows] == sorted(int(row["review"]) for row in rows)
    rained = next(row for row in rows if row["text"] == "It rained.")
    assert (rained["opinion"], rained["opinion_start"], rained["category"]) == ("rained", "3", "room")
    audits = {category.name: category.audit for category in again.aggregate.categories}
    assert audits["room"] is not None
    assert audits["room"].note == "judged: 60 sentences"
    # and a third run is complete already, to the byte
    before = (folder / "out" / "analysis.json").read_bytes()
    analyze([folder / "reviews.csv"], model, folder / "out", report=False)
    assert (folder / "out" / "analysis.json").read_bytes() == before


def test_reviews_in_another_language_are_not_judged(tmp_path: Path) -> None:
    spanish = "Muy bueno todo el hotel. La comida excelente y el personal muy amable."
    rows = [f"{number},{line}" for number, line in enumerate([spanish, *LINES, spanish])]
    (tmp_path / "reviews.csv").write_text("\n".join(["id,text", *rows]) + "\n", encoding="utf-8")
    settings = Settings(language="en")
    analyze([tmp_path / "reviews.csv"], KeywordPredictor(), tmp_path / "out", settings, report=False)
    answer = run(tmp_path / "out", tmp_path / "reviews.csv", "--size", "60")
    assert answer.exit_code == 0, answer.output
    assert "60 of 60 sentences drawn" in answer.stderr
    assert "Muy bueno" not in (tmp_path / "out" / "audit.csv").read_text(encoding="utf-8")
