"""Pointer encoding: a triplet is five numbers, the first and the last word of both terms and the polarity."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aspectlab.data import Example, Polarity, Quad
from aspectlab.encodings.batch import Item
from aspectlab.encodings.grammar import (
    END,
    NOTHING,
    Copy,
    Grammar,
    polarity_of,
    symbol_of,
)
from aspectlab.encodings.text import POLARITIES, TextItem, WordQuad, WordSpan, encode_texts, quad_at
from aspectlab.encodings.text2text import WrittenBatch, WrittenItem, put_beside, written_arrays
from aspectlab.encodings.vocabulary import Vocabulary

_SIZE = 5
"""Numbers of a triplet: four words and a polarity."""

SYMBOLS = ("", "", "", *(str(polarity) for polarity in POLARITIES))
"""The words that each symbol stands for; the first three stand for none."""


def build_pointer_grammar() -> Grammar:
    """Make the table of states: behind the first word of a term comes that word again, or a later one."""
    follows = np.full((_SIZE + 1, len(SYMBOLS)), -1, np.int64)
    follows[0, END] = _SIZE
    follows[_SIZE - 1, [symbol_of(polarity) for polarity in POLARITIES]] = 0
    follows[_SIZE, NOTHING] = _SIZE
    copies = np.array([Copy.WORD, Copy.BEHIND, Copy.WORD, Copy.BEHIND, Copy.NOTHING, Copy.NOTHING], np.int64)
    copied = np.array([1, 2, 3, 4, 0, 0], np.int64)
    return Grammar(SYMBOLS, follows, copies, copied)


@dataclass(frozen=True, slots=True)
class PointerEncoding:
    """Turn a text into tokens, its triplets into pointers to words, and pointers back into triplets."""

    vocabulary: Vocabulary

    def encode(self, examples: Sequence[Example]) -> list[WrittenItem]:
        """Make an item of every text, or of overlapping windows where it is too long."""
        items = encode_texts(self.vocabulary, examples, with_opinions=True)
        return [put_beside(item, point(item.quads, self.vocabulary.max_length)) for item in items]

    def collate(self, items: Sequence[Item], length: int | None = None) -> WrittenBatch[NDArray[np.generic]]:
        """Pad items to one length: that of the longest, or the one given."""
        return WrittenBatch(**written_arrays(items, self.vocabulary.pad, length))

    def decode(
        self, scores: NDArray[np.float32], items: Sequence[Item], examples: Sequence[Example]
    ) -> list[tuple[Quad, ...]]:
        """Follow the pointers that were written, [B, Y]."""
        return [
            tuple(
                quad_at(examples[item.example], item, *triplet)
                for triplet in dict.fromkeys(follow_pointers(row, len(item.places)))
            )
            for row, item in zip(scores.astype(np.int64).tolist(), items, strict=True)
            if isinstance(item, TextItem)
        ]


def point(quads: Sequence[WordQuad], room: int) -> list[int]:
    """Write triplets as pointers, in the order in which their aspects and then their opinions begin.

    >>> point([WordQuad((1, 2), (0, 0), Polarity.POSITIVE)], 99)
    [7, 8, 6, 6, 5, 2]
    """
    triplets = [(quad.aspect, quad.opinion, quad.polarity) for quad in quads if quad.opinion]
    triplets.sort(key=lambda triplet: (triplet[0][0], triplet[1][0]))
    first = len(SYMBOLS)
    written = [
        number
        for aspect, opinion, polarity in triplets[: (room - 1) // _SIZE]
        for number in (*(first + word for word in (*aspect, *opinion)), symbol_of(polarity))
    ]
    return [*written, END]


def follow_pointers(written: Sequence[int], words: int) -> Iterator[tuple[WordSpan, WordSpan, Polarity]]:
    """Read triplets off what was written about a text of some words; what is none is passed over.

    >>> list(follow_pointers([7, 8, 6, 6, 5, 2, 0], 3))
    [((1, 2), (0, 0), <Polarity.POSITIVE: 'positive'>)]
    """
    pointers: list[int] = []
    for number in written:
        polarity = polarity_of(number)
        if number == END:
            return
        if polarity is None:
            pointers.append(number - len(SYMBOLS))
            continue
        if len(pointers) == _SIZE - 1 and all(0 <= word < words for word in pointers):
            aspect, opinion = (pointers[0], pointers[1]), (pointers[2], pointers[3])
            if aspect[0] <= aspect[1] and opinion[0] <= opinion[1]:
                yield aspect, opinion, polarity
        pointers = []
