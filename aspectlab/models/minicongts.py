"""MiniConGTS: a grid of five classes with a contrastive loss (Sun et al., EMNLP 2024).

Idea: the cell of the first words of aspect and opinion holds the polarity, the rest of the rectangle only
follows; triplets grow from the first cells. A second output asks only whether a cell holds anything, and a
third loss draws the words of one class together: none, aspect, opinion of each polarity.
Unlike the released code, whose head left MiniLM with a third of its mistakes in right terms wrongly paired: a
pair also has a vector for the distance of its words, up to `reach` words each way, and as many `hidden` units
as the encoder is wide. Both outputs have cross-entropy with weight 2 on what is no nothing; the authors also
damp it with (1 - p)^4, where p is the chance of the doubled loss, so that a cell is called something from a
true chance of 0.12 on, which costs precision. Theirs are `reach=0`, `hidden=100` (the length of their longest
text) and `gamma=4`.
Words that belong together are drawn together (the code has the sign the other way round:
`released_sign=True` does the same). Cells are pairs of words, not of sub-tokens, so that terms begin and end
with words; a term may hold punctuation, as some gold terms do; the first word is found and scored like any
other (the metric `minicongts-released` passes over it); a word sees itself; the norms are trained; the rate
falls linearly within 30 epochs instead of up to 2,000, and an exponential moving average of the weights is
kept. The rate of the encoder suits MiniLM; the authors' RoBERTa-base took 1e-5, the layer of pairs 1e-4.
Two terms that start at the same word lie on the diagonal, which is no pair: a limit of the scheme.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, gelu, normalize

from aspectlab.encoders import Encoder
from aspectlab.encodings import Batch, Cells, GridBatch, GridEncoding, ScoredTriplet, Scores, WordTriplet
from aspectlab.models import (
    Count,
    Elements,
    Model,
    Plan,
    Published,
    Seen,
    Size,
    Weight,
    mean_spans,
    pick_cells,
    sample_spans,
    unscheduled_plan,
    weighted_mean,
)
from aspectlab.nn import Lookup, PairLinear, count_words, mean_words, pair_mask

NOTHING, FOLLOWS, FIRST = 0, 1, 2
"""A cell of no triplet, one that goes on what stands before it, and the first one of the first polarity."""

CLASSES = 5

IN_ASPECT, IN_OPINION = 1, 2
"""The classes of words on the diagonal: of an aspect, and of an opinion of the first polarity."""


class GridTaggingCodec:
    """Tag the first cell of a triplet with its polarity, and the rest of its rectangle as following it.

    The diagonal stands for no pair of words; there the class of each word is kept, which a contrastive loss
    asks for: nothing, in an aspect, or in an opinion of one of the polarities.
    """

    def paint(self, triplets: Sequence[WordTriplet]) -> Cells:
        """Fill the rectangle of every triplet; where two meet, the later one stays.

        >>> cells = GridTaggingCodec().paint([WordTriplet((1, 2), (0, 0), 2)])
        >>> cells[1, 0], cells[2, 0], cells[0, 0], cells[2, 2]
        (4, 1, 4, 1)
        """
        cells: Cells = {}
        for (row, last_row), (column, last_column), polarity in triplets:
            rows, columns = range(row, last_row + 1), range(column, last_column + 1)
            cells |= {(r, c): FOLLOWS for r in rows for c in columns if r != c}
            if row != column:
                cells[row, column] = FIRST + polarity
            cells |= {(r, r): IN_ASPECT for r in rows} | {(c, c): IN_OPINION + polarity for c in columns}
        return cells

    def read(self, scores: Scores, count: int) -> Iterator[ScoredTriplet]:
        """Start at each cell with a polarity, go down, then to the right, [T, T, 5 or more]."""
        scores = scores[:count, :count, :CLASSES]
        best = scores.argmax(-1)  # [count, count]
        np.fill_diagonal(best, NOTHING)
        follows = best == FOLLOWS
        below, behind = _run_lengths(follows), _run_lengths(follows.T).T
        weights = np.exp(scores - scores.max(-1, keepdims=True))[..., FIRST:]
        for row, column in np.argwhere(best >= FIRST).tolist():
            last_row = row + int(below[row, column])
            last_column = column + int(behind[last_row, column])
            triplet = WordTriplet((row, last_row), (column, last_column), int(best[row, column]) - FIRST)
            yield ScoredTriplet(triplet, weights[row, column].tolist())


def _run_lengths(follows: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Count the cells right below each one that follow without a gap, [W, W].

    >>> _run_lengths(np.array([[False], [True], [True]])).tolist()
    [[2], [1], [0]]
    """
    lengths = np.zeros(follows.shape, np.int64)
    for row in range(len(follows) - 2, -1, -1):
        lengths[row] = np.where(follows[row + 1], lengths[row + 1] + 1, 0)
    return lengths


_DISTANCE_WIDTH = 32

_CELLS = 100
"""What sums over cells are divided by: one number for all texts, so that all cells count alike."""


