"""Multi-label encoding: one text, and one class for every category of the model at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from aspectlab.data import Example, Quad
from aspectlab.encodings.batch import A, Batch, Item
from aspectlab.encodings.padding import frame_arrays
from aspectlab.encodings.pair import words_of
from aspectlab.encodings.verdicts import Verdicts
from aspectlab.encodings.vocabulary import Tokens, Vocabulary


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
    verdicts: Verdicts

    def encode(self, examples: Sequence[Example]) -> list[MultilabelItem]:
        """Make an item of every text."""
        tokenized = self.vocabulary.tokenize([example.text for example in examples])
        return [
            self._item(index, example, tokens)
            for index, (example, tokens) in enumerate(zip(examples, tokenized, strict=True))
        ]

    def collate(
        self, items: Sequence[Item], length: int | None = None
    ) -> MultilabelBatch[NDArray[np.generic]]:
        """Pad items to one length: that of the longest, or the one given."""
        frame = frame_arrays(items, self.vocabulary.pad, length)
        labels = [item.labels for item in items if isinstance(item, MultilabelItem)]
        shape = len(items), len(self.verdicts.categories)
        return MultilabelBatch(**frame, labels=np.array(labels, np.int64).reshape(shape))

    def decode(
        self, scores: NDArray[np.float32], items: Sequence[Item], examples: Sequence[Example]
    ) -> list[tuple[Quad, ...]]:
        """Give the quads of every category that is there, or of those that are given, [B, K, C]."""
        return [self._quads(row, examples[item.example]) for row, item in zip(scores, items, strict=True)]

    def _quads(self, scores: NDArray[np.float32], example: Example) -> tuple[Quad, ...]:
        given = {quad.category for quad in example.quads} if self.verdicts.is_given else None
        return tuple(
            quad
            for category, row in zip(self.verdicts.categories, scores, strict=True)
            if given is None or category in given
            for quad in self.verdicts.quads(category, row)
        )

    def _item(self, index: int, example: Example, tokens: Tokens) -> MultilabelItem:
        frame = self.vocabulary
        room = frame.max_length - len(frame.first) - len(frame.last)
        kept = tokens.ids[:room]
        row = [*frame.first, *kept, *frame.last]
        words = words_of(example.text, tokens)[:room]
        labels = self.verdicts.labels(example)
        return MultilabelItem(
            example=index,
            tokens=row,
            segments=[0] * len(row),
            words=[*[-1] * len(frame.first), *words, *[-1] * len(frame.last)],
            is_cut=len(kept) < len(tokens.ids),
            labels=[labels[category] for category in self.verdicts.categories],
        )
