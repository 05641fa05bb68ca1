"""Text-to-text encoding: triplets are written down beside the text, and read off what a model writes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from aspectlab.data import Example, Quad
from aspectlab.encodings.alignment import Aligner, Gold, Spelling
from aspectlab.encodings.base import A, Array, Batch, Item, Scores, TextItem, frame_arrays, pad_field
from aspectlab.encodings.grammar import Slot, Template
from aspectlab.encodings.vocabulary import Vocabulary

EXTRACTION = Template(("(", Slot.ASPECT, ",", Slot.OPINION, ",", Slot.POLARITY, ")"), ";")
"""The extraction style of GAS: (aspect, opinion, polarity); (…)."""

PARAPHRASE = Template(
    (Slot.CATEGORY, "is", Slot.POLARITY, "because", Slot.ASPECT, "is", Slot.OPINION, "."),
    "[SSEP]",
    implicit="it",
)
"""The sentences of PARAPHRASE: category is polarity because aspect is opinion; a model adds categories."""

TERMS_FIRST = Template(
    (Slot.ASPECT, "is", Slot.OPINION, "so", Slot.CATEGORY, "is", Slot.POLARITY, "."), "[SSEP]", implicit="it"
)
"""The same the other way round, so that what is copied is known when it is judged."""


Guide = tuple[int, int, int]
"""Where the marker of a term is written, and the first and last word of that term; -1: not in the text."""


@dataclass(frozen=True, slots=True)
class WrittenItem(TextItem):
    """A text and what is to be written about it; it is as long as the longer of the two."""

    target: list[int]
    # of a text that is written about twice: which time, and for each triplet guides to aspect and opinion
    copy: int = 0
    guides: tuple[tuple[Guide, Guide], ...] = ()

    def __len__(self) -> int:
        return max(len(self.tokens), len(self.target))


@dataclass(frozen=True, slots=True)
class WrittenBatch(Batch[A]):
    """Texts as arrays; labels are what is to be written, with nothing (0) behind the end, [B, T].

    Texts and targets share an axis, so that a batch of short targets is cut to what it needs.
    """

    axes: ClassVar[dict[str, str]] = {**Batch.axes, "labels": "BT"}


def written_arrays(items: Sequence[Item], pad: int, length: int | None) -> dict[str, Array]:
    """Return the fields of a batch of written items."""
    written = [item for item in items if isinstance(item, WrittenItem)]
    frame = frame_arrays(written, pad, length)
    width = frame["tokens"].shape[1]
    # an item may be longer than its text
    frame["mask"] = pad_field([[1] * len(item.tokens) for item in written], width, 0, np.bool_)
    return {**frame, "labels": pad_field([item.target for item in written], width, 0, np.int32)}


def with_target(
    item: TextItem, target: list[int], copy: int = 0, guides: tuple[tuple[Guide, Guide], ...] = ()
) -> WrittenItem:
    """Return a text item with what is to be written about it."""
    return WrittenItem(
        example=item.example,
        tokens=item.tokens,
        segments=item.segments,
        words=item.words,
        is_cut=item.is_cut,
        offsets=item.offsets,
        quads=item.quads,
        target=target,
        copy=copy,
        guides=guides,
    )


@dataclass(frozen=True, slots=True)
class Text2TextEncoding:
    """Turn a text into tokens, its triplets into a row of numbers, and such rows back into triplets."""

    vocabulary: Vocabulary
    constrained: bool = True
    normalise: bool = True
    template: Template = EXTRACTION

    @property
    def spelling(self) -> Spelling:
        """How terms are written."""
        is_implicit = self.template.implicit is not None
        return Spelling(self.vocabulary, len(self.template.symbols), self.constrained, is_implicit)

    def encode(self, examples: Sequence[Example]) -> list[WrittenItem]:
        """Make an item of every text, or of overlapping windows where it is too long."""
        spelling, room = self.spelling, self.vocabulary.max_length
        texts = ((item, spelling.golds(item, examples[item.example])) for item in spelling.encode(examples))
        return [
            with_target(item, self.template.write([g.triplet for g in golds if self._knows(g)], room))
            for item, golds in texts
        ]

    def _knows(self, gold: Gold) -> bool:
        """Return whether a quad can be written: dev may have categories that train has not."""
        return Slot.CATEGORY not in self.template.parts or gold.triplet.category in self.template.categories

    def collate(self, items: Sequence[Item], length: int | None = None) -> WrittenBatch[Array]:
        """Pad items to one length: that of the longest, or the one given."""
        return WrittenBatch(**written_arrays(items, self.vocabulary.pad, length))

    def decode(
        self, scores: Scores, items: Sequence[Item], examples: Sequence[Example]
    ) -> list[tuple[Quad, ...]]:
        """Read triplets off what was written, [B, Y], and find where they stand."""
        aligner, spelling = Aligner(self.vocabulary, normalise=self.normalise), self.spelling
        answers = []
        for item, row in zip(items, scores.astype(np.int64).tolist(), strict=True):
            assert isinstance(item, TextItem)
            triplets = [spelling.tokens(triplet, item) for triplet in self.template.read(row)]
            answers.append(aligner.quads(triplets, item, examples[item.example]))
        return answers
