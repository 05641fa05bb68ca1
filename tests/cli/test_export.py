"""`aspectlab export` as a user meets it."""

import json
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the command needs the extra 'train'")
pytest.importorskip("openvino")

from typer.testing import CliRunner, Result

from aspectlab.cli.main import app
from aspectlab.encoders import load_encoder
from aspectlab.models import build_model
from aspectlab.training import export as exporting
from aspectlab.training import save_model
from aspectlab.training.parity import Parity


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "saved"
    save_model(build_model("stage", load_encoder("tiny")), folder, name="stage", settings={})
    return folder


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(app, ["export", *(str(word) for word in words)])


def test_export_reports_how_far_it_agrees(saved: Path, tmp_path: Path) -> None:
    corpus = tmp_path / "texts.jsonl"
    corpus.write_text('{"id": "1", "text": "Fine soup.", "quads": []}\n')
    (tmp_path / "words.txt").write_text("Thanks to the makers.\n")
    more = "--precision", "fp32", "--compare", corpus, "--notice", tmp_path / "words.txt", "--json"
    result = run(saved, "--out", tmp_path / "out", *more)
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    assert (report["texts"], report["precision"], report["equal"]) == (1, "fp32", 1.0)
    assert (tmp_path / "out" / "NOTICE").read_text() == "Thanks to the makers.\n"


def test_export_that_is_another_model_fails(
    saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exporting, "compare", lambda model, predictor, texts: Parity(16, 0.5, 0.4))
    result = run(saved, "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert "50.00" in result.stdout
    assert "use --precision fp32" in result.stderr
