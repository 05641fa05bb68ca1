"""`aspectlab dimabsa` as a user meets it; expected numbers are counted by hand."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from aspectlab.cli.main import app
from aspectlab.errors import ConfigError, DataError
from tests.support.dimabsa_runs import line, make

TEA, CUP = ("tea", "good", "7.00#5.00"), ("cup", "cold", "3.00#5.00")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Gold of two triplets; a run that finds one of them, two off on both dimensions, and adds one."""
    make(tmp_path / "gold.jsonl", [line("1", [TEA], 2), line("2", [CUP], 2)])
    own = [line("1", [("tea", "good", "9.00#7.00")], 2), line("2", [("cup", "hot", "3.00#5.00")], 2)]
    make(tmp_path / "run.jsonl", own)
    make(tmp_path / "wide.jsonl", [*own[:1], line("2", [("cup", "cold", "3.00#12.00")], 2)])
    return tmp_path


def call(*words: str | Path) -> Result:
    return CliRunner().invoke(app, ["dimabsa", *map(str, words)])


def test_score_json_is_the_contract(folder: Path) -> None:
    # closeness 3/4, one hit of two predicted and two in gold
    answer = call("score", folder / "gold.jsonl", folder / "run.jsonl", "--json", "--resamples", "100")
    found = json.loads(answer.stdout)
    assert [found[key] for key in ("cprecision", "crecall", "cf1")] == pytest.approx([0.375] * 3)
    assert [found[key] for key in ("run", "subtask", "hits", "predicted", "gold")] == ["run", 2, 1, 2, 2]
    assert found["interval"]["cf1"][0] <= 0.375 <= found["interval"]["cf1"][1]
    assert found["signature"].startswith("dimabsa-2-cf1|gold:")


def test_score_prints_the_run_among_the_teams_of_the_board(folder: Path) -> None:
    answer = call("score", folder / "gold.jsonl", folder / "run.jsonl", "--board", "eng_laptop")
    lines = answer.stdout.splitlines()
    own = next(index for index, each in enumerate(lines) if "run (here)" in each)
    teams = {each.split("│")[2].strip(): index for index, each in enumerate(lines) if each.count("│") == 6}
    assert teams["Takoyaki"] < own
    assert "0.3750" in lines[own]


def test_score_notes_what_is_against_the_rules(folder: Path) -> None:
    answer = call("score", folder / "gold.jsonl", folder / "wide.jsonl", "--json", "--resamples", "0")
    found = json.loads(answer.stdout)
    # both are hits, the second with closeness 0
    assert (found["hits"], found["cf1"], found["interval"]) == (2, pytest.approx(0.375), {})
    assert "line 2: found the VA '3.00#12.00': expected both from 1 to 9" in answer.stderr


def test_score_refuses_gold_of_another_subtask(folder: Path) -> None:
    other = make(folder / "other.jsonl", [line("1", [("tea", "7.00#5.00")], 1)])
    assert isinstance(call("score", other, folder / "run.jsonl").exception, DataError)


def test_validate_lists_fixes_and_exits_1(folder: Path) -> None:
    answer = call("validate", folder / "wide.jsonl", "--fix", folder / "fixed.jsonl")
    assert answer.exit_code == 1
    assert "error: line 2: found the VA '3.00#12.00'" in answer.stdout
    answer = call("validate", folder / "fixed.jsonl", "--gold", folder / "gold.jsonl", "--json")
    assert answer.exit_code == 0
    assert json.loads(answer.stdout) == {
        "run": str(folder / "fixed.jsonl"),
        "valid": True,
        "rows": 2,
        "findings": [],
    }


def test_validate_does_not_write_over_what_it_reads(folder: Path) -> None:
    answer = call(
        "validate", folder / "run.jsonl", "--gold", folder / "gold.jsonl", "--fix", folder / "gold.jsonl"
    )
    assert isinstance(answer.exception, ConfigError)


def test_rank_json_has_the_places_and_the_board(folder: Path) -> None:
    runs = [folder / "run.jsonl", folder / "gold.jsonl"]
    options = ["--json", "--resamples", "100", "--board", "eng_restaurant"]
    found = json.loads(call("rank", folder / "gold.jsonl", *runs, *options).stdout)
    assert [(row["place"], row["run"], row["cf1"]) for row in found["ranking"]] == [
        (1, "gold", 1),
        (2, "run", pytest.approx(0.375)),
    ]
    assert found["board"][0] == {"place": 1, "team": "Takoyaki", "cf1": 0.7021}


@pytest.mark.parametrize("name", ["ranking.md", "ranking.html"])
def test_rank_writes_a_table(folder: Path, name: str) -> None:
    runs = [folder / "run.jsonl", folder / "gold.jsonl"]
    answer = call("rank", folder / "gold.jsonl", *runs, "--out", folder / name, "--resamples", "100")
    assert answer.exit_code == 0
    text = (folder / name).read_text(encoding="utf-8")
    assert text.index("gold") < text.index("run", text.index("gold"))
    assert "cF1" in text


@pytest.mark.parametrize("name", ["gold.jsonl", "ranking.pdf"])
def test_rank_writes_pages_only_and_over_no_input(folder: Path, name: str) -> None:
    answer = call("rank", folder / "gold.jsonl", folder / "run.jsonl", "--out", folder / name)
    assert isinstance(answer.exception, ConfigError)


def test_board_that_there_is_not_is_refused(folder: Path) -> None:
    answer = call("score", folder / "gold.jsonl", folder / "run.jsonl", "--board", "eng_hotel")
    assert isinstance(answer.exception, ConfigError)


def test_data_commands_keep_valence_and_arousal(folder: Path) -> None:
    text = "Good tea."
    record = {"ID": "1", "Text": text, "Triplet": [{"Aspect": "tea", "Opinion": "Good", "VA": "7.25#5.10"}]}
    gold = make(folder / "given.jsonl", [json.dumps(record)])
    stats = CliRunner().invoke(app, ["data", "stats", str(gold)])
    assert "mean valence 7.25, arousal 5.10, of 1 opinions" in stats.stdout
    for source, target, name in (
        (gold, "jsonl", "own.jsonl"),
        (folder / "own.jsonl", "dimabsa", "again.jsonl"),
    ):
        answer = CliRunner().invoke(app, ["data", "convert", str(source), str(folder / name), "--to", target])
        assert (answer.exit_code, "not kept" in answer.stderr) == (0, False)
    assert (folder / "again.jsonl").read_bytes() == gold.read_bytes()
