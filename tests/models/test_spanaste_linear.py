"""A linear layer over parts side by side: the same as one over what stands there."""

import pytest

pytest.importorskip("torch")

import torch

from aspectlab.models.spanaste import FactoredLinear


def test_joined_linear_equals_a_linear_layer_over_the_concatenation() -> None:
    torch.manual_seed(0)
    layer = FactoredLinear([3, 2, 4], 5)
    rows, columns, cells = torch.randn(2, 6, 1, 3), torch.randn(2, 1, 7, 2), torch.randn(2, 6, 7, 4)
    parts = [rows, columns, cells]
    side_by_side = torch.cat([part.expand(2, 6, 7, -1) for part in parts], -1)
    found = layer(*(layer.project(place, part) for place, part in enumerate(parts)))
    torch.testing.assert_close(found, layer.linear(side_by_side))
