"""Folders of strangers that bring Python code: none of it runs, and nobody is asked whether it may."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the commands need the extra 'train'")

from transformers import BertConfig, CLIPTextConfig, CLIPTextModel, EncoderDecoderConfig, EncoderDecoderModel
from transformers.utils import logging
from typer.testing import CliRunner, Result

import aspectlab
from aspectlab.cli.main import app
from aspectlab.encoders import load_encoder
from aspectlab.encoders.transformer import TransformerEncoder, write_config
from aspectlab.errors import AspectlabError
from aspectlab.training.checkpoint import load_model, save_model

SENTENCE = "The soup was lovely."
QUAD = {
    "aspect": {"text": "soup", "start": 4, "end": 8},
    "category": None,
    "opinion": {"text": "lovely", "start": 13, "end": 19},
    "polarity": "positive",
}
CODE = """
from pathlib import Path
Path({mark!r}).touch()
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast
class EvilConfig(BertConfig):
    model_type = "evil"
class EvilModel(BertModel):
    config_class = EvilConfig
class EvilTokenizer(PreTrainedTokenizerFast):
    pass
"""
MAP = {
    "AutoConfig": "evil.EvilConfig",
    "AutoModel": "evil.EvilModel",
    "AutoModelForSeq2SeqLM": "evil.EvilModel",
}
# a configuration that the library knows, but no model of its own: it would look for one in the folder
BARE = {"model_type": "align_text_model", "auto_map": MAP}
EYES = {
    "model_type": "clip_vision_model",
    "hidden_size": 8,
    "intermediate_size": 8,
    "num_hidden_layers": 1,
    "num_attention_heads": 1,
}
REMEDY = "which is never run: expected an architecture of the transformers library"


@pytest.fixture(autouse=True)
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, end in (("train", ""), ("dev", " We came back.")):
        record = {"id": name, "text": SENTENCE + end, "quads": [QUAD]}
        Path(f"{name}.jsonl").write_text(json.dumps(record), encoding="utf-8")
    Path("reviews.csv").write_text(f"text\n{SENTENCE}\n", encoding="utf-8")


def write_code(folder: Path) -> None:
    (folder / "evil.py").write_text(CODE.format(mark=str(folder.parent / "ran")), encoding="utf-8")


def change_config(folder: Path, **changes: object) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | changes), encoding="utf-8")


@pytest.fixture
def encoder(tmp_path: Path) -> Path:
    """The tiny encoder as a folder with code; nothing refers to it yet."""
    tiny = load_encoder("tiny")
    assert isinstance(tiny, TransformerEncoder)
    folder = tmp_path / "stranger"
    tiny.model.save_pretrained(folder)
    write_config(tiny.model.config, folder / "config.json")
    tiny.save_files(folder)
    write_code(folder)
    return folder


@pytest.fixture
def trained(tmp_path: Path) -> Path:
    """A trained model as a folder with code; nothing refers to it yet."""
    from aspectlab.models import build_model

    save_model(build_model("stage", load_encoder("tiny"), {}), tmp_path / "model")
    write_code(tmp_path / "model")
    return tmp_path / "model"


def change_encoder(folder: Path, **changes: object) -> None:
    """Change the configuration of the encoder of a trained model."""
    record = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    record["encoder"]["config"] |= changes
    (folder / "config.json").write_text(json.dumps(record), encoding="utf-8")


def run(*words: str) -> Result:
    """Run a command for a user who agrees to whatever is asked."""
    return CliRunner().invoke(app, words, input="y\n" * 9)


def train(encoder: Path, model: str = "stage") -> Result:
    files = ["--train", "train.jsonl", "--dev", "dev.jsonl", "--out", "out"]
    return run("train", "--model", model, "--encoder", str(encoder), *files, "--epochs", "1")


def refused(answer: Result, folder: Path) -> str:
    """Return the message of an error that the command line turns into exit code 2, once no code has run."""
    assert not (folder.parent / "ran").exists()
    assert "y/N" not in answer.output
    assert isinstance(answer.exception, AspectlabError), answer.output
    return str(answer.exception)


@pytest.mark.parametrize(
    "changes",
    [
        {"model_type": "evil", "auto_map": MAP},
        {"auto_map": MAP, "model_type": "align_text_model"},
        {"auto_map": {"AutoConfig": "a/b--evil.EvilConfig"}, "model_type": "evil"},
    ],
)
def test_train_ran_the_code_of_an_encoder_folder(encoder: Path, changes: dict[str, object]) -> None:
    change_config(encoder, **changes)
    message = refused(train(encoder), encoder)
    assert REMEDY in message
    assert "evil.EvilConfig" in message
    assert "use 'minilm'" in message


def test_train_ran_code_that_a_part_of_the_configuration_named(encoder: Path) -> None:
    part = {**BARE, "_name_or_path": str(encoder)}
    change_config(encoder, model_type="vision-text-dual-encoder", text_config=part, vision_config=EYES)
    assert REMEDY in refused(train(encoder), encoder)


@pytest.mark.parametrize(
    ("auto_map", "message"),
    [
        ({"AutoTokenizer": ["evil.EvilTokenizer", None]}, REMEDY),
        (["evil.EvilTokenizer", None], REMEDY),
        ({"AutoTokenizer": []}, "tokenizer_config.json"),
        ("evil.EvilTokenizer", "tokenizer_config.json"),
    ],
)
def test_train_ran_the_code_of_a_tokenizer(tmp_path: Path, auto_map: object, message: str) -> None:
    folder = tmp_path / "stranger"
    logging.disable_progress_bar()
    part = BertConfig(vocab_size=9, hidden_size=8, num_hidden_layers=1, num_attention_heads=1)
    EncoderDecoderModel(EncoderDecoderConfig.from_encoder_decoder_configs(part, part)).save_pretrained(folder)
    names = {"tokenizer_class": "EvilTokenizer", "auto_map": auto_map}
    (folder / "tokenizer_config.json").write_text(json.dumps(names), encoding="utf-8")
    write_code(folder)
    assert message in refused(train(folder, "gas"), folder)


@pytest.mark.parametrize("command", ["predict", "evaluate", "analyze"])
def test_command_ran_the_code_of_a_trained_model(trained: Path, command: str) -> None:
    change_encoder(trained, **BARE, _name_or_path=str(trained))
    words = {
        "predict": ["predict", str(trained), "dev.jsonl", "--out", "out.jsonl"],
        "evaluate": ["evaluate", str(trained), "dev.jsonl"],
        "analyze": ["analyze", "reviews.csv", "--model", str(trained), "--out", "out"],
    }
    message = refused(run(*words[command]), trained)
    assert REMEDY in message
    assert "train it again" in message


def test_prompt_for_code_read_what_was_piped_in(trained: Path) -> None:
    change_encoder(trained, **BARE, _name_or_path=str(trained))
    program = [sys.executable, "-m", "aspectlab", "predict", str(trained), "dev.jsonl", "--out", "out.jsonl"]
    answer = subprocess.run(program, input="y\n" * 9, capture_output=True, text=True)
    assert answer.returncode == 2
    assert REMEDY in answer.stderr
    assert not (trained.parent / "ran").exists()


def test_model_ran_code_that_a_part_of_its_configuration_named(trained: Path) -> None:
    part = {**BARE, "_name_or_path": str(trained)}
    change_encoder(trained, model_type="vision-text-dual-encoder", text_config=part, vision_config=EYES)
    assert REMEDY in refused(run("predict", str(trained), "dev.jsonl", "--out", "out.jsonl"), trained)


@pytest.mark.parametrize("key", ["_attn_implementation", "attn_implementation", "_experts_implementation"])
def test_model_chose_the_kernel_that_it_runs_on(trained: Path, key: str) -> None:
    # the library would fetch the kernel of this name from the hub, and run it
    change_encoder(trained, **{key: "stranger/kernel"})
    config = load_model(trained).encoder.model.config  # type: ignore[union-attr]
    assert config._attn_implementation in ("sdpa", "eager")


def test_encoder_chose_the_kernel_that_it_runs_on(encoder: Path) -> None:
    change_config(encoder, _attn_implementation="stranger/kernel")
    config = load_encoder(str(encoder)).model.config  # type: ignore[union-attr]
    assert config._attn_implementation in ("sdpa", "eager")


def test_folder_that_can_do_without_its_code_is_loaded(encoder: Path, trained: Path) -> None:
    change_config(encoder, auto_map=MAP)
    change_encoder(trained, auto_map=MAP, _name_or_path=str(trained))
    answer = run("predict", str(trained), "dev.jsonl", "--out", "out.jsonl")
    assert answer.exit_code == 0, answer.output
    assert load_encoder(str(encoder)).width == 32
    assert not (encoder.parent / "ran").exists()


def test_folder_whose_weights_only_its_code_knows_says_so(encoder: Path) -> None:
    change_config(encoder, auto_map=MAP, num_hidden_layers=3)
    message = refused(train(encoder), encoder)
    # a layer of BERT has 16 weights
    assert "lacks 16 of the" in message
    assert "its own code (evil.EvilConfig) is never run: use 'minilm'" in message


def test_every_call_of_the_library_trusts_nobody() -> None:
    calls = [
        node
        for path in Path(aspectlab.__file__).parent.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("from_pretrained", "from_config")
        and ast.unparse(node.func.value) != "nn.Embedding"
    ]
    settings = [{word.arg: ast.unparse(word.value) for word in call.keywords} for call in calls]
    # a model and its tokenizer that are loaded, and a model that is built again
    assert [found.get("trust_remote_code") for found in settings] == ["False"] * 3


HUB = """
import sys
from aspectlab.encoders import load_encoder
from aspectlab.errors import DataError
try:
    load_encoder("stranger/model")
