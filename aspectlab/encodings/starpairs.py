"""Star codec: spans of aspects and opinions on one side, pairs of their first words on the other.

A cell answers five questions at once, each by a bit: are the words from the row to the column an aspect, are
they an opinion, and is an aspect that starts at the row linked to an opinion that starts at the column by
each of the polarities?
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aspectlab.encodings.grid import Cell, Cells, Found, Triplet

ASPECT, OPINION, LINK = 0, 1, 2
"""The bit of each question; that of the first polarity is LINK."""

QUESTIONS = 5


@dataclass(frozen=True, slots=True)
class StarCodec:
    """Mark spans and links, and read links off whose two ends start a term."""

    aspect: float = 0.4  # how probable a span must be
    opinion: float = 0.4
    link: float = 0.45

    def paint(self, triplets: Sequence[Triplet]) -> Cells:
        """Mark the spans and the link of every triplet.

        >>> StarCodec().paint([Triplet((1, 2), (0, 0), 2)])
        {(1, 2): 1, (0, 0): 2, (1, 0): 16}
        """
        cells: Cells = {}
        for aspect, opinion, polarity in triplets:
            pair: Cell = aspect[0], opinion[0]
            for cell, question in (aspect, ASPECT), (opinion, OPINION), (pair, LINK + polarity):
                cells[cell] = cells.get(cell, 0) | 1 << question
        return cells

    def read(self, scores: NDArray[np.float32], count: int) -> Iterator[Found]:
        """Give each link the most probable aspect and opinion that start at its ends, [T, T, 5]."""
        # the logistic function, in a form that no score makes overflow
        chances = np.exp(-np.logaddexp(0, -scores[:count, :count]))  # [count, count, 5]
        aspects = _best_ends(chances[..., ASPECT], self.aspect)
        opinions = _best_ends(chances[..., OPINION], self.opinion)
        links = chances[..., LINK:]  # [count, count, 3]
        for row, column, polarity in np.argwhere(links > self.link).tolist():
            if row in aspects and column in opinions:
                spans = (row, aspects[row]), (column, opinions[column])
                yield Found(Triplet(*spans, polarity), links[row, column].tolist())


def _best_ends(chances: NDArray[np.float32], least: float) -> dict[int, int]:
    """Find the last word of the most probable span from each word on; of equals, the shortest, [W, W]."""
    # below the diagonal a span would end before it starts
    upper = np.triu(chances)
    return {row: int(upper[row].argmax()) for row in np.flatnonzero((upper > least).any(1)).tolist()}
