"""Biaffine scores of pairs."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import pad


class Biaffine(nn.Module):
    """Give [x_i; 1] U_k [y_j; 1] for every pair, with x and y two views of one text, [B, W, W, K]."""

    def __init__(self, width: int, hidden: int, count: int) -> None:
        super().__init__()
        self.row, self.column = (nn.Linear(width, hidden) for _ in range(2))
        limit = (hidden + 1) ** -0.5
        self.matrices = nn.Parameter(torch.empty(count, hidden + 1, hidden + 1).uniform_(-limit, limit))

    def forward(self, states: Tensor) -> Tensor:
        """Score, [B, W, H] -> [B, W, W, K]."""
        views = (view(states).relu() for view in (self.row, self.column))
        rows, columns = (pad(view, (0, 1), value=1.0) for view in views)  # [B, W, D + 1]
        turned = torch.einsum("bih,khg->bikg", rows, self.matrices)  # [B, W, K, D + 1]
        return torch.einsum("bikg,bjg->bijk", turned, columns)
