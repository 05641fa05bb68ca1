"""Marked: our own baseline, the target enclosed in the sentence and repeated behind it.

Idea: `[CLS] left @ target # right [SEP] target [SEP]`, classified from the mean state of the target at both
its places. The marks tell apart two places of one term, which a bare sentence pair cannot.
Chosen on the dev sets of Restaurants, five splits with one seed: the mean of the target alone did better than
that of the whole sequence or both together, and an exponential moving average of the weights better than the
weights alone. With MPNet, `consistency=1.0` (two passes through other dropout that must agree, after Liang et
al., NeurIPS 2021) did better on the dev sets of Restaurants, Laptops and MAMS; with MiniLM on Laptops it did
not matter.
"""

from typing import ClassVar

from torch import Tensor, nn

from aspectlab.encoders import Encoder
from aspectlab.encodings import Layout, PairBatch
from aspectlab.models import Dropout, Model, Plan, Weight, classification_loss, weighted_mean
from aspectlab.nn import masked_mean


class Marked(Model):
    """Classify the mean state of a marked and repeated target."""

    layout: ClassVar[Layout] = "marked"
    plan = Plan(epochs=10, batch_size=32, learning_rate=1e-4, average=0.99)

    def __init__(
        self, encoder: Encoder, n_labels: int, *, dropout: Dropout = 0.1, consistency: Weight = 0.0
    ) -> None:
        super().__init__(encoder)
        self.consistency = consistency
        self.drop = nn.Dropout(dropout)
        self.classify = nn.Linear(encoder.width, n_labels)

    def forward(self, batch: PairBatch[Tensor]) -> Tensor:
        """Return the class scores, [B, C]."""
        states = self.encoder(batch)  # [B, T, H]
        target = masked_mean(states, batch.in_aspect | batch.in_second)  # [B, H]
        scores = self.classify(self.drop(target))
        assert isinstance(scores, Tensor)
        return scores

    def loss(self, scores: Tensor, batch: PairBatch[Tensor]) -> Tensor:
        """Average the cross-entropy; with `consistency`, of two passes that must also agree."""
        first = classification_loss(self, scores, batch)
        if not self.consistency:
            return first
        again = self(batch)  # [B, C], through other dropout
        second = classification_loss(self, again, batch)
        apart = weighted_mean(disagreement(scores.float(), again.float()), batch)
        return (first + second) / 2 + self.consistency * apart


def disagreement(one: Tensor, other: Tensor) -> Tensor:
    """Return the mean of the two Kullback-Leibler divergences between two rows of scores, [B, C] -> [B]."""
    p, q = one.log_softmax(-1), other.log_softmax(-1)  # [B, C]
    return ((p.exp() - q.exp()) * (p - q)).sum(-1) / 2
