"""Inference: one model for all, in one thread; who asks first is served first."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from aspectlab.data import Quad
from aspectlab.insight.predictor import Predictor

PIECE_TEXTS, PIECE_CHARS = 256, 4_000
"""Long work is done in pieces of at most so many sentences and characters: others come in between."""


class StoppedError(Exception):
    """Tell a thread that nobody waits for its work any more."""


class Inference:
    """A predictor whose calls run one after the other."""

    def __init__(self, predictor: Predictor) -> None:
        self._predictor = predictor
        self._pool = ThreadPoolExecutor(1, "inference")
        self.identity = predictor.identity

    def predict(self, texts: Sequence[str], stopped: threading.Event | None = None) -> list[tuple[Quad, ...]]:
        """Give the opinions of each text; call it from a thread that may wait."""
        found: list[tuple[Quad, ...]] = []
        for piece in _cut(texts, stopped):
            predicted = self._pool.submit(self._predictor.predict, piece).result()
            found += (quads[: _most_opinions(text)] for text, quads in zip(piece, predicted, strict=True))
        return found

    def embed(self, texts: Sequence[str], stopped: threading.Event | None = None) -> NDArray[np.float32]:
        """Give one vector a text, [N, D]."""
        pieces = [self._pool.submit(self._predictor.embed, piece).result() for piece in _cut(texts, stopped)]
        return np.concatenate(pieces) if pieces else self._predictor.embed([])

    def close(self) -> None:
        """Finish what runs and drop what waits."""
        self._pool.shutdown(cancel_futures=True)


class Stoppable:
    """The shared predictor for work that may be given up."""

    def __init__(self, inference: Inference, stopped: threading.Event) -> None:
        self._inference = inference
        self._stopped = stopped
        self.identity = inference.identity

    def predict(self, texts: Sequence[str]) -> list[tuple[Quad, ...]]:
        """Give the opinions of each text, unless the work was given up."""
        return self._inference.predict(texts, self._stopped)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Give one vector a text, [N, D], unless the work was given up."""
        return self._inference.embed(texts, self._stopped)


def _most_opinions(text: str) -> int:
    """Bound what is kept: a model may find tens of thousands of opinions in a row of dots."""
    return 10 + len(text) // 10


def _cut(texts: Sequence[str], stopped: threading.Event | None) -> Iterator[Sequence[str]]:
    start = 0
    while start < len(texts):
        if stopped is not None and stopped.is_set():
            raise StoppedError
        end, chars = start + 1, len(texts[start])
        while end < min(len(texts), start + PIECE_TEXTS) and chars + len(texts[end]) <= PIECE_CHARS:
            chars += len(texts[end])
            end += 1
        yield texts[start:end]
        start = end
