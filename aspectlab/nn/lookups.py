"""Scores of pairs of words that are looked up by what is known of the pair. C: classes.

Look-ups are products with ones and zeros: unlike that of a gather, their gradient adds up in a fixed order.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from aspectlab.nn.graph import one_hot

FURTHER = 4
"""The distance in a tree from which on all are one."""


class Lookup(nn.Module):
    """Give the scores of each number, [...] -> [..., C]."""

    def __init__(self, count: int, classes: int) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.empty(count, classes).normal_())

    def forward(self, numbers: Tensor, first: int = 0) -> Tensor:
        """Look up; the table begins with the number `first`, and those below it score zero."""
        hot = one_hot(numbers, first + len(self.table), self.table.dtype)
        return hot[..., first:] @ self.table


class PairLookup(nn.Module):
    """Give the scores of each unordered pair of numbers from 1 on, [B, W] -> [B, W, W, C]; 0 scores zero."""

    def __init__(self, count: int, classes: int) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.empty(classes, count, count).normal_())

    def forward(self, numbers: Tensor) -> Tensor:
        """Look up both orders of a pair in one triangle."""
        table = self.table.triu() + self.table.triu(1).mT  # [C, N, N]
        hot = one_hot(numbers, 1 + len(table[0]), table.dtype)[..., 1:]  # [B, W, N]
        rows = torch.einsum("bin,cnm->bicm", hot, table)  # [B, W, C, N]
        return torch.einsum("bicm,bjm->bijc", rows, hot)


def word_distance(count: int, limit: int, device: torch.device) -> Tensor:
    """Count the words from each word to each other, up to a limit, [W, W].

    >>> word_distance(3, 1, torch.device("cpu")).tolist()
    [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    """
    place = torch.arange(count, device=device)
    return (place - place[:, None]).abs().clamp(max=limit)


def tree_distance(linked: Tensor) -> Tensor:
    """Count the arcs from each word to each other, [B, W, W]; from four on, or without a way, all are four.

    `linked` tells the words that an arc joins, both ways, and has a loop at every word.

    >>> chain = torch.tensor([[[1, 1, 0], [1, 1, 1], [0, 1, 1]]]).bool()
    >>> tree_distance(chain).tolist()
    [[[0, 1, 2], [1, 0, 1], [2, 1, 0]]]
    """
    loops = torch.eye(linked.shape[1], dtype=torch.bool, device=linked.device)
    within = linked & loops  # [B, W, W] reached in so many steps
    distance = (~within).long()
    for _ in range(1, FURTHER):
        within = linked.float() @ within.float() > 0
        distance = distance + (~within).long()
    return distance
