"""`aspectlab analyze` as a user meets it; a predictor of keywords stands for the model."""

import csv
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import pytest
from typer.testing import CliRunner, Result

from aspectlab.cli import analyze
from aspectlab.cli.main import app
from aspectlab.cluster import FinishedJob
from aspectlab.data import Quad
from aspectlab.errors import ConfigError, DataError, MissingPartError
from tests.support.keyword_predictor import KeywordPredictor
from tests.support.quad_predictor import NEVER, PRICEY, QuadPredictor

duckdb = pytest.importorskip("duckdb")

REVIEWS = "id,product,text\n1,Nook,Good food. Rude staff!\n2,Nook\n3,Vale,Fair prices and good pizza\n"


@pytest.fixture(autouse=True)
def predictor(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> KeywordPredictor:
    stand_in = KeywordPredictor()
    monkeypatch.setattr(analyze, "open_predictor", lambda *options: stand_in)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "reviews.csv").write_text(REVIEWS, encoding="utf-8")
    return stand_in


class SameProcess:
    """A cluster that is none."""

    cores = 1

    def run(
        self, work: Callable[[object], object], jobs: Iterable[object], *, attempts: int
    ) -> Iterator[FinishedJob[object, object]]:
        return (FinishedJob(job, work(job)) for job in jobs)


def run(*words: str) -> Result:
    return CliRunner().invoke(app, ["analyze", *words])


def test_analyze_needs_no_option(tmp_path: Path) -> None:
    answer = run("reviews.csv")
    assert answer.exit_code == 0, answer.output
    names = {path.name for path in (tmp_path / "reviews-analysis").iterdir()}
    assert {"opinions.csv", "opinions.parquet"} <= names
    assert "2 reviews, 3 sentences, 4 opinions" in answer.stdout
    assert answer.stdout.splitlines()[-1].startswith("reviews-analysis")
    assert "columns: text: 'text', id: 'id', group: 'product'" in answer.stderr
    assert "reviews.csv: line 3: found 2 cells, not 3" in answer.stderr


def test_analyze_prints_json() -> None:
    report = json.loads(run("reviews.csv", "--json").stdout)
    counts = {name: report[name] for name in ("reviews", "sentences", "opinions", "broken")}
    assert counts == {"reviews": 2, "sentences": 3, "opinions": 4, "broken": 1}
    assert report["csv"] == "reviews-analysis/opinions.csv"
    assert {"name", "positive", "negative", "neutral"} == set(report["categories"][0])


def test_analyze_takes_options(tmp_path: Path) -> None:
    options = ["--out", "result", "--aspects", "Food, Staff", "--group-by", "", "--limit", "1", "--no-split"]
    report = json.loads(run("reviews.csv", *options, "--json").stdout)
    assert (report["reviews"], report["sentences"]) == (1, 1)
    assert {category["name"] for category in report["categories"]} == {"Food", "Staff"}
    with (tmp_path / "result" / "opinions.csv").open(encoding="utf-8", newline="") as stream:
        assert {(row["group"], row["product"]) for row in csv.DictReader(stream)} == {("", "Nook")}


def test_analyze_says_how_many_opinions_are_left_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(analyze, "open_predictor", lambda *options: QuadPredictor())
    (tmp_path / "reviews.csv").write_text(f"text\n{PRICEY}\n{NEVER}\n", encoding="utf-8")
    # .9 for the price, .4 for never again, and both without an aspect
    assert "2 opinions (2 without a word for the aspect) in" in run("reviews.csv").stdout
    options = ["--min-probability", "0.5", "--out", "sure"]
    shown = run("reviews.csv", *options).stdout
    assert "1 opinion (1 without a word for the aspect, 1 less probable one left out) in" in shown
    report = json.loads(run("reviews.csv", *options, "--json").stdout)
    assert (report["opinions"], report["left_out"], report["without_aspect"]) == (1, 1, 1)


