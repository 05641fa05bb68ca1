"""BMRC: bidirectional machine reading comprehension (Chen et al., AAAI 2021).

Idea: triplets are found by asking. Which aspects are there, and which opinions has each of them; which
opinions are there, and which aspects has each of those; last, what is the sentiment towards an aspect with
its opinions. A pair of terms is kept if both directions find it, or one of them is sure enough.
Unlike the released code: words may have several sub-words, whose states are averaged, where the authors took
a word outside the vocabulary for an unknown one; both directions must agree on the places of the terms, not
only on their words; the loss is summed over the words of a question and averaged over the questions of a
batch, which holds questions of many texts; a running mean of the weights is kept. The learning rate of the
encoder suits MiniLM; the authors' BERT-base took 1e-5. The encoder is any encoder.
A term of more than five words cannot be found, of two terms that overlap one answer gives only one, and an
aspect has one polarity: limits of the scheme. One answer gives at most 24 terms. Terms that do not stand in
the text cannot be found, nor learnt from.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from aspectlab.encoders import Encoder
from aspectlab.encodings.bimrc import BiEncoding
from aspectlab.encodings.mrc import QuestionBatch
from aspectlab.models.model import Model, weighted_mean
from aspectlab.models.plan import Plan
from aspectlab.nn import mean_words


class BMRC(Model):
    """Mark where the answers to five questions begin and end."""

    task = "aste"
    # a batch holds questions, of which a text has about seven
    plan = Plan(
        epochs=30,
        batch_size=32,
        learning_rate=1e-3,
        encoder_learning_rate=1e-4,
        average=0.99,
        patience=10,
    )

    def __init__(self, encoder: Encoder, n_labels: int, *, beta: float = 0.8, marked: float = 3.0) -> None:
        super().__init__(encoder)
        self.encoding = BiEncoding(encoder.vocabulary, beta)
        self.start = nn.Linear(encoder.width, 2)
        self.end = nn.Linear(encoder.width, 2)
        self.sentiment = nn.Linear(encoder.width, 3)
        # most words are neither first nor last of anything
        self.weights: Tensor
        self.register_buffer("weights", torch.tensor([1.0, marked]), persistent=False)

    def forward(self, batch: QuestionBatch[Tensor]) -> Tensor:
        """Give two scores for a start and two for an end at each word, and three of the sentiment, [B, W, 7].

        Those of the sentiment are the same at every word.
        """
        states = self.encoder(batch)  # [B, T, H]
        words, _ = mean_words(states, batch.words)  # [B, W, H]
        sentiment = self.sentiment(states[:, 0])[:, None].expand(-1, words.shape[1], -1)  # [B, W, 3]
        return torch.cat([self.start(words), self.end(words), sentiment], -1)

    def loss(self, scores: Tensor, batch: QuestionBatch[Tensor]) -> Tensor:
        """Sum the cross-entropy over the words of a question, or take that of its sentiment, and average."""
        asked = batch.labels[:, 0, 2].long()  # [B] 0 for a question that is answered by marks
        _, mask = mean_words(batch.mask[..., None].to(scores.dtype), batch.words)
        flat = scores[..., :4].float().reshape(-1, 2), batch.labels[..., :2].long().flatten()
        marks = cross_entropy(*flat, weight=self.weights, reduction="none").view(*mask.shape, 2)
        marking = (marks.mean(-1) * mask).sum(1)  # [B]
        feeling = cross_entropy(scores[:, 0, 4:].float(), (asked - 1).clamp(min=0), reduction="none")  # [B]
        return weighted_mean(torch.where(asked > 0, feeling, marking), batch)
