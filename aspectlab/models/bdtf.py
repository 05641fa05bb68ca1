"""BDTF: boundary-driven table filling (Zhang et al., EMNLP 2022).

Idea: a triplet is a rectangle in the table of aspect words and opinion words. Each cell is scored as the
first and as the last corner of one; the best corners are paired, and each rectangle between two is given a
polarity or none, from its two corners and the maximum over its cells. Overlaps are allowed.
Unlike the released code: cells are pairs of words, not of sub-tokens; the loss of the corners is the mean
over the cells of a text, whatever its padding; weight decay spares biases and norms (the code spares all
else); the corners kept are at most `most` of each kind; an exponential moving average of the weights is kept.
A gold rectangle that is not among the candidates is not added to them, as in the code.
The authors took batches of 4 and one rate for all, 3e-5 to 5e-5, for BERT-base over 10 epochs; the rates here
suit MiniLM. The table is as wide as the encoder unless `width` says otherwise.
"""

from collections.abc import Iterator, Sequence
from typing import Annotated, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy, gelu, rms_norm

from aspectlab.encoders import Encoder
from aspectlab.encodings import (
    POLARITIES,
    Batch,
    Cells,
    GridBatch,
    GridEncoding,
    ScoredTriplet,
    Scores,
    WordTriplet,
)
from aspectlab.models import (
    Count,
    Elements,
    Model,
    Plan,
    Published,
    Range,
    Seen,
    Size,
    sample_spans,
    weighted_mean,
)
from aspectlab.nn import PairLinear, PairProduct, count_words, mean_words, pair_mask, unpack_bits

START, END = 1, 2

NOTHING = 0
"""The class of a rectangle that is no triplet; those from 1 on are the polarities."""

CORNERS = 4
"""How many numbers of a candidate are its corners; the scores of its classes follow."""


class BoundaryCodec:
    """Mark corners, and read triplets off candidate rectangles.

    A triplet is a rectangle of cells, given by its corners: the cell of the first words of aspect and opinion
    is marked START, that of their last words END. Which pairs of corners belong together, and their polarity,
    is a question to each rectangle.
    """

    def paint(self, triplets: Sequence[WordTriplet]) -> Cells:
        """Mark both corners of every triplet; one cell may be both.

        >>> BoundaryCodec().paint([WordTriplet((1, 2), (0, 0), 2), WordTriplet((4, 4), (3, 3), 0)])
        {(1, 0): 1, (2, 0): 2, (4, 3): 3}
        """
        cells: Cells = {}
        for aspect, opinion, _ in triplets:
            for cell, mark in zip(zip(aspect, opinion, strict=True), (START, END), strict=True):
                cells[cell] = cells.get(cell, 0) | mark
        return cells

    def read(self, scores: Scores, count: int) -> Iterator[ScoredTriplet]:
        """Keep the rectangles whose best class is a polarity, [N, 4 + 4]: first cell, last cell, scores."""
        classes = scores[:, CORNERS:]  # [N, 4]
        best = classes.argmax(-1)
        for index in np.flatnonzero(best != NOTHING).tolist():
            row, column, last_row, last_column = scores[index, :CORNERS].astype(int).tolist()
            weights = np.exp(classes[index] - classes[index].max())[1:].tolist()
            yield ScoredTriplet(
                WordTriplet((row, last_row), (column, last_column), int(best[index]) - 1), weights
            )


# Maxima over ranges of neighbours: each is that of two overlapping stretches of 1, 2, 4, ... positions.


def max_levels(values: Tensor) -> Tensor:
    """Take the maxima over 1, 2, 4, ... positions from each position on, [B, W, ...] -> [B, L * W, ...].

    A stretch that would run past the end holds a number that is never to be asked for.

    >>> max_levels(torch.tensor([[1, 3, 2]])).tolist()
    [[1, 3, 2, 3, 3, 2]]
    """
    size = values.shape[1]
    levels = [values]
    for step in _steps(size)[:-1]:
        last = levels[-1]
        levels.append(torch.maximum(last, torch.cat([last[:, step:], last[:, size - step :]], 1)))
    return torch.cat(levels, 1)


