"""MPNet with its places counted on the device gives what the library gives."""

import copy

import pytest

pytest.importorskip("torch", reason="the encoders need the extra 'train'")

import torch
from transformers import MPNetConfig, MPNetModel
from transformers.models.mpnet.modeling_mpnet import MPNetEncoder

from aspectlab.encoders.transformer import count_on_device


def small_mpnet() -> MPNetModel:
    torch.manual_seed(3)
    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
    return MPNetModel(MPNetConfig(vocab_size=50, **sizes)).eval()


def test_mpnet_states_are_those_of_the_library() -> None:
    model = small_mpnet()
    tokens = torch.randint(2, 50, (3, 40))
    with torch.no_grad():
        expected = model(tokens).last_hidden_state
        count_on_device(model)
        found = model(tokens).last_hidden_state
    torch.testing.assert_close(found, expected, rtol=0, atol=0)


def test_mpnet_learns_its_places_as_the_library_does() -> None:
    model = small_mpnet()
    tokens = torch.randint(2, 50, (3, 40))
    weight = model.encoder.relative_attention_bias.weight
    (expected,) = torch.autograd.grad(model(tokens).last_hidden_state.square().sum(), weight)
    count_on_device(model)
    (found,) = torch.autograd.grad(model(tokens).last_hidden_state.square().sum(), weight)
    assert expected.abs().max() > 0
    # the rows of the batch are summed in another order
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-6)


def test_mpnet_stays_so_when_it_is_copied() -> None:
    model = small_mpnet()
    count_on_device(model)
    copied = copy.deepcopy(model)
    assert type(copied.encoder) is type(model.encoder) is not MPNetEncoder
