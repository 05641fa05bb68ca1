"""Marked: our own baseline, the target enclosed in the sentence and repeated behind it.

Idea: `[CLS] left @ target # right [SEP] target [SEP]`; the mean of the whole sequence and that of the target
are joined and classified. The marks tell apart two places of one term, which a bare sentence pair cannot.
"""

from __future__ import annotations

from typing import ClassVar

import torch
from torch import Tensor, nn

from aspectlab.encoders import Encoder
from aspectlab.encodings import PairBatch
from aspectlab.encodings.pair import Layout
from aspectlab.models.model import Model
from aspectlab.models.plan import Plan
from aspectlab.nn import masked_mean


class Marked(Model):
    """Classify from the mean of all states beside that of the target."""

    layout: ClassVar[Layout] = "marked"
    plan = Plan(epochs=10, batch_size=32, learning_rate=1e-4)

    def __init__(self, encoder: Encoder, n_labels: int, *, dropout: float = 0.1) -> None:
        super().__init__(encoder)
        self.drop = nn.Dropout(dropout)
        self.classify = nn.Linear(2 * encoder.width, n_labels)

    def forward(self, batch: PairBatch[Tensor]) -> Tensor:
        """Give the class scores, [B, C]."""
        states = self.encoder(batch)  # [B, T, H]
        target = masked_mean(states, batch.in_aspect | batch.in_second)  # [B, H]
        whole = masked_mean(states, batch.mask)  # [B, H]
        scores = self.classify(self.drop(torch.cat([whole, target], -1)))
        assert isinstance(scores, Tensor)
        return scores
