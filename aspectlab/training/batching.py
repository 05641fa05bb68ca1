"""Cut an epoch into batches of similar length."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_EDGES = np.array([16, 24, 32, 40, 48, 64, 80, 96, 128, 192, 256, 384, 512])
"""Batches are padded to one of these lengths, so that few shapes occur."""

TRAINING_CELLS = 524_288
"""Pairs of positions per training batch, for models with a vector for each: 1.3 GB a tensor at 600 wide."""

_CHUNK = 32
"""Batches that are sorted together: enough for little padding, few enough to keep the order random."""


class Rows(NamedTuple):
    """One batch: which items, and the length they are padded to."""

    rows: NDArray[np.int64]
    length: int


def round_length(length: int) -> int:
    """Round a length up to the next edge; beyond the last one it stays.

    >>> round_length(30)
    32
    """
    place = int(np.searchsorted(_EDGES, length))
    return int(_EDGES[place]) if place < len(_EDGES) else length


def training_batches(
    rows: NDArray[np.int64],
    lengths: NDArray[np.int64],
    owner: NDArray[np.int64],
    *,
    batch_size: int,
    max_tokens: int,
    rng: np.random.Generator,
    max_cells: int | None = None,
) -> list[Rows]:
    """Shuffle the examples, keep the items of each together, and cut chunks sorted by length into batches."""
    examples = np.unique(owner[rows])
    rank = dict(zip(examples.tolist(), rng.permutation(len(examples)).tolist(), strict=True))
    shuffled = rows[np.argsort([rank[example] for example in owner[rows].tolist()], kind="stable")]
    batches: list[Rows] = []
    for start in range(0, len(shuffled), _CHUNK * batch_size):
        chunk = shuffled[start : start + _CHUNK * batch_size]
        chunk = chunk[np.argsort(lengths[chunk], kind="stable")]
        batches += _cut(chunk, lengths, batch_size, max_tokens, max_cells)
    return [batches[place] for place in rng.permutation(len(batches))]


def budget_batches(lengths: NDArray[np.int64], max_tokens: int, max_cells: int | None = None) -> list[Rows]:
    """Sort all items by length and fill batches up to a number of tokens, padding included."""
    order = np.argsort(-lengths, kind="stable")
    return _cut(order, lengths, len(order), max_tokens, max_cells)


def _cut(
    rows: NDArray[np.int64],
    lengths: NDArray[np.int64],
    batch_size: int,
    max_tokens: int,
    max_cells: int | None,
) -> list[Rows]:
    batches = []
    while len(rows):
        # the longest of the batch decides its padding, and so how many fit
        longest = round_length(int(lengths[rows[:batch_size]].max()))
        fitting = max_tokens // longest if max_cells is None else max_cells // longest**2
        size = min(batch_size, max(fitting, 1))
        part, rows = rows[:size], rows[size:]
        batches.append(Rows(part, round_length(int(lengths[part].max()))))
    return batches
