"""Categories from the command line: train, predict, evaluate and score."""

import json
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the commands need the extra 'train'")

from typer.testing import CliRunner, Result

from aspectlab.cli.main import app
from aspectlab.readers import read

SAID = {"lovely": "positive", "awful": "negative", "so-so": "conflict"}
ABOUT = {"soup": "food", "waiter": "service", "bill": "price"}


def write_corpus(path: Path, start: str) -> None:
    """Nine sentences such as "Today the soup was lovely.", and one that says nothing."""
    records: list[dict[str, object]] = [{"id": "none", "text": f"{start} it rained.", "quads": []}]
    for word, polarity in SAID.items():
        for aspect, category in ABOUT.items():
            quad = {"aspect": None, "category": category, "opinion": None, "polarity": polarity}
            text = f"{start} the {aspect} was {word}."
            records.append({"id": f"{word}-{aspect}", "text": text, "quads": [quad]})
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def train(folder: Path, model: str, task: str) -> Result:
    for name, start in (("train", "Today"), ("dev", "Yesterday"), ("test", "Tomorrow")):
        write_corpus(folder / f"{name}.jsonl", start)
    parts = ["--train", folder / "train.jsonl", "--dev", folder / "dev.jsonl", "--out", folder / "model"]
    small = ["--encoder", "tiny", "--epochs", "1", "--device", "cpu", "--set", "precision=fp32"]
    return run("train", "--model", model, "--task", task, *parts, *small, "--set", "threshold=0.01")


@pytest.mark.parametrize("model", ["category-multilabel", "category-pair"])
@pytest.mark.parametrize(
    ("task", "classes", "judged"),
    [
        ("acp", ["absent", "conflict", "negative", "positive"], ["acd", "acp"]),
        ("acd", ["absent", "present"], ["acd"]),
        ("acsc", ["conflict", "negative", "positive"], ["acsc", "acp"]),
    ],
)
def test_category_model_is_trained_saved_and_scored(
    model: str, task: str, classes: list[str], judged: list[str], tmp_path: Path
) -> None:
    answer = train(tmp_path, model, task)
    assert answer.exit_code == 0, answer.exception
    saved = json.loads((tmp_path / "model" / "config.json").read_text(encoding="utf-8"))["settings"]
    assert saved["categories"] == ["food", "price", "service"]
    assert saved["classes"] == classes
    gold, out = tmp_path / "test.jsonl", tmp_path / "predicted.jsonl"
    assert run("predict", tmp_path / "model", gold, "--out", out).exit_code == 0
    assert {q.category for e in read(out) for q in e.quads} <= {"food", "price", "service"}
    scored = [run("score", gold, out, "--task", name, "--resamples", "0") for name in judged]
    assert [answer.exit_code for answer in scored] == [0] * len(judged)


def test_predict_tells_categories_that_are_strange_to_the_model_from_none(tmp_path: Path) -> None:
    assert train(tmp_path, "category-multilabel", "acsc").exit_code == 0
    quad = {"aspect": None, "category": "parking", "opinion": None, "polarity": "positive"}
    record = {"id": "1", "text": "Parking was easy.", "quads": [quad]}
    (tmp_path / "strange.jsonl").write_text(json.dumps(record), encoding="utf-8")
    answer = run("predict", tmp_path / "model", tmp_path / "strange.jsonl", "--out", tmp_path / "out.jsonl")
    assert answer.exit_code == 0, answer.exception
    assert "found no category that the model knows" in answer.stderr


def test_category_model_refuses_another_task(tmp_path: Path) -> None:
    assert "expected one of acp, acd, acsc" in str(train(tmp_path, "category-pair", "aste").exception)