def stretches(first: Tensor, last: Tensor, size: int) -> tuple[Tensor, Tensor]:
    """Return which two entries of `max_levels` cover a range, both ends included; `size` is W."""
    steps = 1 << torch.arange(1, len(_steps(size)), device=first.device)
    length = last - first + 1
    level = (length[..., None] >= steps).sum(-1)
    return level * size + first, level * size + last + 1 - (1 << level)


def max_between(states: Tensor) -> Tensor:
    """Take the maximum over all words from i to j, whichever comes first, [B, W, H] -> [B, W, W, H].

    >>> max_between(torch.tensor([[[1], [3], [2]]]))[0, :, :, 0].tolist()
    [[1, 3, 3], [3, 3, 3], [3, 3, 2]]
    """
    size = states.shape[1]
    position = torch.arange(size, device=states.device)
    ends = torch.minimum(position, position[:, None]), torch.maximum(position, position[:, None])  # [W, W]
    levels = max_levels(states)  # [B, L * W, H]
    one, other = (levels[:, entry] for entry in stretches(*ends, size))  # [B, W, W, H]
    return torch.maximum(one, other)


def max_spans(states: Tensor, spans: Tensor) -> Tensor:
    """Take the maximum over the words of each span, [B, W, H] and first and last, [B, N, 2] -> [B, N, H].

    >>> max_spans(torch.tensor([[[1], [3], [2]]]), torch.tensor([[[0, 1], [2, 2]]])).flatten().tolist()
    [3, 2]
    """
    levels = max_levels(states)  # [B, L * W, H]
    batch = torch.arange(len(states), device=states.device)[:, None]
    entries = stretches(spans[..., 0], spans[..., 1], states.shape[1])
    one, other = (levels[batch, entry] for entry in entries)
    return torch.maximum(one, other)


def max_rectangles(table: Tensor, first: Tensor, last: Tensor) -> Tensor:
    """Take the maximum over rectangles of a table, [B, W, W, H] -> [B, N, H].

    `first` and `last` are the corners, row and column, [B, N, 2]. Rows are taken together by their two
    stretches; what is left is one row of W columns for each rectangle.
    """
    rows = max_levels(table)  # [B, L * W, W, H]
    batch = torch.arange(len(table), device=table.device)[:, None]
    one, other = (
        rows[batch, entry] for entry in stretches(first[..., 0], last[..., 0], table.shape[1])
    )  # [B, N, W, H]
    column = torch.arange(table.shape[2], device=table.device)
    inside = (first[..., 1:] <= column) & (column <= last[..., 1:])  # [B, N, W]
    low = torch.finfo(table.dtype).min
    return torch.maximum(one, other).masked_fill(~inside[..., None], low).amax(2)


def _steps(size: int) -> list[int]:
    """Return the lengths of the stretches that fit into so many positions.

    >>> _steps(5)
    [1, 2, 4]
    """
    return [1 << power for power in range(size.bit_length())]


class ChannelNorm(nn.Module):
    """Divide each vector by its root mean square and scale it, without taking its mean away, [..., H]."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, values: Tensor) -> Tensor:
        """Normalise; the scale follows the precision of the values, or no fast kernel would take both."""
        return rms_norm(values, self.weight.shape, self.weight.to(values.dtype), 1e-6)


class TableBlock(nn.Module):
    """A residual block that lets every cell see its eight neighbours.

    Three convolutions, of 1, 3 x 3 and 1 cells, each with a root-mean-square norm over the channels and a
    ReLU. What lies outside the text counts as zero, as beyond the edge of the table.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.enter = nn.Linear(width, width)
        self.mix = nn.Conv2d(width, width, 3, padding=1)
        self.leave = nn.Linear(width, width)
        self.norms = nn.ModuleList(ChannelNorm(width) for _ in range(3))

    def forward(self, table: Tensor, pairs: Tensor) -> Tensor:
        """Transform the cells, [B, W, W, H]; `pairs` tells those within the text, [B, W, W]."""
        first, second, third = self.norms
        entered = torch.relu(first(self.enter(table))).masked_fill(~pairs[..., None], 0)
        # channels come first for a convolution; the memory stays as it is
        mixed = self.mix(entered.permute(0, 3, 1, 2)).permute(0, 2, 3, 1)
        left = torch.relu(third(self.leave(torch.relu(second(mixed)))))
        assert isinstance(left, Tensor)
        return table + left