class MiniConGTS(Model):
    """Classify every pair of words as one of five classes."""

    task = "aste"
    watched = ("join", "classify")
    plan = Plan(
        epochs=30, batch_size=16, learning_rate=1e-3, encoder_learning_rate=1e-4, average=0.99, patience=10
    )
    published = Published(
        encoder="roberta-base",
        plan=unscheduled_plan(epochs=2000, batch_size=32, learning_rate=1e-4, encoder_learning_rate=1e-5),
        source="the released code",
        settings={"reach": 0, "hidden": 100, "gamma": 4.0},
        unlike="classifiers learnt at 1e-3, rates fell now and then, and 2,000 epochs were the most",
    )

    def __init__(
        self,
        encoder: Encoder,
        n_labels: int,
        *,
        hidden: Size | None = None,
        reach: Count = 20,
        weight: Weight = 2.0,
        gamma: Weight = 0.0,
        contrast: Weight = 0.1,
        released_sign: bool = False,
    ) -> None:
        super().__init__(encoder)
        self.encoding = GridEncoding(encoder.vocabulary, GridTaggingCodec())
        self.reach, self.weight, self.gamma = reach, weight, gamma
        self.contrast = contrast if released_sign else -contrast
        size = hidden or encoder.width
        self.normalize = nn.LayerNorm(encoder.width)
        self.distance = Lookup(2 * reach + 1, _DISTANCE_WIDTH) if reach else None
        self.join = PairLinear(encoder.width, size, [_DISTANCE_WIDTH] if reach else [])
        self.normalize_pairs = nn.LayerNorm(size)
        self.classify = nn.Linear(size, CLASSES)
        self.detect = nn.Linear(size, 2)

    def forward(self, batch: GridBatch[Tensor], room: int | None = None) -> Tensor:
        """Score five classes, two of anything at all, and the likeness of the words, [B, W, W, 8].

        `room` is W; without it there is room for as many words as tokens.
        """
        words, _ = mean_words(self.encoder(batch), batch.words)
        words = self.normalize(words[:, :room])  # [B, W, H]
        pairs = gelu(self.normalize_pairs(self.join(words, *self._distances(words))))  # [B, W, W, N]
        unit = normalize(words.float(), dim=-1)
        likeness = unit @ unit.transpose(1, 2)  # [B, W, W]
        parts = self.classify(pairs), self.detect(pairs), likeness[..., None]
        return torch.cat([part.float() for part in parts], -1)

    def _distances(self, words: Tensor) -> list[Tensor]:
        """Look up how far the opinion's word is behind the aspect's, [B, W, H] -> [W, W, E]."""
        if self.distance is None:
            return []
        position = torch.arange(words.shape[1], device=words.device)
        away = (position - position[:, None]).clamp(-self.reach, self.reach)  # [W, W]
        return [self.distance(away + self.reach)]

    def answer(self, batch: Batch[Tensor]) -> Tensor:
        """Return the scores of the pairs that there are."""
        scores = self(batch, count_words(batch.words))
        assert isinstance(scores, Tensor)
        return scores

    def loss(self, scores: Tensor, batch: GridBatch[Tensor]) -> Tensor:
        """Add up the losses of both outputs and the contrast over all cells; average over the texts."""
        classes, found, likeness = scores.float().split([CLASSES, 2, 1], -1)
        cells = pair_mask(batch.words)  # [B, W, W]
        labels = batch.labels.long()
        kinds = labels.diagonal(dim1=1, dim2=2)  # [B, W] the class of each word
        alike = 2.0 * (kinds[:, :, None] == kinds[:, None, :]) - 1  # [B, W, W] 1 or -1
        focal = self._cell_losses(classes, labels) + self._cell_losses(found, (labels != NOTHING).long())
        contrast = torch.triu(alike * likeness[..., 0], 1)
        losses = (focal * ~_diagonal(cells) + self.contrast * contrast) * cells  # [B, W, W]
        return weighted_mean(losses.sum((1, 2)) / _CELLS, batch)

    def elements(self, scores: Tensor, seen: Seen, batch: GridBatch[Tensor]) -> Elements:
        """Represent a term by the mean of its words, a sentiment by the cell of the first words."""
        words, pairs, spans = seen["join"][0], seen["classify"][0], sample_spans(batch)
        return spans.elements(
            mean_spans(words, spans.aspects),
            mean_spans(words, spans.opinions),
            pick_cells(pairs, spans.partners[..., 0], spans.opinions[..., 0]),
        )

    def _cell_losses(self, scores: Tensor, labels: Tensor) -> Tensor:
        return focal_loss(scores, labels, weight=self.weight, gamma=self.gamma)


def focal_loss(scores: Tensor, labels: Tensor, *, weight: float, gamma: float) -> Tensor:
    """Weigh the cross-entropy where there is something, and damp it where it is small, [..., C] -> [...].

    As in the released code, the chance that damps it is that of the weighted cross-entropy.
    """
    plain = cross_entropy(scores.flatten(0, -2), labels.flatten(), reduction="none").view_as(labels)
    losses = torch.where(labels == NOTHING, plain, weight * plain)
    return 0.99 * (1 - torch.exp(-losses)) ** gamma * losses


def _diagonal(cells: Tensor) -> Tensor:
    return torch.eye(cells.shape[-1], dtype=torch.bool, device=cells.device)
