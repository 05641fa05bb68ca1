"""Decoders that start from an encoder: which weights go where."""

import numpy as np
import pytest

pytest.importorskip("torch")

import torch
from torch import nn
from transformers import AutoConfig, AutoModel

from aspectlab.encoders import load_encoder
from aspectlab.encoders.transformer import TransformerEncoder
from aspectlab.encoders.vectors import VectorEncoder
from aspectlab.errors import ConfigError
from aspectlab.nn.transformer_layers import DecoderLayer, StackedDecoder, build_decoder


def encoder_of(kind: str, layers: int = 2, room: int = 64) -> TransformerEncoder:
    tiny = load_encoder("tiny")
    assert isinstance(tiny, TransformerEncoder)
    names = ["hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size"]
    config = AutoConfig.for_model(
        kind,
        vocab_size=120,
        max_position_embeddings=room,
        pad_token_id=1,
        **dict(zip(names, [32, layers, 2, 48], strict=True)),
    )
    torch.manual_seed(0)
    lost = 2 if kind in ("roberta", "mpnet") else 0
    tiny.subwords.max_length = room - lost
    return TransformerEncoder("made", AutoModel.from_config(config), tiny.subwords)


def layers_of(decoder: object) -> list[DecoderLayer]:
    assert isinstance(decoder, StackedDecoder)
    return [layer for layer in decoder.layers if isinstance(layer, DecoderLayer)]


def part(encoder: TransformerEncoder, name: str) -> torch.Tensor:
    return encoder.model.state_dict()[name]


@pytest.mark.parametrize(
    ("kind", "query", "join", "norm"),
    [
        ("bert", "self.query", "output.dense", "output.LayerNorm"),
        ("roberta", "self.query", "output.dense", "output.LayerNorm"),
        ("mpnet", "attn.q", "attn.o", "LayerNorm"),
    ],
)
def test_decoder_takes_over_the_layers_of_its_encoder(kind: str, query: str, join: str, norm: str) -> None:
    encoder = encoder_of(kind)
    first, last = layers_of(build_decoder(encoder, 2))
    start = "encoder.layer.{}.attention.{}.weight"
    assert torch.equal(first.own.query.weight, part(encoder, start.format(0, query)))
    assert torch.equal(last.text.join.weight, part(encoder, start.format(1, join)))
    assert torch.equal(last.norms[1].weight, part(encoder, start.format(1, norm)))
    assert torch.equal(last.inner.weight, part(encoder, "encoder.layer.1.intermediate.dense.weight"))
    assert torch.equal(last.norms[2].weight, part(encoder, "encoder.layer.1.output.LayerNorm.weight"))


@pytest.mark.parametrize(("kind", "offset"), [("bert", 0), ("roberta", 2), ("mpnet", 2)])
def test_decoder_takes_over_the_places_of_its_encoder(kind: str, offset: int) -> None:
    encoder = encoder_of(kind)
    decoder = build_decoder(encoder, 1)
    assert isinstance(decoder, StackedDecoder)
    expected = part(encoder, "embeddings.position_embeddings.weight")[offset:]
    if kind != "mpnet":  # which knows no segments
        expected = expected + part(encoder, "embeddings.token_type_embeddings.weight")[0]
    torch.testing.assert_close(decoder.places.detach(), expected)


@pytest.mark.parametrize(
    ("wanted", "chosen"), [(1, [5]), (2, [2, 5]), (3, [1, 3, 5]), (6, [0, 1, 2, 3, 4, 5])]
)
def test_layers_are_chosen_evenly_up_to_the_last(wanted: int, chosen: list[int]) -> None:
    encoder = encoder_of("bert", layers=6)
    weights = [part(encoder, f"encoder.layer.{n}.output.dense.weight") for n in range(6)]
    taken = [
        next(n for n in range(6) if torch.equal(layer.outer.weight, weights[n]))
        for layer in layers_of(build_decoder(encoder, wanted))
    ]
    assert taken == chosen


def test_encoder_of_another_kind_gives_a_decoder_of_the_same_width() -> None:
    decoder = build_decoder(encoder_of("distilbert"), 2)
    pen = decoder.start(torch.randn(1, 3, 32), torch.ones(1, 3, dtype=torch.bool))
    assert pen.advance(torch.randn(1, 2, 32)).shape == (1, 2, 32)


def test_encoder_with_narrow_word_vectors_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"'made': its word vectors are 128 wide: expected .*, 32"):
        build_decoder(encoder_of("electra"), 2)


@pytest.mark.parametrize("width", [50, 7, 16])
def test_word_vectors_give_a_decoder(width: int) -> None:
    encoder = VectorEncoder("vectors:made", np.ones((3, width), np.float32), ["a", "b", "c"])
    decoder = build_decoder(encoder, 1)
    mask = torch.ones(1, 3, dtype=torch.bool)
    assert decoder.start(torch.randn(1, 3, width), mask).advance(torch.randn(1, 2, width)).isfinite().all()
    assert encoder.input_vectors().shape == (5, width)


def test_tokens_are_written_with_the_vectors_they_are_read_with() -> None:
    encoder = encoder_of("bert")
    embeddings = encoder.model.get_input_embeddings()
    assert isinstance(embeddings, nn.Embedding)
    assert encoder.input_vectors() is encoder.output_vectors() is embeddings.weight
