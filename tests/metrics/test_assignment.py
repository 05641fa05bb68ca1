"""The cheapest pairing: scipy's solver as oracle, on whole numbers with many ties and on any shape."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from aspectlab.metrics.matching import assign

SHAPES = array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=9)
WHOLE = arrays(np.int64, SHAPES, elements=st.integers(-6, 6))
REAL = arrays(np.float64, SHAPES, elements=st.floats(-1e6, 1e6))


@settings(deadline=None, max_examples=300)
@given(WHOLE | REAL)
def test_assignment_costs_what_scipys_costs(costs: NDArray[np.float64]) -> None:
    rows, columns = assign(costs)
    assert len(set(rows)) == len(set(columns)) == len(rows) == min(costs.shape)
    assert costs[rows, columns].sum() == pytest.approx(
        costs[linear_sum_assignment(costs)].sum(), rel=1e-9, abs=1e-6
    )


@pytest.mark.parametrize("shape", [(60, 60), (40, 90), (90, 40)])
def test_assignment_of_a_large_matrix_costs_what_scipys_costs(shape: tuple[int, int]) -> None:
    costs = np.random.default_rng(0).random(shape)
    assert costs[assign(costs)].sum() == pytest.approx(costs[linear_sum_assignment(costs)].sum(), rel=1e-12)


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0)])
def test_assignment_of_nothing_is_empty(shape: tuple[int, int]) -> None:
    rows, columns = assign(np.zeros(shape))
    assert (len(rows), len(columns)) == (0, 0)


def test_assignment_gives_up_a_cheap_cell_for_a_cheaper_whole() -> None:
    # greedy takes the 0 and then must pay 9: 0 + 9 against 1 + 2
    rows, columns = assign([[0, 1], [2, 9]])
    assert (rows.tolist(), columns.tolist()) == ([0, 1], [1, 0])
