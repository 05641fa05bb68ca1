"""Features: what the kernel sees of texts, and the kernel between two sets of them."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from aspectlab.campaigns.absita.system.clauses import split_clauses
from aspectlab.campaigns.absita.system.embedding import embed_beside
from aspectlab.campaigns.absita.system.parts import Float32Array
from aspectlab.campaigns.absita.system.rows import Rows, multiply_rows
from aspectlab.campaigns.absita.system.terms import Vocabulary, build_terms
from aspectlab.metrics import IntArray

_SCALE = np.float32(0.4)
_BLOCK = 128
_THREADS = 2


@dataclass(frozen=True, eq=False, slots=True)
class Features:
    """What is known of N texts: their terms, and vectors of length 1 for the meaning of their M clauses."""

    terms: Rows  # [N, V]
    vectors: Float32Array  # [M, 512]
    owners: IntArray  # [M], the text of each clause, ascending; every text has one

    @property
    def firsts(self) -> IntArray:
        """The first clause of each text [N]."""
        return np.searchsorted(self.owners, np.arange(len(self.terms)))


def relate(
    vocabularies: Sequence[Vocabulary], texts: Sequence[str], known: Features | None = None
) -> tuple[Features, Float32Array]:
    """Compute the features of texts, and their kernel with known texts, or with each other [N, M].

    The kernel compares by terms, by meaning, by both at once, and clause by clause. The product of terms and
    meaning asks that two texts share a word in a like context; the clauses, that they say one like thing.
    """
    parts = [split_clauses(text) for text in texts]
    owners = np.repeat(np.arange(len(texts)), [len(part) for part in parts])

    def compare_terms() -> tuple[Rows, Float32Array]:
        terms = build_terms(vocabularies, texts)
        return terms, lexical_kernel(terms, terms if known is None else known.terms)

    # most of the time goes into vectors, whose matrix products leave Python free for the terms
    vectors, (terms, kernel) = embed_beside([clause for part in parts for clause in part], compare_terms)
    features = Features(terms, vectors, owners)
    _add_meaning(kernel, _Meaning(features), _Meaning(features if known is None else known))
    return features, kernel


def lexical_kernel(left: Rows, right: Rows) -> Float32Array:
    """Multiply all rows with each other [N, M]."""
    kernel = np.zeros((len(left), len(right)), dtype=np.float32)
    for row, products in zip(kernel, multiply_rows(left, right), strict=True):
        row[:] = products
    return kernel


class _Meaning:
    """The vectors of texts and clauses, and what is needed to compare them by blocks of texts."""

    def __init__(self, features: Features) -> None:
        self.vectors, self.firsts = features.vectors, features.firsts
        self.ends = np.append(self.firsts[1:], len(self.vectors))
        sums = np.add.reduceat(self.vectors, self.firsts, axis=0)  # [N, 512]
        self.means = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), np.float32(1e-9))
        pairs = zip(self.firsts, self.ends, strict=True)
        own = [float(_likeness(self.vectors[a:b], self.vectors[a:b]).sum()) for a, b in pairs]
        self.lengths = np.sqrt(np.maximum(np.array(own, dtype=np.float32), np.float32(1e-9)))  # [N]


def _add_meaning(kernel: Float32Array, left: _Meaning, right: _Meaning) -> None:
    """Turn a lexical kernel into the whole one, in place; blocks of rows stay within the caches."""

    def add(start: int) -> None:
        rows = slice(start, min(start + _BLOCK, len(kernel)))
        meaning = left.means[rows] @ right.means.T  # [B, M]
        block = kernel[rows]
        block *= 1 + 2 * meaning
        block += meaning * meaning
        block += clause_kernel(left, right, rows)
        block *= _SCALE
        block += 1  # a constant feature: the bias

    with ThreadPoolExecutor(_THREADS) as pool:
        list(pool.map(add, range(0, len(kernel), _BLOCK)))


def clause_kernel(left: _Meaning, right: _Meaning, rows: slice) -> Float32Array:
    """Sum the likeness of all pairs of clauses, for some texts of the left; every text is 1 with itself."""
    start, end = left.firsts[rows.start], left.ends[rows.stop - 1]
    likeness = _likeness(left.vectors[start:end], right.vectors)
    by_text = np.add.reduceat(likeness, left.firsts[rows] - start, axis=0)  # whole rows first: they are fast
    kernel = np.add.reduceat(by_text, right.firsts, axis=1)
    kernel /= left.lengths[rows, None]
    kernel /= right.lengths[None]
    return kernel


def _likeness(left: Float32Array, right: Float32Array) -> Float32Array:
    """Compare clauses by the third power of their cosine: only what is really alike counts."""
    cosine = left @ right.T
    np.maximum(cosine, 0, out=cosine)
    cube: Float32Array = cosine * cosine * cosine
    return cube
