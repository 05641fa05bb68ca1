"""`aspectlab absita` as a user meets it; expected numbers are counted by hand."""

import json
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from aspectlab.campaigns.absita.system import extra, features, sentence_encoder
from aspectlab.cli.main import app
from aspectlab.errors import ConfigError, DataError

HEADER = "sentence_id;" + ";".join(
    f"{category}_{flag}"
    for category in ("cleanliness", "comfort", "amenities", "staff", "value", "wifi", "location", "other")
    for flag in ("presence", "positive", "negative")
)
# staff positive; comfort negative and other positive
GOLD = f"{HEADER}\n1;{'0;0;0;' * 3}1;1;0;{'0;0;0;' * 3}0;0;0\n2;0;0;0;1;0;1;{'0;0;0;' * 5}1;1;0\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A gold file, a run without other, and one with a broken flag."""
    (tmp_path / "gold.csv").write_text(GOLD, encoding="utf-8")
    (tmp_path / "absita_acp_a_1.csv").write_text(GOLD.replace("1;1;0\n", "0;0;0\n"), encoding="utf-8")
    (tmp_path / "broken.csv").write_text(GOLD.replace("\n2;0", "\n2;1.0"), encoding="utf-8")
    return tmp_path


def call(*words: str | Path) -> Result:
    return CliRunner().invoke(app, ["absita", *map(str, words)])


@pytest.mark.parametrize(
    ("options", "recall", "with_other"), [([], 2 / 3, True), (["--without-other"], 1.0, False)]
)
def test_score_json_is_the_contract(
    folder: Path, options: list[str], recall: float, with_other: bool
) -> None:
    answer = call("score", folder / "gold.csv", folder / "absita_acp_a_1.csv", "--json", *options)
    found = json.loads(answer.stdout)
    assert found["with_other"] is with_other
    assert [found[task]["precision"] for task in ("acd", "acp")] == [1.0, 1.0]
    assert [found[task]["recall"] for task in ("acd", "acp")] == pytest.approx([recall, recall])


def test_score_prints_the_mode_and_the_signature(folder: Path) -> None:
    answer = call("score", folder / "gold.csv", folder / "absita_acp_a_1.csv", "--without-other")
    assert "without other, as in the guidelines" in answer.stdout
    assert "aspects:7|bs:10000" in answer.stdout


def test_score_refuses_a_doubtful_run(folder: Path) -> None:
    assert isinstance(call("score", folder / "gold.csv", folder / "broken.csv").exception, DataError)


def test_validate_lists_and_exits_1(folder: Path) -> None:
    answer = call("validate", folder / "broken.csv", "--gold", folder / "gold.csv")
    assert answer.exit_code == 1
    assert "error: line 3: found '1.0' in cleanliness_presence" in answer.stdout


def test_validate_passes_a_right_run(folder: Path) -> None:
    answer = call("validate", folder / "absita_acp_a_1.csv", "--gold", folder / "gold.csv", "--json")
    assert answer.exit_code == 0
    assert json.loads(answer.stdout)["valid"] is True


def test_validate_refuses_an_unknown_task(folder: Path) -> None:
    assert isinstance(call("validate", folder / "broken.csv", "--task", "aste").exception, ConfigError)


def test_validate_fixes(folder: Path) -> None:
    call("validate", folder / "broken.csv", "--fix", folder / "absita_acp_b_1.csv")
    # the flag 1.0 is taken at its word: a cleanliness without polarity
    answer = call("validate", folder / "absita_acp_b_1.csv")
    assert (answer.exit_code, "1 warning(s)" in answer.stdout) == (0, True)


@pytest.mark.parametrize("name", ["broken.csv", "gold.csv"])
def test_validate_does_not_write_over_what_it_reads(folder: Path, name: str) -> None:
    before = (folder / name).read_bytes()
    answer = call("validate", folder / "broken.csv", "--gold", folder / "gold.csv", "--fix", folder / name)
    assert isinstance(answer.exception, ConfigError)
    assert (folder / name).read_bytes() == before


