"""`aspectlab compare` as a user meets it, on runs that have the published split means and deviations."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from scipy.stats import ttest_ind
from typer.testing import CliRunner, Result

from aspectlab.cli.main import app
from aspectlab.errors import ConfigError
from aspectlab.experiments.record import write_record
from tests.support.runs import RECORD

BOTH = ["--a", "capsnet-bert", "--b", "mgan/bert"]


def run(*words: object) -> Result:
    return CliRunner().invoke(app, ["compare", *map(str, words)])


def test_compare_prints_a_conclusion_and_how_it_was_made(published_runs: Path) -> None:
    text = run(published_runs, *BOTH, "--corpus", "rest14", "--metric", "accuracy").stdout
    # Table 2 of the paper: 83.89 less 74.05
    assert "ATSC · rest14 · test, accuracy: capsnet-bert/bert is better than mgan/bert by 9.83 points" in text
    assert "What these runs cannot tell: other corpora, encoders and settings." in text
    options = "--a capsnet-bert --b mgan/bert --corpus rest14 --metric accuracy"
    assert text.rstrip().endswith(f"aspectlab compare {published_runs} {options}")


def test_compare_prints_the_keys_of_json(published_runs: Path) -> None:
    report = json.loads(run(published_runs, *BOTH, "--metric", "accuracy", "--json").stdout)
    assert report.keys() == {"comparisons", "limits", "signature", "command"}
    first = report["comparisons"][0]
    assert {"difference", "interval", "effect", "superiority", "p", "p_corrected", "conclusion"} < {*first}
    assert (first["runs_a"], first["runs_b"], first["splits"], first["test"]) == (25, 25, 5, "paired-t")


def test_compare_repeats_itself(published_runs: Path) -> None:
    assert run(published_runs, *BOTH, "--json").stdout == run(published_runs, *BOTH, "--json").stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--a", "capsnet-bart/bert", "--b", "mgan"], "unknown: did you mean 'capsnet-bert/bert'?"),
        (["--a", "mgan", "--b", "mgan/bert"], "name the same system, mgan/bert"),
        ([*BOTH, "--corpus", "rest"], "--corpus 'rest' is unknown: did you mean 'rest14'"),
        ([*BOTH, "--metric", "acc"], "--metric 'acc' is unknown"),
    ],
)
def test_compare_refuses_unknown_names(published_runs: Path, words: list[str], message: str) -> None:
    answer = run(published_runs, *words)
    assert isinstance(answer.exception, ConfigError)
    assert message in str(answer.exception)


def test_compare_says_that_runs_were_measured_on_different_files(tmp_path: Path) -> None:
    for number, model in enumerate("ab", start=1):
        folder = tmp_path / f"{number}"
        folder.mkdir()
        signatures = {"test": f"test@{number}"}
        write_record(replace(RECORD, id=folder.name, label=model, signatures=signatures), folder)
    limits = json.loads(run(tmp_path, "--a", "a", "--b", "b", "--json").stdout)["limits"]
    assert "measured in 2 different ways: test@1; test@2." in limits


def test_compare_of_one_split_tests_all_runs(tmp_path: Path) -> None:
    # by scipy.stats.ttest_ind(a, b, equal_var=False)
    values = {"a": [80.1, 79.8, 80.4], "b": [84.2, 83.9, 84.0]}
    rows = ["model,corpus,split,seed,f1", "a,c,1,1,80.1", "a,c,1,2,79.8", "a,c,1,3,80.4"]
    rows += ["b,c,1,3,84.2", "b,c,1,4,83.9", "b,c,1,5,84.0"]
    (tmp_path / "rows.csv").write_text("\n".join(rows), encoding="utf-8")
    report = json.loads(run(tmp_path / "rows.csv", "--a", "a", "--b", "b", "--json").stdout)
    (found,) = report["comparisons"]
    assert found["test"] == "welch"
    assert found["p"] == pytest.approx(ttest_ind(*values.values(), equal_var=False).pvalue)
    assert "a is worse than b" in found["conclusion"] or "b is better" in found["conclusion"]
