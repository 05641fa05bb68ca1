"""Inference: one model for all, in one thread; who asks first is served first."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from aspectlab.data import Quad
from aspectlab.insight.predictor import Predictor

PIECE = 256
"""Long work is done in pieces of so many sentences: others come in between."""


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
            found += self._pool.submit(self._predictor.predict, piece).result()
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


def _cut(texts: Sequence[str], stopped: threading.Event | None) -> Iterator[Sequence[str]]:
    for start in range(0, len(texts), PIECE):
        if stopped is not None and stopped.is_set():
            raise StoppedError
        yield texts[start : start + PIECE]
