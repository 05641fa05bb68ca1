"""Contagion codec: the first cell of a triplet holds its polarity, and the rest of its rectangle follows it.

The diagonal stands for no pair of words; there the class of each word is kept, which a contrastive loss asks
for: nothing, in an aspect, or in an opinion of one of the polarities.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from aspectlab.encodings.grid import Cells, Found, Triplet

NOTHING, FOLLOWS, FIRST = 0, 1, 2
"""A cell of no triplet, one that goes on what stands before it, and the first one of the first polarity."""

CLASSES = 5

IN_ASPECT, IN_OPINION = 1, 2
"""The classes of words on the diagonal: of an aspect, and of an opinion of the first polarity."""


class ContagionCodec:
    """Fill rectangles, and let them grow again from their first cells."""

    def paint(self, triplets: Sequence[Triplet]) -> Cells:
        """Fill the rectangle of every triplet; where two meet, the later one stays.

        >>> cells = ContagionCodec().paint([Triplet((1, 2), (0, 0), 2)])
        >>> cells[1, 0], cells[2, 0], cells[0, 0], cells[2, 2]
        (4, 1, 4, 1)
        """
        cells: Cells = {}
        for (row, last_row), (column, last_column), polarity in triplets:
            rows, columns = range(row, last_row + 1), range(column, last_column + 1)
            cells |= {(r, c): FOLLOWS for r in rows for c in columns if r != c}
            if row != column:
                cells[row, column] = FIRST + polarity
            cells |= {(r, r): IN_ASPECT for r in rows} | {(c, c): IN_OPINION + polarity for c in columns}
        return cells

    def read(self, scores: NDArray[np.float32], count: int) -> Iterator[Found]:
        """Start at each cell with a polarity, go down, then to the right, [T, T, 5 or more]."""
        scores = scores[:count, :count, :CLASSES]
        best = scores.argmax(-1)  # [count, count]
        np.fill_diagonal(best, NOTHING)
        follows = best == FOLLOWS
        below, behind = _run_lengths(follows), _run_lengths(follows.T).T
        weights = np.exp(scores - scores.max(-1, keepdims=True))[..., FIRST:]
        for row, column in np.argwhere(best >= FIRST).tolist():
            last_row = row + int(below[row, column])
            last_column = column + int(behind[last_row, column])
            triplet = Triplet((row, last_row), (column, last_column), int(best[row, column]) - FIRST)
            yield Found(triplet, weights[row, column].tolist())


def _run_lengths(follows: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Count the cells right below each one that follow without a gap, [W, W].

    >>> _run_lengths(np.array([[False], [True], [True]])).tolist()
    [[2], [1], [0]]
    """
    lengths = np.zeros(follows.shape, np.int64)
    for row in range(len(follows) - 2, -1, -1):
        lengths[row] = np.where(follows[row + 1], lengths[row + 1] + 1, 0)
    return lengths
