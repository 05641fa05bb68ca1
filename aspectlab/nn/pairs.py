"""Pairs of words: scores and vectors for every cell of a table whose rows and columns are words.

W: words, C: classes. Look-ups are products with ones and zeros: unlike that of a gather, their gradient adds
up in a fixed order.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from aspectlab.nn.graph_layers import one_hot
from aspectlab.nn.pooling import mean_words


def pair_mask(words: Tensor) -> Tensor:
    """Return which cells are pairs of words, from the word of each token, [B, T] -> [B, W, W]."""
    _, mask = mean_words(words[..., None].float(), words)  # [B, W]
    return mask[:, :, None] & mask[:, None, :]


def count_words(words: Tensor) -> int:
    """Count the words of the longest text, from the word of each token, [B, T]; 1 where there is none.

    There are fewer words than tokens, and tables grow with the square. This waits for the device: it is for
    predicting, not for a captured training step.

    >>> count_words(torch.tensor([[-1, 0, 0, 1, -1], [-1, 0, -1, -1, -1]]))
    2
    """
    return max(int(words.max()) + 1, 1)


def unpack_bits(labels: Tensor, count: int) -> Tensor:
    """Return the lowest bits of each label as numbers, the lowest one first, [...] -> [..., count].

    >>> unpack_bits(torch.tensor([0, 1, 6]), 3).tolist()
    [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 1.0]]
    """
    bits = torch.arange(count, device=labels.device)
    return (labels.long()[..., None] >> bits & 1).float()


class PairLinear(nn.Module):
    """Map [x_i; x_j; what else is known of the pair] linearly, [B, W, H] -> [B, W, W, N].

    The sum is taken part by part, so that no tensor of [B, W, W, 2 * H] is made. `extras` are the widths of
    what else is known.
    """

    def __init__(self, width: int, out: int, extras: Sequence[int] = ()) -> None:
        super().__init__()
        self.sizes = [width, width, *extras]
        self.join = nn.Linear(sum(self.sizes), out)

    def forward(self, states: Tensor, *extras: Tensor) -> Tensor:
        """Map; each extra is [B, W, W, E], or [W, W, E] where it is the same for all texts."""
        row, column, *others = self.join.weight.split(self.sizes, 1)
        pairs = linear(states, row)[:, :, None] + linear(states, column, self.join.bias)[:, None]
        for extra, weight in zip(extras, others, strict=True):
            pairs = pairs + linear(extra, weight)
        return pairs


class PairProduct(nn.Module):
    """Score every pair by x_i V_k x_j with a number of matrices, [B, W, H] -> [B, W, W, K]."""

    def __init__(self, width: int, count: int) -> None:
        super().__init__()
        self.matrices = nn.Parameter(nn.init.xavier_uniform_(torch.empty(count, width, width)))

    def forward(self, states: Tensor) -> Tensor:
        """Multiply with all matrices at once, then each row with each column."""
        turned = torch.einsum("bih,khg->bikg", states, self.matrices)  # [B, W, K, H]
        return torch.einsum("bikg,bjg->bijk", turned, states)


FURTHER = 4
"""The distance in a tree from which on all are one."""


class Lookup(nn.Module):
    """Look up the scores of each number, [...] -> [..., C]."""

    def __init__(self, count: int, classes: int) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.empty(count, classes).normal_())

    def forward(self, numbers: Tensor, first: int = 0) -> Tensor:
        """Look up; the table begins with the number `first`, and those below it score zero."""
        hot = one_hot(numbers, first + len(self.table), self.table.dtype)
        return hot[..., first:] @ self.table


class PairLookup(nn.Module):
    """Look up the scores of unordered pairs of numbers from 1 on, [B, W] -> [B, W, W, C]; 0 scores zero."""

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
    position = torch.arange(count, device=device)
    return (position - position[:, None]).abs().clamp(max=limit)


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
