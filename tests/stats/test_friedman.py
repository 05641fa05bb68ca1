"""Friedman's test and the critical difference, against scipy and the tables of Demšar (2006)."""

import numpy as np
import pytest
from scipy.stats import friedmanchisquare

from aspectlab.errors import ConfigError, DataError
from aspectlab.stats import critical_difference, friedman, mean_ranks

# Demšar, Statistical comparisons of classifiers over multiple data sets, 2006, Table 5(a), alpha 0.05
Q = {2: 1.960, 3: 2.343, 4: 2.569, 5: 2.728, 6: 2.850, 7: 2.949, 8: 3.031, 9: 3.102, 10: 3.164}


@pytest.mark.parametrize("systems", Q)
def test_critical_difference_has_the_published_quantile(systems: int) -> None:
    unit = (systems * (systems + 1) / 6) ** 0.5
    assert critical_difference(systems, 1) / unit == pytest.approx(Q[systems], abs=0.0015)


def test_critical_difference_of_the_published_example() -> None:
    # Demšar, section 3.2.2: four classifiers on fourteen data sets, CD = 1.25
    assert critical_difference(4, 14) == pytest.approx(1.25, abs=0.005)


@pytest.mark.parametrize("seed", range(4))
def test_friedman_agrees_with_scipy(seed: int) -> None:
    blocks = np.random.default_rng(seed).integers(0, 6, size=(9, 4))
    expected = friedmanchisquare(*blocks.T)
    found = friedman(blocks)
    assert (found.statistic, found.p) == pytest.approx((expected.statistic, expected.pvalue))


def test_friedman_of_equal_scores_finds_nothing() -> None:
    assert friedman([[1, 1, 1], [2, 2, 2]]).p == 1


def test_mean_ranks_share_ties() -> None:
    assert mean_ranks([[5, 5, 1]]).tolist() == [1.5, 1.5, 3]


@pytest.mark.parametrize(
    ("blocks", "message"),
    [
        ([], "no blocks"),
        ([[1, 2], [3]], "rows of different lengths"),
        ([1, 2], r"blocks of shape \(2,\)"),
        (5, r"blocks of shape \(\)"),
    ],
)
def test_friedman_refuses_what_is_no_table(blocks: list[object] | int, message: str) -> None:
    with pytest.raises(DataError, match=message):
        friedman(blocks)  # type: ignore[arg-type]


def test_critical_difference_refuses_one_system() -> None:
    with pytest.raises(ConfigError, match="1 systems"):
        critical_difference(1, 5)


@pytest.mark.parametrize("level", [0, 1, 95])
def test_critical_difference_refuses_an_impossible_level(level: float) -> None:
    with pytest.raises(ConfigError, match="critical_difference: level"):
        critical_difference(3, 4, level)
