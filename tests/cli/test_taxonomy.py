"""`aspectlab taxonomy` as a user meets it, and `analyze --taxonomy` on a finished folder."""

import csv
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from aspectlab.analysis import GENERAL, TAXONOMIES, load_taxonomy
from aspectlab.cli import analyze
from aspectlab.cli.main import app
from aspectlab.readers.opiniontable import COLUMNS
from tests.support.keyword_predictor import KeywordPredictor

pytest.importorskip("duckdb")


@pytest.fixture(autouse=True)
def predictor(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> KeywordPredictor:
    stand_in = KeywordPredictor()
    monkeypatch.setattr(analyze, "open_predictor", lambda *options: stand_in)
    monkeypatch.chdir(tmp_path)
    lines = [f"{number},Good pizza. Rude waiter! High prices." for number in range(9)]
    (tmp_path / "reviews.csv").write_text("\n".join(["id,text", *lines]), encoding="utf-8")
    return stand_in


def call(*words: str) -> Result:
    return CliRunner().invoke(app, [*words])


def categories(folder: str = "reviews-analysis") -> set[tuple[str, str]]:
    with Path(folder, "opinions.csv").open(encoding="utf-8", newline="") as stream:
        return {(row["category"], row["parent"]) for row in csv.DictReader(stream)}


def test_show_prints_a_file_to_begin_with(tmp_path: Path) -> None:
    answer = call("taxonomy", "show")
    assert answer.stdout == TAXONOMIES[GENERAL].read_text(encoding="utf-8")
    assert "what it is about" in call("taxonomy", "show", "--table").stdout


def test_other_categories_need_no_model(predictor: KeywordPredictor, tmp_path: Path) -> None:
    assert call("analyze", "reviews.csv").exit_code == 0
    assert categories() == {("food", "food"), ("staff", "service"), ("price", "price")}
    predictor.calls.clear()
    Path("mine.toml").write_text(
        "extends = 'general'\nrename = {food = 'meals'}\nmerge = {staff = 'service'}", encoding="utf-8"
    )
    assert call("analyze", "reviews.csv", "--taxonomy", "mine.toml").exit_code == 0
    assert predictor.calls == []
    assert categories() == {("meals", "meals"), ("service", "service"), ("price", "price")}
    # as if they had been the categories from the start
    call("analyze", "reviews.csv", "--taxonomy", "mine.toml", "--out", "anew")
    for name in ("opinions.csv", "opinions.parquet", "analysis.json", "report.html"):
        assert Path("reviews-analysis", name).read_bytes() == Path("anew", name).read_bytes()


def test_changed_file_changes_the_result(predictor: KeywordPredictor) -> None:
    mine = Path("mine.toml")
    mine.write_text("discover = false\n[categories.meals]\nsynonyms = ['pizza']", encoding="utf-8")
    call("analyze", "reviews.csv", "--taxonomy", "mine.toml")
    assert categories() == {("meals", "meals"), ("other", "other")}
    mine.write_text("discover = false\n[categories.meals]\nsynonyms = ['waiter']", encoding="utf-8")
    call("analyze", "reviews.csv", "--taxonomy", "mine.toml")
    with Path("reviews-analysis", "opinions.csv").open(encoding="utf-8", newline="") as stream:
        found = {row["aspect"] for row in csv.DictReader(stream) if row["category"] == "meals"}
    assert found == {"waiter"}


def test_aspects_and_taxonomy_exclude_each_other() -> None:
    Path("mine.toml").write_text("[categories.meals]", encoding="utf-8")
    error = call("analyze", "reviews.csv", "--taxonomy", "mine.toml", "--aspects", "food").exception
    assert "expected one of them" in str(error)


def test_suggest_proposes_what_was_discovered_and_check_takes_it() -> None:
    columns = list(COLUMNS)
    named = [("lift", "lift")] * 4 + [("elevators", "lift"), ("soup", "food")]
    named += [("parrot cage", "other"), ("cage", "other"), ("cages", "other")]
    with Path("opinions.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, columns, restval="")
        writer.writeheader()
        writer.writerows({"aspect": aspect, "category": name, "opinion": "slow"} for aspect, name in named)
    answer = call("taxonomy", "suggest", "opinions.csv", "--out", "mine.toml")
    assert answer.exit_code == 0, answer.output
    rules = {rule.name: rule.synonyms for rule in load_taxonomy("mine.toml").categories}
    assert rules["lift"] == ("lift", "elevator")
    assert rules["cage"] == ("cage", "parrot cage")
    record = json.loads(call("taxonomy", "check", "mine.toml", "opinions.csv", "--json").stdout)
    assert (record["opinions"], record["without_category"]) == (9, 0)
    assert "food" not in record["unused"]
    assert "battery" in record["unused"]


def test_check_lists_words_of_several_categories() -> None:
    text = "[categories.food]\nsynonyms = ['tea']\n[categories.drinks]\nsynonyms = ['Teas']"
    Path("mine.toml").write_text(text, encoding="utf-8")
    record = json.loads(call("taxonomy", "check", "mine.toml", "--json").stdout)
    assert record["overlaps"] == [{"word": "tea", "categories": ["food", "drinks"]}]
    assert record["unused"] is None


def test_check_refuses_a_file_with_mistakes() -> None:
    Path("mine.toml").write_text("[categories.food]\nsynonym = ['tea']", encoding="utf-8")
    answer = call("taxonomy", "check", "mine.toml")
    assert answer.exit_code != 0
    assert "line 2: categories.food.synonym: found an unknown key: did you mean 'synonyms'?" in str(
        answer.exception
    )


@pytest.mark.parametrize("command", ["suggest", "check"])
def test_table_that_no_analysis_wrote_is_refused(command: str) -> None:
    words = ["reviews.csv"] if command == "suggest" else [GENERAL, "reviews.csv"]
    assert "expected a table of opinions" in str(call("taxonomy", command, *words).exception)
    words = ["absent"] if command == "suggest" else [GENERAL, "absent"]
    assert "no such file" in str(call("taxonomy", command, *words).exception)
