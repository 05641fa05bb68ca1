"""Grid encoding: every pair of words is a cell; rows are words of aspects, columns words of opinions.

What a cell says, and how triplets are read off the scores, is the affair of a codec: those of
`bdtf`, `minicongts`, `simstar` and `emcgcn` are beside their models.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from aspectlab.data import Example, Quad
from aspectlab.encodings.base import (
    POLARITIES,
    A,
    Array,
    Batch,
    Item,
    Scores,
    TextItem,
    WordQuad,
    WordSpan,
    encode_texts,
    frame_arrays,
    polarity_shares,
    quad_at,
)
from aspectlab.encodings.vocabulary import Vocabulary

Cell = tuple[int, int]
"""A row and a column."""

Cells = dict[Cell, int]
"""What the cells say that say anything."""


class WordTriplet(NamedTuple):
    """An aspect and an opinion by their words, with the index of the polarity in `POLARITIES`."""

    aspect: WordSpan
    opinion: WordSpan
    polarity: int


class ScoredTriplet(NamedTuple):
    """A triplet that was read off the scores, and the weight of each polarity."""

    triplet: WordTriplet
    weights: Sequence[float]


class Codec(Protocol):
    """How triplets become cells, and scores triplets."""

    def paint(self, triplets: Sequence[WordTriplet]) -> Cells:
        """Return what the cells hold for the triplets of a text."""
        ...

    def read(self, scores: Scores, count: int) -> Iterable[ScoredTriplet]:
        """Find the triplets in the scores of one text that has `count` words."""
        ...


@dataclass(frozen=True, slots=True)
class GridBatch(Batch[A]):
    """Texts as arrays; labels are what the codec says of each pair of words, [B, T, T]."""

    quads: A  # [B, Y, 5] first and last word of aspect and opinion, class from 1 on; no quad: -1, class 0

    axes: ClassVar[dict[str, str]] = {**Batch.axes, "labels": "BTT", "quads": "BYP"}


@dataclass(frozen=True, slots=True)
class GridEncoding:
    """Turn a text into one token sequence, and scores of pairs of words back into triplets."""

    vocabulary: Vocabulary
    codec: Codec

    def encode(self, examples: Sequence[Example]) -> list[TextItem]:
        """Make an item of every text, or of overlapping windows where it is too long."""
        return encode_texts(self.vocabulary, examples, with_opinions=True)

    def collate(self, items: Sequence[Item], length: int | None = None) -> GridBatch[Array]:
        """Pad items to one length: that of the longest, or the one given."""
        texts = [item for item in items if isinstance(item, TextItem)]
        frame = frame_arrays(texts, self.vocabulary.pad, length)
        size = frame["tokens"].shape[1]
        labels = np.zeros((len(texts), size, size), np.int8)
        triplets_by_text = [triplets_of(item.quads) for item in texts]
        for row, triplets in enumerate(triplets_by_text):
            for cell, kind in self.codec.paint(triplets).items():
                labels[row, *cell] = kind
        return GridBatch(**frame, labels=labels, quads=_list_quads(triplets_by_text))

    def decode(
        self, scores: Scores, items: Sequence[Item], examples: Sequence[Example]
    ) -> list[tuple[Quad, ...]]:
        """Read triplets off the scores of each text, as the codec does it."""
        return [
            tuple(
                quad_at(
                    examples[item.example],
                    item,
                    found.aspect,
                    found.opinion,
                    POLARITIES[found.polarity],
                    polarity_shares(weights),
                )
                for found, weights in self.codec.read(scores[row], len(item.offsets))
            )
            for row, item in enumerate(items)
            if isinstance(item, TextItem)
        ]


def triplets_of(quads: Iterable[WordQuad]) -> list[WordTriplet]:
    """Return the quads that have an opinion, with polarities as numbers."""
    return [
        WordTriplet(quad.aspect, quad.opinion, POLARITIES.index(quad.polarity))
        for quad in quads
        if quad.opinion
    ]


def _list_quads(triplets_by_text: Sequence[Sequence[WordTriplet]]) -> NDArray[np.int32]:
    # a prediction has no gold at all, but an axis of size 0 would have no maximum
    most = max((len(triplets) for triplets in triplets_by_text), default=0) or 1
    quads = np.full((len(triplets_by_text), most, 5), [-1, -1, -1, -1, 0], np.int32)
    for row, triplets in enumerate(triplets_by_text):
        for index, (aspect, opinion, polarity) in enumerate(triplets):
            quads[row, index] = *aspect, *opinion, polarity + 1
    return quads
