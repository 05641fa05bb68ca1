"""Layers: clauses by their place in their text, so that sums by text are sums of whole slices."""

from __future__ import annotations

import numpy as np

from aspectlab.campaigns.absita.system.parts import Float32Array
from aspectlab.metrics import IntArray


class Layers:
    """The first clauses of all texts, then the second ones, and so on; texts with most clauses come first.

    >>> layers = Layers(np.array([1, 2]))
    >>> layers.order.tolist(), layers.clauses.tolist(), layers.sizes
    ([1, 0], [1, 0, 2], [2, 1])
    """

    def __init__(self, counts: IntArray) -> None:
        firsts = np.cumsum(counts) - counts  # [N]
        self.order = np.argsort(-counts, kind="stable")  # [N], texts
        self.places = np.argsort(self.order)  # [N], where each text is now
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
