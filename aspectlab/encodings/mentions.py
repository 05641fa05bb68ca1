"""Mention encoding: every run of up to so many words may be a term; a triplet is a pair of such spans.

A span has a number, so that arrays can name it: with spans of up to S words, S times its first word, plus
how many words follow that one, plus 1. The number 0 is no span. A triplet with a longer term is lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from aspectlab.data import Example, Quad
from aspectlab.encodings.batch import A, Batch, Item
from aspectlab.encodings.grid import triplets_of
from aspectlab.encodings.padding import frame_arrays
from aspectlab.encodings.text import POLARITIES, TextItem, WordSpan, encode_texts, quad_at, shares
from aspectlab.encodings.vocabulary import Vocabulary

ASPECT, OPINION = 1, 2
N_MENTIONS = 3
"""What a span can be: nothing, an aspect, an opinion."""

N_PAIRS = 1 + len(POLARITIES)
"""What a pair of spans can be: nothing, or a triplet of one of the polarities."""


@dataclass(frozen=True, slots=True)
class MentionBatch(Batch[A]):
    """Texts as arrays; the label of a span is at its first word and the number of words that follow it.

    Y: triplets, as many as any item has.
    """

    triplets: A  # [B, Y, 3] the opinion's number, the aspect's number, the class of the pair; else zeros

    axes: ClassVar[dict[str, str]] = {**Batch.axes, "labels": "BTS", "triplets": "BYC"}


@dataclass(frozen=True, slots=True)
class MentionEncoding:
    """Turn a text into one token sequence, and classes of pairs of spans back into triplets."""

    vocabulary: Vocabulary
    max_width: int = 8

    def encode(self, examples: Sequence[Example]) -> list[TextItem]:
        """Make an item of every text, or of overlapping windows where it is too long."""
        return encode_texts(self.vocabulary, examples, with_opinions=True)

    def collate(self, items: Sequence[Item], length: int | None = None) -> MentionBatch[NDArray[np.generic]]:
        """Pad items to one length: that of the longest, or the one given."""
        frame = frame_arrays(items, self.vocabulary.pad, length)
        gold = [self._gold(item) for item in items if isinstance(item, TextItem)]
        labels = np.zeros((*frame["tokens"].shape, self.max_width), np.int8)
        triplets = np.zeros((len(items), max(map(len, gold), default=0), 3), np.int16)
        for row, pairs in enumerate(gold):
            flat = labels[row].reshape(-1)  # a view: spans in the order of their numbers
            for place, ((opinion, aspect), kind) in enumerate(pairs.items()):
                triplets[row, place] = opinion, aspect, kind
                # a span that is both has one label: the opinion's
                flat[aspect - 1] = max(flat[aspect - 1], ASPECT)
                flat[opinion - 1] = OPINION
        return MentionBatch(**frame, labels=labels, triplets=triplets)

    def decode(
        self, scores: NDArray[np.float32], items: Sequence[Item], examples: Sequence[Example]
    ) -> list[tuple[Quad, ...]]:
        """Give every pair that is something: four scores, then the numbers of its spans, [B, K, K, 6]."""
        return [
            self._decode_item(scores[row], item, examples[item.example])
            for row, item in enumerate(items)
            if isinstance(item, TextItem)
        ]

    def _gold(self, item: TextItem) -> dict[tuple[int, int], int]:
        """Give the class of every pair of opinion and aspect; of two polarities the last one stays."""
        return {
            (self.number(opinion), self.number(aspect)): polarity + 1
            for aspect, opinion, polarity in triplets_of(item.quads)
            if max(last - first for first, last in (aspect, opinion)) < self.max_width
        }

    def _decode_item(self, scores: NDArray[np.float32], item: TextItem, example: Example) -> tuple[Quad, ...]:
        kinds = scores[..., :N_PAIRS].argmax(-1)  # [K, K]
        quads = []
        for place in zip(*kinds.nonzero(), strict=True):
            opinion, aspect = (self.span(int(number)) for number in scores[place][N_PAIRS:])
            weights = scores[place][1:N_PAIRS]
            confidence = shares(np.exp(weights - weights.max()).tolist())
            quads.append(quad_at(example, item, aspect, opinion, POLARITIES[kinds[place] - 1], confidence))
        return tuple(quads)

    def number(self, span: WordSpan) -> int:
        """Give the number of a span.

        >>> from aspectlab.encodings import WordList
        >>> MentionEncoding(WordList({}), max_width=8).number((2, 4))
        19
        """
        return span[0] * self.max_width + span[1] - span[0] + 1

    def span(self, number: int) -> WordSpan:
        """Give the span of a number.

        >>> from aspectlab.encodings import WordList
        >>> MentionEncoding(WordList({}), max_width=8).span(19)
        (2, 4)
        """
        first, more = divmod(number - 1, self.max_width)
        return first, first + more
