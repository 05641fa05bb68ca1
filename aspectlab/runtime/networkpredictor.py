"""Predict opinions by a network: one answer per text, in order and whatever the batch mates."""

import hashlib
import json
import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import ClassVar, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from aspectlab.data import Example, Quad, Term
from aspectlab.encodings import Encoding, Item, Vocabulary, has_alphanumeric, join_windows
from aspectlab.runtime.predictor import Constant, ExportDescription, PredictOptions

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


DECODING = 4
"""Raised when the same scores give other opinions than before."""

Scores = NDArray[np.float32]


class Runner(Protocol):
    """What runs a network."""

    @property
    def label(self) -> str:
        """Engine and precision."""
        ...

    @property
    def version(self) -> str:
        """The version of the engine: another one may round another way."""
        ...

    def run(self, *inputs: NDArray[np.generic]) -> tuple[Scores, ...]:
        """Return all outputs; they hold until the same thread calls again."""
        ...


@dataclass(frozen=True, slots=True)
class Networks:
    """The networks of a model: one reads the tokens, and others may read what that one gives.

    A `second` runner of the first, slower and more exact, is asked about the texts whose outcome hangs on a
    near tie. The others always compute in float32.
    """

    first: Runner
    second: Runner | None = None
    others: Sequence[Runner] = ()


class Reader(Protocol):
    """How a kind of model is asked about texts, and how opinions are read off what it answers."""

    others: ClassVar[tuple[str, ...]]
    """The files of the networks behind the first one."""

    encoding: Encoding
    style: str | None  # of all texts

    @classmethod
    def open(
        cls,
        description: ExportDescription,
        vocabulary: Vocabulary,
        networks: Networks,
        options: PredictOptions,
    ) -> "Reader":
        """Build the reader of an exported model."""
        ...

    @property
    def decides(self) -> Sequence[str]:
        """What the results depend on beside the files of the model."""
        ...

    def score(self, runner: Runner, items: Sequence[Item], length: int) -> Scores:
        """Return scores for each item, padded to a length."""
        ...

    def has_tie(self, scores: Scores) -> NDArray[np.bool_]:
        """Mark the items whose opinions may be others in another precision, [B]."""
        ...

    def decode(
        self, scores: Scores, items: Sequence[Item], examples: Sequence[Example]
    ) -> list[tuple[Quad, ...]]:
        """Return the opinions of each item."""
        ...

    def pool(self, runner: Runner, items: Sequence[Item], length: int) -> Scores:
        """Return the mean state of each item, [B, H]."""
        ...


def hash_parts(decides: Sequence[str]) -> str:
    """Hash what decides a result, and the way scores are read."""
    return hashlib.sha256(json.dumps([*decides, DECODING]).encode()).hexdigest()[:12]


class NetworkPredictor:
    """Find opinions in texts; several threads may ask at once and share the cores."""

    def __init__(
        self,
        reader: Reader,
        vocabulary: Vocabulary,
        networks: Networks,
        *,
        threads: int,
        name: str,
        hashes: Sequence[str],
        width: int,
        table: Constant | None = None,
        opens_hyphens: bool = False,
    ) -> None:
        self.reader = reader
        self.vocabulary = vocabulary
        self.opens_hyphens = opens_hyphens
        self.width = width
        self.table = table
        self.runner = networks.first
        self.second = networks.second
        decides = [
            *hashes,
            self.runner.version,
            *(["open hyphens"] if opens_hyphens else []),
            *reader.decides,
        ]
        self.identity = f"{name}-{self.runner.label}-{hash_parts(decides)}"
        self._pipeline = BatchPipeline(reader.encoding, vocabulary.max_length, threads)

    def predict(self, texts: Sequence[str]) -> list[tuple[Quad, ...]]:
        """Return the opinions of each text, in order, with the probability of each polarity."""
        if not self.opens_hyphens:
            return self._predict(texts)
        found = self._predict([open_hyphens(text) for text in texts])
        return [restore_hyphens(quads, text) for quads, text in zip(found, texts, strict=True)]

    def _predict(self, texts: Sequence[str]) -> list[tuple[Quad, ...]]:
        reader, style = self.reader, self.reader.style
        # where nothing is named nothing is found, so the network need not read it
        examples = [Example("", text if has_alphanumeric(text) else "", style=style) for text in texts]

        def decode(items: Sequence[Item], length: int) -> list[tuple[Quad, ...]]:
            scores = reader.score(self.runner, items, length)
            answers = reader.decode(scores, items, examples)
            if self.second:
                for row in np.flatnonzero(reader.has_tie(scores)).tolist():
                    again = reader.score(self.second, [items[row]], length)
                    (answers[row],) = reader.decode(again, [items[row]], examples)
            return answers

        found: list[list[tuple[Quad, ...]]] = [[] for _ in texts]
        for item, quads in self._pipeline.map(examples, decode):
            found[item.example].append(quads)
        return [join_windows(windows) for windows in found]

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one vector a text, of length 1: the mean of those of its word pieces, [N, D].

        They are what the network begins with. What it ends with tells aspects from opinions rather than wine
        from batteries, and is taken only where there is no table.
        """
        vectors = self._pool_states(texts) if self.table is None else self._look_up(texts, self.table)
        vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        return vectors

    def _look_up(self, texts: Sequence[str], table: Constant) -> NDArray[np.float32]:
        """Average the rows of the word pieces, [N, D]."""
        vectors = np.zeros((len(texts), table.shape[1]), np.float32)
        for row, tokens in enumerate(self.vocabulary.tokenize(texts)):
            if tokens.ids:
                vectors[row] = table[tokens.ids].astype(np.float32).mean(0)
        return vectors

    def _pool_states(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Average the last states of the tokens, those at the ends included, [N, D]."""
        vectors = np.zeros((len(texts), self.width), np.float32)

        def pool(items: Sequence[Item], length: int) -> list[NDArray[np.float32]]:
            return list(self.reader.pool(self.runner, items, length).copy())

        for item, vector in self._pipeline.map([Example("", text) for text in texts], pool):
            vectors[item.example] += len(item) * vector
        return vectors


_HYPHEN = re.compile(r"(?<=[^\W\d_])-(?=[^\W\d_])")


def open_hyphens(text: str) -> str:
    """Replace each hyphen between letters by a space; all offsets stay the same.

    Of 71 sentences on "check-in" the shipped model found 7 to say something of it, and 27 when it read "check
    in". On the dev parts of ASTE-V2 the F1 of its triplets rises from 67.6 to 68.1.

    >>> open_hyphens("A slow check-in - at 3-4 pm")
    'A slow check in - at 3-4 pm'
    """
    return _HYPHEN.sub(" ", text)


def restore_hyphens(quads: tuple[Quad, ...], text: str) -> tuple[Quad, ...]:
    """Restore the words of the text itself in what was found in another spelling of it."""
    return tuple(
        replace(quad, aspect=_restore_term(quad.aspect, text), opinion=_restore_term(quad.opinion, text))
        for quad in quads
    )


def _restore_term(term: Term | None, text: str) -> Term | None:
    if term is None or term.span is None:
        return term
    return Term(text[term.span.start : term.span.end], term.span)