_LEAST = 5
"""Corners of each kind that are kept however short a text is."""


class Candidates(NamedTuple):
    """Rectangles by their corners, row and column; N: as many as there are pairs of corners."""

    first: Tensor  # [B, N, 2]
    last: Tensor  # [B, N, 2]
    valid: Tensor  # [B, N] those of two kept corners, the second one not before the first


class BDTF(Model):
    """Find corners of rectangles in a table of pairs of words, and classify the rectangles."""

    task = "aste"
    watched = ()
    plan = Plan(
        epochs=20, batch_size=16, learning_rate=3e-4, encoder_learning_rate=1e-4, average=0.99, patience=10
    )
    published = Published(
        encoder="bert-base-uncased",
        plan=Plan(epochs=10, batch_size=4, learning_rate=5e-5, weight_decay=0.0, warmup=0.03),
        source="the released code",
        unlike="the rate was 3e-5 for 14lap and 4e-5 for 15res, and it rose for 100 steps",
    )

    def __init__(
        self,
        encoder: Encoder,
        n_labels: int,
        *,
        width: Size | None = None,
        products: Size = 64,
        blocks: Count = 2,
        share: Annotated[float, Range(0, 1e6, "a number from 0 on, such as 0.3")] = 0.3,
        most: Size = 40,
    ) -> None:
        super().__init__(encoder)
        self.encoding = GridEncoding(encoder.vocabulary, BoundaryCodec())
        self.share, self.most = share, most
        size = width or encoder.width
        self.multiply = PairProduct(encoder.width, products)
        self.join = PairLinear(encoder.width, size, [encoder.width, products])
        self.blocks = nn.ModuleList(TableBlock(size) for _ in range(blocks))
        self.find = nn.Linear(size, 2)
        self.classify = nn.Linear(3 * size, 1 + len(POLARITIES))

    def forward(self, batch: GridBatch[Tensor], room: int | None = None) -> Tensor:
        """Return the vector of every cell, [B, W, W, H]; zero outside the text.

        `room` is W; without it there is room for as many words as tokens.
        """
        words, _ = mean_words(self.encoder(batch), batch.words)
        words = words[:, :room]  # [B, W, D]
        pairs = pair_mask(batch.words)[:, :room, :room]  # [B, W, W]
        table = gelu(self.join(words, max_between(words), self.multiply(words)))  # [B, W, W, H]
        for block in self.blocks:
            table = block(table, pairs)
        return table.masked_fill(~pairs[..., None], 0)

    def loss(self, table: Tensor, batch: GridBatch[Tensor]) -> Tensor:
        """Add the mean loss of the corners and that of the candidates."""
        pairs = pair_mask(batch.words)
        edges = self._score_corners(table)
        marks = unpack_bits(batch.labels, 2)
        losses = binary_cross_entropy_with_logits(edges, marks, reduction="none").sum(-1) * pairs  # [B, W, W]
        corners = losses.sum((1, 2)) / pairs.sum((1, 2)).clamp(min=1)  # [B]
        candidates = self._propose(edges, pairs)
        classes = self._classify(table, candidates)
        gold = true_classes(candidates, batch.quads)
        judged = cross_entropy(classes.flatten(0, 1), gold.flatten(), reduction="none")  # [B * N]
        weights = (candidates.valid * batch.weight[:, None]).flatten()
        return weighted_mean(corners, batch) + (judged * weights).sum() / weights.sum().clamp(min=1)

    def answer(self, batch: Batch[Tensor]) -> Tensor:
        """Return the candidates with the scores of their classes, [B, N, 2 + 2 + 4]."""
        room = count_words(batch.words)
        table = self(batch, room)
        pairs = pair_mask(batch.words)[:, :room, :room]
        candidates = self._propose(self._score_corners(table), pairs)
        classes = self._classify(table, candidates)
        # what is no candidate must not become a triplet
        nothing = classes[..., :1].masked_fill(~candidates.valid[..., None], torch.inf)
        corners = candidates.first.float(), candidates.last.float()
        return torch.cat([*corners, nothing, classes[..., 1:]], -1)

    def elements(self, table: Tensor, seen: Seen, batch: GridBatch[Tensor]) -> Elements:
        """Represent terms by maxima over the diagonal, sentiments by rectangles, proposed or not."""
        spans, diagonal = sample_spans(batch), table.diagonal(dim1=1, dim2=2).transpose(1, 2)  # [B, W, H]
        first, last = (torch.stack([spans.partners[..., n], spans.opinions[..., n]], -1) for n in (0, 1))
        return spans.elements(
            max_spans(diagonal, spans.aspects),
            max_spans(diagonal, spans.opinions),
            _join_region(table, first, last),
        )

    def _score_corners(self, table: Tensor) -> Tensor:
        """Score every cell as first and as last corner, [B, W, W, 2]."""
        # most cells score nearly alike, and bfloat16 could not rank them
        with torch.autocast(table.device.type, enabled=False):
            scores = self.find(table.float())
        assert isinstance(scores, Tensor)
        return scores

    def _propose(self, edges: Tensor, pairs: Tensor) -> Candidates:
        return pair_corners(edges.detach(), pairs, share=self.share, most=self.most)

    def _classify(self, table: Tensor, candidates: Candidates) -> Tensor:
        """Score the classes of every candidate, [B, N, 4]."""
        classes = self.classify(_join_region(table, candidates.first, candidates.last))
        assert isinstance(classes, Tensor)
        return classes.float()


