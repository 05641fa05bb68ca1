"""Means, maxima and softmaxes that padding cannot touch."""

from __future__ import annotations

import torch
from torch import Tensor

_LOW = -1e4
"""Stands in for minus infinity: far below any score, finite in bfloat16, and harmless where all is masked."""


def masked_mean(states: Tensor, mask: Tensor) -> Tensor:
    """Average over the masked-in positions, [B, T, H] and [B, T] -> [B, H]; zero where there are none.

    >>> masked_mean(torch.tensor([[[1.0], [3.0], [9.0]]]), torch.tensor([[True, True, False]]))
    tensor([[2.]])
    """
    weights = mask.to(states.dtype)
    weights = weights / weights.sum(1, keepdim=True).clamp(min=1)  # [B, T]
    return torch.einsum("bt,bth->bh", weights, states)


def masked_max(states: Tensor, mask: Tensor) -> Tensor:
    """Take the maximum over the masked-in positions, [B, T, H] and [B, T] -> [B, H]."""
    return states.masked_fill(~mask[..., None], _LOW).amax(1)


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    """Softmax over the last axis; masked-out positions get no weight, not even where all are masked out."""
    shares = scores.masked_fill(~mask, _LOW).softmax(-1)
    return shares * mask.to(shares.dtype)
