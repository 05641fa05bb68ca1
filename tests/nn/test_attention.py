"""Pair scores against the formula, pair by pair; weights drawn within their limit."""

import pytest

pytest.importorskip("torch")

import torch
from torch import nn

from aspectlab.nn import Trilinear, dot_scores, draw_uniform, weighted_sum


def test_trilinear_scores_every_pair_by_the_joined_vectors() -> None:
    torch.manual_seed(0)
    layer, first, second = Trilinear(3), torch.randn(2, 4, 3), torch.randn(2, 5, 3)
    weight = layer.weight.detach().flatten()
    expected = [
        [[weight @ torch.cat([x, y, x * y]) for y in second[row]] for x in first[row]] for row in range(2)
    ]
    torch.testing.assert_close(layer(first, second), torch.tensor(expected))


def test_dot_scores_and_weighted_sum_count_by_hand() -> None:
    states = torch.tensor([[[1.0, 2.0], [3.0, 4.0]]])
    assert dot_scores(states, torch.tensor([[10.0, 1.0]])).tolist() == [[12.0, 34.0]]
    assert weighted_sum(torch.tensor([[2.0, 1.0]]), states).tolist() == [[5.0, 8.0]]


def test_draw_uniform_fills_all_parameters_within_the_limit() -> None:
    torch.manual_seed(0)
    layers = nn.Linear(50, 50), nn.LSTM(10, 10)
    draw_uniform(0.01, *layers)
    largest = [p.abs().max().item() for layer in layers for p in layer.parameters()]
    assert max(largest) <= 0.01
    assert min(largest) > 0.008  # of 40 draws and more, one comes near the limit
