"""Approximate randomisation: against full enumeration and the exact binomial test."""

from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binomtest

from aspectlab.errors import ConfigError, DataError
from aspectlab.stats import approximate_randomisation


def f1(total: NDArray[np.int64]) -> dict[str, NDArray[np.float64]]:
    hit, extra, missed = total[..., 0], total[..., 1], total[..., 2]
    return {"f1": 2 * hit / np.maximum(1, 2 * hit + extra + missed)}


def accuracy(total: NDArray[np.int64]) -> dict[str, NDArray[np.float64]]:
    return {"accuracy": total[..., 0] / total[..., 1]}


def enumerate_swaps(a: NDArray[np.int64], b: NDArray[np.int64]) -> float:
    observed = abs(f1(a.sum(0))["f1"] - f1(b.sum(0))["f1"])
    coins = np.array(list(product([False, True], repeat=len(a))))[..., None]  # [2**N, N, 1]
    first, second = np.where(coins, b, a).sum(1), np.where(coins, a, b).sum(1)
    return float(np.mean(np.abs(f1(first)["f1"] - f1(second)["f1"]) >= observed - 1e-12))


@pytest.mark.parametrize("seed", range(4))
def test_approximate_randomisation_agrees_with_full_enumeration(seed: int) -> None:
    a, b = np.random.default_rng(seed).integers(0, 6, size=(2, 10, 3))
    found = approximate_randomisation(a, b, f1, rng=np.random.default_rng(0), resamples=20_000)["f1"]
    # four standard errors of a share of 20000
    assert found == pytest.approx(enumerate_swaps(a, b), abs=0.0142)


@pytest.mark.parametrize(("only_a", "only_b", "both"), [(14, 5, 81), (40, 22, 438), (3, 3, 10)])
def test_approximate_randomisation_of_accuracy_is_the_binomial_test(
    only_a: int, only_b: int, both: int
) -> None:
    right_a = [1] * only_a + [0] * only_b + [1] * both
    right_b = [0] * only_a + [1] * only_b + [1] * both
    a, b = (np.column_stack([right, np.ones_like(right)]) for right in (right_a, right_b))
    found = approximate_randomisation(a, b, accuracy, rng=np.random.default_rng(0), resamples=20_000)
    assert found["accuracy"] == pytest.approx(binomtest(only_a, only_a + only_b).pvalue, abs=0.0142)


def test_approximate_randomisation_of_equal_systems_gives_one() -> None:
    counts = np.random.default_rng(0).integers(0, 9, size=(50, 3))
    assert approximate_randomisation(counts, counts, f1, rng=np.random.default_rng(0)) == {"f1": 1.0}


def test_approximate_randomisation_never_gives_zero() -> None:
    a, b = np.ones((200, 2), dtype=int), np.array([[0, 1]] * 200)
    found = approximate_randomisation(a, b, accuracy, rng=np.random.default_rng(0), resamples=999)
    assert found == {"accuracy": 1 / 1000}


def test_approximate_randomisation_refuses_different_examples() -> None:
    with pytest.raises(DataError, match="same examples"):
        approximate_randomisation([[1, 1]], [[1, 1, 0]], accuracy, rng=np.random.default_rng(0))


def test_approximate_randomisation_refuses_no_resamples() -> None:
    with pytest.raises(ConfigError, match="resamples = 0"):
        approximate_randomisation([[1, 1]], [[0, 1]], accuracy, rng=np.random.default_rng(0), resamples=0)
