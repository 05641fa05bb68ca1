"""The decoder: against the library's attention, step by step, and blind to what it must not see."""

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor, nn

from aspectlab.nn.transformer_layers import HIDDEN, Attention, StackedDecoder

WIDTH = 12


@pytest.fixture
def decoder() -> StackedDecoder:
    torch.manual_seed(0)
    return StackedDecoder(WIDTH, 2, heads=3, inner=20, room=16).eval()


@pytest.fixture
def text() -> tuple[Tensor, Tensor]:
    torch.manual_seed(1)
    return torch.randn(2, 5, WIDTH), torch.tensor([[True] * 5, [True, True, False, False, False]])


def test_attention_equals_that_of_the_library() -> None:
    torch.manual_seed(0)
    ours, library = Attention(WIDTH, 3), nn.MultiheadAttention(WIDTH, 3, batch_first=True)
    weights = [ours.query.weight, ours.key.weight, ours.value.weight]
    biases = [ours.query.bias, torch.zeros(WIDTH), ours.value.bias]
    library.load_state_dict(
        {
            "in_proj_weight": torch.cat(weights),
            "in_proj_bias": torch.cat(biases),
            "out_proj.weight": ours.join.weight,
            "out_proj.bias": ours.join.bias,
        }
    )
    states, others = torch.randn(2, 4, WIDTH), torch.randn(2, 6, WIDTH)
    hidden = torch.tensor([[False] * 6, [False] * 3 + [True] * 3])
    expected, _ = library(states, others, others, key_padding_mask=hidden)
    bias = torch.where(hidden, HIDDEN, 0.0)[:, None, None]
    torch.testing.assert_close(ours(states, ours.keys_values(others), bias), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("sizes", [[1] * 6, [3, 3], [1, 5]], ids=str)
def test_decoder_goes_on_from_what_it_was_given(
    decoder: StackedDecoder, text: tuple[Tensor, Tensor], sizes: list[int]
) -> None:
    inputs = torch.randn(2, 6, WIDTH)
    pen = decoder.start(*text)
    parts = [pen.advance(part) for part in inputs.split(sizes, 1)]
    torch.testing.assert_close(torch.cat(parts, 1), decoder.start(*text).advance(inputs))


def test_decoder_does_not_see_what_comes_later(decoder: StackedDecoder, text: tuple[Tensor, Tensor]) -> None:
    inputs = torch.randn(2, 6, WIDTH)
    other = torch.cat([inputs[:, :4], torch.randn(2, 2, WIDTH)], 1)
    first, second = (decoder.start(*text).advance(given) for given in (inputs, other))
    torch.testing.assert_close(first[:, :4], second[:, :4])
    assert not torch.allclose(first[:, 4:], second[:, 4:])


def test_decoder_does_not_see_padding(decoder: StackedDecoder, text: tuple[Tensor, Tensor]) -> None:
    states, mask = text
    inputs = torch.randn(1, 4, WIDTH)
    padded = decoder.start(states[1:], mask[1:]).advance(inputs)
    torch.testing.assert_close(padded, decoder.start(states[1:, :2], mask[1:, :2]).advance(inputs))


def test_text_without_tokens_gives_numbers(decoder: StackedDecoder) -> None:
    states, mask = torch.randn(1, 3, WIDTH), torch.zeros(1, 3, dtype=torch.bool)
    with torch.autocast("cpu", torch.bfloat16):
        assert decoder.start(states, mask).advance(torch.randn(1, 2, WIDTH)).isfinite().all()


def test_order_of_inputs_matters(decoder: StackedDecoder, text: tuple[Tensor, Tensor]) -> None:
    inputs = torch.randn(1, 1, WIDTH).expand(2, 3, WIDTH)
    states = decoder.start(*text).advance(inputs)
    assert not torch.allclose(states[:, 0], states[:, 1], atol=1e-3)
