"""A pipeline: texts are encoded while batches of the texts before them are computed."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import TypeVar

from aspectlab.data import Example
from aspectlab.encodings.spans import SpanEncoding
from aspectlab.encodings.text import TextItem
from aspectlab.runtime.batching import Shelves

R = TypeVar("R")

_PIECE = 256
"""Texts that are encoded at a time."""

_AHEAD = 64
"""Batches that may wait for each thread: enough never to run dry, few enough to stay small."""


class Pipeline:
    """Some threads that do any work on batches; several callers share them."""

    def __init__(self, encoding: SpanEncoding, threads: int) -> None:
        self._encoding = encoding
        self._pool = ThreadPoolExecutor(threads, "predictor")
        self._ahead = threads * _AHEAD

    def map(
        self, examples: Sequence[Example], work: Callable[[Sequence[TextItem], int], Sequence[R]]
    ) -> Iterator[tuple[TextItem, R]]:
        """Give all items of the examples, in order, each with what the work made of it.

        The work gets the items of a batch and the length to pad them to, and gives one result for each.
        """
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
        shelves = Shelves(self._encoding.vocabulary.max_length)
        for start in range(0, len(examples), _PIECE):
            for item in self._encoding.encode(examples[start : start + _PIECE]):
                items.append(replace(item, example=item.example + start))
                full = shelves.add(len(items) - 1, len(item))
                if full:
                    yield full
        yield from shelves.rest()


def _collect(running: deque[tuple[Sequence[int], Future[Sequence[R]]]], results: dict[int, R]) -> None:
    """Wait for the oldest batch and put its results in their places."""
    numbers, future = running.popleft()
    results.update(zip(numbers, future.result(), strict=True))
