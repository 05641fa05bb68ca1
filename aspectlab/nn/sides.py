"""The two sides of a sentence, as its aspect divides it."""

from __future__ import annotations

from torch import Tensor

from aspectlab.nn.words import Words


def aspect_sides(words: Words) -> tuple[Tensor, Tensor]:
    """Mask the words up to the end of the aspect, and those from its start on, both [B, W].

    Both hold the aspect itself. Without an aspect both are empty.
    """
    inside = words.in_aspect.long()
    seen = inside.cumsum(1)  # [B, W] aspect words up to here
    until = words.mask & (seen - inside < seen[:, -1:])
    since = words.mask & (seen > 0)
    return until, since