except DataError as error:
    print(error)
"""


@pytest.mark.slow
@pytest.mark.parametrize("file", ["config.json", "tokenizer_config.json"])
def test_code_of_a_model_of_the_hub_is_not_run(encoder: Path, tmp_path: Path, file: str) -> None:
    cache = tmp_path / "hub" / "models--stranger--model"
    (cache / "snapshots").mkdir(parents=True)
    (cache / "refs").mkdir()
    (cache / "refs" / "main").write_text("f" * 40, encoding="utf-8")
    (encoder / "tokenizer.json").unlink()
    if file == "config.json":
        change_config(encoder, model_type="evil", auto_map=MAP)
    else:
        # an architecture of which the library knows no tokenizer
        sizes = {"hidden_size": 8, "intermediate_size": 8, "num_attention_heads": 1, "num_hidden_layers": 1}
        CLIPTextModel(CLIPTextConfig(vocab_size=9, **sizes)).save_pretrained(encoder)
        names = {
            "tokenizer_class": "EvilTokenizer",
            "auto_map": {"AutoTokenizer": ["evil.EvilTokenizer", None]},
        }
        (encoder / file).write_text(json.dumps(names), encoding="utf-8")
    encoder.rename(cache / "snapshots" / ("f" * 40))
    found = os.environ | {"HF_HUB_CACHE": str(tmp_path / "hub"), "ASPECTLAB_OFFLINE": "1"}
    answer = subprocess.run(
        [sys.executable, "-c", HUB], input="y\n" * 9, capture_output=True, text=True, env=found
    )
    assert answer.returncode == 0, answer.stderr
    assert "encoder 'stranger/model'" in answer.stdout
    assert REMEDY in answer.stdout
    assert not list(tmp_path.rglob("ran"))
