"""Cross-entropy, cell by cell."""

from __future__ import annotations

from torch import Tensor
from torch.nn.functional import cross_entropy


def cross_entropies(scores: Tensor, labels: Tensor) -> Tensor:
    """Give the cross-entropy of every cell in full precision, [..., C] and [...] -> [...].

    >>> from torch import zeros
    >>> cross_entropies(zeros(1, 2, 4), zeros(1, 2)).exp()
    tensor([[4., 4.]])
    """
    flat = scores.float().flatten(0, -2), labels.long().flatten()
    return cross_entropy(*flat, reduction="none").view(labels.shape)