@pytest.mark.parametrize("name", ["gold.csv", "ranking.pdf"])
def test_rank_writes_pages_only_and_over_no_input(folder: Path, name: str) -> None:
    runs = [folder / "absita_acp_a_1.csv", folder / "gold.csv"]
    answer = call("rank", folder / "gold.csv", *runs, "--out", folder / name)
    assert isinstance(answer.exception, ConfigError)
    assert (folder / "gold.csv").read_text(encoding="utf-8") == GOLD


@pytest.mark.parametrize("name", ["ranking.md", "ranking.html"])
def test_rank_writes_a_table(folder: Path, name: str) -> None:
    runs = [folder / "absita_acp_a_1.csv", folder / "gold.csv"]
    answer = call("rank", folder / "gold.csv", *runs, "--out", folder / name, "--resamples", "100")
    assert answer.exit_code == 0
    text = (folder / name).read_text(encoding="utf-8")
    assert text.index("gold") < text.index("absita_acp_a_1")


def test_rank_tells_two_runs_of_one_file_name_apart(folder: Path) -> None:
    runs = [folder / team / "run.csv" for team in ("one", "two")]
    for run in runs:
        run.parent.mkdir()
        run.write_text(GOLD, encoding="utf-8")
    found = json.loads(call("rank", folder / "gold.csv", *runs, "--json", "--resamples", "10").stdout)
    assert [row["run"] for row in found["ranking"]] == list(map(str, runs))
    assert "aspects:8|bs:10|seed:0" in found["signature"]


def test_baseline_does_not_write_over_what_it_reads(folder: Path) -> None:
    test = folder / "absita_acp_baseline_1.csv"
    test.write_text(GOLD, encoding="utf-8")
    answer = call("baseline", folder / "gold.csv", test, "--out", folder)
    assert isinstance(answer.exception, ConfigError)
    assert test.read_text("utf-8") == GOLD


def test_rank_json_has_the_places(folder: Path) -> None:
    runs = [folder / "absita_acp_a_1.csv", folder / "gold.csv"]
    answer = call("rank", folder / "gold.csv", *runs, "--json", "--resamples", "100")
    assert [row["run"] for row in json.loads(answer.stdout)["ranking"]] == ["gold", "absita_acp_a_1"]


def test_baseline_writes_two_valid_runs(folder: Path) -> None:
    answer = call("baseline", folder / "gold.csv", folder / "gold.csv", "--out", folder / "runs")
    assert answer.exit_code == 0
    # all labels occur once: the first column wins
    assert "absita_acd_baseline_1.csv: comfort\n" in answer.stdout
    assert "absita_acp_baseline_1.csv: comfort negative\n" in answer.stdout
    checks = [
        call("validate", path, "--gold", folder / "gold.csv").exit_code
        for path in (folder / "runs").iterdir()
    ]
    assert checks == [0, 0]


class Alike:
    """A passage whose texts all have one vector."""

    def encode(self, start: int, end: int) -> np.ndarray:
        return np.full((end - start, extra.WIDTH), 0.04, dtype=np.float32)


