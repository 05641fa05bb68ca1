"""Features: terms and meaning of texts, and the kernel between two sets of them."""

import re
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from aspectlab.campaigns.absita.system import sentence_encoder
from aspectlab.campaigns.absita.system.extra import WIDTH, Float32Array, limit_threads
from aspectlab.campaigns.absita.system.sparse_terms import (
    SparseRows,
    TermVocabulary,
    build_terms,
    multiply_rows,
)
from aspectlab.metrics import IntArray

_CONNECTIVES = "ma|però|pero|anche se|mentre|tuttavia|nonostante|purtroppo|peccato"
_BREAK = re.compile(rf"[.,;:!?()]+|\b(?:{_CONNECTIVES})\b", re.IGNORECASE)
_SHORTEST = 3


def split_clauses(text: str) -> list[str]:
    """Split a sentence at marks and connectives; one without any is its own clause.

    >>> split_clauses("Camera pulita, ma il letto è scomodo.")
    ['Camera pulita', 'il letto è scomodo']
    """
    parts = [part.strip() for part in _BREAK.split(text)]
    return [part for part in parts if len(part) >= _SHORTEST] or [text]


class Layers:
    """The first clauses of all texts, then the second ones, and so on; texts with most clauses come first.

    >>> layers = Layers(np.array([1, 2]))
    >>> layers.order.tolist(), layers.clauses.tolist(), layers.sizes
    ([1, 0], [1, 0, 2], [2, 1])
    """

    def __init__(self, counts: IntArray) -> None:
        firsts = np.cumsum(counts) - counts  # [N]
        self.order = np.argsort(-counts, kind="stable")  # [N], texts
        self.positions = np.argsort(self.order)  # [N], where each text is now
        self.sizes = [int((counts > rank).sum()) for rank in range(int(counts.max(initial=0)))]
        layers = [firsts[self.order[:size]] + rank for rank, size in enumerate(self.sizes)]
        self.clauses = np.concatenate([np.zeros(0, dtype=np.int64), *layers])  # [M]

    def add_up(self, rows: Float32Array) -> Float32Array:
        """Sum the rows of clauses [M, ...] by text, in place; the texts stay in this order [N, ...]."""
        at = len(self.order)
        for size in self.sizes[1:]:
            rows[:size] += rows[at : at + size]
            at += size
        return rows[: len(self.order)]


_SCALE = np.float32(0.4)
_TINY = np.float32(1e-9)
_KERNEL_BLOCK = 128
_THREADS = 2


class Meaning:
    """The vectors of texts and clauses, and what is needed to compare them by blocks of texts."""

    def __init__(self, vectors: Float32Array, counts: IntArray) -> None:
        self.vectors, self.counts = vectors, counts  # [M, 512], [N]
        self.firsts = np.cumsum(counts) - counts  # [N], the first clause of each text
        self.layers = Layers(counts)
        self.layered = vectors[self.layers.clauses]  # [M, 512]
        sums = np.add.reduceat(vectors, self.firsts, axis=0)  # [N, 512]
        self.means = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), _TINY)
        self.lengths = np.sqrt(np.maximum(self._compare_with_self(), _TINY))  # [N]

    def _compare_with_self(self) -> Float32Array:
        """Sum the likeness of all pairs of clauses of a text [N]; texts of one size are done at once."""
        found = np.zeros(len(self.counts), dtype=np.float32)
        for count in np.unique(self.counts):
            texts = np.flatnonzero(self.counts == count)
            own = self.vectors[self.firsts[texts, None] + np.arange(count)]  # [n, k, 512]
            found[texts] = _likeness(own, own).sum(axis=(1, 2))
        return found


