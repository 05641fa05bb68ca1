"""Meaning: texts compared by the vectors of their clauses."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from aspectlab.campaigns.absita.system.layers import Layers
from aspectlab.campaigns.absita.system.parts import Float32Array
from aspectlab.metrics import IntArray

_SCALE = np.float32(0.4)
_TINY = np.float32(1e-9)
_BLOCK = 128
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


def clause_kernel(left: Meaning, right: Meaning, rows: slice) -> Float32Array:
    """Sum the likeness of all pairs of clauses, for some texts of the left; every text is 1 with itself."""
    layers = Layers(left.counts[rows])
    likeness = _likeness(left.vectors[left.firsts[rows.start] + layers.clauses], right.layered)
    by_text = layers.add_up(likeness)  # whole rows first: fewer are left for the columns
    kernel = right.layers.add_up(by_text.T).T[layers.places].take(right.layers.places, axis=1)
    kernel /= left.lengths[rows, None]
    kernel /= right.lengths[None]
    return kernel


def _likeness(left: Float32Array, right: Float32Array) -> Float32Array:
    """Compare clauses by the third power of their cosine: only what is really alike counts."""
    cosine: Float32Array = left @ right.swapaxes(-1, -2)
    np.maximum(cosine, 0, out=cosine)
    cosine *= cosine * cosine
    return cosine