@pytest.fixture
def training_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Thirty sentences with a staff that is kind or rude, and stand-ins for the packages of the extra."""
    monkeypatch.setattr(sentence_encoder, "open_passage", lambda texts: Alike())
    monkeypatch.setattr(features, "limit_threads", nullcontext)
    monkeypatch.setattr(extra, "_lemmatizer", lambda: lambda word, lang: word)
    extra.lemmatize.cache_clear()
    path = tmp_path / "train.csv"
    flags = [("1;1;0", "portiere gentile"), ("1;0;1", "portiere sgarbato")]
    rows = [f"{n};{'0;0;0;' * 3}{flags[n % 2][0]};{'0;0;0;' * 4}{flags[n % 2][1]} {n}" for n in range(30)]
    path.write_text("\n".join([f"{HEADER};sentence", *rows]), encoding="utf-8")
    return path


def test_trained_system_writes_a_run_that_scores(training_file: Path, tmp_path: Path) -> None:
    trained = call("train", training_file, "--out", tmp_path / "system", "--folds", "3")
    assert "mean of 3 folds" in trained.stdout
    options = ["--task", "acp", "--team", "mine", "--run", "2", "--out", tmp_path / "runs"]
    answer = call("predict", tmp_path / "system", training_file, *options)
    run = tmp_path / "runs" / "absita_acp_mine_2.csv"
    assert answer.stdout == f"{run}\n"
    assert call("validate", run, "--gold", training_file).exit_code == 0
    assert json.loads(call("score", training_file, run, "--json").stdout)["acp"]["f1"] == 1.0


def test_training_says_its_scores_as_json(training_file: Path, tmp_path: Path) -> None:
    answer = call("train", training_file, "--out", tmp_path / "system", "--folds", "3", "--json")
    tasks = json.loads(answer.stdout)["tasks"]
    assert set(tasks) == {"acd", "acp"}
    assert [len(task["folds"]) for task in tasks.values()] == [3, 3]
    saved = json.loads((tmp_path / "system" / "config.json").read_text(encoding="utf-8"))["tasks"]
    assert [task["f1"] for task in tasks.values()] == [saved[name]["f1"] for name in tasks]


@pytest.fixture
def neural(folder: Path) -> Path:
    """A model of `aspectlab train` that has seen the gold file."""
    pytest.importorskip("torch", reason="training needs the extra 'train'")
    train = [
        *("train", "--model", "category-multilabel", "--task", "acp", "--encoder", "tiny", "--epochs", "1"),
        *("--train", folder / "texts.csv", "--dev", folder / "others.csv", "--out", folder / "neural"),
    ]
    header, *rows = GOLD.splitlines()
    for name, text in (("texts.csv", "camera bella"), ("others.csv", "bagno sporco")):
        lines = [f"{header};sentence", *(f"{row};{text} {number}" for number, row in enumerate(rows))]
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    answer = CliRunner().invoke(app, [*map(str, train)])
    assert answer.exit_code == 0, answer.output
    return folder / "neural"


@pytest.mark.parametrize("task", ["acd", "acp"])
def test_predict_takes_a_trained_model(folder: Path, neural: Path, task: str) -> None:
    options = ("--task", task, "--team", "us", "--run", "1", "--out", folder / "runs")
    answer = call("predict", neural, folder / "others.csv", *options)
    assert answer.exit_code == 0, answer.output
    run = folder / "runs" / f"absita_{task}_us_1.csv"
    assert call("validate", run, "--gold", folder / "others.csv").exit_code == 0


@pytest.mark.parametrize(
    "words", [["train"], ["predict", "system", "--team", "us"]], ids=lambda words: words[0]
)
def test_system_is_neither_trained_on_nor_asked_about_rows_without_text(
    words: list[str], folder: Path
) -> None:
    # as a run may be: the guidelines let it leave out the sentences
    answer = call(*words, folder / "gold.csv", "--out", folder / "made")
    assert isinstance(answer.exception, DataError)
    assert "found no text in any row" in str(answer.exception)


def test_rank_says_which_run_has_no_polarity(folder: Path) -> None:
    call("baseline", folder / "gold.csv", folder / "gold.csv", "--out", folder)
    runs = [folder / "absita_acd_baseline_1.csv", folder / "gold.csv"]
    answer = call("rank", folder / "gold.csv", *runs, "--json", "--resamples", "10")
    assert [row["run"] for row in json.loads(answer.stdout)["ranking"]] == ["gold"]
    assert "absita_acd_baseline_1.csv: left out: it gives no polarity" in answer.stderr


def test_score_says_what_it_allowed(folder: Path) -> None:
    lines = (folder / "absita_acp_a_1.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    (folder / "short.csv").write_text("".join(lines[:-1]), encoding="utf-8")
    options = ["--allow-missing", "--official", "--resamples", "0", "--json"]
    found = json.loads(call("score", folder / "gold.csv", folder / "short.csv", *options).stdout)
    assert "1 missing sentences count as empty" in found["mode"]
    assert "|official|missing:1|" in found["signature"]
