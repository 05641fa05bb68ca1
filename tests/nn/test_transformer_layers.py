"""A transformer layer over words against torch's own."""

import pytest

pytest.importorskip("torch")

import torch
from torch import nn
from torch.nn.functional import relu

from aspectlab.nn.transformer_layers import EncoderLayer

MASK = torch.tensor([[True] * 5, [True, True, False, False, False]])


@torch.no_grad()
def theirs(layer: EncoderLayer) -> nn.TransformerEncoderLayer:
    """The layer of torch with the same weights; its keys have a bias, which is zero here."""
    plain = nn.TransformerEncoderLayer(8, 2, 12, dropout=0.0, batch_first=True)
    attention = layer.attention
    parts = (attention.query, attention.key, attention.value)
    plain.self_attn.in_proj_weight.copy_(torch.cat([part.weight for part in parts]))
    biases = attention.query.bias, torch.zeros(8), attention.value.bias
    plain.self_attn.in_proj_bias.copy_(torch.cat(biases))
    pairs = {
        "self_attn.out_proj": attention.join,
        "linear1": layer.inner,
        "linear2": layer.outer,
        "norm1": layer.norms[0],
        "norm2": layer.norms[1],
    }
    for name, part in pairs.items():
        plain.get_submodule(name).load_state_dict(part.state_dict())
    return plain


def test_layer_equals_the_one_of_torch() -> None:
    torch.manual_seed(0)
    layer = EncoderLayer(8, 2, inner=12, dropout=0.0, activation=relu)
    states = torch.randn(2, 5, 8)
    expected = theirs(layer)(states, src_key_padding_mask=~MASK)
    torch.testing.assert_close(layer(states, MASK)[MASK], expected[MASK], rtol=1e-5, atol=1e-5)


def test_layer_gives_numbers_for_a_text_without_words() -> None:
    layer = EncoderLayer(8, 2, inner=12, dropout=0.0, activation=relu)
    assert layer(torch.zeros(1, 3, 8), torch.zeros(1, 3, dtype=torch.bool)).isfinite().all()
