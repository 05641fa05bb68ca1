"""Models on the Hugging Face hub, which a folder stands in for: the library's calls are recorded."""

import json
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("torch", reason="training needs the extra 'train'")

import huggingface_hub
import torch
from huggingface_hub import ModelCard

import aspectlab
from aspectlab.data import Corpus
from aspectlab.errors import ConfigError, DataError
from aspectlab.models import Model, build_model
from aspectlab.training import fit
from tests.support.training import PLAN, make_examples, make_model

NAME = "some-group/my-marked.v1"
WORD = "a word that only its owner knows"


class Hub:
    """What was asked of the hub; a model is a folder, and the cache has links to its files."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.calls = folder, []

    def api(self, token: str | None = None) -> SimpleNamespace:
        self.calls.append(("token", token))
        return SimpleNamespace(create_repo=self.create, upload_folder=self.upload)

    def create(self, name: str, *, private: bool, exist_ok: bool) -> None:
        self.calls.append(("create", name, private, exist_ok))

    def upload(self, *, repo_id: str, folder_path: str, commit_message: str) -> SimpleNamespace:
        shutil.copytree(folder_path, self.folder / "blobs" / repo_id)
        return SimpleNamespace(commit_url=f"https://hub/{repo_id}/commit/1")

    def download(self, name: str, *, allow_patterns: list[str], **options: object) -> str:
        self.calls.append(("download", name, options["revision"]))
        cache = self.folder / "cache" / name
        cache.mkdir(parents=True, exist_ok=True)
        for path in (self.folder / "blobs" / name).iterdir():
            if any(path.match(pattern) for pattern in allow_patterns):
                (cache / path.name).symlink_to(path)
        return str(cache)


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hub:
    made = Hub(tmp_path / "hub")
    for name in ("ASPECTLAB_OFFLINE", "HF_HUB_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(huggingface_hub, "HfApi", made.api)
    monkeypatch.setattr(huggingface_hub, "snapshot_download", made.download)
    return made


@pytest.fixture(scope="module")
def model() -> Model:
    train, dev = (Corpus(start, "en", examples=make_examples(start)) for start in ("Today", "Yesterday"))
    return fit(make_model(), train, dev, plan=PLAN, epochs=1, device="cpu").model


def test_model_comes_back_from_the_hub_as_it_was(hub: Hub, model: Model) -> None:
    address = model.push_to_hub(NAME, private=True, token=WORD)
    assert address == f"https://hub/{NAME}/commit/1"
    assert hub.calls == [("token", WORD), ("create", NAME, True, True)]
    loaded = aspectlab.from_pretrained(NAME, revision="main")
    assert hub.calls[-1] == ("download", NAME, "main")
    assert loaded.name == "marked"
    assert all(torch.equal(value, loaded.state_dict()[key]) for key, value in model.state_dict().items())
    assert loaded.training_record == model.training_record


def test_card_on_the_hub_says_what_its_owner_says(hub: Hub, model: Model) -> None:
    model.push_to_hub(NAME, license="apache-2.0", tags=["restaurants"], language="nl")
    card = ModelCard.load(hub.folder / "blobs" / NAME / "README.md").data
    assert (card.license, card.language) == ("apache-2.0", ["nl"])
    assert {"restaurants", "aspectlab", "atsc"} <= set(card.tags)
    assert {each.metric_type for each in card.eval_results} >= {"accuracy", "macro_f1"}


def test_upload_does_not_tell_where_an_encoder_lay(hub: Hub, tmp_path: Path) -> None:
    model = build_model("marked", "tiny")
    place = tmp_path / "private" / "my-encoder"
    place.mkdir(parents=True)
    model.encoder.name = str(place)
    model.push_to_hub(NAME)
    sent = hub.folder / "blobs" / NAME
    texts = [(sent / name).read_text() for name in ("config.json", "README.md")]
    assert not any("private" in text for text in texts)
    assert any("my-encoder" in text for text in texts)


@pytest.mark.parametrize("name", ["my-model", "a/b/c", "../up/here", "https://hub/a/b", "-/x y", ""])
def test_what_is_neither_folder_nor_name_is_refused(hub: Hub, name: str, model: Model) -> None:
    with pytest.raises(ConfigError, match='expected "organisation/name"'):
        aspectlab.from_pretrained(name or "nowhere")
    with pytest.raises(ConfigError, match='expected "organisation/name"'):
        model.push_to_hub(name)
    assert hub.calls == []


def test_nothing_is_sent_where_all_is_offline(
    hub: Hub, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASPECTLAB_OFFLINE", "1")
    with pytest.raises(ConfigError, match="ASPECTLAB_OFFLINE is set: nothing is sent"):
        model.push_to_hub(NAME)
    assert hub.calls == []


def test_what_the_hub_refuses_is_explained(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> str:
        raise OSError("401 Client Error: no access")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", refuse)
    with pytest.raises(DataError, match=r"some-group/my-marked\.v1: the hub says: 401 .*log in with"):
        aspectlab.from_pretrained(NAME)


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("config.json", "{", r"config\.json"),
        ("config.json", '{"model_type": "bert"}', "expected the keys format, model, settings and encoder"),
        ("model.safetensors", "short", r"model\.safetensors"),
        ("README.md", "x" * ((64 << 20) + 1), "at most"),
    ],
)
def test_folder_of_strangers_keeps_its_bounds(
    hub: Hub, model: Model, file: str, content: str, message: str
) -> None:
    model.push_to_hub(NAME)
    (hub.folder / "blobs" / NAME / file).write_text(content)
    with pytest.raises(DataError, match=message):
        aspectlab.from_pretrained(NAME)


def test_code_and_pickles_are_not_even_fetched(hub: Hub, model: Model) -> None:
    model.push_to_hub(NAME)
    for name in ("modeling.py", "pytorch_model.bin", "optimizer.pt"):
        (hub.folder / "blobs" / NAME / name).write_text("import os")
    aspectlab.from_pretrained(NAME)
    fetched = {path.name for path in (hub.folder / "cache" / NAME).iterdir()}
    assert fetched == {"config.json", "history.jsonl", "tokenizer.json", "model.safetensors", "README.md"}


def test_folder_needs_no_hub(hub: Hub, model: Model, tmp_path: Path) -> None:
    model.save(tmp_path / "model")
    assert aspectlab.from_pretrained(tmp_path / "model").name == "marked"
    assert hub.calls == []
    config = json.loads((tmp_path / "model" / "config.json").read_text())
    assert config["training"]["recipe"].startswith("ours, but ")
