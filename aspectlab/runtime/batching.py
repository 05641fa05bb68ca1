"""Batches of texts of like length, processed by threads; shapes depend on nothing but the texts."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import TypeVar

from aspectlab.data import Example
from aspectlab.encodings import Encoding, Item

R = TypeVar("R")

_PIECE = 256
"""Texts that are encoded at a time."""

_AHEAD = 64
"""Batches that may wait for each thread: enough never to run dry, few enough to stay small."""


class BatchPipeline:
    """Threads that process batches; several callers share them."""

    def __init__(self, encoding: Encoding, longest: int, threads: int) -> None:
        self._encoding = encoding
        self._longest = longest
        self._pool = ThreadPoolExecutor(threads, "predictor")
        self._ahead = threads * _AHEAD

    def map(
        self, examples: Sequence[Example], work: Callable[[Sequence[Item], int], Sequence[R]]
    ) -> Iterator[tuple[Item, R]]:
        """Return all items of the examples, in order, each with what the work made of it.

        The work gets the items of a batch and the length to pad them to, and gives one result for each.
        """
        items: list[Item] = []
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

    def _batches(self, examples: Sequence[Example], items: list[Item]) -> Iterator[tuple[int, Sequence[int]]]:
        """Encode piece by piece, add to `items`, and give the batches that are full, then the rest."""
        buckets = LengthBuckets(self._longest)
        for start in range(0, len(examples), _PIECE):
            for item in self._encoding.encode(examples[start : start + _PIECE]):
                items.append(replace(item, example=item.example + start))
                full = buckets.add(len(items) - 1, len(item))
                if full:
                    yield full
        yield from buckets.rest()


def _collect(running: deque[tuple[Sequence[int], Future[Sequence[R]]]], results: dict[int, R]) -> None:
    """Wait for the oldest batch and store its results."""
    numbers, future = running.popleft()
    results.update(zip(numbers, future.result(), strict=True))


TOKENS = 512
"""Tokens a full batch has: what measures fastest on one core with its caches."""

_REST = 4
"""Rows of a batch that is not full; what is left beyond that goes alone."""

_STEPS = ((64, 4), (128, 16))
"""Up to so many tokens, lengths are rounded up to so much; longer ones to a multiple of 64."""


def padded_length(length: int, longest: int) -> int:
    """Round a length up, but never beyond the longest that the model reads.

    >>> [padded_length(length, 512) for length in (18, 65, 200, 511)]
    [20, 80, 256, 512]
    """
    step = next((step for bound, step in _STEPS if length <= bound), 64)
    # a text without tokens still takes a row
    return min(-(-max(length, 1) // step) * step, longest)


def full_size(length: int) -> int:
    """Return the rows of a full batch of some padded length.

    >>> full_size(20), full_size(512)
    (25, 1)
    """
    return max(TOKENS // length, 1)


@dataclass(slots=True)
class LengthBuckets:
    """Numbers of items by padded length, until there are enough for a batch."""

    longest: int
    waiting: dict[int, list[int]] = field(default_factory=dict)

    def add(self, number: int, length: int) -> tuple[int, list[int]] | None:
        """Add an item to its bucket; return the padded length and the items of the batch that it completes.

        >>> buckets = LengthBuckets(512)
        >>> buckets.add(0, 20), buckets.add(1, 510)
        (None, (512, [1]))
        >>> list(buckets.rest())
        [(20, [0])]
        """
        padded = padded_length(length, self.longest)
        bucket = self.waiting.setdefault(padded, [])
        bucket.append(number)
        if len(bucket) < full_size(padded):
            return None
        return padded, self.waiting.pop(padded)

    def rest(self) -> Iterator[tuple[int, Sequence[int]]]:
        """Return what is left, in batches of few sizes, the longest first."""
        for padded in sorted(self.waiting, reverse=True):
            bucket = self.waiting.pop(padded)
            whole = len(bucket) - len(bucket) % _REST
            yield from ((padded, bucket[start : start + _REST]) for start in range(0, whole, _REST))
            yield from ((padded, [number]) for number in bucket[whole:])