def _join_region(table: Tensor, first: Tensor, last: Tensor) -> Tensor:
    """Return rectangles by their corners and the maximum over their cells, [B, W, W, H] -> [B, N, 3H]."""
    batch = torch.arange(len(table), device=table.device)[:, None]
    corners = (table[batch, *cells.unbind(-1)] for cells in (first, last))
    # an invalid candidate is looked at too, so that shapes stay fixed: its rectangle must not be empty
    inside = max_rectangles(table, first, torch.maximum(first, last))
    return torch.cat([*corners, inside], -1)


def pair_corners(edges: Tensor, pairs: Tensor, *, share: float, most: int) -> Candidates:
    """Pair the best first with the best last corners, a share of the number of words, [B, W, W, 2] -> N.

    How many are looked at depends on the padded length alone, how many count on the text's own.
    """
    size = edges.shape[1]
    count = min(max(_LEAST, int(share * size)), most, size * size)
    cells = edges.masked_fill(~pairs[..., None], -torch.inf).flatten(1, 2)  # [B, W * W, 2]
    best = cells.topk(count, 1).indices  # [B, K, 2]
    corners = torch.stack([best // size, best % size], -1)  # [B, K, 2, 2]
    words = pairs.diagonal(dim1=1, dim2=2).sum(1)  # [B]
    own = torch.minimum((share * words).floor().clamp(min=_LEAST), words * words)  # [B]
    kept = torch.arange(count, device=edges.device) < own[:, None]  # [B, K]
    first = corners[:, :, None, 0].expand(-1, -1, count, -1).flatten(1, 2)  # [B, N, 2]
    last = corners[:, None, :, 1].expand(-1, count, -1, -1).flatten(1, 2)
    valid = (kept[:, :, None] & kept[:, None, :]).flatten(1) & (first <= last).all(-1)
    return Candidates(first, last, valid)


def true_classes(candidates: Candidates, quads: Tensor) -> Tensor:
    """Return the class of the gold rectangle that each candidate is, or 0, [B, N] from [B, Y, 5]."""
    corners = torch.cat([candidates.first, candidates.last], -1)  # [B, N, 4] rows and columns in turn
    row, last_row, column, last_column, kind = quads.unbind(-1)  # [B, Y]
    gold = torch.stack([row, column, last_row, last_column], -1)  # [B, Y, 4]
    same = (corners[:, :, None] == gold[:, None]).all(-1)  # [B, N, Y]
    return (same * kind[:, None]).amax(-1).long()
