"""A T5 whose weights are 8-bit numbers in two ONNX files, made into one that can be trained.

Its sizes are read off its weights; the rest is as in T5 1.1 and FLAN-T5: a gated GELU, and vectors of its own
to write a token with.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from transformers import PreTrainedModel, T5Config, T5ForConditionalGeneration

from aspectlab.encoders.onnxfile import Array, Node, read_onnx
from aspectlab.encoders.seq2seq import Seq2SeqEncoder, read_vocabulary
from aspectlab.encoders.weights import PRETRAINED, find_weights, verify
from aspectlab.errors import MissingPartError

FILES = ("encoder.onnx", "decoder.onnx")

_TITLES = "t5-titles"
_ENCODER_SHA256 = "b82bef1400cec815c3e5addd04dc451ec31491ac6598b166bbc6594656823787"
"""The hash of the other one of its two weight files, beside that in the table of parts."""

_MAX_LENGTH = 512
"""What T5 was trained on; it has no limit of its own."""

_SHARED = "shared.weight"
_FIRST = "block.0.layer.0.SelfAttention"


def load_titles() -> Seq2SeqEncoder:
    """Load the T5 that was tuned to write titles from its package, once both files are known to be right."""
    folder = find_weights(_TITLES)
    verify(_TITLES, replace(PRETRAINED[_TITLES], sha256=_ENCODER_SHA256), folder / FILES[0])
    return load_quantised(_TITLES, folder)


def load_quantised(name: str, folder: Path) -> Seq2SeqEncoder:
    """Load a folder with `encoder.onnx`, `decoder.onnx` and `tokenizer.json`."""
    try:
        # both files hold the word vectors: those of the decoder stay
        weights = {key: value for file in FILES for key, value in _read_weights(folder / file)}
        vocabulary = read_vocabulary(folder / "tokenizer.json", _MAX_LENGTH)
        return Seq2SeqEncoder(name, _build(weights), vocabulary)
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        problem = f"encoder {name!r}: {folder}: {str(error).splitlines()[0]}"
        wanted = f"{' and '.join(FILES)} of a quantised T5 with their tokenizer.json"
        raise MissingPartError(f"{problem}: expected {wanted}; install the package again") from None


def _read_weights(path: Path) -> Iterator[tuple[str, Tensor]]:
    """Give the weights of one file by the names that the transformers library has for them."""
    constants, nodes = read_onnx(path)
    for name, array in constants.items():
        stem, is_quantised, _ = name.partition("_quantized")
        if is_quantised and not stem.startswith("onnx::"):
            yield _rename(stem), torch.from_numpy(_dequantise(constants, stem))
        elif name.endswith("layer_norm.weight"):
            yield _rename(name), torch.from_numpy(array.astype(np.float32))
    for node in nodes:
        if node.operator == "MatMulInteger":
            stem = node.inputs[1].removesuffix("_quantized")
            # the library keeps the matrix of a layer the other way round
            yield _layer_of(node), torch.from_numpy(_dequantise(constants, stem).T.copy())


def _dequantise(constants: dict[str, Array], stem: str) -> NDArray[np.float32]:
    parts = (constants[f"{stem}_{part}"] for part in ("quantized", "zero_point", "scale"))
    whole, zero, scale = (part.astype(np.float32) for part in parts)
    return (whole - zero) * scale


def _layer_of(node: Node) -> str:
    """Name the weight that a node multiplies with, after the place of the node in the model."""
    return _rename(node.name.removeprefix("/").removesuffix("/MatMul_quant").replace("/", ".") + ".weight")


def _rename(name: str) -> str:
    """Turn the names of the two exported modules, `enc` and `m`, into those of the whole model."""
    if name == "enc.embed_tokens.weight":
        return _SHARED
    return f"encoder.{name[4:]}" if name.startswith("enc.") else name.removeprefix("m.")


def _build(weights: dict[str, Tensor]) -> PreTrainedModel:
    """Build a T5 of the sizes that the weights have, and give it the weights."""
    model = T5ForConditionalGeneration(_config(weights))
    # the library ties the vectors whatever the configuration says
    model.set_output_embeddings(nn.Linear(model.config.d_model, model.config.vocab_size, bias=False))
    lost, unknown = model.load_state_dict(weights, strict=False)
    missing = [key for key in lost if not key.endswith("embed_tokens.weight")]
    if missing or unknown:
        raise ValueError(f"weights {', '.join([*missing, *unknown][:3])} … do not fit")
    return model


def _config(weights: dict[str, Tensor]) -> T5Config:
    size, width = weights[_SHARED].shape
    buckets, heads = weights[f"encoder.{_FIRST}.relative_attention_bias.weight"].shape
    config = T5Config(
        vocab_size=size,
        d_model=width,
        d_kv=len(weights[f"encoder.{_FIRST}.q.weight"]) // heads,
        d_ff=len(weights["encoder.block.0.layer.1.DenseReluDense.wi_0.weight"]),
        num_layers=_count_layers(weights, "encoder"),
        num_decoder_layers=_count_layers(weights, "decoder"),
        num_heads=heads,
        relative_attention_num_buckets=buckets,
        feed_forward_proj="gated-gelu",
    )
    rest = {"tie_word_embeddings": False, "scale_decoder_outputs": False, "decoder_start_token_id": 0}
    config.update(rest)
    return config


def _count_layers(weights: dict[str, Tensor], side: str) -> int:
    return len({key.split(".")[2] for key in weights if key.startswith(f"{side}.block.")})
