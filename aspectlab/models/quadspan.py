"""QuadSpan: our own model for quads with implicit terms, in any domain.

Idea: every run of words is scored as an aspect and as an opinion; the likeliest spans of each side, and "not
named", are paired, and each pair is no quad or one of a polarity. The category is found by name: the vector
of a pair is compared with the vectors that the same encoder gives the names of categories, so that names can
be asked for that were never trained on. The style of annotation of a data set is an input: one vector a style
is added to every input vector, since data sets cut the same opinions differently. A share of the texts is
trained without it, so that texts of no known style can be read too.
The first token of a text stands for what is not named. No paper describes the model; near it are Span-ASTE
(pairs of kept spans), One-ASQP (a token for implicit terms) and few-shot classifiers that read label names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import sqrt
from typing import Annotated, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy, gelu, normalize

from aspectlab.data import Example
from aspectlab.encoders import Encoder, TokenBatch, TokenInput
from aspectlab.encodings import POLARITIES, Batch, QuadBatch, QuadEncoding, pad_field
from aspectlab.models.config import Dropout, Plan, Range, Share, Size, Weight
from aspectlab.models.model import Model, weighted_mean
from aspectlab.nn import count_words, masked_mean, mean_words, word_mask

ASPECT, OPINION = SIDES = 0, 1
N_CLASSES = 1 + len(POLARITIES)

_LOW = -1e4
"""The score of what is no span."""

_SCALE = 16.0
"""What the scale of the similarities to names begins with."""

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


class QuadSpan(Model):
    """Keep the likeliest spans of each side, and classify their pairs."""

    task = "aste"
    plan = Plan(
        epochs=10,
        batch_size=32,
        learning_rate=1e-3,
        encoder_learning_rate=1e-4,
        average=0.999,
        patience=10,
    )

    def __init__(
        self,
        encoder: Encoder,
        n_labels: int,
        *,
        styles: Sequence[str] = (),
        categories: Mapping[str, Sequence[str]] | None = None,
        hidden: Size = 192,
        rank: Size = 32,
        kept: Size = 12,
        longest: Size = 16,
        answers: Size = 16,
        dropout: Dropout = 0.3,
        hide_style: Share = 0.15,
        category_weight: Weight = 0.5,
        names: Size = 128,
        threshold: Annotated[float, Range(0, 1, "a probability from 0 to 1")] = 0.3,
    ) -> None:
        super().__init__(encoder)
        self.task = self.task_of({"categories": categories})
        self.kept, self.longest, self.answers, self.names = kept, longest, answers, names
        self.hide_style, self.category_weight = hide_style, category_weight
        self.styles, self.threshold = tuple(styles), threshold
        self.style = nn.Embedding(len(self.styles) + 1, encoder.width)
        nn.init.zeros_(self.style.weight)
        # all that is linear in a token comes from one layer, so that little is left to do for spans and pairs
        self.sizes = [3, rank, rank, hidden, hidden, hidden]
        self.read = nn.Linear(encoder.width, 2 * sum(self.sizes))
        self.into_pair = nn.ModuleList(nn.Linear(hidden, hidden) for _ in range(2))
        self.into_product = nn.ModuleList(nn.Linear(hidden, N_CLASSES * rank) for _ in range(2))
        self.into_meaning = nn.ModuleList(nn.Linear(hidden, hidden) for _ in range(2))
        self.distance = nn.Embedding(2 * (len(_DISTANCES) + 1) + 1, hidden)
        self.classify = nn.Linear(hidden, N_CLASSES)
        self.trust = nn.Parameter(torch.full((2,), 0.5))  # in the scores of the two spans
        self.read_name = nn.Linear(encoder.width, hidden)
        self.scale = nn.Parameter(torch.tensor(_SCALE))
        self.drop = nn.Dropout(dropout)
        self.edges: Tensor
        self.register_buffer("edges", torch.tensor(_DISTANCES), persistent=False)
        self.name_tokens: Tensor
        self.name_mask: Tensor
        self.allowed: Tensor
        self.rank, self.hidden = rank, hidden
        with torch.no_grad():  # nearly all pairs are nothing, and nearly all runs of words no term
            self.classify.bias[0] = 4.0
            for bias in self.read.bias.chunk(2):
                bias[:3] = torch.tensor([-3.0, -3.0, 0.0])
        self.use_categories(categories or {})

    @classmethod
    def task_of(cls, settings: Mapping[str, object]) -> str:
        """Return asqp where categories are learnt, else aste."""
        return "asqp" if settings.get("categories") else "aste"

    @classmethod
    def complete_settings(
        cls, settings: Mapping[str, object], examples: Iterable[Example]
    ) -> dict[str, object]:
        """Add the styles of the training examples, and the categories of each."""
        found: dict[str, set[str]] = {}
        for example in examples:
            names = found.setdefault(example.style or "", set())
            names.update(quad.category for quad in example.quads if quad.category)
        told = {
            "styles": sorted(filter(None, found)),
            "categories": {style: sorted(names) for style, names in sorted(found.items()) if names},
        }
        return {**told, **settings}

    def use_categories(self, categories: Mapping[str, Sequence[str]]) -> None:
        """Choose the names that quads may have, by style; "" for texts of no known style."""
        self.categories = {style: tuple(names) for style, names in categories.items()}
        every = sorted({name for names in self.categories.values() for name in names})
        self.encoding = QuadEncoding(self.encoder.vocabulary, self.styles, tuple(every), self.threshold)
        allowed = np.zeros((len(self.styles) + 1, len(every)), np.bool_)
        allowed[0] = True  # a text of no known style may have any
        for number, style in enumerate(("", *self.styles)):
            if style in self.categories:
                allowed[number] = [name in self.categories[style] for name in every]
        vocabulary = self.encoder.vocabulary
        rows = [
            [*vocabulary.first, *tokens.ids[:24], *vocabulary.last]
            for tokens in vocabulary.tokenize([spell_category(name) for name in every])
        ]
        longest = max(map(len, rows), default=1)
        device = self.style.weight.device
        for name, values in (
            ("name_tokens", pad_field(rows, longest, vocabulary.pad, np.int32)),
            ("name_mask", pad_field([[1] * len(row) for row in rows], longest, 0, np.bool_)),
            ("allowed", allowed),
        ):
            self.register_buffer(name, torch.from_numpy(values).to(device), persistent=False)
        self._known_names: Tensor | None = None

    def train(self, mode: bool = True) -> QuadSpan:
        """Forget the vectors of the names, which hold as long as the weights do."""
        self._known_names = None
        return super().train(mode)

    def forward(self, batch: QuadBatch[Tensor], room: int | None = None) -> Tensor:
        """Return what is read off every word, [B, W, F]; word 0 stands for what is not named.

        `room` is W; without it there is room for as many words as tokens.
        """
        style = batch.style.long()
        if self.training and self.hide_style:
            style = style * (torch.rand(style.shape, device=style.device) >= self.hide_style)
        return self.pool(self.read_tokens(batch, self.style(style)), batch.words)[:, :room]

    def read_tokens(self, batch: TokenBatch, shift: Tensor) -> Tensor:
        """Return what is read off every token, [B, T, F]."""
        parts = self.read(self.drop(self.encoder(batch, shift)))
        assert isinstance(parts, Tensor)
        return parts

    @staticmethod
    def pool(parts: Tensor, words: Tensor) -> Tensor:
        """Average over the tokens of each word, [B, T, F] -> [B, W, F]."""
        return mean_words(parts, words)[0]

    def judge(self, parts: Tensor, mask: Tensor, gold: Tensor | None = None) -> QuadScores:
        """Score the spans, keep the likeliest and score their pairs; gold spans are kept too, [B, Q, 6]."""
        sides = [_Side(*part.split(self.sizes, -1)) for part in parts.chunk(2, -1)]
        cells = self._mark_spans(mask)
        spans = [self._score_spans(side, cells) for side in sides]  # each [B, W, W]
        kept, valid = zip(*(self._keep(spans[side], cells, side, gold) for side in SIDES), strict=True)
        vectors = [self._represent(sides[side], kept[side]) for side in SIDES]  # each [B, K, D]
        found = [_at(spans[side], kept[side]).clamp(min=-20) for side in SIDES]  # each [B, K]
        scores = [trust * each for trust, each in zip(self.trust, found, strict=True)]
        pairs = self._score_pairs(vectors, kept)  # [B, K, K, 4]
        none, more = pairs[..., :1], scores[ASPECT][:, :, None, None] + scores[OPINION][:, None, :, None]
        both = valid[ASPECT][:, :, None] & valid[OPINION][:, None, :]  # [B, K, K]
        pairs = torch.cat([none.masked_fill(~both[..., None], -_LOW), pairs[..., 1:] + more], -1)
        halves = [layer(vector) for layer, vector in zip(self.into_meaning, vectors, strict=True)]
        return QuadScores(
            torch.stack(spans, 1),
            cells,
            torch.stack(kept, 1),
            torch.stack(valid, 1),
            pairs,
            torch.stack(halves, 1),
        )

    def _mark_spans(self, mask: Tensor) -> Tensor:
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
        return scores.masked_fill(~cells, _LOW)

    def _keep(self, scores: Tensor, cells: Tensor, side: int, gold: Tensor | None) -> tuple[Tensor, Tensor]:
        """Keep the likeliest spans of a side and the implicit one, [B, K, 2], and tell which are spans."""
        size = scores.shape[1]
        chosen = scores.detach().clone()
        chosen[:, 0, 0] = -2 * _LOW
        if gold is not None:
            chosen = chosen + _mark(gold, side, size) * (-_LOW)
        best = chosen.flatten(1).topk(min(self.kept, size * size), 1).indices  # [B, K]
        spans = torch.stack([torch.div(best, size, rounding_mode="floor"), best % size], -1)
        return spans, cells.flatten(1).gather(1, best)

    def _represent(self, side: _Side, spans: Tensor) -> Tensor:
        """Return the vectors of spans, from their first and last word and the mean of all, [B, K, D]."""
        start, stop = spans.unbind(-1)
        total = side.inside.float().cumsum(1)
        length = (stop - start + 1).clamp(min=1)  # what was kept for want of spans may be none
        mean = (_rows(total, stop) - _rows(total - side.inside, start)) / length[..., None]
        ends = _rows(side.first, start) + _rows(side.last, stop)
        vectors: Tensor = self.drop(gelu(ends + mean.to(ends.dtype)))
        return vectors

    def _score_pairs(self, vectors: Sequence[Tensor], kept: Sequence[Tensor]) -> Tensor:
        """Score no quad and each polarity for every pair, [B, K, K, 4]."""
        one, other = (layer(vector) for layer, vector in zip(self.into_pair, vectors, strict=True))
        apart = self.distance(bucket_distances(kept[ASPECT], kept[OPINION], self.edges))  # [B, K, K, D]
        mixed = gelu(one[:, :, None] + other[:, None] + apart)
        left, right = (
            layer(vector).unflatten(-1, (N_CLASSES, self.rank)).transpose(1, 2)  # [B, 4, K, R]
            for layer, vector in zip(self.into_product, vectors, strict=True)
        )
        product = (left @ right.transpose(2, 3) / sqrt(self.rank)).permute(0, 2, 3, 1)
        scores: Tensor = self.classify(mixed).float() + product.float()
        return scores

    def loss(self, parts: Tensor, batch: QuadBatch[Tensor]) -> Tensor:
        """Sum the losses of spans, of pairs and of categories over a text, and average over texts."""
        size = parts.shape[1]
        scores = self.judge(parts, word_mask(batch.words)[:, :size], batch.labels)
        marks = torch.stack([_mark(batch.labels, side, size) for side in SIDES], 1)  # [B, 2, W, W]
        spans = binary_cross_entropy_with_logits(scores.spans, marks, reduction="none")
        span_loss = (spans * scores.cells[:, None]).sum((1, 2, 3))  # [B]
        same = [_find_gold(scores.kept[:, side], batch.labels, side) for side in SIDES]  # [B, K, Q]
        classes = (batch.labels[:, None, :, 4].float() + 1).clamp(min=0)  # [B, 1, Q]
        found = same[0][:, :, None] & same[1][:, None]  # [B, K, K, Q]
        truth = (found * classes[:, None]).amax(-1).long()  # [B, K, K]
        both = scores.valid[:, 0, :, None] & scores.valid[:, 1, None, :]
        pairs = cross_entropy(scores.pairs.flatten(0, 2), truth.flatten(), reduction="none").view(truth.shape)
        pair_loss = (pairs * both).sum((1, 2))
        loss = weighted_mean(span_loss + pair_loss, batch)
        if self.allowed.shape[1]:
            loss = loss + self.category_weight * weighted_mean(
                self._category_loss(scores, batch, same), batch
            )
        return loss

    def _category_loss(self, scores: QuadScores, batch: QuadBatch[Tensor], same: Sequence[Tensor]) -> Tensor:
        """Compare each gold quad with its own name and others of its style, [B]."""
        wanted = batch.labels[..., 5].long()  # [B, Q]
        total = self.allowed.shape[1]
        chance = torch.rand(total, device=wanted.device)
        needed = torch.zeros(total + 1, device=wanted.device).index_fill(
            0, wanted.clamp(min=-1).flatten() % (total + 1), 2.0
        )
        picked = (chance + needed[:total]).topk(min(self.names, total)).indices  # [M]
        names = self._name_vectors(self.name_tokens[picked], self.name_mask[picked])  # [M, D]
        vectors = sum(
            torch.einsum("bkq,bkd->bqd", match.to(half.dtype), half)
            for match, half in zip(same, scores.meanings.unbind(1), strict=True)
        )
        assert isinstance(vectors, Tensor)
        logits = self._compare(vectors, names)  # [B, Q, M]
        open_names = self.allowed[batch.style.long()][:, picked]  # [B, M]
        logits = logits.masked_fill(~open_names[:, None], _LOW)
        hits = picked[None, None] == wanted[..., None]  # [B, Q, M]
        there = hits.any(-1) & (wanted >= 0)
        losses = torch.logsumexp(logits, -1) - (logits * hits).sum(-1)
        return (losses * there).sum(-1)

    def _name_vectors(self, tokens: Tensor, mask: Tensor) -> Tensor:
        states = self.encoder(TokenInput(tokens, torch.zeros_like(tokens), mask))
        return normalize(self.read_name(masked_mean(states, mask)).float(), dim=-1)

    def _compare(self, vectors: Tensor, names: Tensor) -> Tensor:
        return self.scale * normalize(vectors.float(), dim=-1) @ names.T

    def answer(self, batch: Batch[Tensor]) -> Tensor:
        """Return the likeliest candidates, each with its corners, scores and category, [B, P, 10]."""
        assert isinstance(batch, QuadBatch)
        room = count_words(batch.words)
        scores = self.judge(self(batch, room), word_mask(batch.words)[:, :room])
        candidates, indices = self.choose(scores)
        vectors = sum(_rows(scores.meanings[:, side], indices[..., side]) for side in SIDES)
        assert isinstance(vectors, Tensor)
        return torch.cat([candidates, self._choose_category(vectors, batch.style)], -1)

    def choose(self, scores: QuadScores) -> tuple[Tensor, Tensor]:
        """Return the corners and scores of the likeliest pairs, [B, P, 8], and which kept spans they join."""
        surety = scores.pairs[..., 1:].amax(-1) - scores.pairs[..., 0]  # [B, K, K]
        width = surety.shape[-1]
        best = surety.flatten(1).topk(min(self.answers, width * width), 1).indices  # [B, P]
        indices = torch.stack([torch.div(best, width, rounding_mode="floor"), best % width], -1)
        corners = [_rows(scores.kept[:, side], indices[..., side]) for side in SIDES]
        classes = _rows(scores.pairs.flatten(1, 2), best)  # [B, P, 4]
        return torch.cat([*(corner.float() for corner in corners), classes], -1), indices

    def _choose_category(self, vectors: Tensor, style: Tensor) -> Tensor:
        """Return the number and the probability of the likeliest name, [B, P, D] -> [B, P, 2]."""
        if not self.allowed.shape[1]:
            return torch.full((*vectors.shape[:2], 2), -1.0, device=vectors.device)
        if self._known_names is None:
            self._known_names = self._name_vectors(self.name_tokens, self.name_mask)
        logits = self._compare(vectors, self._known_names)
        open_names = self.allowed[style.long()]  # [B, N]
        shares, numbers = logits.masked_fill(~open_names[:, None], _LOW).softmax(-1).max(-1)
        numbers = torch.where(open_names.any(-1)[:, None], numbers, -1)
        return torch.stack([numbers.float(), shares], -1)


def spell_category(name: str) -> str:
    """Return the words of the name of a category.

    >>> spell_category("ROOM_AMENITIES#DESIGN_FEATURES")
    'room amenities: design features'
    """
    return name.replace("_", " ").replace("#", ": ").lower()


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


def _rows(values: Tensor, index: Tensor) -> Tensor:
    """Take rows by their index, [B, N, D] and [B, K] -> [B, K, D]."""
    return values.gather(1, index[..., None].expand(-1, -1, values.shape[-1]))


def _at(table: Tensor, spans: Tensor) -> Tensor:
    """Return the entries of a table at spans, [B, W, W] and [B, K, 2] -> [B, K]."""
    return table.flatten(1).gather(1, spans[..., 0] * table.shape[-1] + spans[..., 1])


def _mark(labels: Tensor, side: int, size: int) -> Tensor:
    """Mark the gold spans of a side, [B, Q, 6] -> [B, W, W]."""
    spans = labels[..., 2 * side : 2 * side + 2].long()  # [B, Q, 2]
    position = torch.arange(size, device=labels.device)
    starts, stops = (spans[..., end, None] == position for end in (0, 1))  # [B, Q, W]
    return (starts.transpose(1, 2).float() @ stops.float()).clamp(max=1)


def _find_gold(kept: Tensor, labels: Tensor, side: int) -> Tensor:
    """Return which kept span is the one of which gold quad, [B, K, 2] and [B, Q, 6] -> [B, K, Q]."""
    spans = labels[..., 2 * side : 2 * side + 2].long()
    return (kept[:, :, None] == spans[:, None]).all(-1)
