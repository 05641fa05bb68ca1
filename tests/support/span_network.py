"""A network made by hand: whatever stands between "lovely" and a later "soup", it is a positive triplet."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aspectlab.encodings import WordList
from aspectlab.encodings.spans import ASPECT_BIT, N_SPAN_CLASSES, OPINION_BIT
from aspectlab.runtime import PIECES, NetworkPredictor, Networks, SpanReader

LOVELY, SOUP = 2, 3
POSITIVE = 3


class HandMade:
    """Scores 8 for nothing, 10 for a term, 12 for a snippet; a vector counts "lovely" and "soup"."""

    label = "handmade"
    version = "1"

    def __init__(self) -> None:
        self.shapes: list[tuple[int, ...]] = []

    def run(
        self, tokens: NDArray[np.int32], mask: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        self.shapes.append(tokens.shape)
        pieces = np.zeros((*tokens.shape, PIECES), np.float32)
        first, last = pieces[..., :N_SPAN_CLASSES], pieces[..., N_SPAN_CLASSES : 2 * N_SPAN_CLASSES]
        last[..., 0] = 8
        for word, kind in ((LOVELY, OPINION_BIT), (SOUP, ASPECT_BIT)):
            first[tokens == word, kind] = last[tokens == word, kind] = 5
        first[tokens == LOVELY, POSITIVE] = last[tokens == SOUP, POSITIVE] = 6
        counts = np.stack([((tokens == word) & mask).sum(1) for word in (LOVELY, SOUP)], 1)
        return pieces, counts.astype(np.float32) / np.maximum(mask.sum(1, keepdims=True), 1)


class Unsure(HandMade):
    """The same network, rounded: "lovely" and "soup" are a hair's breadth from nothing."""

    def run(
        self, tokens: NDArray[np.int32], mask: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        pieces, vectors = super().run(tokens, mask)
        return np.where(pieces == 5, np.float32(3.99), pieces), vectors


def make_predictor(
    runner: HandMade | None = None, second: HandMade | None = None, *, opens_hyphens: bool = False
) -> NetworkPredictor:
    words = WordList({"lovely": LOVELY, "soup": SOUP})
    return NetworkPredictor(
        SpanReader(words),
        words,
        Networks(runner or HandMade(), second),
        threads=2,
        name="toy",
        hashes=["0"],
        width=2,
        opens_hyphens=opens_hyphens,
    )
