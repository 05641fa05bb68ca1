"""Hierarchical bootstrap: hand-counted draws, and the spread that theory gives."""

import numpy as np
import pytest

from aspectlab.errors import ConfigError, DataError
from aspectlab.stats import hierarchical_bootstrap
from aspectlab.stats.resampling import _draw_means


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def test_hierarchical_bootstrap_gives_the_mean_of_all_runs() -> None:
    # (1 + 2 + 6) / 3: runs count, not splits
    assert hierarchical_bootstrap([[1.0, 2.0], [6.0]], rng=rng()).difference == pytest.approx(3)


def test_hierarchical_bootstrap_draws_both_levels() -> None:
    splits = [np.array([0.0, 2.0]), np.array([10.0, 14.0])]
    drawn = _draw_means(splits, rng(), 40_000)
    # a drawn run has mean 6.5; a split mean adds ((1 - 6.5)² + (12 - 6.5)²) / 2 / 2 = 15.125, and the runs of
    # two drawn splits (1 + 4) / 2 / 4 = 0.625 to the variance of the mean of four
    assert drawn.mean() == pytest.approx(6.5, abs=0.06)
    assert drawn.var() == pytest.approx(15.75, rel=0.03)


def test_hierarchical_bootstrap_of_unequal_splits_stays_within_them() -> None:
    drawn = _draw_means([np.array([5.0]), np.array([5.0, 5.0, 5.0])], rng(), 500)
    assert set(drawn.tolist()) == {5.0}


def test_hierarchical_bootstrap_is_wider_than_one_that_takes_runs_for_independent() -> None:
    splits = [[1.0, 1.1, 0.9], [3.0, 3.1, 2.9], [2.0, 2.1, 1.9]]
    nested = hierarchical_bootstrap(splits, rng=rng()).interval
    flat = hierarchical_bootstrap([[value for split in splits for value in split]], rng=rng()).interval
    assert nested[1] - nested[0] > flat[1] - flat[0]


def test_hierarchical_bootstrap_of_no_difference_gives_p_1() -> None:
    assert hierarchical_bootstrap([[0.0, 0.0], [0.0]], rng=rng()).p == 1


def test_hierarchical_bootstrap_repeats_itself() -> None:
    splits = [[0.3, -0.1, 0.8], [0.2, 0.5, -0.4]]
    assert hierarchical_bootstrap(splits, rng=rng()) == hierarchical_bootstrap(splits, rng=rng())


@pytest.mark.parametrize(
    ("splits", "message"), [([], "no splits"), ([[1.0], []], "split 2"), ([[float("nan")]], "split 1")]
)
def test_hierarchical_bootstrap_refuses_what_is_not_runs(splits: list, message: str) -> None:
    with pytest.raises(DataError, match=message):
        hierarchical_bootstrap(splits, rng=rng())


def test_hierarchical_bootstrap_refuses_no_resamples() -> None:
    with pytest.raises(ConfigError, match="resamples = 0"):
        hierarchical_bootstrap([[1.0]], rng=rng(), resamples=0)
