"""Category multi-label: our own baseline, every category of a text judged at once.

Idea: each category has a query that attends over the words of the text, and a classifier of its own for what
it gathers: absent, or a set of polarities. One pass reads a text, however many categories there are.
A category counts as there if `threshold` or more of the probability is not on `absent`.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from aspectlab.encodings.multilabel import MultilabelBatch, MultilabelEncoding
from aspectlab.encodings.verdicts import ABSENT, Verdicts
from aspectlab.models.categorymodel import CategoryModel
from aspectlab.models.plan import Plan
from aspectlab.nn import masked_softmax
from aspectlab.nn.entropy import cross_entropies
from aspectlab.nn.tagging import mean_where

_PRIOR = 2.0


class CategoryMultilabel(CategoryModel):
    """Judge all categories from one reading of the text."""

    plan = Plan(
        epochs=20, batch_size=32, learning_rate=1e-3, encoder_learning_rate=1e-4, average=0.99, patience=6
    )

    def lay_out(self, verdicts: Verdicts) -> None:
        """Give every category its query and its classifier."""
        self.encoding = MultilabelEncoding(self.encoder.vocabulary, verdicts)
        width, shape = self.encoder.width, (len(verdicts.categories), len(verdicts.classes))
        # small queries: attention is almost even to begin with
        self.queries = nn.Parameter(torch.randn(shape[0], width) / width)  # [K, H]
        self.weights = nn.Parameter(torch.randn(shape[0], width, shape[1]) / width**0.5)  # [K, H, C]
        # most categories are absent from most texts: a model that has to learn that first names them all
        prior = [_PRIOR * (name == ABSENT) for name in verdicts.classes]
        self.bias = nn.Parameter(torch.tensor([prior] * shape[0]))  # [K, C]

    def forward(self, batch: MultilabelBatch[Tensor]) -> Tensor:
        """Give the scores of every category's classes, [B, K, C]."""
        states = self.encoder(batch)  # [B, T, H]
        fits = torch.einsum("bth,kh->bkt", states, self.queries.to(states.dtype))
        weights = masked_softmax(fits, batch.mask[:, None])  # [B, K, T]
        gathered = self.drop(weights.to(states.dtype) @ states)  # [B, K, H]
        return torch.einsum("bkh,khc->bkc", gathered, self.weights.to(states.dtype)) + self.bias

    def loss(self, scores: Tensor, batch: MultilabelBatch[Tensor]) -> Tensor:
        """Average the cross-entropy over texts and categories."""
        losses = cross_entropies(scores, batch.labels.clamp(min=0))  # [B, K]
        judged = (batch.labels >= 0) & (batch.weight > 0)[:, None]
        return mean_where(losses, judged)
