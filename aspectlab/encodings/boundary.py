"""Boundary codec: a triplet is a rectangle of cells, told by its first and its last corner.

The cell of the first words of aspect and opinion is marked START, that of their last words END. Which pairs
of corners belong together, and their polarity, is a question to each rectangle.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from aspectlab.encodings.grid import Cells, Found, Triplet

START, END = 1, 2

NOTHING = 0
"""The class of a rectangle that is no triplet; those from 1 on are the polarities."""

CORNERS = 4
"""How many numbers of a candidate tell its corners; the scores of its classes follow."""


class BoundaryCodec:
    """Mark corners, and read triplets off candidate rectangles."""

    def paint(self, triplets: Sequence[Triplet]) -> Cells:
        """Mark both corners of every triplet; one cell may be both.

        >>> BoundaryCodec().paint([Triplet((1, 2), (0, 0), 2), Triplet((4, 4), (3, 3), 0)])
        {(1, 0): 1, (2, 0): 2, (4, 3): 3}
        """
        cells: Cells = {}
        for aspect, opinion, _ in triplets:
            for cell, mark in zip(zip(aspect, opinion, strict=True), (START, END), strict=True):
                cells[cell] = cells.get(cell, 0) | mark
        return cells

    def read(self, scores: NDArray[np.float32], count: int) -> Iterator[Found]:
        """Keep the rectangles whose best class is a polarity, [N, 4 + 4]: first cell, last cell, scores."""
        classes = scores[:, CORNERS:]  # [N, 4]
        best = classes.argmax(-1)
        for place in np.flatnonzero(best != NOTHING).tolist():
            row, column, last_row, last_column = scores[place, :CORNERS].astype(int).tolist()
            weights = np.exp(classes[place] - classes[place].max())[1:].tolist()
            yield Found(Triplet((row, last_row), (column, last_column), int(best[place]) - 1), weights)
