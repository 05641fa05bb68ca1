"""Saved models: whole, exact, and refused with the place where they are not."""

import json
import re
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="training needs the extra 'train'")

import torch

from aspectlab.errors import ConfigError, DataError
from aspectlab.models import build_model
from aspectlab.training import load_model, predict, save_model, seed_everything
from tests.support.training import make_examples, make_model


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    seed_everything(3)
    save_model(build_model("marked", "tiny", dropout=0.25), tmp_path / "model")
    return tmp_path / "model"


def test_model_folder_holds_no_pickle(folder: Path) -> None:
    names = {path.name for path in folder.iterdir()}
    assert names == {"config.json", "model.safetensors", "tokenizer.json", "README.md"}


def test_loaded_model_has_weights_settings_and_predictions(folder: Path) -> None:
    model, loaded = make_model().eval(), load_model(folder)
    assert all(torch.equal(value, loaded.state_dict()[key]) for key, value in model.state_dict().items())
    assert (loaded.drop.p, loaded.training, loaded.encoder.name) == (0.25, False, "tiny")
    examples = make_examples("Today")
    assert predict(loaded, examples) == predict(model, examples)


def test_saving_replaces_a_model(folder: Path) -> None:
    other = make_model()
    torch.nn.init.zeros_(other.classify.weight)
    save_model(other, folder, card="# Mine\n")
    assert not load_model(folder).classify.weight.any()
    assert (folder / "README.md").read_text(encoding="utf-8") == "# Mine\n"
    assert [path.name for path in folder.parent.iterdir()] == ["model"]


def test_saving_into_the_present_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    save_model(make_model(), ".")
    assert (tmp_path / "here" / "model.safetensors").is_file()


@pytest.mark.parametrize("name", ["thesis.txt", "config.json"])  # an encoder's folder has the latter too
def test_saving_replaces_no_other_folder(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text('{"work": "of years"}', encoding="utf-8")
    with pytest.raises(ConfigError, match="already exists and is not a saved model"):
        save_model(make_model(), tmp_path)
    assert (tmp_path / name).exists()


@pytest.mark.parametrize("keep", [0.0, 0.5, 0.99])
def test_weights_that_are_truncated_are_named(folder: Path, keep: float) -> None:
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[: int(keep * path.stat().st_size)])
    with pytest.raises(DataError, match=r"model\.safetensors: .*train or copy the model again"):
        load_model(folder)


def test_weights_of_another_model_are_named(folder: Path) -> None:
    save_model(make_model("capsnet-bert"), folder.parent / "other")
    (folder.parent / "other" / "model.safetensors").replace(folder / "model.safetensors")
    with pytest.raises(DataError, match=r"model\.safetensors: "):
        load_model(folder)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": 99}, "found format 99: expected 1"),
        ({"encoder": {"kind": "magic"}}, "found an encoder of kind 'magic'"),
        ({"encoder": []}, "encoder = \\[\\]: expected an object"),
        ({"settings": None}, "settings = None: expected an object"),
        ({"model": "markd"}, "did you mean 'marked'"),
        ({"settings": {"dropuot": 0.1}}, "did you mean 'dropout'"),
    ],
)
def test_config_that_does_not_fit_is_named(folder: Path, change: dict[str, object], message: str) -> None:
    path = folder / "config.json"
    config = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(config | change), encoding="utf-8")
    with pytest.raises((ConfigError, DataError), match=message):
        load_model(folder)


@pytest.mark.parametrize(
    "change",
    [
        {"config": None},
        {"config": []},
        {"config": {}},
        {"config": {"model_type": "abacus"}},
        {"config": {"model_type": "bert", "hidden_size": "wide"}},
        {"config": {"model_type": "bert", "hidden_size": 0}},
        {"kind": "seq2seq"},
        {"kind": "vectors"},
    ],
)
def test_encoder_that_cannot_be_built_again_is_named(folder: Path, change: dict[str, object]) -> None:
    path = folder / "config.json"
    config = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(config | {"encoder": config["encoder"] | change}), encoding="utf-8")
    with pytest.raises(DataError, match=re.escape(str(folder))):
        load_model(folder)


def test_encoder_without_a_name_is_named(folder: Path) -> None:
    path = folder / "config.json"
    config = json.loads(path.read_text(encoding="utf-8"))
    del config["encoder"]["name"]
    path.write_text(json.dumps(config), encoding="utf-8")
    with pytest.raises(DataError, match=r"KeyError: 'name'; copy the folder again"):
        load_model(folder)


@pytest.mark.parametrize("content", ["", "{", "[]", "{}"])
def test_config_that_is_broken_is_named(folder: Path, content: str) -> None:
    (folder / "config.json").write_text(content, encoding="utf-8")
    with pytest.raises(DataError, match=r"config\.json"):
        load_model(folder)


def test_folder_that_is_no_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"config\.json: .*expected a folder that `aspectlab train` wrote"):
        load_model(tmp_path)


def test_folder_that_bears_the_name_of_a_draft_is_left_alone(folder: Path) -> None:
    notes = folder.with_name("other.draft") / "notes.txt"
    notes.parent.mkdir()
    notes.write_text("mine", encoding="utf-8")
    save_model(make_model(), folder.with_name("other"))
    assert notes.read_text(encoding="utf-8") == "mine"
    assert sorted(path.name for path in folder.parent.iterdir()) == ["model", "other", "other.draft"]


def test_model_that_cannot_be_replaced_stays(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rename = Path.rename

    def refuse(path: Path, target: Path) -> Path:
        # a new model that cannot be put in place, as on a disk that fills up
        if target == folder and (path / "README.md").read_text(encoding="utf-8").count("# bert"):
            raise OSError(28, "No space left on device")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(OSError, match="No space left"):
        save_model(make_model("bert"), folder)
    assert [path.name for path in folder.parent.iterdir()] == ["model"]
    assert json.loads((folder / "config.json").read_text(encoding="utf-8"))["model"] == "marked"
