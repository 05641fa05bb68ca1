"""Category multi-label: our own baseline, every category of a text judged at once.

Idea: each category has a query that attends over the words of the text, and a classifier of its own for what
it gathers: absent, or a set of polarities. One pass reads a text, however many categories there are.
A category counts as there if `threshold` or more of the probability is not on `absent`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor, nn

from aspectlab.data import Example, Quad
from aspectlab.encodings import (
    ABSENT,
    A,
    Array,
    Batch,
    CategoryLabels,
    Item,
    Scores,
    Tokens,
    Vocabulary,
    frame_arrays,
    words_of,
)
from aspectlab.models import CategoryModel, Plan
from aspectlab.nn import cross_entropies, masked_softmax, mean_where


@dataclass(frozen=True, slots=True)
class MultilabelItem(Item):
    """One text with the class of every category; a long text is read from its beginning."""

    labels: list[int]  # in the order of the categories, -1 where nothing is to be learnt

    @property
    def is_labelled(self) -> bool:
        """Whether any category has a class."""
        return any(label >= 0 for label in self.labels)


@dataclass(frozen=True, slots=True)
class MultilabelBatch(Batch[A]):
    """Texts as arrays; labels are [B, K], K: categories."""

    axes: ClassVar[dict[str, str]] = {**Batch.axes, "labels": "BK"}


@dataclass(frozen=True, slots=True)
class MultilabelEncoding:
    """Turn a text into one token sequence, and the scores of all categories back into quads."""

    vocabulary: Vocabulary
    category_labels: CategoryLabels

    def encode(self, examples: Sequence[Example]) -> list[MultilabelItem]:
        """Make an item of every text."""
        tokenized = self.vocabulary.tokenize([example.text for example in examples])
        return [
            self._item(index, example, tokens)
            for index, (example, tokens) in enumerate(zip(examples, tokenized, strict=True))
        ]

    def collate(self, items: Sequence[Item], length: int | None = None) -> MultilabelBatch[Array]:
        """Pad items to one length: that of the longest, or the one given."""
        frame = frame_arrays(items, self.vocabulary.pad, length)
        labels = [item.labels for item in items if isinstance(item, MultilabelItem)]
        shape = len(items), len(self.category_labels.categories)
        return MultilabelBatch(**frame, labels=np.array(labels, np.int64).reshape(shape))

    def decode(
        self, scores: Scores, items: Sequence[Item], examples: Sequence[Example]
    ) -> list[tuple[Quad, ...]]:
        """Return the quads of every category that is there, or of those that are given, [B, K, C]."""
        return [self._quads(row, examples[item.example]) for row, item in zip(scores, items, strict=True)]

    def _quads(self, scores: Scores, example: Example) -> tuple[Quad, ...]:
        given = {quad.category for quad in example.quads} if self.category_labels.is_given else None
        return tuple(
            quad
            for category, row in zip(self.category_labels.categories, scores, strict=True)
            if given is None or category in given
            for quad in self.category_labels.quads(category, row)
        )

    def _item(self, index: int, example: Example, tokens: Tokens) -> MultilabelItem:
        frame = self.vocabulary
        room = frame.max_length - len(frame.first) - len(frame.last)
        kept = tokens.ids[:room]
        row = [*frame.first, *kept, *frame.last]
        words = words_of(example.text, tokens)[:room]
        labels = self.category_labels.labels(example)
        return MultilabelItem(
            example=index,
            tokens=row,
            segments=[0] * len(row),
            words=[*[-1] * len(frame.first), *words, *[-1] * len(frame.last)],
            is_cut=len(kept) < len(tokens.ids),
            labels=[labels[category] for category in self.category_labels.categories],
        )


_PRIOR = 2.0


class CategoryMultilabel(CategoryModel):
    """Judge all categories from one reading of the text."""

    plan = Plan(
        epochs=20, batch_size=32, learning_rate=1e-3, encoder_learning_rate=1e-4, average=0.99, patience=6
    )

    def build_layers(self, category_labels: CategoryLabels) -> None:
        """Build a query and a classifier for every category."""
        self.encoding = MultilabelEncoding(self.encoder.vocabulary, category_labels)
        width, shape = self.encoder.width, (len(category_labels.categories), len(category_labels.classes))
        # small queries: attention is almost even to begin with
        self.queries = nn.Parameter(torch.randn(shape[0], width) / width)  # [K, H]
        self.weights = nn.Parameter(torch.randn(shape[0], width, shape[1]) / width**0.5)  # [K, H, C]
        # most categories are absent from most texts: a model that has to learn that first names them all
        prior = [_PRIOR * (name == ABSENT) for name in category_labels.classes]
        self.bias = nn.Parameter(torch.tensor([prior] * shape[0]))  # [K, C]

    def forward(self, batch: MultilabelBatch[Tensor]) -> Tensor:
        """Return the scores of every category's classes, [B, K, C]."""
        states = self.encoder(batch)  # [B, T, H]
        fits = torch.einsum("bth,kh->bkt", states, self.queries.to(states.dtype))
        weights = masked_softmax(fits, batch.mask[:, None])  # [B, K, T]
        gathered = self.drop(weights.to(states.dtype) @ states)  # [B, K, H]
        return torch.einsum("bkh,khc->bkc", gathered, self.weights.to(states.dtype)) + self.bias

    def loss(self, scores: Tensor, batch: MultilabelBatch[Tensor]) -> Tensor:
        """Average the cross-entropy over texts and categories."""
        losses = cross_entropies(scores, batch.labels.clamp(min=0))  # [B, K]
        judged = (batch.labels >= 0) & (batch.weight > 0)[:, None]
        return mean_where(losses, judged)
