"""MGAN: Multi-grained Attention Network (Fan et al., EMNLP 2018); MGATN in the comparison study.

Idea: context and aspect, read by a BiLSTM each, look at each other twice: by their means (coarse) and word by
word (fine). Two aspects of one sentence with different labels should attend to different words: an alignment
loss pushes their coarse attention apart.
Settings of the paper as far as they are known: 300 wide, alignment weight 0.5, dropout 0.5, L2 1e-5, Adam at
1e-3; batches of 64 are the advice of the ABSA-PyTorch maintainers.
Unlike the paper: any encoder may stand in for GloVe, word vectors stay frozen, a transformer learns at 1e-4;
dropout is on the word vectors and on the joined answers (where the paper has it is not known); the alignment
loss sees the pairs that meet in a batch, and both losses are divided by the number of items; an aspect is
read up to 24 words; an unknown word is a zero vector; gradients are clipped.
`faithful_quirk` gives the network of ABSA-PyTorch, which the comparison study ran: no alignment loss; aspect
words are attended to by their best score over all context words instead of by each context word in turn; and
aspect words have location weight 0. Its dropout option does nothing there: give `dropout=0`. Two of its
traits are left out, for they make a prediction depend on the batch: the location divisor is the sentence's
own length, not the longest in the batch, and padding gets no attention.
"""

from typing import ClassVar, NamedTuple

import torch
from torch import Tensor, nn

from aspectlab.encoders import Encoder
from aspectlab.encodings import Layout, PairBatch
from aspectlab.models import Dropout, Model, Plan, Published, Size, Weight, unscheduled_plan
from aspectlab.nn import (
    BiLSTM,
    Trilinear,
    Words,
    aspect_distance,
    dot_scores,
    gather_aspect,
    masked_max,
    masked_mean,
    masked_softmax,
    pool_words,
    weighted_sum,
)

_ROOM = 24
"""Words of an aspect that are read: the longest one of the published English sets has 21."""


class _Reading(NamedTuple):
    """What a batch came to; the alignment loss needs more of it than the scores."""

    scores: Tensor  # [B, C]
    attention: Tensor  # [B, W] from the aspect's mean to the context
    aspect: Tensor  # [B, 2D] the mean of the aspect's states


