"""Implicit terms from file to score: quads of which the aspect, the opinion or both are not in the text."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from aspectlab.cli.main import app

# an explicit quad, two half implicit ones, two with neither term in one sentence, and no quad at all
ACOS = (
    "the bed was soft .\t1,2 ROOM#COMFORT 2 3,4\n"
    "way too expensive .\t-1,-1 HOTEL#PRICES 0 0,3\n"
    "the desk called twice .\t1,2 SERVICE#GENERAL 0 -1,-1\n"
    "never again .\t-1,-1 HOTEL#GENERAL 0 -1,-1\t-1,-1 SERVICE#GENERAL 0 -1,-1\n"
    "we came by tram .\n"
)


def run(*words: object) -> Result:
    return CliRunner().invoke(app, [*map(str, words)])


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = tmp_path / "gold.tsv"
    path.write_text(ACOS, encoding="utf-8")
    return path


@pytest.fixture
def predicted(gold: Path, tmp_path: Path) -> Path:
    """The explicit quad and one half implicit one are right, the opinion of the third is an invention."""
    path = tmp_path / "run.jsonl"
    assert run("data", "convert", gold, path).exit_code == 0
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    records[2]["quads"][0]["opinion"] = {"text": "called", "start": 9, "end": 15}
    records[3]["quads"] = []
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("task", "hit", "extra", "missed"),
    [
        ("aste", 2, 1, 1),
        ("aste-explicit", 1, 1, 0),
        # the two quads of the fourth sentence are one triplet: they differ in their category alone
        ("aste-all", 2, 1, 2),
        ("asqp", 2, 1, 3),
        ("acp", 3, 0, 2),
    ],
)
def test_score_counts_implicit_terms(
    gold: Path, predicted: Path, task: str, hit: int, extra: int, missed: int
) -> None:
    report = json.loads(run("score", gold, predicted, "--task", task, "--resamples", 0, "--json").stdout)
    wanted = {
        "precision": hit / (hit + extra),
        "recall": hit / (hit + missed),
        "f1": 2 * hit / (2 * hit + extra + missed),
    }
    assert {name: report[name] for name in wanted} == pytest.approx(wanted)


def test_stats_count_implicit_terms(gold: Path) -> None:
    (stats,) = json.loads(run("data", "stats", gold, "--json").stdout)
    counted = ("sentences", "quads", "triplets", "categories", "implicit_aspects", "implicit_opinions")
    assert [stats[name] for name in counted] == [5, 5, 3, 4, 3, 3]


def test_show_marks_implicit_terms_by_a_dash(gold: Path) -> None:
    shown = run("data", "show", gold).stdout.splitlines()
    assert [line.strip() for line in shown if "|" in line] == [
        "bed | ROOM#COMFORT | soft | positive",
        "– | HOTEL#PRICES | way too expensive | negative",
        "desk | SERVICE#GENERAL | – | negative",
        "– | HOTEL#GENERAL | – | negative",
        "– | SERVICE#GENERAL | – | negative",
    ]


def test_check_accepts_implicit_terms(gold: Path) -> None:
    found = run("data", "check", gold, "--json")
    assert found.exit_code == 0
    assert json.loads(found.stdout)["ok"] is True


@pytest.mark.parametrize("target", ["memd", "acos", "en-phone", "asqp", "jsonl", "table", "doccano"])
def test_convert_keeps_implicit_terms(gold: Path, tmp_path: Path, target: str) -> None:
    assert run("data", "convert", gold, tmp_path / "other", "--to", target).exit_code == 0
    again = tmp_path / "again.tsv"
    assert run("data", "convert", tmp_path / "other", again, "--from", target, "--to", "acos").exit_code == 0
    assert again.read_text(encoding="utf-8") == ACOS


def test_convert_to_triplets_says_that_categories_go(gold: Path, tmp_path: Path) -> None:
    found = run("data", "convert", gold, tmp_path / "other.txt", "--to", "dmaste")
    assert found.exit_code == 0
    assert "not kept in dmaste: ids, categories; jsonl keeps them" in found.stderr.replace("\n", " ")
