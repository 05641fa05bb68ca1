"""QuadSpan: our own model for quads with implicit terms, in any domain.

Idea: every run of words is scored as an aspect and as an opinion; the likeliest spans of each side, and "not
named", are paired, and each pair is no quad or one of a polarity. The category is found by name: the vector
of a pair is compared with the vectors that the same encoder gives the names of categories, so that names can
be asked for that were never trained on. The style of annotation of a data set is an input: one vector a style
is added to every input vector, since data sets cut the same opinions differently. A share of the texts is
trained without it, so that texts of no known style can be read too. `task="tasd"` learns aspects, categories
and polarities of corpora that need not annotate opinions.
The first token of a text stands for what is not named. No paper describes the model; near it are Span-ASTE
(pairs of kept spans), One-ASQP (a token for implicit terms) and few-shot classifiers that read label names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Literal

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy, normalize

from aspectlab.data import Example
from aspectlab.encoders import Encoder, TokenBatch, TokenInput
from aspectlab.encodings import Batch, QuadBatch, QuadEncoding, encode_names, pad_field
from aspectlab.models.hyperparameters import Dropout, Plan, Range, Share, Size, Weight
from aspectlab.models.model import Model, fill_open, weighted_mean
from aspectlab.nn import (
    MASKED,
    SIDES,
    QuadHead,
    QuadScores,
    count_words,
    mark_spans,
    masked_mean,
    match_spans,
    mean_words,
    take_rows,
    word_mask,
)

_SCALE = 16.0
"""What the scale of the similarities to names begins with."""


class QuadSpan(Model):
    """Keep the likeliest spans of each side, and classify their pairs."""

    task = "aste"
    later = frozenset({"task"})
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
        task: Literal["auto", "aste", "asqp", "quads", "tasd"] = "auto",
    ) -> None:
        super().__init__(encoder)
        self.task = self.task_of({"styles": styles, "categories": categories, "task": task})
        self.names, self.hide_style, self.category_weight = names, hide_style, category_weight
        self.styles, self.threshold = tuple(styles), threshold
        self.style = nn.Embedding(len(self.styles) + 1, encoder.width)
        nn.init.zeros_(self.style.weight)
        self.head = QuadHead(
            hidden=hidden, rank=rank, kept=kept, longest=longest, answers=answers, dropout=dropout
        )
        self.read = nn.Linear(encoder.width, self.head.width)
        self.read_name = nn.Linear(encoder.width, hidden)
        self.scale = nn.Parameter(torch.tensor(_SCALE))
        self.drop = nn.Dropout(dropout)
        self.name_tokens: Tensor
        self.name_mask: Tensor
        self.allowed: Tensor
        with torch.no_grad():  # nearly all runs of words are no term
            for bias in self.read.bias.chunk(2):
                bias[:3] = torch.tensor([-3.0, -3.0, 0.0])
        self.use_categories(categories or {})

    @classmethod
    def task_of(cls, settings: Mapping[str, object]) -> str:
        """Return the task asked for, or aste without categories, asqp if every style has them, else quads."""
        if settings.get("task", "auto") != "auto":
            return str(settings["task"])
        styles, categories = settings.get("styles") or [""], settings.get("categories")
        if not categories:
            return "aste"
        assert isinstance(styles, Sequence)
        assert isinstance(categories, Mapping)
        return "asqp" if categories.keys() >= set(styles) else "quads"

    @classmethod
    def complete_settings(
        cls, settings: Mapping[str, object], examples: Iterable[Example]
    ) -> dict[str, object]:
        """Add the styles of the training examples, and the categories of each."""
        found: dict[str, set[str]] = {}
        for example in examples:
            names = found.setdefault(example.style or "", set())
            names.update(quad.category for quad in example.quads if quad.category)
        if settings.get("task") == "aste":
            return fill_open(settings, {"styles": sorted(filter(None, found))})
        told = {
            "styles": sorted(filter(None, found)),
            "categories": {style: sorted(names) for style, names in sorted(found.items()) if names},
        }
        return fill_open(settings, told)

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
        rows = encode_names(vocabulary, every)
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

    def loss(self, parts: Tensor, batch: QuadBatch[Tensor]) -> Tensor:
        """Sum the losses of spans, of pairs and of categories over a text, and average over texts."""
        size = parts.shape[1]
        scores = self.head(parts, word_mask(batch.words)[:, :size], batch.labels)
        marks = torch.stack([mark_spans(batch.labels, side, size) for side in SIDES], 1)  # [B, 2, W, W]
        spans = binary_cross_entropy_with_logits(scores.spans, marks, reduction="none")
        span_loss = (spans * scores.cells[:, None]).sum((1, 2, 3))  # [B]
        same = [match_spans(scores.kept[:, side], batch.labels, side) for side in SIDES]  # [B, K, Q]
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
        logits = logits.masked_fill(~open_names[:, None], MASKED)
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
        scores = self.head(self(batch, room), word_mask(batch.words)[:, :room])
        candidates, indices = self.head.choose(scores)
        vectors = sum(take_rows(scores.meanings[:, side], indices[..., side]) for side in SIDES)
        assert isinstance(vectors, Tensor)
        return torch.cat([candidates, self._choose_category(vectors, batch.style)], -1)

    def _choose_category(self, vectors: Tensor, style: Tensor) -> Tensor:
        """Return the number and the probability of the likeliest name, [B, P, D] -> [B, P, 2]."""
        if not self.allowed.shape[1]:
            return torch.full((*vectors.shape[:2], 2), -1.0, device=vectors.device)
        if self._known_names is None:
            self._known_names = self._name_vectors(self.name_tokens, self.name_mask)
        logits = self._compare(vectors, self._known_names)
        open_names = self.allowed[style.long()]  # [B, N]
        shares, numbers = logits.masked_fill(~open_names[:, None], MASKED).softmax(-1).max(-1)
        numbers = torch.where(open_names.any(-1)[:, None], numbers, -1)
        return torch.stack([numbers.float(), shares], -1)
