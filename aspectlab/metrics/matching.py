"""Matching: when two terms, and two quads, are the same, and which pairs make most hits."""

from collections.abc import Sequence
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aspectlab.data import Quad, Span, Term


class Match(StrEnum):
    """How terms are compared: by span (by text where a span is missing), or always by text."""

    EXACT = "exact"
    TEXT = "text"


TermKey = Span | str | None
QuadKey = tuple[TermKey, str | None, TermKey, str | None]


def term_key(term: Term | None, match: Match) -> TermKey:
    """Return what identifies a term in its example; None is the key of an implicit term.

    >>> term_key(Term("tea", Span(5, 8)), Match.EXACT), term_key(Term("tea", Span(5, 8)), Match.TEXT)
    (Span(start=5, end=8), 'tea')
    """
    if term is None:
        return None
    return term.text if match is Match.TEXT or term.span is None else term.span


def quad_key(quad: Quad, match: Match) -> QuadKey:
    """Return what identifies a quad among those of its example."""
    return term_key(quad.aspect, match), quad.category, term_key(quad.opinion, match), quad.polarity


def is_same_term(one: Term | None, other: Term | None, match: Match) -> bool:
    """Compare two terms; under `exact` the text decides if either has no span.

    >>> is_same_term(Term("tea", Span(5, 8)), Term("tea"), Match.EXACT)
    True
    >>> is_same_term(Term("tea", Span(5, 8)), Term("tea", Span(20, 23)), Match.EXACT)
    False
    """
    placed = one is not None and one.span is not None and other is not None and other.span is not None
    deciding = match if placed else Match.TEXT
    return term_key(one, deciding) == term_key(other, deciding)


def count_hits(gold: Sequence[Quad], predicted: Sequence[Quad], match: Match) -> tuple[int, int, int]:
    """Count the quads on both sides, only predicted, and only in gold; each side is a set.

    >>> count_hits([Quad(Term("tea")), Quad(Term("cup"))], [Quad(Term("tea"))], Match.EXACT)
    (1, 0, 1)
    """
    wanted = {quad_key(quad, match): quad for quad in gold}
    found = {quad_key(quad, match): quad for quad in predicted}
    common = wanted.keys() & found.keys()
    hits = len(common) + _count_unplaced_hits(
        [quad for key, quad in wanted.items() if key not in common],
        [quad for key, quad in found.items() if key not in common],
        match,
    )
    return hits, len(found) - hits, len(wanted) - hits


def _count_unplaced_hits(gold: list[Quad], predicted: list[Quad], match: Match) -> int:
    """Count the largest one-to-one pairing of quads that agree although a span is missing.

    One term without a span may agree with several that have one, so keys alone cannot pair them.
    """
    unplaced = any(term.span is None for quad in (*gold, *predicted) for term in quad.terms)
    if match is Match.TEXT or not unplaced or not gold or not predicted:
        return 0
    agree = np.array([[_is_same_quad(one, other, match) for other in predicted] for one in gold])  # [G, P]
    rows, columns = assign(~agree)
    return int(agree[rows, columns].sum())


def _is_same_quad(one: Quad, other: Quad, match: Match) -> bool:
    return (
        (one.category, one.polarity) == (other.category, other.polarity)
        and is_same_term(one.aspect, other.aspect, match)
        and is_same_term(one.opinion, other.opinion, match)
    )


Indices = NDArray[np.intp]


def assign(costs: ArrayLike) -> tuple[Indices, Indices]:
    """Return the rows and columns of the cheapest one-to-one pairing of a matrix of finite costs, [R, C].

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

    def _move(self, row: int, column: int, before: Indices) -> None:
        current = -1
        while current != row:
            current = int(before[column])
            self._row_of[column] = current
            column, self.column_of[current] = int(self.column_of[current]), column