class MGAN(Model):
    """Classify from coarse and fine attention in both directions."""

    layout: ClassVar[Layout] = "sentence"
    default_encoder = "vectors:glove50"
    plan = Plan(
        optimizer="adam",
        schedule="constant",
        warmup=0.0,
        epochs=30,
        batch_size=64,
        learning_rate=1e-3,
        encoder_learning_rate=1e-4,
        weight_decay=1e-5,
    )
    published = Published(
        encoder="glove.840B.300d",
        plan=unscheduled_plan(
            epochs=30,
            batch_size=64,
            learning_rate=1e-3,
            encoder_learning_rate=0.0,
            weight_decay=1e-5,
            optimizer="adam",
        ),
        source="the paper",
        unlike="the number of epochs and the batch size are not known, and dropout and penalty not surely",
    )

    def __init__(
        self,
        encoder: Encoder,
        n_labels: int,
        *,
        hidden: Size = 300,
        dropout: Dropout = 0.5,
        alignment: Weight = 0.5,
        faithful_quirk: bool = False,
    ) -> None:
        super().__init__(encoder)
        self.alignment, self.faithful_quirk = alignment, faithful_quirk
        self.drop = nn.Dropout(dropout)
        self.read_context = BiLSTM(encoder.width, hidden)
        self.read_aspect = BiLSTM(encoder.width, hidden)
        self.ask_context = nn.Linear(2 * hidden, 2 * hidden, bias=False)
        self.ask_aspect = nn.Linear(2 * hidden, 2 * hidden, bias=False)
        self.compare = Trilinear(2 * hidden)
        self.classify = nn.Linear(8 * hidden, n_labels)
        # without the loss it would be a weight that nothing trains
        self.tell_apart = Trilinear(2 * hidden) if alignment and not faithful_quirk else None
        self._latest: _Reading | None = None

    def forward(self, batch: PairBatch[Tensor]) -> Tensor:
        """Return the class scores, [B, C]."""
        reading = self._read(batch)
        # a step asks for the loss next; keeping the attention until then saves a second pass
        self._latest = reading if self.training and torch.is_grad_enabled() else None
        return reading.scores

    def loss(self, scores: Tensor, batch: PairBatch[Tensor]) -> Tensor:
        """Add the alignment loss, which is negative, to the cross-entropy."""
        reading, self._latest = self._latest, None
        entropy = super().loss(scores, batch)
        if self.tell_apart is None:
            return entropy
        if reading is None or reading.scores is not scores:
            reading = self._read(batch)  # these scores are not those of the latest pass
        aspects = reading.aspect[None]  # [1, B, 2D]
        closeness = torch.sigmoid(self.tell_apart(aspects, aspects)[0].float())  # [B, B]
        return entropy + self.alignment * alignment_loss(reading.attention.float(), closeness, batch)

    def _read(self, batch: PairBatch[Tensor]) -> _Reading:
        words = pool_words(self.drop(self.encoder(batch)), batch)  # states [B, N, H]
        context = self.read_context(words.states, words.mask) * self._location(words)[..., None]  # [B, N, 2D]
        aspect_words, aspect_mask = gather_aspect(words, min(words.mask.shape[1], _ROOM))  # [B, M, H], [B, M]
        aspect = self.read_aspect(aspect_words, aspect_mask)  # [B, M, 2D]
        question = masked_mean(aspect, aspect_mask)  # [B, 2D]
        coarse = masked_softmax(dot_scores(context, self.ask_context(question)), words.mask)  # [B, N]
        reply = self.ask_aspect(masked_mean(context, words.mask))  # [B, 2D]
        pairs = self.compare(context, aspect)  # [B, N, M]
        answers = [
            weighted_sum(coarse, context),
            weighted_sum(masked_softmax(dot_scores(aspect, reply), aspect_mask), aspect),
            weighted_sum(masked_softmax(_best(pairs, aspect_mask), words.mask), context),
            weighted_sum(self._fine_aspect(pairs, words.mask, aspect_mask), aspect),
        ]
        scores = self.classify(self.drop(torch.cat(answers, -1)))
        return _Reading(scores, coarse, question)

    def _location(self, words: Words) -> Tensor:
        """Weigh words by their distance to the aspect, [B, N]; all by zero where there is no aspect."""
        around = (words.mask & ~words.in_aspect).sum(1, keepdim=True)  # [B, 1]
        if self.faithful_quirk:
            weights = 1 - aspect_distance(words) / around.clamp(min=1)
            return (weights * ~words.in_aspect).clamp(min=0)
        return (1 - aspect_distance(words) / (around + 1)).clamp(min=0)

    def _fine_aspect(self, pairs: Tensor, mask: Tensor, aspect_mask: Tensor) -> Tensor:
        """Weigh aspect words by what context words see in them, [B, N, M] -> [B, M]."""
        if self.faithful_quirk:
            return masked_softmax(masked_max(pairs, mask), aspect_mask)
        # every context word shares out its attention; the mean of the sums is the sum by the mean share
        return masked_mean(masked_softmax(pairs, aspect_mask[:, None]), mask)


def _best(pairs: Tensor, aspect_mask: Tensor) -> Tensor:
    """Score each context word by the aspect word that fits it best, [B, N, M] -> [B, N]."""
    return masked_max(pairs.transpose(1, 2), aspect_mask)


def alignment_loss(attention: Tensor, closeness: Tensor, batch: PairBatch[Tensor]) -> Tensor:
    """Reward aspects of one sentence with different labels for attending apart, [B, N] and [B, B] -> [].

    A pair gives minus its closeness times the squared distance of its attentions. The sum is divided by the
    number of items, as the cross-entropy is. Filling items, which have weight 0, are in no pair.
    """
    distance = (attention[:, None] - attention[None]).square().sum(2)  # [B, B]
    rival = (batch.group[:, None] == batch.group[None]) & (batch.labels[:, None] != batch.labels[None])
    counted = batch.weight[:, None] * batch.weight[None]  # [B, B]
    pairs = (rival * counted).triu(1)
    return -(pairs * closeness * distance).sum() / batch.weight.sum().clamp(min=1)
