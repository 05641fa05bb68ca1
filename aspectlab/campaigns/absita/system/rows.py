"""Rows: a sparse matrix by rows, and the products of its rows with those of another, in numpy alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from aspectlab.campaigns.absita.system.parts import Float32Array
from aspectlab.metrics import BoolArray, FloatArray, IntArray

_DENSE_SHARE = 16
"""From one row in so many on, a dense product of a column is faster than one by cells; measured."""

_BLOCK = 256

SparseRow = tuple[IntArray, FloatArray]
"""The columns of a row that are not zero, and their values."""


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


def build_rows(rows: Iterable[SparseRow], width: int) -> Rows:
    """Put rows together."""
    found = list(rows)
    sizes = [len(columns) for columns, _ in found]
    ends = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]).astype(np.int64)
    empty = np.zeros(0)
    columns = np.concatenate([empty, *(columns for columns, _ in found)]).astype(np.int64)
    values = np.concatenate([empty, *(values for _, values in found)]).astype(np.float32)
    return Rows(columns, values, ends, width)


def multiply_rows(left: Rows, right: Rows) -> Iterator[Float32Array]:
    """Give the products of each row of the left with all rows of the right [M], one row after the other.

    Columns that many rows share are multiplied as a dense matrix, the others cell by cell: only those cells
    of the right are looked at that share a column with the row.
    """
    counts = np.bincount(right.columns, minlength=right.width)
    frequent = counts > len(right) // _DENSE_SHARE
    table = _write_out(right, frequent)  # [M, F]
    cells = np.flatnonzero(~frequent[right.columns])
    cells = cells[np.argsort(right.columns[cells], kind="stable")]  # by columns
    owners = np.repeat(np.arange(len(right)), np.diff(right.ends))[cells]
    starts = np.searchsorted(right.columns[cells], np.arange(right.width + 1))  # [V + 1]
    values = right.values[cells]
    for first in range(0, len(left), _BLOCK):
        block = _cut(left, first, first + _BLOCK)
        for row, sums in enumerate(_write_out(block, frequent) @ table.T):  # [B, M]
            columns, weights = block[row]
            places, sizes = _find_cells(starts, columns)
            products = values[places] * np.repeat(weights, sizes)
            yield sums + np.bincount(owners[places], weights=products, minlength=len(right))


def _find_cells(starts: IntArray, columns: IntArray) -> tuple[IntArray, IntArray]:
    """List the places of all cells of some columns, and how many each column has."""
    sizes = starts[columns + 1] - starts[columns]
    shifts = starts[columns] - (np.cumsum(sizes) - sizes)
    return np.repeat(shifts, sizes) + np.arange(sizes.sum()), sizes


def _write_out(rows: Rows, chosen: BoolArray) -> Float32Array:
    """Write the chosen columns as a dense matrix [N, F]."""
    places = np.cumsum(chosen) - 1
    owners = np.repeat(np.arange(len(rows)), np.diff(rows.ends))
    kept = chosen[rows.columns]
    table = np.zeros((len(rows), int(chosen.sum())), dtype=np.float32)
    table[owners[kept], places[rows.columns[kept]]] = rows.values[kept]
    return table


def _cut(rows: Rows, start: int, end: int) -> Rows:
    ends = rows.ends[start : end + 1]
    cells = slice(ends[0], ends[-1])
    return Rows(rows.columns[cells], rows.values[cells], ends - ends[0], rows.width)
