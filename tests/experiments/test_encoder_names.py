"""The name of an encoder stands for weights, and a run's id follows from these."""

from pathlib import Path

import pytest

from aspectlab.encoders import PRETRAINED, find_encoder_problem, identify_encoder


@pytest.fixture(autouse=True)
def fresh() -> None:
    """Forget what was looked up before: files change in these tests."""
    identify_encoder.cache_clear()


@pytest.mark.parametrize(("name", "part"), PRETRAINED.items())
def test_part_is_known_by_its_published_hash(name: str, part: object) -> None:
    assert identify_encoder(name) == f"{name}@{part.sha256}"  # type: ignore[attr-defined]


def test_folder_is_known_by_its_content(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for folder in (one, two):
        folder.mkdir()
        (folder / "model.safetensors").write_bytes(b"weights")
    assert identify_encoder(str(one)) == identify_encoder(str(two))
    (two / "model.safetensors").write_bytes(b"other weights")
    identify_encoder.cache_clear()
    assert identify_encoder(str(one)) != identify_encoder(str(two))


def test_vectors_are_known_with_their_words(tmp_path: Path) -> None:
    path = tmp_path / "mine.npy"
    path.write_bytes(b"numbers")
    path.with_suffix(".txt").write_text("tea", "utf-8")
    before = identify_encoder(f"vectors:{path}")
    path.with_suffix(".txt").write_text("milk", "utf-8")
    identify_encoder.cache_clear()
    assert identify_encoder(f"vectors:{path}") != before


def test_hub_name_is_known_by_its_revision(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    assert identify_encoder("someone/model") == "someone/model@latest"
    path = tmp_path / "hub" / "models--someone--model" / "refs" / "main"
    path.parent.mkdir(parents=True)
    path.write_text("abc123\n", "utf-8")
    identify_encoder.cache_clear()
    assert identify_encoder("someone/model") == "someone/model@abc123"


@pytest.mark.parametrize("name", ["tiny", "someone/model", "roberta-base"])
def test_sound_name_has_no_problem(name: str) -> None:
    assert find_encoder_problem(name) is None


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("minlm", "did you mean 'minilm'?"),
        ("vectors:glove", "no such file or folder"),
        ("/absent/folder", "no such file or folder"),
    ],
)
def test_slip_is_named(name: str, expected: str) -> None:
    assert expected in (find_encoder_problem(name) or "")
