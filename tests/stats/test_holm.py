"""Holm's correction: a hand count and statsmodels as oracle."""

from random import Random

import numpy as np
import pytest
from hypothesis import given, strategies as st
from statsmodels.stats.multitest import multipletests

from aspectlab.errors import DataError
from aspectlab.stats import holm


def test_holm_gives_hand_counted_values_in_order() -> None:
    # sorted 0.005 0.01 0.03 0.04 times 4 3 2 1 gives 0.02 0.03 0.06 0.04; the last may not fall below 0.06
    assert holm([0.01, 0.04, 0.03, 0.005]).tolist() == pytest.approx([0.03, 0.06, 0.06, 0.02])


@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_holm_agrees_with_statsmodels(n: int) -> None:
    p_values = np.random.default_rng(n).integers(0, 30, size=n) / 100  # with ties and zeros
    assert holm(p_values) == pytest.approx(multipletests(p_values, method="holm")[1])


@given(st.lists(st.floats(0, 1), max_size=30), st.randoms(use_true_random=False))
def test_holm_moves_with_its_input(p_values: list[float], random: Random) -> None:
    order = list(range(len(p_values)))
    random.shuffle(order)
    moved = holm([p_values[place] for place in order])
    assert moved.tolist() == holm(p_values)[order].tolist()
    assert (moved >= np.array([p_values[place] for place in order])).all()


def test_holm_of_no_tests_is_empty() -> None:
    assert holm([]).tolist() == []


def test_holm_of_the_224_tests_of_ten_mutants_finds_nothing_significant() -> None:
    # ten pairs cannot give a two-sided p below 2 / 2**10, and 224 times that is 0.4375
    adjusted = holm([2 / 1024] * 224)
    assert adjusted.tolist() == pytest.approx([0.4375] * 224)


@pytest.mark.parametrize(
    ("p_values", "message"),
    [
        ([0.1, float("nan")], "value 2 is nan"),
        ([0.1, -0.1], r"value 2 is -0\.1"),
        ([1.5], r"value 1 is 1\.5"),
        ([[0.1]], "shape"),
    ],
)
def test_holm_refuses_what_is_not_p_values(p_values: list, message: str) -> None:
    with pytest.raises(DataError, match=message):
        holm(p_values)
