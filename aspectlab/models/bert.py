"""BERT: a sentence pair classified from the pooled first state (Xu et al., NAACL 2019).

Idea: `[CLS] aspect [SEP] sentence [SEP]`, pooled by the pre-trained pooler, one linear layer.
The same class is BERT-PT when the encoder is one that `aspectlab posttrain` has made: models that differ by
the encoder are one class.
Unlike the released code: the pooler is trained with the rest, the learning-rate schedule is applied once, and
the checkpoint is chosen by dev accuracy instead of dev loss. The encoder is any encoder.
"""

from typing import ClassVar

from torch import Tensor, nn

from aspectlab.encoders import Encoder
from aspectlab.encodings import Layout, PairBatch
from aspectlab.models import Dropout, Model, Plan


class BERT(Model):
    """Classify `[CLS] aspect [SEP] sentence [SEP]`."""

    layout: ClassVar[Layout] = "aspect-sentence"
    plan = Plan(epochs=10, batch_size=32, learning_rate=1e-4)

    def __init__(self, encoder: Encoder, n_labels: int, *, dropout: Dropout = 0.1) -> None:
        super().__init__(encoder)
        self.drop = nn.Dropout(dropout)
        self.classify = nn.Linear(encoder.width, n_labels)

    def forward(self, batch: PairBatch[Tensor]) -> Tensor:
        """Return the class scores, [B, C]."""
        states = self.encoder(batch)  # [B, T, H]
        pooled = self.encoder.pool(states)  # [B, H]
        scores = self.classify(self.drop(pooled))
        assert isinstance(scores, Tensor)
        return scores
