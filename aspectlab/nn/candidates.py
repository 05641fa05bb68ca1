"""Spans of words as candidates: all short ones, the best of them, and their states. S: widths."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import pad


def look_ahead(states: Tensor, width: int) -> Tensor:
    """Give each word its own state and those of the words behind it, [B, W, H] -> [B, W, S, H].

    Beyond the last word all is zero.

    >>> look_ahead(torch.tensor([[[1.0], [2.0], [3.0]]]), 2)[0, :, :, 0].tolist()
    [[1.0, 2.0], [2.0, 3.0], [3.0, 0.0]]
    """
    longer = pad(states, (0, 0, 0, width - 1))  # [B, W + S - 1, H]
    return torch.stack([longer[:, shift : shift + states.shape[1]] for shift in range(width)], 2)


def mask_candidates(mask: Tensor, width: int) -> Tensor:
    """Tell which candidates begin and end with a word, [B, W] -> [B, W, S]."""
    ends = look_ahead(mask[..., None].long(), width)[..., 0].bool()  # [B, W, S]
    return ends & mask[..., None]


def keep_best(scores: Tensor, counts: Tensor, room: int) -> Tensor:
    """Give the places of each row's best scores, in their own order, [B, N] -> [B, room]; -1 fills up.

    A row keeps as many as `counts` says, [B].

    >>> keep_best(torch.tensor([[0.1, 0.9, 0.2, 0.8]]), torch.tensor([2]), 3)
    tensor([[ 1,  3, -1]])
    """
    # among equals the first ones stay, however far the padding reaches: only a stable sort promises that
    best = scores.sort(dim=1, descending=True, stable=True).indices[:, :room]
    behind = scores.shape[1]
    is_kept = torch.arange(best.shape[1], device=scores.device) < counts[:, None]
    places = torch.where(is_kept, best, behind).sort(1).values
    return torch.where(places == behind, -1, places)


def pick(states: Tensor, places: Tensor) -> Tensor:
    """Give the states at some places, [B, W, H] and [B, K] -> [B, K, H]; zero for places that are none."""
    # a product with ones and zeros: unlike that of a gather, its gradient adds up in a fixed order
    chosen = places[..., None] == torch.arange(states.shape[1], device=places.device)  # [B, K, W]
    return chosen.to(states.dtype) @ states
