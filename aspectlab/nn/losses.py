"""Cross-entropy cell by cell, and means over the words and cells that count."""

from typing import Protocol

from torch import Tensor
from torch.nn.functional import cross_entropy

from aspectlab.nn.words import mean_words


def cross_entropies(scores: Tensor, labels: Tensor) -> Tensor:
    """Return the cross-entropy of every cell in full precision, [..., C] and [...] -> [...].

    >>> from torch import zeros
    >>> cross_entropies(zeros(1, 2, 4), zeros(1, 2)).exp()
    tensor([[4., 4.]])
    """
    flat = scores.float().flatten(0, -2), labels.long().flatten()
    return cross_entropy(*flat, reduction="none").view(labels.shape)


class TaggedBatch(Protocol):
    """The part of a batch that tells which words there are, and which items only fill it up."""

    @property
    def mask(self) -> Tensor:
        """Which tokens are no padding, [B, T]."""

    @property
    def words(self) -> Tensor:
        """The word of each token, -1 for none, [B, T]."""

    @property
    def weight(self) -> Tensor:
        """0 for an item that only fills the batch up, [B]."""


def counted_words(batch: TaggedBatch) -> Tensor:
    """Return which positions hold a word of an item that counts, [B, W]."""
    _, mask = mean_words(batch.mask[..., None].float(), batch.words)
    return mask & (batch.weight[:, None] > 0)


def mean_where(losses: Tensor, counted: Tensor) -> Tensor:
    """Average over the positions that count, whatever their shape; zero where there are none.

    >>> import torch
    >>> mean_where(torch.tensor([[2.0, 4.0, 9.0]]), torch.tensor([[True, True, False]]))
    tensor(3.)
    """
    return (losses * counted).sum() / counted.sum().clamp(min=1)
