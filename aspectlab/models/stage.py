"""STAGE: span tagging and greedy inference, in its three-dimensional form (Liang et al., AAAI 2023).

Idea: every run of words is tagged at once as aspect or not, opinion or not, and snippet of a polarity or not;
triplets are then read off the snippets, each of which has an aspect at one end and an opinion at the other.
Unlike the released code: the loss is the sum over the spans of a text divided by the number of texts,
gradients are clipped, the rate falls linearly, and an exponential moving average of the weights is kept. The
learning rate of the encoder suits MiniLM; the authors' BERT-base took 2e-5. The encoder is any encoder.
Two triplets with the same outer words share one polarity: a limit of the scheme. Terms that do not stand in
the text cannot be found, nor learnt from.
"""

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, linear

from aspectlab.encoders import Encoder
from aspectlab.encodings import ASPECT_BIT, N_SPAN_CLASSES, OPINION_BIT, Batch, SpanBatch, SpanEncoding
from aspectlab.models import (
    Dropout,
    Elements,
    Model,
    Plan,
    Published,
    Seen,
    Size,
    Weight,
    pick_gold,
    unscheduled_plan,
    weighted_mean,
)
from aspectlab.nn import count_words, mean_words


class STAGE(Model):
    """Tag every span of words with one of sixteen classes."""

    task = "aste"
    watched = ("classify",)
    plan = Plan(
        epochs=30,
        batch_size=16,
        learning_rate=1e-3,
        encoder_learning_rate=1e-4,
        weight_decay=0.0,
        average=0.99,
        patience=10,
    )
    published = Published(
        encoder="bert-base-uncased",
        plan=unscheduled_plan(
            epochs=100, batch_size=16, learning_rate=1e-3, encoder_learning_rate=2e-5, weight_decay=0.0
        ),
        source="the released code",
    )

    def __init__(
        self,
        encoder: Encoder,
        n_labels: int,
        *,
        hidden: Size = 200,
        dropout: Dropout = 0.5,
        snippet: Weight = 2.0,
    ) -> None:
        super().__init__(encoder)
        self.encoding = SpanEncoding(encoder.vocabulary)
        self.reduce = nn.Linear(encoder.width, hidden)
        self.drop = nn.Dropout(dropout)
        self.classify = nn.Linear(3 * hidden, N_SPAN_CLASSES)
        # a class whose last two bits are set says that the span is a snippet
        weights = [snippet if kind % 4 else 1.0 for kind in range(N_SPAN_CLASSES)]
        self.weights: Tensor
        self.register_buffer("weights", torch.tensor(weights), persistent=False)

    def forward(self, batch: SpanBatch[Tensor], room: int | None = None) -> Tensor:
        """Return the scores of every span, [B, W, W, C]; invalid cells put all mass on class 0.

        `room` is W; without it there is room for as many words as tokens.
        """
        words, mask = mean_words(self.reduce(self.encoder(batch)), batch.words)  # [B, W, D], [B, W]
        words, mask = words[:, :room], mask[:, :room]
        scores = self._score_spans(words) if self.training else self._score_ends(words)
        return torch.where(is_span(mask)[..., None], scores, _nothing(scores))

    def answer(self, batch: Batch[Tensor]) -> Tensor:
        """Return the scores of the spans that there are."""
        scores = self(batch, count_words(batch.words))
        assert isinstance(scores, Tensor)
        return scores

    def _score_spans(self, words: Tensor) -> Tensor:
        """Classify the vector of every span: its first word, its last word and the sum of all its words."""
        before = _sum_before(words)  # [B, W, D]
        inside = before[:, None, :] - before[:, :, None] + words[:, :, None]  # [B, W, W, D] sum of i to j
        ends = words[:, :, None].expand_as(inside), words[:, None, :].expand_as(inside)
        scores = self.classify(self.drop(torch.cat([*ends, inside], -1)))  # [B, W, W, C]
        assert isinstance(scores, Tensor)
        return scores

    def _score_ends(self, words: Tensor) -> Tensor:
        """Return the same scores without the vectors: with no dropout they are linear in the two ends."""
        with torch.autocast(words.device.type, enabled=False):  # sums over a long text need the digits
            words = words.float()
            before = _sum_before(words)  # [B, W, D]
            first, last, total = self.classify.weight.float().chunk(3, 1)  # each [C, D]
            starts = linear(words, first + total) - linear(before, total)  # [B, W, C]
            stops = linear(words, last) + linear(before, total, self.classify.bias.float())  # [B, W, C]
            return starts[:, :, None] + stops[:, None, :]

    def loss(self, scores: Tensor, batch: SpanBatch[Tensor]) -> Tensor:
        """Sum the cross-entropy over the spans of a text, and average over the texts that count."""
        _, mask = mean_words(batch.mask[..., None].to(scores.dtype), batch.words)
        flat = scores.float().flatten(0, 2), batch.labels.long().flatten()
        losses = cross_entropy(*flat, weight=self.weights, reduction="none").view(batch.labels.shape)
        return weighted_mean((losses * is_span(mask)).sum((1, 2)), batch)

    def elements(self, scores: Tensor, seen: Seen, batch: SpanBatch[Tensor]) -> Elements:
        """Represent terms by the vectors of spans, sentiments by those of snippets; each counts once."""
        spans = seen["classify"][0]  # [B, W, W, 3D]
        _, mask = mean_words(batch.mask[..., None].to(spans.dtype), batch.words)
        counted = is_span(mask) & (batch.weight > 0)[:, None, None]
        aspects, opinions, snippets = (
            pick_gold(spans, counted & (batch.labels & bits > 0), counted, batch)
            for bits in (ASPECT_BIT, OPINION_BIT, OPINION_BIT - 1)
        )
        return Elements(aspects, opinions, snippets)


def _sum_before(words: Tensor) -> Tensor:
    """Sum the words up to each one, itself included, [B, W, D] -> [B, W, D]."""
    size = words.shape[1]
    return torch.tril(torch.ones(size, size, device=words.device, dtype=words.dtype)) @ words


def is_span(mask: Tensor) -> Tensor:
    """Return which cells are runs of words: the upper triangle within the text, [B, W] -> [B, W, W]."""
    return torch.triu(mask[:, :, None] & mask[:, None, :])


def _nothing(scores: Tensor) -> Tensor:
    """Return scores that put all mass on class 0."""
    return torch.full_like(scores, -1e4).index_fill(
        -1, torch.zeros(1, dtype=torch.long, device=scores.device), 0.0
    )