def add_meaning(kernel: Float32Array, left: Meaning, right: Meaning) -> None:
    """Turn a lexical kernel into the whole one, in place; blocks of rows stay within the caches."""

    def add(start: int) -> None:
        rows = slice(start, min(start + _KERNEL_BLOCK, len(kernel)))
        meaning = left.means[rows] @ right.means.T  # [B, M]
        block = kernel[rows]
        block *= 1 + 2 * meaning
        block += meaning * meaning
        block += clause_kernel(left, right, rows)
        block *= _SCALE
        block += 1  # a constant feature: the bias

    with ThreadPoolExecutor(_THREADS) as pool:
        list(pool.map(add, range(0, len(kernel), _KERNEL_BLOCK)))


def clause_kernel(left: Meaning, right: Meaning, rows: slice) -> Float32Array:
    """Sum the likeness of all pairs of clauses, for some texts of the left; every text is 1 with itself."""
    layers = Layers(left.counts[rows])
    likeness = _likeness(left.vectors[left.firsts[rows.start] + layers.clauses], right.layered)
    by_text = layers.add_up(likeness)  # whole rows first: fewer are left for the columns
    kernel = right.layers.add_up(by_text.T).T[layers.positions].take(right.layers.positions, axis=1)
    kernel /= left.lengths[rows, None]
    kernel /= right.lengths[None]
    return kernel


def _likeness(left: Float32Array, right: Float32Array) -> Float32Array:
    """Compare clauses by the third power of their cosine: only what is really alike counts."""
    cosine: Float32Array = left @ right.swapaxes(-1, -2)
    np.maximum(cosine, 0, out=cosine)
    cosine *= cosine * cosine
    return cosine


_EMBEDDING_BLOCK = 256

T = TypeVar("T")


def embed_beside(texts: Sequence[str], work: Callable[[], T]) -> tuple[Float32Array, T]:
    """Turn texts into vectors of length 1 [N, 512], and do some work at the same time.

    >>> embed_beside([], lambda: "done")[1]
    'done'
    """
    vectors = np.zeros((len(texts), WIDTH), dtype=np.float32)
    waiting = deque(range(0, len(texts), _EMBEDDING_BLOCK))
    if not waiting:
        return vectors, work()

    def drain() -> None:
        passage = opened.result()
        while waiting:
            try:
                start = waiting.popleft()
            except IndexError:  # the other thread was faster
                return
            end = min(start + _EMBEDDING_BLOCK, len(texts))
            vectors[start:end] = passage.encode(start, end)

    with ThreadPoolExecutor(max_workers=1) as pool:
        opened = pool.submit(sentence_encoder.open_passage, texts)
        beside = pool.submit(drain)  # by the same thread, when it has opened the passage
        done = work()
        drain()
        beside.result()
    return vectors, done


@dataclass(frozen=True, eq=False, slots=True)
class Features:
    """What is known of N texts: their terms, and vectors of length 1 for the meaning of their M clauses."""

    terms: SparseRows  # [N, V]
    vectors: Float32Array  # [M, 512]
    owners: IntArray  # [M], the text of each clause, ascending; every text has one

    @property
    def meaning(self) -> Meaning:
        """What their meaning is compared by."""
        return Meaning(self.vectors, np.bincount(self.owners, minlength=len(self.terms)))


def relate(
    vocabularies: Sequence[TermVocabulary], texts: Sequence[str], known: Features | None = None
) -> tuple[Features, Float32Array]:
    """Compute the features of texts, and their kernel with known texts, or with each other [N, M].

    The kernel compares by terms, by meaning, by both at once, and clause by clause. The product of terms and
    meaning asks that two texts share a word in a like context; the clauses, that they say one like thing.
    """
    parts = [split_clauses(text) for text in texts]
    owners = np.repeat(np.arange(len(texts)), [len(part) for part in parts])

    def compare_terms() -> tuple[SparseRows, Float32Array]:
        terms = build_terms(vocabularies, texts)
        return terms, multiply_rows(terms, terms if known is None else known.terms)

    # most of the time goes into vectors, whose matrix products leave Python free for the terms
    with limit_threads():
        vectors, (terms, kernel) = embed_beside([clause for part in parts for clause in part], compare_terms)
        features = Features(terms, vectors, owners)
        add_meaning(kernel, features.meaning, (features if known is None else known).meaning)
    return features, kernel
