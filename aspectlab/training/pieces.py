"""The part of STAGE that an engine runs: from tokens to what each of them adds to the scores of spans."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from aspectlab.encoders import Encoder
from aspectlab.encodings.spans import CLASSES
from aspectlab.models.stage import STAGE
from aspectlab.nn import masked_mean
from aspectlab.runtime.spanscores import PIECES


class EncoderInput(NamedTuple):
    """What an encoder reads."""

    tokens: Tensor
    segments: Tensor
    mask: Tensor


class TokenPieces(nn.Module):
    """An encoder with one layer on top that gives the pieces of span scores, and a vector."""

    def __init__(self, encoder: Encoder) -> None:
        super().__init__()
        self.encoder = encoder
        self.head = nn.Linear(encoder.width, PIECES)

    def forward(self, tokens: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Give the pieces of each token, [B, T, 48], and the mean state of each text, [B, H]."""
        states = self.encoder(EncoderInput(tokens, torch.zeros_like(tokens), mask))  # [B, T, H]
        return self.head(states), masked_mean(states, mask)


@torch.no_grad()
def take_pieces(model: STAGE) -> TokenPieces:
    """Take a model apart.

    Between encoder and scores STAGE is linear. So its two layers are one, and what they say of a span is what
    they say of its first word, its last word and the words in it, each alone; `span_scores` adds that up.
    """
    taken = TokenPieces(model.encoder)
    parts = model.classify.weight.view(CLASSES, 3, -1).transpose(0, 1).flatten(0, 1)  # [48, D]
    taken.head.weight.copy_(parts @ model.reduce.weight)
    taken.head.bias.copy_(parts @ model.reduce.bias)
    taken.head.bias[CLASSES : 2 * CLASSES] += model.classify.bias  # once a span: with its last word
    return taken.eval()
