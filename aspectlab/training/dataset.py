"""A corpus encoded once and kept on the device, and the batches that are cut from it."""

import logging
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import NamedTuple, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from aspectlab.data import Example
from aspectlab.encodings import Batch, Encoding, Item, PairItem

Rows = NDArray[np.int64]
"""Items of a dataset, by their index."""

_LOG = logging.getLogger(__name__)


class EncodedDataset:
    """All items of some examples as tensors, with one more row of weight 0 that fills a batch up."""

    def __init__(
        self,
        encoding: Encoding,
        examples: Sequence[Example],
        device: torch.device,
        items: Sequence[Item] | None = None,
    ) -> None:
        self.encoding = encoding
        self.device = device
        self.examples = examples
        self.items = encoding.encode(examples) if items is None else items
        _report_cuts(self.items)
        self.lengths: NDArray[np.int64] = np.array([len(item) for item in self.items], np.int64)
        self.owner: NDArray[np.int64] = np.array([item.example for item in self.items], np.int64)
        self.filler = len(self.items)
        self.batch = _with_filler(to_tensors(encoding.collate(self.items), device), self._shortest())

    @property
    def is_square(self) -> bool:
        """Whether a batch grows with the square of its length."""
        return "BTT" in self.batch.axes.values()

    def _shortest(self) -> int:
        """Find the shortest item that is not empty: it stands whole in any batch."""
        filled = np.flatnonzero(self.lengths)
        return int(filled[self.lengths[filled].argmin()]) if len(filled) else 0

    def rows_of(self, examples: Sequence[int]) -> NDArray[np.int64]:
        """Find the items of some examples."""
        return np.flatnonzero(np.isin(self.owner, np.asarray(examples, np.int64)))


def to_tensors(batch: Batch[NDArray[np.generic]], device: torch.device) -> Batch[Tensor]:
    """Move a batch to the device; an encoding may have its own kind of batch, and that stays."""
    tensors = {f.name: torch.from_numpy(getattr(batch, f.name)).to(device) for f in fields(batch)}
    kind = cast(type[Batch[Tensor]], type(batch))
    return kind(**tensors)


def select(batch: Batch[Tensor], rows: Tensor, length: int) -> Batch[Tensor]:
    """Take some rows; axes that run along the tokens are cut to the length that they need."""
    parts = {}
    for name, axes in batch.axes.items():
        values = getattr(batch, name).index_select(0, rows)
        for axis, letter in enumerate(axes):
            if letter == "T":
                values = values.narrow(axis, 0, min(length, values.shape[axis]))
        parts[name] = values
    return replace(batch, **parts)


def _with_filler(batch: Batch[Tensor], row: int) -> Batch[Tensor]:
    # the filler is a real item: attention over nothing at all would give no number
    parts = {
        field.name: torch.cat([values, values[row : row + 1]])
        for field in fields(batch)
        if isinstance(values := getattr(batch, field.name), Tensor)
    }
    parts["weight"][-1:] = 0
    # an item may have no label, but there is no loss without one
    parts["labels"][-1:] = parts["labels"][-1:].clamp(min=0)
    return replace(batch, **parts)


def _report_cuts(items: Sequence[Item]) -> None:
    """Report how many items do not see their whole text: around an aspect, or else from the start."""
    cut = [item for item in items if item.is_cut]
    if not cut:
        return
    if isinstance(cut[0], PairItem) and cut[0].quad >= 0:
        message = "%d of %d aspects: the text is too long, a window around it is read"
        _LOG.warning(message, len(cut), len(items))
        return
    texts, whole = ({item.example for item in some} for some in (cut, items))
    _LOG.warning("%d of %d texts: too long, only the beginning is read", len(texts), len(whole))


_EDGES = np.array([16, 24, 32, 40, 48, 64, 80, 96, 128, 192, 256, 384, 512])
"""Batches are padded to one of these lengths, so that few shapes occur."""

TRAINING_CELLS = 524_288
"""Pairs of positions per training batch, for models with a vector for each: 1.3 GB a tensor at 600 wide."""

_CHUNK = 32
"""Batches that are sorted together: enough for little padding, few enough to keep the order random."""


class BatchRows(NamedTuple):
    """One batch: which items, and the length they are padded to."""

    rows: NDArray[np.int64]
    length: int


def round_length(length: int) -> int:
    """Round a length up to the next edge; beyond the last one it stays.

    >>> round_length(30)
    32
    """
    edge = int(np.searchsorted(_EDGES, length))
    return int(_EDGES[edge]) if edge < len(_EDGES) else length


def training_batches(
    rows: NDArray[np.int64],
    lengths: NDArray[np.int64],
    owner: NDArray[np.int64],
    *,
    batch_size: int,
    max_tokens: int,
    rng: np.random.Generator,
    max_cells: int | None = None,
) -> list[BatchRows]:
    """Shuffle the examples, keep the items of each together, and cut chunks sorted by length into batches."""
    examples = np.unique(owner[rows])
    rank = dict(zip(examples.tolist(), rng.permutation(len(examples)).tolist(), strict=True))
    shuffled = rows[np.argsort([rank[example] for example in owner[rows].tolist()], kind="stable")]
    batches: list[BatchRows] = []
    for start in range(0, len(shuffled), _CHUNK * batch_size):
        chunk = shuffled[start : start + _CHUNK * batch_size]
        chunk = chunk[np.argsort(lengths[chunk], kind="stable")]
        batches += _cut(chunk, lengths, batch_size, max_tokens, max_cells)
    return [batches[index] for index in rng.permutation(len(batches))]


def budget_batches(
    lengths: NDArray[np.int64], max_tokens: int, max_cells: int | None = None
) -> list[BatchRows]:
    """Sort all items by length and fill batches up to a number of tokens, padding included."""
    order = np.argsort(-lengths, kind="stable")
    return _cut(order, lengths, len(order), max_tokens, max_cells)


def _cut(
    rows: NDArray[np.int64],
    lengths: NDArray[np.int64],
    batch_size: int,
    max_tokens: int,
    max_cells: int | None,
) -> list[BatchRows]:
    batches = []
    while len(rows):
        # the longest of the batch decides its padding, and so how many fit
        longest = round_length(int(lengths[rows[:batch_size]].max()))
        fitting = max_tokens // longest if max_cells is None else max_cells // longest**2
        size = min(batch_size, max(fitting, 1))
        part, rows = rows[:size], rows[size:]
        batches.append(BatchRows(part, round_length(int(lengths[part].max()))))
    return batches
