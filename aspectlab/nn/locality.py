"""How near a word is to the aspect, as a weight (Zeng et al., 2019)."""

from __future__ import annotations

import torch
from torch import Tensor

from aspectlab.nn.words import Words, aspect_distance


def relative_distance(words: Words) -> Tensor:
    """Give |i - P| - floor(m / 2) with P the middle of the aspect and m its words, [B, W]; 0 inside it.

    That is the number of steps to the aspect, less a half where the aspect has an even number of words.
    """
    size = words.in_aspect.sum(1, keepdim=True)  # [B, 1]
    half = ((size % 2 == 0) & (size > 0)).float() / 2
    return (aspect_distance(words) - half).clamp(min=0)


def context_weights(words: Words, reach: float) -> tuple[Tensor, Tensor]:
    """Weigh words by their distance from the aspect: all or nothing, and fading, both [B, W].

    Within reach the weight is 1. Beyond it a word is masked (CDM), or fades by its distance over the length
    of the text (CDW). Without an aspect nothing is near.
    """
    distance = relative_distance(words)
    there = words.mask & words.in_aspect.any(1, keepdim=True)  # [B, W]
    length = words.mask.sum(1, keepdim=True).clamp(min=1)  # [B, 1]
    fading = (1 - (distance - reach).clamp(min=0) / length).clamp(min=0)
    return ((distance <= reach) & there).float(), torch.where(there, fading, 0.0)
