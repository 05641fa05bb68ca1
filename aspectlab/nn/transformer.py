"""A transformer layer over words, normalised after each part."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn

from aspectlab.nn.decoder import HIDDEN, Attention


class EncoderLayer(nn.Module):
    """Attend to every word of the text, then two linear layers; each part is added and normalised."""

    def __init__(
        self,
        width: int,
        heads: int,
        *,
        inner: int,
        dropout: float,
        activation: Callable[[Tensor], Tensor],
    ) -> None:
        super().__init__()
        self.attention = Attention(width, heads)
        self.inner, self.outer = nn.Linear(width, inner), nn.Linear(inner, width)
        self.activation = activation
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(2))
        self.drop = nn.Dropout(dropout)

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        """Transform the states, [B, W, H] and [B, W] -> [B, W, H]."""
        found = self.attention(states, self.attention.know(states), hide_padding(mask))
        states = self.norms[0](states + self.drop(found))
        changed = self.outer(self.drop(self.activation(self.inner(states))))
        answer = self.norms[1](states + self.drop(changed))
        assert isinstance(answer, Tensor)
        return answer


def hide_padding(mask: Tensor) -> Tensor:
    """Give what is added to the scores of an attention, so that padding draws none, [B, K] -> [B, 1, 1, K].

    >>> hide_padding(torch.tensor([[True, False]])).flatten().tolist()
    [0.0, -10000.0]
    """
    # finite, so that a text without words gives numbers too
    return torch.where(mask, 0.0, HIDDEN)[:, None, None]


def fitting_heads(width: int, wanted: int) -> int:
    """Give the largest number of heads, at most the one wanted, that divides a width.

    >>> fitting_heads(384, 12), fitting_heads(50, 12)
    (12, 10)
    """
    return next(heads for heads in range(min(wanted, width), 0, -1) if width % heads == 0)
