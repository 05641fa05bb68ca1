"""Word table: a codec for grids whose upper triangle says what words are to themselves and to each other.

The diagonal opens and continues terms; a cell between two words of one term names its kind; a cell between a
word of an aspect and one of its opinion has the polarity. The table is symmetric; its upper half is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from aspectlab.encodings.grid import Cells, Found, Triplet
from aspectlab.encodings.text import POLARITIES, WordSpan

OPENS, CONTINUES, WITHIN = 0, 1, 2
ASPECT, OPINION = 1, 4
"""What a term's words say: one of the first three, added to one of the other two. 0 says nothing."""

POLARITY = 7
"""What a pair says: this, plus the place of its polarity."""

CLASSES = POLARITY + len(POLARITIES)


class WordTable:
    """Paint triplets as cells, and vote on the polarity of each pair of terms."""

    def paint(self, triplets: Sequence[Triplet]) -> Cells:
        """Fill both triangles; where two triplets disagree, the later one stays."""
        cells: Cells = {}
        for aspect, opinion, polarity in triplets:
            for kind, (first, last) in ((ASPECT, aspect), (OPINION, opinion)):
                inside = range(first, last + 1)
                cells |= {(i, j): kind + WITHIN for i in inside for j in inside}
                cells |= {(i, i): kind + CONTINUES for i in inside}
                cells[first, first] = kind + OPENS
            for pair in _pairs(aspect, opinion):
                cells[pair] = cells[pair[::-1]] = POLARITY + polarity
        return cells

    def read(self, scores: NDArray[np.float32], count: int) -> Iterator[Found]:
        """Find the terms on the diagonal, and give every pair of them what most of its cells say."""
        best = scores[:count, :count].argmax(-1)  # [W, W]
        aspects, opinions = (read_terms(best.diagonal().tolist(), kind) for kind in (ASPECT, OPINION))
        for aspect in aspects:
            for opinion in opinions:
                rows, columns = zip(*_pairs(aspect, opinion), strict=True)
                votes = np.bincount(best[rows, columns], minlength=CLASSES)[POLARITY:]
                if votes.any():
                    # of equals the one nearer to positive wins
                    polarity = len(votes) - 1 - int(votes[::-1].argmax())
                    yield Found(Triplet(aspect, opinion, polarity), _weights(scores[rows, columns]))


def read_terms(diagonal: Sequence[int], kind: int) -> list[WordSpan]:
    """Find the terms of one kind; a word that continues nothing is passed over.

    >>> read_terms([1, 2, 0, 2, 1, 1], ASPECT)
    [(0, 1), (4, 4), (5, 5)]
    """
    spans: list[WordSpan] = []
    for word, label in enumerate(diagonal):
        if label == kind + OPENS:
            spans.append((word, word))
        elif label == kind + CONTINUES and spans and spans[-1][1] == word - 1:
            spans[-1] = spans[-1][0], word
    return spans


def _pairs(aspect: WordSpan, opinion: WordSpan) -> list[tuple[int, int]]:
    """Give the cells above the diagonal, or on it, between the words of two terms."""
    words, others = (range(first, last + 1) for first, last in (aspect, opinion))
    return [(min(word, other), max(word, other)) for word in words for other in others]


def _weights(scores: NDArray[np.float32]) -> list[float]:
    """Add up the probability of each polarity over the cells of a pair, [N, C] -> 3 numbers."""
    chances = np.exp(scores - scores.max(-1, keepdims=True))
    chances = chances / chances.sum(-1, keepdims=True)
    return [float(weight) for weight in chances.sum(0)[POLARITY:]]
