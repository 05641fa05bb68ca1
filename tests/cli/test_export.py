"""`aspectlab export` as a user meets it."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the command needs the extra 'train'")
pytest.importorskip("openvino")

from typer.testing import CliRunner, Result

from aspectlab.cli.main import app
from aspectlab.data import Corpus, Example, Part, Polarity, Quad, Span, Term
from aspectlab.encoders import load_encoder
from aspectlab.errors import DataError
from aspectlab.models import build_model
from aspectlab.readers import write
from aspectlab.training import export as exporting, save_model
from aspectlab.training.export import Parity


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "saved"
    save_model(build_model("stage", load_encoder("tiny")), folder)
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


def write_opinions(path: Path, right: Callable[[int], bool], sure: float) -> Path:
    """Forty texts about soup; of some the opinion is labelled as it is found, of others not at all."""
    soup, fine = Term("soup", Span(5, 9)), Term("Fine", Span(0, 4))
    quad = Quad(soup, None, fine, Polarity.POSITIVE, {"positive": sure, "negative": 0.0, "neutral": 0.0})
    examples = (Example(str(n), f"Fine soup {n}.", (quad,) if right(n) else ()) for n in range(40))
    parts = frozenset({Part.ASPECT, Part.OPINION, Part.POLARITY})
    write(Corpus(path.stem, "en", parts, tuple(examples)), path, "jsonl")
    return path


def test_export_is_calibrated_on_what_models_like_it_found(tmp_path: Path) -> None:
    model = build_model("quad-span", load_encoder("tiny"))
    save_model(model, tmp_path / "saved")
    pairs = []
    for name, every in (("books", 2), ("boats", 4)):  # a half is right, and a quarter
        gold = write_opinions(tmp_path / f"{name}.jsonl", lambda n, every=every: n % every == 0, 1.0)
        found = write_opinions(tmp_path / f"{name}-found.jsonl", lambda _: True, 0.9)
        pairs += ["--calibrate", f"{gold}={found}"]
    result = run(tmp_path / "saved", "--out", tmp_path / "out", *pairs)
    assert result.exit_code == 0, result.output
    notes = json.loads((tmp_path / "out" / "config.json").read_text())["calibration"]
    assert (notes["texts"], notes["opinions"], notes["correct"]) == (80, 80, 30)
    # by hand: each half is promised what is right of the other, and 0.9 was promised of both
    assert notes["error"] == pytest.approx(0.25, abs=0.01)
    assert notes["error_before"] == pytest.approx(0.9 - 30 / 80, abs=0.01)


@pytest.mark.slow
def test_export_says_nothing_but_its_own(saved: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "aspectlab", "export", str(saved), "--out", str(tmp_path / "out")]
    answer = subprocess.run([*command, "--precision", "fp32"], capture_output=True, text=True, check=True)
    assert len(answer.stderr.splitlines()) == 1, answer.stderr


def test_export_replaces_the_one_in_the_present_folder(
    saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(saved, "--out", tmp_path / "out", "--precision", "fp16")
    monkeypatch.chdir(tmp_path / "out")
    result = run(saved, "--out", ".", "--precision", "fp32", "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["megabytes"] > 0
    assert json.loads((tmp_path / "out" / "config.json").read_text())["precision"] == "fp32"


def test_export_that_is_another_model_fails(
    saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exporting, "compare", lambda model, predictor, texts: Parity(16, 0.5, 0.4))
    result = run(saved, "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert "50.00" in result.stdout
    assert "use --precision fp32" in result.stderr


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("absent.txt", None, "cannot be read: No such file"),
        ("bytes.txt", b"\xff\xfe\x00", "found bytes that are not UTF-8"),
        ("", None, "cannot be read: Is a directory"),
    ],
)
def test_export_names_a_notice_that_cannot_be_read(
    saved: Path, tmp_path: Path, name: str, content: bytes | None, message: str
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    result = run(saved, "--out", tmp_path / "out", "--notice", tmp_path / name)
    assert isinstance(result.exception, DataError)
    assert message in str(result.exception)
    assert not (tmp_path / "out").exists()
