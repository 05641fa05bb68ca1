"""Quads from words: every run of words is scored, the likeliest are kept, and their pairs are judged.

Word 0 stands for what is not named, on both sides.
"""

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu

ASPECT, OPINION = SIDES = 0, 1

N_QUAD_CLASSES = 4
"""No quad, negative, neutral, positive."""

MASKED = -1e4
"""The score of what is no span or may not be chosen."""

_DISTANCES = (1, 2, 3, 4, 6, 9, 14, 24)
"""Edges of the buckets for the words between two terms."""


class _Side(NamedTuple):
    """What is read off every word for one side, each [B, W, …]."""

    ends: Tensor
    query: Tensor
    key: Tensor
    first: Tensor
    last: Tensor
    inside: Tensor


class QuadScores(NamedTuple):
    """Scores of all spans, and of the pairs of those that were kept."""

    spans: Tensor  # [B, 2, W, W] of being an aspect, and an opinion
    cells: Tensor  # [B, W, W] which are spans
    kept: Tensor  # [B, 2, K, 2] first and last word
    valid: Tensor  # [B, 2, K] which of the kept ones are spans
    pairs: Tensor  # [B, K, K, 4]
    meanings: Tensor  # [B, 2, K, V] two halves of the vector that names are compared with


class QuadHead(nn.Module):
    """Score spans and pairs from what one linear layer reads off every word.

    All that is linear in a word comes from that layer, so that little is left to do for spans and pairs.
    """

    def __init__(
        self, *, hidden: int, rank: int, kept: int, longest: int, answers: int, dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.rank, self.kept, self.longest, self.answers = rank, kept, longest, answers
        self.sizes = [3, rank, rank, hidden, hidden, hidden]
        self.into_pair = nn.ModuleList(nn.Linear(hidden, hidden) for _ in SIDES)
        self.into_product = nn.ModuleList(nn.Linear(hidden, N_QUAD_CLASSES * rank) for _ in SIDES)
        self.into_meaning = nn.ModuleList(nn.Linear(hidden, hidden) for _ in SIDES)
        self.distance = nn.Embedding(2 * (len(_DISTANCES) + 1) + 1, hidden)
        self.classify = nn.Linear(hidden, N_QUAD_CLASSES)
        self.trust = nn.Parameter(torch.full((2,), 0.5))  # in the scores of the two spans
        self.drop = nn.Dropout(dropout)
        self.edges: Tensor
        self.register_buffer("edges", torch.tensor(_DISTANCES), persistent=False)
        with torch.no_grad():  # nearly all pairs are nothing
            self.classify.bias[0] = 4.0

    @property
    def width(self) -> int:
        """Numbers that are read off a word."""
        return 2 * sum(self.sizes)

    def forward(self, parts: Tensor, mask: Tensor, gold: Tensor | None = None) -> QuadScores:
        """Score the spans, keep the likeliest and score their pairs; gold spans are kept too, [B, Q, 6]."""
        sides = [_Side(*part.split(self.sizes, -1)) for part in parts.chunk(2, -1)]
        cells = self._mark_cells(mask)
        spans = [self._score_spans(side, cells) for side in sides]  # each [B, W, W]
        kept, valid = zip(*(self._keep(spans[side], cells, side, gold) for side in SIDES), strict=True)
        vectors = [self._represent(sides[side], kept[side]) for side in SIDES]  # each [B, K, D]
        found = [_at(spans[side], kept[side]).clamp(min=-20) for side in SIDES]  # each [B, K]
        scores = [trust * each for trust, each in zip(self.trust, found, strict=True)]
        pairs = self._score_pairs(vectors, kept)  # [B, K, K, 4]
        none, more = pairs[..., :1], scores[ASPECT][:, :, None, None] + scores[OPINION][:, None, :, None]
        both = valid[ASPECT][:, :, None] & valid[OPINION][:, None, :]  # [B, K, K]
        pairs = torch.cat([none.masked_fill(~both[..., None], -MASKED), pairs[..., 1:] + more], -1)
        halves = [layer(vector) for layer, vector in zip(self.into_meaning, vectors, strict=True)]
        return QuadScores(
            torch.stack(spans, 1),
            cells,
            torch.stack(kept, 1),
            torch.stack(valid, 1),
            pairs,
            torch.stack(halves, 1),
        )

    def _mark_cells(self, mask: Tensor) -> Tensor:
        """Mark the runs of words that may be terms, [B, W] -> [B, W, W]; none goes through word 0."""
        position = torch.arange(mask.shape[1], device=mask.device)
        length = position[None, :] - position[:, None]
        fitting = (length < self.longest) & ((position[:, None] > 0) | (position[None, :] == 0))
        return torch.triu(mask[:, :, None] & mask[:, None, :]) & fitting

    def _score_spans(self, side: _Side, cells: Tensor) -> Tensor:
        """Score every run of words from its ends, their product and the words inside, [B, W, W]."""
        start, stop, inside = side.ends.float().unbind(-1)  # each [B, W]
        before = inside.cumsum(1)
        product = side.query.float() @ side.key.float().transpose(1, 2) / sqrt(self.rank)
        scores = (start - before + inside)[:, :, None] + (stop + before)[:, None, :] + product
        return scores.masked_fill(~cells, MASKED)

    def _keep(self, scores: Tensor, cells: Tensor, side: int, gold: Tensor | None) -> tuple[Tensor, Tensor]:
        """Keep the likeliest spans of a side and the implicit one, [B, K, 2], and tell which are spans."""
        size = scores.shape[1]
        chosen = scores.detach().clone()
        chosen[:, 0, 0] = -2 * MASKED
        if gold is not None:
            chosen = chosen + mark_spans(gold, side, size) * (-MASKED)
        best = chosen.flatten(1).topk(min(self.kept, size * size), 1).indices  # [B, K]
        spans = torch.stack([torch.div(best, size, rounding_mode="floor"), best % size], -1)
        return spans, cells.flatten(1).gather(1, best)

    def _represent(self, side: _Side, spans: Tensor) -> Tensor:
        """Return the vectors of spans, from their first and last word and the mean of all, [B, K, D]."""
        start, stop = spans.unbind(-1)
        total = side.inside.float().cumsum(1)
        length = (stop - start + 1).clamp(min=1)  # what was kept for want of spans may be none
        mean = (take_rows(total, stop) - take_rows(total - side.inside, start)) / length[..., None]
        ends = take_rows(side.first, start) + take_rows(side.last, stop)
        vectors: Tensor = self.drop(gelu(ends + mean.to(ends.dtype)))
        return vectors

    def _score_pairs(self, vectors: Sequence[Tensor], kept: Sequence[Tensor]) -> Tensor:
        """Score no quad and each polarity for every pair, [B, K, K, 4]."""
        one, other = (layer(vector) for layer, vector in zip(self.into_pair, vectors, strict=True))
        apart = self.distance(bucket_distances(kept[ASPECT], kept[OPINION], self.edges))  # [B, K, K, D]
        mixed = gelu(one[:, :, None] + other[:, None] + apart)
        left, right = (
            layer(vector).unflatten(-1, (N_QUAD_CLASSES, self.rank)).transpose(1, 2)  # [B, 4, K, R]
            for layer, vector in zip(self.into_product, vectors, strict=True)
        )
        product = (left @ right.transpose(2, 3) / sqrt(self.rank)).permute(0, 2, 3, 1)
        scores: Tensor = self.classify(mixed).float() + product.float()
        return scores

    def choose(self, scores: QuadScores) -> tuple[Tensor, Tensor]:
        """Return the corners and scores of the likeliest pairs, [B, P, 8], and which kept spans they join."""
        surety = scores.pairs[..., 1:].amax(-1) - scores.pairs[..., 0]  # [B, K, K]
        width = surety.shape[-1]
        best = surety.flatten(1).topk(min(self.answers, width * width), 1).indices  # [B, P]
        indices = torch.stack([torch.div(best, width, rounding_mode="floor"), best % width], -1)
        corners = [take_rows(scores.kept[:, side], indices[..., side]) for side in SIDES]
        classes = take_rows(scores.pairs.flatten(1, 2), best)  # [B, P, 4]
        return torch.cat([*(corner.float() for corner in corners), classes], -1), indices


def bucket_distances(aspects: Tensor, opinions: Tensor, edges: Tensor) -> Tensor:
    """Return the bucket of the distance in words of each pair, [B, K, 2] twice -> [B, K, K].

    Bucket 0 is for what is not named; then come those where the aspect stands first.
    """
    after = opinions[:, None, :, 0] - aspects[:, :, None, 1]  # [B, K, K] above 0: the opinion comes later
    before = aspects[:, :, None, 0] - opinions[:, None, :, 1]
    apart = torch.maximum(after, before)
    bucket = (apart[..., None] > edges).sum(-1) + 1
    bucket = torch.where(after >= before, bucket, bucket + len(edges) + 1)
    named = (aspects[:, :, None, 0] > 0) & (opinions[:, None, :, 0] > 0)
    return bucket * named


def take_rows(values: Tensor, index: Tensor) -> Tensor:
    """Take rows by their index, [B, N, D] and [B, K] -> [B, K, D]."""
    return values.gather(1, index[..., None].expand(-1, -1, values.shape[-1]))


def _at(table: Tensor, spans: Tensor) -> Tensor:
    """Return the entries of a table at spans, [B, W, W] and [B, K, 2] -> [B, K]."""
    return table.flatten(1).gather(1, spans[..., 0] * table.shape[-1] + spans[..., 1])


def mark_spans(labels: Tensor, side: int, size: int) -> Tensor:
    """Mark the gold spans of a side, [B, Q, 6] -> [B, W, W]."""
    spans = labels[..., 2 * side : 2 * side + 2].long()  # [B, Q, 2]
    position = torch.arange(size, device=labels.device)
    starts, stops = (spans[..., end, None] == position for end in (0, 1))  # [B, Q, W]
    return (starts.transpose(1, 2).float() @ stops.float()).clamp(max=1)


def match_spans(kept: Tensor, labels: Tensor, side: int) -> Tensor:
    """Return which kept span is the one of which gold quad, [B, K, 2] and [B, Q, 6] -> [B, K, Q]."""
    spans = labels[..., 2 * side : 2 * side + 2].long()
    return (kept[:, :, None] == spans[:, None]).all(-1)
