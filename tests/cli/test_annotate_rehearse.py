"""`aspectlab annotate rehearse` as a user meets it."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from aspectlab.cli.main import app
from aspectlab.errors import ConfigError

SAMPLE = Path(__file__).parent.parent.parent / "examples" / "sample.jsonl"


def call(*words: str | Path) -> Result:
    return CliRunner().invoke(app, ["annotate", *map(str, words)])


def rehearse(*words: str | Path) -> Result:
    return call("rehearse", SAMPLE, "--size", "40", "--step", "30", "--similarity", "letters", *words)


@pytest.mark.parametrize("seed", ["1", "2", "3"])
def test_rehearsal_reaches_the_agreement_that_annotate_agreement_gives(seed: str, tmp_path: Path) -> None:
    answer = rehearse("--seed", seed, "--out", tmp_path, "--json")
    assert answer.exit_code == 0
    found = json.loads(answer.stdout)
    last = found["rounds"][-1]
    assert found["accepted"]
    assert last["tpa"] > 0.7 >= max((turn["tpa"] for turn in found["rounds"][:-1]), default=0)
    files = [tmp_path / f"round-{last['round']}-{name}.jsonl" for name in ("first", "second")]
    options = ["--similarity", "letters", "--threshold", "0.6", "--resamples", "0", "--permutations", "0"]
    measured = call("agreement", *files, *options, "--accept", "0.7", "--json")
    assert measured.exit_code == 0
    level = json.loads(measured.stdout)["thresholds"]["0.6"]
    assert (level["tpa"], level["sga"]) == (last["tpa"], last["sga"])


def test_rehearsal_that_learns_nothing_exits_with_1() -> None:
    answer = rehearse("--learning", "0", "--noise", "1", "--rounds", "2")
    assert answer.exit_code == 1
    assert "not accepted in round 2" in answer.stderr
    assert answer.stdout.count("\n") > 4


def test_rehearsal_refuses_a_folder_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("", encoding="utf-8")
    assert isinstance(rehearse("--out", tmp_path / "taken").exception, ConfigError)


def test_rehearsal_does_not_write_over_the_rounds_of_an_earlier_one(tmp_path: Path) -> None:
    rehearse("--out", tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    again = call("rehearse", tmp_path / "round-1-first.jsonl", "--size", "10", "--out", tmp_path)
    assert isinstance(again.exception, ConfigError)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
