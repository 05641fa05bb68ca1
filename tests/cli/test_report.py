"""`aspectlab report` as a user meets it."""

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from aspectlab.cli.main import app
from aspectlab.errors import ConfigError, DataError

ROOT = Path(__file__).parent.parent.parent


def run(*words: object) -> Result:
    return CliRunner().invoke(app, ["report", *map(str, words)])


def read_files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_report_prints_markdown(published_runs: Path) -> None:
    text = run(published_runs).stdout
    assert text.startswith("# Report on 300 runs\n\n## ATSC · lap14 · arts: scores\n")
    # Table 2 of the paper, CapsNet-BERT on SemEval-14 Restaurants
    assert "| capsnet-bert/bert | 25 on 5 splits | **83.89 ± 1.13** |" in text
    assert f"`aspectlab report {published_runs} --format md`" in text


def test_report_prints_the_keys_of_json(published_runs: Path) -> None:
    records = json.loads(run(published_runs, "--json").stdout)
    assert len(records) == 88
    assert {
        "task",
        "corpus",
        "test",
        "metric",
        "system",
        "mean",
        "std",
        "within",
        "between",
        "min",
        "max",
        "n",
    } < {*records[0]}


def test_report_writes_the_same_bytes_again(published_runs: Path, tmp_path: Path) -> None:
    answers = [run(published_runs, "--out", tmp_path / name) for name in ("first", "second")]
    assert [answer.exit_code for answer in answers] == [0, 0]
    first = read_files(tmp_path / "first")
    assert {"report.md", "report.tex", "report.csv", "report.html"} < first.keys()
    assert sum(name.endswith(".svg") for name in first) == len(first) - 4
    assert first == read_files(tmp_path / "second")


def test_report_into_the_folder_of_its_runs_can_be_made_again(published_runs: Path, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    shutil.copytree(published_runs, runs)
    assert run(runs, "--out", runs, "--format", "csv,md").exit_code == 0
    before = read_files(runs)
    assert run(runs, "--out", runs, "--format", "csv,md").exit_code == 0
    assert read_files(runs) == before


def test_report_rebuilds_the_tables_of_the_shipped_rows() -> None:
    answer = run(ROOT / "studies" / "results", "--format", "csv")
    assert answer.exit_code == 0
    assert answer.stdout.startswith("task,corpus,test,metric,system,")


@pytest.mark.parametrize(
    ("words", "error", "message"),
    [
        (["--format", "pdf"], ConfigError, "'pdf' is unknown"),
        (["--format", "md,csv"], ConfigError, "without --out"),
        (["--format", "svg"], ConfigError, "without --out"),
        (["--json", "--out", "report"], ConfigError, "--json with --out"),
        (["--json", "--format", "md"], ConfigError, "--json with --format"),
        (["--pages", "pages", "--json"], ConfigError, "--pages with --json"),
        (["--pages", "pages", "--out", "report"], ConfigError, "--pages with --out"),
    ],
)
def test_report_refuses_wrong_formats(
    published_runs: Path, words: list[str], error: type[Exception], message: str
) -> None:
    answer = run(published_runs, *words)
    assert isinstance(answer.exception, error)
    assert message in str(answer.exception)


def test_report_refuses_a_folder_without_runs(tmp_path: Path) -> None:
    answer = run(tmp_path)
    assert isinstance(answer.exception, DataError)
    assert "found no finished run" in str(answer.exception)


def test_report_keeps_odd_names_of_corpora_inside_its_folder(tmp_path: Path) -> None:
    rows = "".join(f"bert,{corpus},1,1,80\n" for corpus in ("../../up", "/top", "__up"))
    path = tmp_path / "atsc.csv"
    path.write_text(f"model,corpus,split,seed,accuracy\n{rows}", encoding="utf-8")
    assert run(path, "--out", tmp_path / "in" / "report", "--format", "svg").exit_code == 0
    assert {str(found.parent.relative_to(tmp_path)) for found in tmp_path.rglob("*.svg")} == {
        "in/report/plots"
    }
    assert len(list(tmp_path.rglob("*.svg"))) == 3


def test_report_refuses_an_out_that_is_a_file(published_runs: Path, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("", encoding="utf-8")
    answer = run(published_runs, "--out", path, "--format", "md")
    assert isinstance(answer.exception, DataError)
    assert "cannot be written" in str(answer.exception)
