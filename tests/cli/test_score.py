"""`aspectlab score` as a user meets it; expected scores are counted by hand."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from aspectlab.cli.main import app
from aspectlab.errors import ConfigError, DataError, TaskError
from aspectlab.metrics import METRICS
from aspectlab.tasks import TASKS


def quad(word: str, start: int, polarity: str) -> dict[str, object]:
    place = {"text": word, "start": start, "end": start + len(word)}
    return {"aspect": place, "category": None, "opinion": None, "polarity": polarity}


TEA, CUP = quad("tea", 0, "positive"), quad("cup", 8, "negative")
GOLD = {"1": [TEA, CUP], "2": [CUP], "3": []}
PREDICTED = {"1": [TEA], "2": [quad("cup", 8, "neutral")], "3": []}


def write(path: Path, quads: dict[str, list[dict[str, object]]]) -> str:
    lines = (json.dumps({"id": name, "text": "tea and cup", "quads": quads[name]}) for name in quads)
    path.write_text("\n".join(lines), encoding="utf-8")
    return str(path)


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    return [write(tmp_path / "gold.jsonl", GOLD), write(tmp_path / "run.jsonl", PREDICTED)]


def run(*words: str) -> Result:
    return CliRunner().invoke(app, ["score", *words])


def test_score_prints_the_keys_of_the_contract(files: list[str]) -> None:
    report = json.loads(run(*files, "--task", "e2e", "--resamples", "200", "--json").stdout)
    # one hit, one wrong polarity, two of three gold missed
    scores = {"precision": 1 / 2, "recall": 1 / 3, "f1": 2 / 5, "macro_f1": 1 / 3}
    assert {name: report[name] for name in scores} == pytest.approx(scores)
    assert set(report) == {"task", *scores, "interval", "classes", "confusion", "signature"}
    assert set(report["interval"]) == set(scores)
    assert report["task"] == "e2e"
    assert report["signature"].startswith("e2e-f1|corpus:")
    assert "|match:exact|bs:200|seed:0|v:" in report["signature"]


def test_score_of_atsc_gives_accuracy(files: list[str]) -> None:
    report = json.loads(run(*files, "--task", "atsc", "--resamples", "50", "--json").stdout)
    assert report["accuracy"] == pytest.approx(1 / 3)
    assert {"f1", "macro_f1", "weighted_f1"} < report.keys()


def test_score_interval_holds_the_score_and_repeats_with_the_seed(files: list[str]) -> None:
    command = [*files, "--task", "ate", "--json", "--seed", "5"]
    first, second = (json.loads(run(*command).stdout) for _ in range(2))
    low, high = first["interval"]["f1"]
    assert 0 <= low <= first["f1"] <= high <= 1
    assert first == second


def test_score_without_resamples_has_no_interval(files: list[str]) -> None:
    report = json.loads(run(*files, "--task", "ate", "--resamples", "0", "--json").stdout)
    assert report["interval"] == {}
    assert "|bs:" not in report["signature"]


def test_score_prints_a_table_in_percent_with_its_signature(files: list[str]) -> None:
    answer = run(*files, "--task", "e2e", "--resamples", "100")
    assert answer.exit_code == 0
    f1 = next(line for line in answer.stdout.splitlines() if " f1 " in line)
    assert "40.00" in f1
    assert answer.stdout.splitlines()[-1].startswith("e2e-f1|corpus:")


def test_score_compares_by_text_on_demand(tmp_path: Path, files: list[str]) -> None:
    elsewhere = write(tmp_path / "text.jsonl", {**PREDICTED, "3": [TEA]})
    report = json.loads(run(files[0], elsewhere, "--task", "ate", "--match", "text", "--json").stdout)
    assert "|match:text|" in report["signature"]
    assert report["precision"] == pytest.approx(2 / 3)


def test_score_compares_by_words_where_a_table_has_no_places(tmp_path: Path) -> None:
    text = "This tea beats any tea."
    gold = {"id": "1", "text": text, "quads": [quad("tea", 19, "positive")]}
    (tmp_path / "gold.jsonl").write_text(json.dumps(gold), encoding="utf-8")
    (tmp_path / "run.csv").write_text(f"id,text,aspect,polarity\n1,{text},tea,positive\n", encoding="utf-8")
    answer = run(str(tmp_path / "gold.jsonl"), str(tmp_path / "run.csv"), "--task", "e2e", "--json")
    assert json.loads(answer.stdout)["f1"] == 1.0


def test_score_takes_another_metric(files: list[str]) -> None:
    report = json.loads(run(*files, "--task", "atsc", "--metric", "tuple-f1", "--json").stdout)
    assert report["precision"] == pytest.approx(1 / 2)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (["--task", "aste"], TaskError, "'gold' annotates aspect, polarity: task 'aste' needs"),
        (["--task", "e2ee"], ConfigError, "did you mean 'e2e'"),
        (["--task", "e2e", "--metric", "f1"], ConfigError, "metric 'f1' is unknown"),
        (["--task", "e2e", "--match", "loose"], ConfigError, "match 'loose' is unknown"),
    ],
)
def test_score_refuses_what_does_not_fit(
    files: list[str], options: list[str], error: type[Exception], message: str
) -> None:
    answer = run(*files, *options)
    assert isinstance(answer.exception, error)
    assert message in str(answer.exception)


def test_score_names_missing_predictions(tmp_path: Path, files: list[str]) -> None:
    short = write(tmp_path / "short.jsonl", {"1": [TEA]})
    answer = run(files[0], short, "--task", "e2e")
    assert isinstance(answer.exception, DataError)
    assert "'2', '3'" in str(answer.exception)


def test_score_ends_with_code_2_and_one_line(files: list[str]) -> None:
    command = [
        sys.executable,
        "-c",
        "from aspectlab.cli import main; main()",
        "score",
        *files,
        "--task",
        "asqp",
    ]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    assert answer.returncode == 2
    assert answer.stdout == ""
    assert answer.stderr.startswith("error: corpus 'gold' annotates")
    assert answer.stderr.count("\n") == 1


@pytest.mark.parametrize("name", [*TASKS, *METRICS, "Example"])
def test_score_help_names_every_choice(name: str) -> None:
    assert name in run("--help").stdout


def three(tmp_path: Path) -> list[str]:
    """Gold, a run, and one that is right but for a polarity."""
    other = {"1": [TEA, CUP], "2": [quad("cup", 8, "neutral")], "3": []}
    return [
        write(tmp_path / "gold.jsonl", GOLD),
        write(tmp_path / "run.jsonl", PREDICTED),
        write(tmp_path / "other.jsonl", other),
    ]


def test_score_compares_further_files_with_the_first(tmp_path: Path) -> None:
    report = json.loads(run(*three(tmp_path), "--task", "atsc", "--resamples", "100", "--json").stdout)
    assert [system["name"] for system in report["systems"]] == ["run", "other"]
    # one of three aspects is right in run, two in other
    (first, *_) = report["comparisons"]
    assert (first["system"], first["base"], first["score"]) == ("other", "run", "accuracy")
    assert (first["a"], first["b"], first["difference"]) == pytest.approx((2 / 3, 1 / 3, 1 / 3))
    # one disagreement of two systems, by the binomial test: 2 * 1 / 2
    assert first["p_mcnemar"] == 1.0
    assert report["signature"].startswith("atsc-accuracy|corpus:")


def test_score_of_several_files_prints_both_tests(tmp_path: Path) -> None:
    shown = run(*three(tmp_path), "--task", "e2e", "--resamples", "100").stdout
    assert "p bootstrap" in shown
    assert "p randomisation" in shown
    assert "McNemar" not in shown  # nothing is given that both would have to answer
    assert "McNemar" in run(*three(tmp_path), "--task", "atsc", "--resamples", "100").stdout


def test_score_of_several_files_without_resamples_is_refused(tmp_path: Path) -> None:
    answer = run(*three(tmp_path), "--task", "e2e", "--resamples", "0")
    assert isinstance(answer.exception, ConfigError)


def test_score_of_one_file_twice_is_refused(tmp_path: Path) -> None:
    gold, other, _ = three(tmp_path)
    assert "same file twice" in str(run(gold, other, other, "--task", "e2e").exception)


def test_score_gives_classes_and_the_confusion_matrix(files: list[str]) -> None:
    report = json.loads(run(*files, "--task", "atsc", "--resamples", "0", "--json").stdout)
    # gold: tea positive, found; cup negative, not answered; cup negative, called neutral
    assert report["confusion"] == {
        "positive": {"positive": 1, "negative": 0, "neutral": 0, "none": 0},
        "negative": {"positive": 0, "negative": 0, "neutral": 1, "none": 1},
        "neutral": {"positive": 0, "negative": 0, "neutral": 0, "none": 0},
    }
    rows = {each["label"]: each for each in report["classes"]}
    assert (rows["positive"]["f1"], rows["negative"]["recall"], rows["negative"]["gold"]) == (1.0, 0.0, 2)
    shown = run(*files, "--task", "atsc", "--per-class", "--resamples", "0").stdout
    assert "gold \\ predicted" in shown


def test_score_gives_the_classes_of_what_is_extracted(files: list[str]) -> None:
    report = json.loads(run(*files, "--task", "e2e", "--resamples", "0", "--json").stdout)
    found = {each["label"]: (each["precision"], each["recall"], each["gold"]) for each in report["classes"]}
    assert found == {"negative": (0.0, 0.0, 2), "positive": (1.0, 1.0, 1), "neutral": (0.0, 0.0, 0)}
    assert report["confusion"] == {}


def test_score_says_how_many_were_not_answered(files: list[str]) -> None:
    assert "1 of 3 given cases (aspect) have no prediction" in run(*files, "--task", "atsc").stderr


def test_score_pairs_a_renamed_file_without_ids_in_another_order(tmp_path: Path) -> None:
    lines = ["Good soup .####[([1], [0], 'POS')]\n", "Rude staff .####[([1], [0], 'NEG')]\n"]
    (tmp_path / "test.txt").write_text("".join(lines), encoding="utf-8")
    (tmp_path / "system_output.txt").write_text("".join(lines[::-1]), encoding="utf-8")
    names = str(tmp_path / "test.txt"), str(tmp_path / "system_output.txt")
    one, other = (json.loads(run(*pair, "--task", "aste", "--json").stdout) for pair in (names, names))
    assert one["f1"] == 1.0
    assert one["signature"] == other["signature"]
