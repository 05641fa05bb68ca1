"""Predict triplets: encode, batch, run, decode, in order and whatever the batch mates."""

from __future__ import annotations

import hashlib
import json
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from aspectlab.data import Example, Quad
from aspectlab.encodings import Vocabulary
from aspectlab.encodings.spans import SpanBatch, SpanEncoding
from aspectlab.encodings.text import TextItem
from aspectlab.runtime.batching import Shelves
from aspectlab.runtime.spanscores import span_scores

R = TypeVar("R")

DECODING = 1
"""Raised when the same scores give other opinions than before."""

_PIECE = 256
"""Texts that are encoded at a time, while the batches before them are computed."""

_AHEAD = 64
"""Batches that may wait for each thread: enough never to run dry, few enough to stay small."""


class Runner(Protocol):
    """What runs the network."""

    width: int  # of a vector

    @property
    def label(self) -> str:
        """Engine and precision."""
        ...

    @property
    def version(self) -> str:
        """The version of the engine: another one may round another way."""
        ...

    def run(
        self, tokens: NDArray[np.int32], mask: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Give the pieces of each token, [B, T, 48], and a vector of each row, [B, H]."""
        ...


def digest(decides: Sequence[str]) -> str:
    """Give a short name to what decides a result, and to the way scores are read."""
    return hashlib.sha256(json.dumps([*decides, DECODING]).encode()).hexdigest()[:12]


class SpanPredictor:
    """Find triplets in texts; several threads may ask at once and share the cores."""

    def __init__(
        self, vocabulary: Vocabulary, runner: Runner, *, threads: int, name: str, hashes: Sequence[str]
    ) -> None:
        self.encoding = SpanEncoding(vocabulary)
        self._runner = runner
        self._pool = ThreadPoolExecutor(threads, "predictor")
        self._ahead = threads * _AHEAD
        self.identity = f"{name}-{runner.label}-{digest([*hashes, runner.version])}"

    def predict(self, texts: Sequence[str]) -> list[tuple[Quad, ...]]:
        """Give the triplets of each text, in order, with the share of each polarity."""
        examples = [Example("", text) for text in texts]

        def decode(items: Sequence[TextItem], length: int) -> list[tuple[Quad, ...]]:
            batch = self.encoding.collate(items, length)
            scores = span_scores(self._run(batch)[0], np.asarray(batch.words, np.int32))
            return self.encoding.decode(scores, items, examples)

        found: list[dict[Quad, None]] = [{} for _ in texts]
        # windows of a long text overlap: what stands in two of them is found twice
        for item, quads in self._map(examples, decode):
            found[item.example].update(dict.fromkeys(quads))
        return [tuple(quads) for quads in found]

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Give one vector a text, of length 1: the mean of the states of its tokens, [N, D]."""
        vectors = np.zeros((len(texts), self._runner.width), np.float32)

        def pool(items: Sequence[TextItem], length: int) -> list[NDArray[np.float32]]:
            return list(self._run(self.encoding.collate(items, length))[1].copy())

        for item, vector in self._map([Example("", text) for text in texts], pool):
            vectors[item.example] += len(item) * vector
        vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        return vectors

    def _run(self, batch: SpanBatch[NDArray[np.generic]]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        return self._runner.run(np.asarray(batch.tokens, np.int32), np.asarray(batch.mask, np.bool_))

    def _map(
        self, examples: Sequence[Example], work: Callable[[Sequence[TextItem], int], Sequence[R]]
    ) -> Iterator[tuple[TextItem, R]]:
        """Do some work on batches of the items of all examples; results come in the order of the items."""
        items: list[TextItem] = []
        results: dict[int, R] = {}
        running: deque[tuple[Sequence[int], Future[Sequence[R]]]] = deque()
        try:
            for length, numbers in self._batches(examples, items):
                chosen = [items[number] for number in numbers]
                running.append((numbers, self._pool.submit(work, chosen, length)))
                if len(running) > self._ahead:
                    _collect(running, results)
            while running:
                _collect(running, results)
        finally:
            # who was interrupted does not want the rest
            for _, future in running:
                future.cancel()
        return ((item, results[number]) for number, item in enumerate(items))

    def _batches(
        self, examples: Sequence[Example], items: list[TextItem]
    ) -> Iterator[tuple[int, Sequence[int]]]:
        """Encode piece by piece, add to `items`, and give the batches that are full, then the rest."""
        shelves = Shelves(self.encoding.vocabulary.max_length)
        for start in range(0, len(examples), _PIECE):
            for item in self.encoding.encode(examples[start : start + _PIECE]):
                items.append(replace(item, example=item.example + start))
                full = shelves.add(len(items) - 1, len(item))
                if full:
                    yield full
        yield from shelves.rest()


def _collect(running: deque[tuple[Sequence[int], Future[Sequence[R]]]], results: dict[int, R]) -> None:
    """Wait for the oldest batch and put its results in their places."""
    numbers, future = running.popleft()
    results.update(zip(numbers, future.result(), strict=True))
