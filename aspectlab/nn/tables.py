"""Layers over tables of pairs, [B, W, W, H]."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import rms_norm


class ChannelNorm(nn.Module):
    """Divide each vector by its root mean square and scale it, without taking its mean away, [..., H]."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, values: Tensor) -> Tensor:
        """Normalise; the scale follows the precision of the values, or no fast kernel would take both."""
        return rms_norm(values, self.weight.shape, self.weight.to(values.dtype), 1e-6)


class TableBlock(nn.Module):
    """A residual block that lets every cell see its eight neighbours.

    Three convolutions, of 1, 3 x 3 and 1 cells, each with a root-mean-square norm over the channels and a
    ReLU. What lies outside the text counts as zero, as beyond the edge of the table.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.enter = nn.Linear(width, width)
        self.mix = nn.Conv2d(width, width, 3, padding=1)
        self.leave = nn.Linear(width, width)
        self.norms = nn.ModuleList(ChannelNorm(width) for _ in range(3))

    def forward(self, table: Tensor, pairs: Tensor) -> Tensor:
        """Transform the cells, [B, W, W, H]; `pairs` tells those within the text, [B, W, W]."""
        first, second, third = self.norms
        entered = torch.relu(first(self.enter(table))).masked_fill(~pairs[..., None], 0)
        # channels come first for a convolution; the memory stays as it is
        mixed = self.mix(entered.permute(0, 3, 1, 2)).permute(0, 2, 3, 1)
        left = torch.relu(third(self.leave(torch.relu(second(mixed)))))
        assert isinstance(left, Tensor)
        return table + left
