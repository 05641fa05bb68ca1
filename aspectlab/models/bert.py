"""BERT: a sentence pair classified from the pooled first state (Xu et al., NAACL 2019).

Idea: `[CLS] aspect [SEP] sentence [SEP]`, pooled by the pre-trained pooler, one linear layer.
BERT-PT (`bert-pt`) is the same on an encoder that was post-trained on reviews, as `aspectlab posttrain` does;
it is refused on one that was not. The authors also trained theirs on answers to questions.
Unlike the released code: the pooler is trained with the rest, the learning-rate schedule is applied once, and
the checkpoint is chosen by dev accuracy instead of dev loss. The encoder is any encoder.
"""

from dataclasses import replace
from typing import ClassVar

from torch import Tensor, nn

from aspectlab.encoders import Encoder
from aspectlab.encodings import Layout, PairBatch
from aspectlab.models import Dropout, Model, Plan, Published


class BERT(Model):
    """Classify `[CLS] aspect [SEP] sentence [SEP]`."""

    layout: ClassVar[Layout] = "aspect-sentence"
    plan = Plan(epochs=10, batch_size=32, learning_rate=1e-4)
    published: ClassVar[Published] = Published(
        encoder="bert-base-uncased",
        plan=Plan(epochs=4, batch_size=32, learning_rate=3e-5),
        source="the released code",
        unlike="the epoch was chosen by dev loss",
    )

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


class BERTPT(BERT):
    """BERT on an encoder that was post-trained."""

    needs_posttraining = True
    published = replace(
        BERT.published,
        encoder="bert-base-uncased, post-trained on reviews and on answers to questions",
    )
