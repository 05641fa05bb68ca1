"""Pair rows with columns at the least total cost: the Hungarian method by shortest augmenting paths."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Places = NDArray[np.intp]


def assign(costs: ArrayLike) -> tuple[Places, Places]:
    """Give the rows and columns of the cheapest one-to-one pairing of a matrix of finite costs, [R, C].

    Every row gets a column, or every column a row, whichever are fewer. Time grows with the cube of the size.

    >>> rows, columns = assign([[4, 1, 3], [2, 0, 5]])
    >>> rows.tolist(), columns.tolist()
    ([0, 1], [1, 0])
    """
    matrix = np.asarray(costs, dtype=np.float64)
    assert matrix.ndim == 2
    assert np.isfinite(matrix).all()
    if len(matrix) > matrix.shape[1]:
        columns, rows = assign(matrix.T)
        order = np.argsort(rows)
        return rows[order], columns[order]
    pairing = _Pairing(matrix)
    for row in range(len(matrix)):
        pairing.add(row)
    return np.arange(len(matrix)), pairing.column_of


class _Pairing:
    """The cheapest pairing of the rows so far, with the prices that prove it.

    No cost lies below the price of its row plus that of its column, and no pair above.
    """

    def __init__(self, costs: NDArray[np.float64]) -> None:
        n_rows, n_columns = costs.shape
        self._costs = costs
        self._row_price = np.zeros(n_rows)
        self._column_price = np.zeros(n_columns)
        self._row_of = np.full(n_columns, -1)
        self.column_of = np.full(n_rows, -1)

    def add(self, row: int) -> None:
        """Pair one more row along the shortest path to a free column; rows on the path move on by one."""
        n_columns = len(self._row_of)
        distance, before = np.full(n_columns, np.inf), np.full(n_columns, -1)  # [C] both
        is_settled = np.zeros(n_columns, dtype=bool)  # [C]
        reached, current = 0.0, row
        while True:
            step = reached + self._costs[current] - self._row_price[current] - self._column_price  # [C]
            is_nearer = ~is_settled & (step < distance)
            distance[is_nearer], before[is_nearer] = step[is_nearer], current
            column = int(np.where(is_settled, np.inf, distance).argmin())
            reached = float(distance[column])
            if self._row_of[column] < 0:
                break
            is_settled[column] = True
            current = int(self._row_of[column])
        saved = reached - distance[is_settled]
        self._row_price[row] += reached
        self._row_price[self._row_of[is_settled]] += saved
        self._column_price[is_settled] -= saved
        self._move(row, column, before)

    def _move(self, row: int, column: int, before: Places) -> None:
        current = -1
        while current != row:
            current = int(before[column])
            self._row_of[column] = current
            column, self.column_of[current] = int(self.column_of[current]), column
