"""BDTF: boundary-driven table filling (Zhang et al., EMNLP 2022).

Idea: a triplet is a rectangle in the table of aspect words and opinion words. Each cell is scored as the
first and as the last corner of one; the best corners are paired, and each rectangle between two is given a
polarity or none, from its two corners and the maximum over its cells. Overlaps are allowed.
Unlike the released code: cells are pairs of words, not of sub-tokens; the loss of the corners is the mean
over the cells of a text, whatever its padding; weight decay spares biases and norms (the code spares all
else); the corners kept are at most `most` of each kind; a running mean of the weights is kept. A gold
rectangle that is not among the candidates is not added to them, as in the code.
The authors took batches of 4 and one rate for all, 3e-5 to 5e-5, for BERT-base over 10 epochs; the rates here
suit MiniLM. The table is as wide as the encoder unless told otherwise.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy, gelu

from aspectlab.encoders import Encoder
from aspectlab.encodings import Batch
from aspectlab.encodings.boundary import BoundaryCodec
from aspectlab.encodings.grid import GridBatch, GridEncoding
from aspectlab.encodings.text import POLARITIES
from aspectlab.models.elements import Elements, Seen, tell
from aspectlab.models.model import Model, weighted_mean
from aspectlab.models.plan import Plan
from aspectlab.nn import mean_words
from aspectlab.nn.pairs import PairLinear, PairProduct, count_words, pair_mask, unpack_bits
from aspectlab.nn.ranges import max_between, max_rectangles, max_spans
from aspectlab.nn.tables import TableBlock

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

    def __init__(
        self,
        encoder: Encoder,
        n_labels: int,
        *,
        width: int | None = None,
        products: int = 64,
        blocks: int = 2,
        share: float = 0.3,
        most: int = 40,
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
        """Give the vector of every cell, [B, W, W, H]; zero outside the text.

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
        """Give the candidates with the scores of their classes, [B, N, 2 + 2 + 4]."""
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
        """Let maxima over the diagonal stand for terms, and rectangles for sentiments, proposed or not."""
        told, diagonal = tell(batch), table.diagonal(dim1=1, dim2=2).transpose(1, 2)  # [B, W, H]
        first, last = (torch.stack([told.partners[..., n], told.opinions[..., n]], -1) for n in (0, 1))
        return told.elements(
            max_spans(diagonal, told.aspects),
            max_spans(diagonal, told.opinions),
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
    """Give rectangles by their corners and the maximum over their cells, [B, W, W, H] -> [B, N, 3H]."""
    batch = torch.arange(len(table), device=table.device)[:, None]
    corners = (table[batch, *cells.unbind(-1)] for cells in (first, last))
    # an invalid candidate is looked at too, so that shapes stay fixed: its rectangle must not be empty
    inside = max_rectangles(table, first, torch.maximum(first, last))
    return torch.cat([*corners, inside], -1)


def pair_corners(edges: Tensor, pairs: Tensor, *, share: float, most: int) -> Candidates:
    """Pair the best first with the best last corners, a share of the number of words, [B, W, W, 2] -> N.

    How many are looked at hangs on the padded length alone, how many count on the text's own.
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
    """Give each candidate the class of the gold rectangle that it is, or 0, [B, N] from [B, Y, 5]."""
    corners = torch.cat([candidates.first, candidates.last], -1)  # [B, N, 4] rows and columns in turn
    row, last_row, column, last_column, kind = quads.unbind(-1)  # [B, Y]
    gold = torch.stack([row, column, last_row, last_column], -1)  # [B, Y, 4]
    same = (corners[:, :, None] == gold[:, None]).all(-1)  # [B, N, Y]
    return (same * kind[:, None]).amax(-1).long()