def test_analyze_asks_the_model_for_the_style(
    predictor: KeywordPredictor, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[object, ...]] = []
    monkeypatch.setattr(analyze, "open_predictor", lambda *options: asked.append(options) or predictor)
    run("reviews.csv", "--style", "laptops")
    run("reviews.csv")
    assert asked == [(None, "auto", None, "laptops"), (None, "auto", None, "house")]


def test_analyze_refuses_a_style_that_the_model_does_not_know(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    with pytest.raises(ConfigError, match="style 'laptops' is unknown: There are: house, acos, aste"):
        analyze.Loader(None, "auto", 1, "laptops")()


@pytest.mark.parametrize("least", ["1.5", "-1", "half"])
def test_analyze_refuses_a_minimum_that_is_no_probability(least: str) -> None:
    assert run("reviews.csv", "--min-probability", least).exit_code == 2


def test_analyze_as_a_program_ends_without_a_word(tmp_path: Path) -> None:
    # DuckDB complains at the exit of a program that keeps its objects
    (tmp_path / "reviews.csv").write_text('text\n"Lovely soup."\n', encoding="utf-8")
    words = ["analyze", str(tmp_path / "reviews.csv"), "--out", str(tmp_path / "out")]
    command = [sys.executable, "-m", "aspectlab", *words]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "leaked" not in answer.stderr


def test_analyze_does_complete_work_only_once(predictor: KeywordPredictor) -> None:
    run("reviews.csv")
    calls = len(predictor.calls)
    answer = run("reviews.csv")
    assert "complete already" in answer.stderr
    assert len(predictor.calls) == calls


def test_analyze_says_how_to_go_on_after_an_interruption(
    predictor: KeywordPredictor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(texts: list[str]) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(predictor, "predict", stop)
        answer = run("reviews.csv")
    assert answer.exit_code == 130
    assert "run the same command again" in answer.stderr
    assert "going on where the work stopped" in run("reviews.csv").stderr


@pytest.mark.parametrize("name", ["opinions.csv", "opinions.parquet"])
def test_analyze_called_empty_tables_complete(predictor: KeywordPredictor, tmp_path: Path, name: str) -> None:
    run("reviews.csv")
    path = tmp_path / "reviews-analysis" / name
    content = path.read_bytes()
    path.write_bytes(b"")
    answer = run("reviews.csv")
    assert f"reviews-analysis/{name}: not as the analysis wrote it" in answer.stderr
    assert "complete already" not in answer.stderr
    assert path.read_bytes() == content


def test_analyze_called_half_of_changed_reviews_complete(
    predictor: KeywordPredictor, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    predict = predictor.predict

    def meddle(texts: list[str]) -> list[tuple[Quad, ...]]:
        (tmp_path / "reviews.csv").write_text("id,product,text\n1,Nook,Good food.\n", encoding="utf-8")
        return predict(texts)

    with monkeypatch.context() as patch:
        patch.setattr(predictor, "predict", meddle)
        answer = run("reviews.csv")
    assert isinstance(answer.exception, DataError)
    assert "reviews.csv: found other content than when this analysis began" in str(answer.exception)
    again = run("reviews.csv")
    assert "complete already" not in again.stderr
    assert "1 review, 1 sentence, 1 opinion in" in again.stdout


def test_analyze_warns_of_another_language(tmp_path: Path) -> None:
    german = ["Die Suppe war nicht sehr gut und kalt."] * 3
    french = ["La soupe était bonne mais le service est très lent."]
    english = "The soup is good and the staff is kind."
    (tmp_path / "de.txt").write_text("\n".join([*german, english, *french]), encoding="utf-8")
    answer = run("de.txt")
    assert answer.exit_code == 0
    found = "reviews in another language, not analysed: 4 (German 3, French 1); --any-language analyses"
    assert found in answer.stderr
    with (tmp_path / "de-analysis" / "opinions.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    passed = [row for row in rows if row["category"] == "not analysed"]
    assert [(row["review"], row["text"]) for row in passed] == [
        *(("1", german[0]), ("2", german[0]), ("3", german[0]), ("5", french[0])),
    ]
    assert {row["polarity"] for row in passed} == {""}
    for choice in (["--model", "german"], ["--any-language"]):
        assert "another language" not in run("de.txt", *choice, "--out", choice[0].strip("-")).stderr


def test_analyze_refuses_reviews_none_of_which_the_model_knows(tmp_path: Path) -> None:
    (tmp_path / "de.txt").write_text("Die Suppe war nicht sehr gut und kalt.\n" * 9, encoding="utf-8")
    message = str(run("de.txt").exception)
    assert message.startswith("de.txt: found reviews in German 9: expected some in English; name a --model")
    assert run("de.txt", "--language", "de").exit_code == 0


def test_analyze_refuses_a_language_beside_any(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("The soup is good.", encoding="utf-8")
    assert "exclude each other" in str(run("a.txt", "--language", "en", "--any-language").exception)


@pytest.mark.parametrize(
    ("words", "error", "message"),
    [
        (["absent.csv"], DataError, "check the path"),
        (["reviews.csv", "--text-column", "txt"], ConfigError, "did you mean 'text'"),
        (["reviews.csv", "--out", "reviews.csv"], ConfigError, "choose another --out"),
        (["reviews.csv", "--out", "."], ConfigError, "no analysis wrote"),
        (["reviews.csv", "--encoding", "klingon"], ConfigError, "no such encoding"),
        (["reviews.csv", "--engine", "rey"], ConfigError, "did you mean 'ray'"),
        (["reviews.csv", "--engine", "torch"], ConfigError, "use --runtime torch"),
        (["reviews.csv", "--runtime", "torhc"], ConfigError, "--runtime 'torhc' is unknown: did you mean"),
    ],
)
def test_analyze_refuses_with_a_remedy(words: list[str], error: type[Exception], message: str) -> None:
    answer = run(*words)
    assert isinstance(answer.exception, error)
    assert message in str(answer.exception)


def test_analyze_reads_the_files_of_a_folder_in_order(tmp_path: Path) -> None:
    (tmp_path / "all" / "more").mkdir(parents=True)
    (tmp_path / "all" / "b.jsonl").write_text('{"text": "Rude staff!"}\n', encoding="utf-8")
    (tmp_path / "all" / "a.csv").write_text("text\nGood food.\n", encoding="utf-8")
    (tmp_path / "all" / "more" / "a.txt").write_text("Slow service.\n", encoding="utf-8")
    assert run("all", "--json").exit_code == 0
    lines = (tmp_path / "all-analysis" / "opinions.csv").read_text(encoding="utf-8").splitlines()
    assert [line.split(",")[0] for line in lines[1:]] == ["a.csv-1", "b.jsonl-1", "more/a.txt-1"]


def test_analyze_without_ray_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    answer = run("reviews.csv", "--engine", "ray")
    assert isinstance(answer.exception, MissingPartError)
    assert "pip install 'aspectlab[ray]'" in str(answer.exception)


@pytest.mark.parametrize("model", [None, "folder"])
def test_worker_loads_the_same_model_on_one_core(model: str | None, tmp_path: Path) -> None:
    loader = analyze.Loader(model, "auto", 8, "laptops").for_worker()
    assert loader == analyze.Loader(model and str(tmp_path / model), "auto", 1, "laptops")


def test_analyze_works_where_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str | None, int | None]] = []

    @contextmanager
    def connect(address: str | None, *, cores: int | None) -> Iterator[SameProcess]:
        asked.append((address, cores))
        yield SameProcess()

    monkeypatch.setitem(sys.modules, "ray", ModuleType("ray"))
    monkeypatch.setattr("aspectlab.cluster.connect", connect)
    answer = run("reviews.csv", "--engine", "ray:head:6379", "--threads", "3")
    assert answer.exit_code == 0, answer.output
    assert "2 reviews, 3 sentences, 4 opinions" in answer.stdout
    assert asked == [("head:6379", 3)]


def test_analyze_shows_hostile_text_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "odd.txt").write_text("[bold]Good food[/bold] <script>\n=cmd bad food\n", encoding="utf-8")
    assert run("odd.txt").exit_code == 0
    assert "'=cmd" in (tmp_path / "odd-analysis" / "opinions.csv").read_text(encoding="utf-8")


def test_analyze_prints_no_codes_that_drive_a_terminal(tmp_path: Path) -> None:
    (tmp_path / "all").mkdir()
    (tmp_path / "all" / "a\x1bc.csv").write_text(REVIEWS, encoding="utf-8")
    answer = run("all", "--aspects", "food\x1bc,staff")
    assert "\x1b" not in answer.stdout + answer.stderr
    assert "food\ufffdc" in answer.stdout


def test_analyze_counts_one_review_as_one(tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("Good food.\n", encoding="utf-8")
    stdout = run("one.txt").stdout
    assert "one.txt: praise and blame in 1 review" in stdout
    assert "\n1 review, 1 sentence, 1 opinion in " in stdout


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_analyze_takes_a_file_whose_name_is_no_utf8(tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9.csv")
    (tmp_path / name).write_text(REVIEWS, encoding="utf-8")
    assert run(name).exit_code == 0
    assert (tmp_path / "caf\ufffd-analysis" / "opinions.parquet").is_file()
    with pytest.raises(ConfigError, match="its path is not UTF-8; choose another --out"):
        raise run(name, "--out", os.fsdecode(b"caf\xe9")).exception or AssertionError


def test_analyze_draws_bars_on_the_scale_of_the_rows_it_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(analyze, "_TOP", 1)
    (tmp_path / "bars.txt").write_text("Good price.\n" + "Good room.\n" * 5, encoding="utf-8")
    stdout = run("bars.txt", "--aspects", "price").stdout
    assert "\u2588" * 24 in stdout
    assert "and 1 more" in stdout


def test_analyze_reads_numbers_with_a_separator_behind_them(tmp_path: Path) -> None:
    rows = "".join(f"Good food {number},{number % 5 + 1}\x1c\n" for number in range(12))
    (tmp_path / "odd.csv").write_text(f"comment,helpful\n{rows}", encoding="utf-8")
    answer = run("odd.csv")
    assert answer.exit_code == 0, answer.exception
    assert "rating: 'helpful'" in answer.stderr


def test_analyze_carries_all_columns_and_the_one_an_opinion_is_from(tmp_path: Path) -> None:
    content = "hotel,city,pros,cons,=seat\nSea,Rome,Good food here.,Rude staff here.,=1+1\n"
    (tmp_path / "a.csv").write_text(content, encoding="utf-8")
    columns = ["--text-column", "pros", "--text-column", "cons", "--group-by", "hotel", "--group-by", "city"]
    assert run("a.csv", *columns).exit_code == 0
    with (tmp_path / "a-analysis" / "opinions.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [(row["aspect"], row["text_column"], row["group"]) for row in rows] == [
        ("food", "pros", "Sea · Rome"),
        ("staff", "cons", "Sea · Rome"),
    ]
    # what a spreadsheet would compute is marked, also in the header
    assert list(rows[0])[-2:] == ["text_column", "'=seat"]
    assert rows[0]["'=seat"] == "'=1+1"
    relation = duckdb.read_parquet(str(tmp_path / "a-analysis" / "opinions.parquet"))
    assert relation.project('"=seat", text_column').fetchall() == [("=1+1", "pros"), ("=1+1", "cons")]


def test_analyze_reads_standard_input_and_leaves_no_copy(tmp_path: Path) -> None:
    answer = CliRunner().invoke(app, ["analyze", "-", "--json"], input="id,review\n1,Good food here.\n")
    assert answer.exit_code == 0, answer.exception
    assert json.loads(answer.stdout)["opinions"] == 1
    assert [path.name for path in tmp_path.iterdir() if "stdin" in path.name] == ["stdin-analysis"]
