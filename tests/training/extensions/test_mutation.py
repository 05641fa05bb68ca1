"""Mutation operators on a layer whose weights are written down, and that models come back unharmed."""

import pytest

pytest.importorskip("torch", reason="the operators need the extra 'train'")

import torch
from torch import nn

from aspectlab.errors import ConfigError
from aspectlab.training.extensions.mutation import OPERATORS, mutated


def make_layer() -> nn.Linear:
    layer = nn.Linear(3, 4)
    with torch.no_grad():
        layer.weight.copy_(torch.arange(1.0, 13.0).reshape(4, 3))
        layer.bias.copy_(torch.arange(1.0, 5.0))
    return layer


def change(operator: str, rows: list[int]) -> nn.Linear:
    layer = make_layer()
    with torch.no_grad():
        OPERATORS[operator](layer, torch.tensor(rows), torch.Generator().manual_seed(0))
    return layer


@pytest.mark.parametrize("operator", ["GF", "WS", "NEB"])
def test_operator_changes_the_chosen_neuron_alone(operator: str) -> None:
    changed, old = change(operator, [2]), make_layer()
    rows = (changed.weight != old.weight).any(dim=1).nonzero().flatten().tolist()
    assert rows == [2]


def test_fuzzed_weights_change_in_proportion_to_themselves() -> None:
    layer = nn.Linear(3, 1)
    with torch.no_grad():
        layer.weight.copy_(torch.tensor([[0.0, 1.0, -1000.0]]))
        OPERATORS["GF"](layer, torch.tensor([0]), torch.Generator().manual_seed(0))
    # DeepMutation++: w (1 + 0.5 e), e normal; an additive noise would move the first one
    noise = torch.randn(1, 3, generator=torch.Generator().manual_seed(0))
    expected = [0.0, 1 + 0.5 * float(noise[0, 1]), -1000 * (1 + 0.5 * float(noise[0, 2]))]
    assert layer.weight[0].tolist() == pytest.approx(expected)


def test_fuzzed_weights_are_not_clipped() -> None:
    # unlike the tool, which clips the whole layer to [-1, 1]
    assert change("GF", [0]).weight[1:].tolist() == make_layer().weight[1:].tolist()


def test_shuffled_neuron_keeps_its_weights() -> None:
    assert sorted(change("WS", [0]).weight[0].tolist()) == [1, 2, 3]


def test_blocked_neuron_gives_nothing() -> None:
    assert change("NEB", [1])(torch.ones(3))[1] == 0


def test_switched_neurons_change_places_with_their_biases() -> None:
    layer = change("NS", [0])
    # a neuron is known by its bias, 1 to 4, and its first weight, 1, 4, 7 or 10: none is lost or doubled
    assert sorted(layer.bias.tolist()) == [1, 2, 3, 4]
    assert layer.bias[0] != 1
    assert layer.weight[:, 0].tolist() == [3 * bias - 2 for bias in layer.bias.tolist()]


@pytest.mark.parametrize("operator", OPERATORS)
def test_mutant_is_damaged_and_then_whole_again(operator: str) -> None:
    model = nn.Sequential(nn.Linear(8, 40), nn.LayerNorm(40), nn.Linear(40, 60))
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    with mutated(model, operator, seed=1):
        inside = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    assert any(not torch.equal(inside[name], before[name]) for name in before)
    assert all(torch.equal(tensor, before[name]) for name, tensor in model.state_dict().items())


def test_mutant_changes_the_share_of_neurons_that_was_asked_for() -> None:
    model = nn.Sequential(nn.Linear(8, 400), nn.Linear(400, 600))
    old = [layer.weight.clone() for layer in model]
    with mutated(model, "NEB", seed=3, ratio=0.01):
        changed = sum(int((layer.weight != w).any(dim=1).sum()) for layer, w in zip(model, old, strict=True))
    # one in a hundred of 1000
    assert changed == 10


def test_mutant_is_the_same_for_the_same_seed() -> None:
    model, found = make_layer(), []
    for seed in (5, 5, 6):
        with mutated(model, "GF", seed=seed):
            found.append(model.weight.clone())
    assert torch.equal(found[0], found[1])
    assert not torch.equal(found[0], found[2])


def test_unknown_operator_is_named() -> None:
    with (
        pytest.raises(ConfigError, match="mutation operator 'gg' is unknown"),
        mutated(make_layer(), "gg", seed=0),
    ):
        pass
