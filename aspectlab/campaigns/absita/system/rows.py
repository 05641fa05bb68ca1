"""Rows: a sparse matrix by rows, and the products of its rows with those of another, in numpy alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from aspectlab.campaigns.absita.system.parts import Float32Array
from aspectlab.metrics import BoolArray, FloatArray, IntArray

_DENSE_SHARE = 16
"""From one row in so many on, a dense product of a column is faster than one by cells; measured."""

_BLOCK = 256
_GROUP = 8

SparseRow = tuple[IntArray, FloatArray]
"""The columns of a row that are not zero, and their values."""

Cells = tuple[IntArray, IntArray, FloatArray]
"""The rows, columns and values of cells."""


@dataclass(frozen=True, eq=False, slots=True)
class Rows:
    """N rows of V columns: row i holds the cells from ends[i] to ends[i + 1]."""

    columns: IntArray  # [Z]
    values: Float32Array  # [Z]
    ends: IntArray  # [N + 1]
    width: int

    def __len__(self) -> int:
        return len(self.ends) - 1

    def __getitem__(self, row: int) -> SparseRow:
        cells = slice(self.ends[row], self.ends[row + 1])
        return self.columns[cells], self.values[cells].astype(np.float64)


def build_rows(cells: Cells, shape: tuple[int, int]) -> Rows:
    """Put cells in the order of their rows; those of one row keep theirs."""
    owners, columns, values = cells
    order = np.argsort(owners, kind="stable")
    ends = np.concatenate([[0], np.cumsum(np.bincount(owners, minlength=shape[0]))])
    return Rows(columns[order], values[order].astype(np.float32), ends, shape[1])


def multiply_rows(left: Rows, right: Rows) -> Float32Array:
    """Give the products of all rows of the left with all rows of the right [N, M].

    Columns that many rows share are multiplied as a dense matrix, the others cell by cell: only those cells
    of the right are looked at that share a column with the row.
    """
    frequent = np.bincount(right.columns, minlength=right.width) > len(right) // _DENSE_SHARE  # [V]
    table = _write_out(right, frequent)  # [M, F]
    index = _Index(right, ~frequent)
    products = np.empty((len(left), len(right)), dtype=np.float32)
    for first in range(0, len(left), _BLOCK):
        rows = slice(first, min(first + _BLOCK, len(left)))
        np.matmul(_write_out(_cut(left, rows.start, rows.stop), frequent), table.T, out=products[rows])
    for first in range(0, len(left), _GROUP):
        rows = slice(first, min(first + _GROUP, len(left)))
        products[rows] += index.multiply(_cut(left, rows.start, rows.stop))
    return products


class _Index:
    """The cells of some columns of a matrix, by columns."""

    def __init__(self, rows: Rows, chosen: BoolArray) -> None:
        cells = np.flatnonzero(chosen[rows.columns])
        cells = cells[np.argsort(rows.columns[cells], kind="stable")]
        self._count = len(rows)
        self._owners = _owners(rows)[cells]
        self._values = rows.values[cells].astype(np.float64)
        self._sizes = np.bincount(rows.columns[cells], minlength=rows.width)  # [V]
        self._starts = np.cumsum(self._sizes) - self._sizes  # [V]

    def multiply(self, left: Rows) -> FloatArray:
        """Multiply few rows with all [N, M]: list every pair of cells, and sum them by their place."""
        sizes = self._sizes[left.columns]  # [Z]
        places = np.repeat(self._starts[left.columns] - (np.cumsum(sizes) - sizes), sizes)  # [P]
        places += np.arange(len(places))
        products = self._values[places] * np.repeat(left.values, sizes)
        at = np.repeat(_owners(left) * self._count, sizes)
        at += self._owners[places]
        sums = np.bincount(at, weights=products, minlength=len(left) * self._count)
        return np.asarray(sums, dtype=np.float64).reshape(len(left), self._count)


def _owners(rows: Rows) -> IntArray:
    """The row of each cell [Z]."""
    return np.repeat(np.arange(len(rows)), np.diff(rows.ends))


def _write_out(rows: Rows, chosen: BoolArray) -> Float32Array:
    """Write the chosen columns as a dense matrix [N, F]."""
    places = np.cumsum(chosen) - 1
    owners = _owners(rows)
    kept = chosen[rows.columns]
    table = np.zeros((len(rows), int(chosen.sum())), dtype=np.float32)
    table[owners[kept], places[rows.columns[kept]]] = rows.values[kept]
    return table


def _cut(rows: Rows, start: int, end: int) -> Rows:
    ends = rows.ends[start : end + 1]
    cells = slice(ends[0], ends[-1])
    return Rows(rows.columns[cells], rows.values[cells], ends - ends[0], rows.width)
