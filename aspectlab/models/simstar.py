"""SimSTAR: segment tagging with dual extractors (Li et al., SIGIR 2023).

Idea: one vector for every pair of words, also of how far apart they are, answers five questions by two
heads: do the words from one to the other make an aspect, an opinion; and does an aspect that starts at the
one belong to an opinion that starts at the other, with each of the polarities? Each is a yes or no of its own
under a focal loss, and counts from 0.4 (terms) or 0.45 (polarities) on.
Unlike the released code: the terms of a polarity are the most probable aspect and opinion that start where it
says, and are scored exactly (the code only looks at starts: the metric `simstar-lenient` counts like it);
cells are pairs of words, not of sub-tokens; the loss of a text is divided by its own number of words instead
of the padded one; chances are not clamped; the last layers start at low chances, so that an untrained
model finds little; gradients are clipped, the rate falls linearly within 30 epochs instead of staying at 1e-5
for 150, and an exponential moving average of the weights is kept. The rate of the encoder suits MiniLM. No
token is added to the vocabulary.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import logsigmoid

from aspectlab.encoders import Encoder
from aspectlab.encodings import (
    Batch,
    Cell,
    Cells,
    GridBatch,
    GridEncoding,
    ScoredTriplet,
    Scores,
    WordTriplet,
)
from aspectlab.models import (
    Dropout,
    Elements,
    Model,
    Plan,
    Published,
    Seen,
    Share,
    Size,
    Weight,
    pick_cells,
    sample_spans,
    unscheduled_plan,
    weighted_mean,
)
from aspectlab.nn import PairLinear, count_words, mean_words, pair_mask, unpack_bits

ASPECT, OPINION, LINK = 0, 1, 2
"""The bit of each question; that of the first polarity is LINK."""

QUESTIONS = 5


@dataclass(frozen=True, slots=True)
class StarCodec:
    """Mark spans and links, and read links off whose two ends start a term.

    A cell answers five questions at once, each by a bit: are the words from the row to the column an aspect,
    are they an opinion, and is an aspect that starts at the row linked to an opinion that starts at the
    column by each of the polarities?
    """

    aspect: float = 0.4  # how probable a span must be
    opinion: float = 0.4
    link: float = 0.45

    def paint(self, triplets: Sequence[WordTriplet]) -> Cells:
        """Mark the spans and the link of every triplet.

        >>> StarCodec().paint([WordTriplet((1, 2), (0, 0), 2)])
        {(1, 2): 1, (0, 0): 2, (1, 0): 16}
        """
        cells: Cells = {}
        for aspect, opinion, polarity in triplets:
            pair: Cell = aspect[0], opinion[0]
            for cell, question in (aspect, ASPECT), (opinion, OPINION), (pair, LINK + polarity):
                cells[cell] = cells.get(cell, 0) | 1 << question
        return cells

    def read(self, scores: Scores, count: int) -> Iterator[ScoredTriplet]:
        """Yield each link with the most probable aspect and opinion that start at its ends, [T, T, 5]."""
        # the logistic function, in a form that no score makes overflow
        chances = np.exp(-np.logaddexp(0, -scores[:count, :count]))  # [count, count, 5]
        aspects = _best_ends(chances[..., ASPECT], self.aspect)
        opinions = _best_ends(chances[..., OPINION], self.opinion)
        links = chances[..., LINK:]  # [count, count, 3]
        for row, column, polarity in np.argwhere(links > self.link).tolist():
            if row in aspects and column in opinions:
                spans = (row, aspects[row]), (column, opinions[column])
                yield ScoredTriplet(WordTriplet(*spans, polarity), links[row, column].tolist())


def _best_ends(chances: Scores, least: float) -> dict[int, int]:
    """Find the last word of the most probable span from each word on; of equals, the shortest, [W, W]."""
    # below the diagonal a span would end before it starts
    upper = np.triu(chances)
    return {row: int(upper[row].argmax()) for row in np.flatnonzero((upper > least).any(1)).tolist()}


class SimSTAR(Model):
    """Answer five questions about every pair of words."""

    task = "aste"
    watched = ("terms.3", "links.3")
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
        plan=unscheduled_plan(epochs=150, batch_size=4, learning_rate=1e-5, weight_decay=0.0),
        source="the released code",
    )

    def __init__(
        self,
        encoder: Encoder,
        n_labels: int,
        *,
        hidden: Size = 500,
        distance_width: Size = 30,
        reach: Size = 100,
        dropout: Dropout = 0.1,
        alpha: Share = 0.25,
        gamma: Weight = 2.0,
        aspect_threshold: Share = 0.4,
        opinion_threshold: Share = 0.4,
        link_threshold: Share = 0.45,
    ) -> None:
        super().__init__(encoder)
        codec = StarCodec(aspect_threshold, opinion_threshold, link_threshold)
        self.encoding = GridEncoding(encoder.vocabulary, codec)
        self.reach, self.alpha, self.gamma = reach, alpha, gamma
        self.distances = nn.Embedding(2 * reach, distance_width)
        self.join = PairLinear(encoder.width, hidden, [distance_width])
        self.terms = _head(hidden, LINK, dropout)
        self.links = _head(hidden, QUESTIONS - LINK, dropout)

    def forward(self, batch: GridBatch[Tensor], room: int | None = None) -> Tensor:
        """Return the scores of the five questions for every pair, [B, W, W, 5].

        `room` is W; without it there is room for as many words as tokens.
        """
        words, _ = mean_words(self.encoder(batch), batch.words)
        words = words[:, :room]  # [B, W, H]
        position = torch.arange(words.shape[1], device=words.device)
        apart = (position - position[:, None]).clamp(-self.reach, self.reach - 1) + self.reach  # [W, W]
        pairs = self.join(words, self.distances(apart))  # [B, W, W, N]
        return torch.cat([self.terms(pairs).float(), self.links(pairs).float()], -1)

    def answer(self, batch: Batch[Tensor]) -> Tensor:
        """Return the scores of the pairs that there are."""
        scores = self(batch, count_words(batch.words))
        assert isinstance(scores, Tensor)
        return scores

    def loss(self, scores: Tensor, batch: GridBatch[Tensor]) -> Tensor:
        """Sum the focal losses of a text, divided by its words; terms lie in the upper triangle only."""
        losses = self.focal_loss(scores.float(), unpack_bits(batch.labels, QUESTIONS))  # [B, W, W, 5]
        cells = pair_mask(batch.words)  # [B, W, W]
        terms, links = losses.split([LINK, QUESTIONS - LINK], -1)
        total = terms.sum(-1) * torch.triu(cells) + links.sum(-1) * cells
        words = cells.diagonal(dim1=1, dim2=2).sum(1)  # [B]
        return weighted_mean(total.sum((1, 2)) / words.clamp(min=1), batch)

    def elements(self, scores: Tensor, seen: Seen, batch: GridBatch[Tensor]) -> Elements:
        """Represent terms by cells of spans, sentiments by those of first words, before the last layers."""
        terms, links, spans = seen["terms.3"][0], seen["links.3"][0], sample_spans(batch)
        return spans.elements(
            pick_cells(terms, *spans.aspects.unbind(-1)),
            pick_cells(terms, *spans.opinions.unbind(-1)),
            pick_cells(links, spans.partners[..., 0], spans.opinions[..., 0]),
        )

    def focal_loss(self, scores: Tensor, answers: Tensor) -> Tensor:
        """Return the focal loss: cross-entropy, damped where the answer is nearly right, [...] -> [...]."""
        chance = scores.sigmoid()
        yes = self.alpha * (1 - chance) ** self.gamma * answers * logsigmoid(scores)
        no = (1 - self.alpha) * chance**self.gamma * (1 - answers) * logsigmoid(-scores)
        return -yes - no


def _head(width: int, count: int, dropout: float) -> nn.Sequential:
    last = nn.Linear(width, count)
    nn.init.constant_(last.bias, _SELDOM)
    return nn.Sequential(nn.LayerNorm(width), nn.Dropout(dropout), nn.ELU(), last)


_SELDOM = -2.0
"""The first score of every answer, a chance of 0.12."""
