"""Bootstrap: exact binomial quantiles, the plain loop, scipy's bootstrap, and refusals."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.typing import NDArray
from scipy import stats as scipy_stats

from aspectlab.errors import ConfigError, DataError
from aspectlab.stats import bootstrap, paired_bootstrap


def accuracy(total: NDArray[np.int64]) -> dict[str, NDArray[np.float64]]:
    return {"accuracy": total[..., 0] / total[..., 1]}


def f1(total: NDArray[np.int64]) -> dict[str, NDArray[np.float64]]:
    hit, extra, missed = total[..., 0], total[..., 1], total[..., 2]
    return {"f1": 2 * hit / np.maximum(1, 2 * hit + extra + missed), "missed": missed.astype(float)}


def right_and_all(right: int, n: int) -> NDArray[np.int64]:
    return np.column_stack([np.arange(n) < right, np.ones(n, dtype=int)]).astype(np.int64)


def plain_loop(counts: NDArray[np.int64], resamples: int) -> NDArray[np.float64]:
    rng, n = np.random.default_rng(123), len(counts)
    return np.array([f1(counts[rng.integers(n, size=n)].sum(0))["f1"] for _ in range(resamples)])


FEW_DISTINCT = np.random.default_rng(1).integers(0, 2, size=(600, 3))  # 8 distinct rows: multinomial
ALL_DISTINCT = np.random.default_rng(1).integers(0, 40, size=(300, 3))  # index draws


@pytest.mark.parametrize(("right", "n"), [(700, 1000), (95, 100), (30, 60)])
def test_bootstrap_of_accuracy_has_binomial_quantiles(right: int, n: int) -> None:
    # resampling n flags of which a share p is set draws from Binomial(n, p): its quantiles are known exactly
    low, high = bootstrap(right_and_all(right, n), accuracy, rng=np.random.default_rng(0))["accuracy"]
    expected = scipy_stats.binom.ppf([0.025, 0.975], n, right / n)
    assert [low * n, high * n] == pytest.approx(expected, abs=1.01)


@pytest.mark.parametrize("level", [0.5, 0.95])
@pytest.mark.parametrize("counts", [FEW_DISTINCT, ALL_DISTINCT], ids=["few-distinct", "all-distinct"])
def test_bootstrap_equals_the_plain_loop_in_distribution(counts: NDArray[np.int64], level: float) -> None:
    values = plain_loop(counts, 4000)
    found = bootstrap(counts, f1, rng=np.random.default_rng(0), level=level)["f1"]
    expected = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    # a sixth of the spread is over three standard errors of the difference of two such outer quantiles
    assert found == pytest.approx(tuple(expected), abs=values.std() / 6)


@pytest.mark.parametrize("counts", [FEW_DISTINCT, ALL_DISTINCT], ids=["few-distinct", "all-distinct"])
def test_bootstrap_agrees_with_scipy(counts: NDArray[np.int64]) -> None:
    outcome = scipy_stats.bootstrap(
        tuple(counts.T),
        lambda *columns, axis: f1(np.stack([column.sum(axis) for column in columns], axis=-1))["f1"],
        paired=True,
        vectorized=True,
        n_resamples=4000,
        method="percentile",
        rng=np.random.default_rng(5),
    )
    found = bootstrap(counts, f1, rng=np.random.default_rng(0))["f1"]
    assert found == pytest.approx(tuple(outcome.confidence_interval), abs=outcome.standard_error / 6)


def test_bootstrap_gives_every_score_its_interval() -> None:
    assert list(bootstrap(FEW_DISTINCT, f1, rng=np.random.default_rng(0), resamples=50)) == ["f1", "missed"]


def test_bootstrap_repeats_with_the_same_seed() -> None:
    first = bootstrap(ALL_DISTINCT, f1, rng=np.random.default_rng(7), resamples=99)
    second = bootstrap(ALL_DISTINCT, f1, rng=np.random.default_rng(7), resamples=99)
    assert first == second


def test_bootstrap_of_one_example_has_no_width() -> None:
    assert bootstrap([[1, 1]], accuracy, rng=np.random.default_rng(0)) == {"accuracy": (1.0, 1.0)}


def test_bootstrap_level_widens_the_interval() -> None:
    narrow = bootstrap(ALL_DISTINCT, f1, rng=np.random.default_rng(0), level=0.8)["f1"]
    wide = bootstrap(ALL_DISTINCT, f1, rng=np.random.default_rng(0), level=0.99)["f1"]
    assert wide[0] < narrow[0] < narrow[1] < wide[1]


@settings(deadline=None, max_examples=40)
@given(half=st.integers(1, 60), seed=st.integers(0, 2**32))
def test_bootstrap_of_a_symmetric_case_contains_the_score(half: int, seed: int) -> None:
    counts = right_and_all(half, 2 * half)
    low, high = bootstrap(counts, accuracy, rng=np.random.default_rng(seed), resamples=500)["accuracy"]
    assert 0 <= low <= 0.5 <= high <= 1


def test_bootstrap_memory_stays_bounded() -> None:
    counts = np.random.default_rng(0).integers(0, 1000, size=(30_000, 3))
    tracemalloc.start()
    bootstrap(counts, f1, rng=np.random.default_rng(0), resamples=200)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # all weights at once would take 200 x 30000 x 8 bytes = 48 MB
    assert peak < 10e6


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([], "shape"),
        (np.zeros((0, 2), dtype=int), "shape"),
        (np.zeros((3, 0), dtype=int), "shape"),
        ([1, 2, 3], "shape"),
        ([[1, 1], [1]], "different lengths"),
        ([[0.5, 1.0]], "whole numbers"),
        ([["a", "b"]], "whole numbers"),
        ([[2**60, 1]], r"below 2\*\*53"),
    ],
)
def test_bootstrap_refuses_what_is_not_counts(counts: list, message: str) -> None:
    with pytest.raises(DataError, match=message):
        bootstrap(counts, accuracy, rng=np.random.default_rng(0))


@pytest.mark.parametrize("level", [0, 1, -0.5, 95, float("nan")])
def test_bootstrap_refuses_an_impossible_level(level: float) -> None:
    with pytest.raises(ConfigError, match="level"):
        bootstrap([[1, 1]], accuracy, rng=np.random.default_rng(0), level=level)


def test_bootstrap_refuses_no_resamples() -> None:
    with pytest.raises(ConfigError, match="resamples = 0"):
        bootstrap([[1, 1]], accuracy, rng=np.random.default_rng(0), resamples=0)


def test_bootstrap_refuses_a_score_that_is_undefined_somewhere() -> None:
    def undefined(total: NDArray[np.int64]) -> dict[str, NDArray[np.float64]]:
        return {"recall": np.where(total[..., 0] == 0, np.nan, 1.0)}

    with pytest.raises(DataError, match="'recall' is not a finite number"):
        bootstrap([[1], [0]], undefined, rng=np.random.default_rng(0))


def test_bootstrap_refuses_a_score_that_sums_over_resamples() -> None:
    with pytest.raises(ConfigError, match="last axis"):
        bootstrap([[1], [0]], lambda total: {"all": total.sum()}, rng=np.random.default_rng(0))


def test_paired_bootstrap_of_equal_systems_finds_no_difference() -> None:
    found = paired_bootstrap(FEW_DISTINCT, FEW_DISTINCT, f1, rng=np.random.default_rng(0))["f1"]
    assert (found.difference, found.interval, found.p) == (0.0, (0.0, 0.0), 1.0)


def test_paired_bootstrap_uses_the_same_examples_for_both() -> None:
    # b is wrong exactly where a is wrong, and on 40 examples more: only those vary in the difference
    found = paired_bootstrap(
        right_and_all(140, 200), right_and_all(100, 200), accuracy, rng=np.random.default_rng(0)
    )["accuracy"]
    expected = scipy_stats.binom.ppf([0.025, 0.975], 200, 0.2) / 200
    assert found.difference == pytest.approx(0.2)
    assert found.interval == pytest.approx(tuple(expected), abs=0.0051)


def test_paired_bootstrap_p_follows_from_the_tail() -> None:
    # 7 examples only a gets right, 3 only b: the chance of a difference not above 0 is known exactly
    a, b = [[1, 1]] * 7 + [[0, 1]] * 3 + [[1, 1]] * 10, [[0, 1]] * 7 + [[1, 1]] * 3 + [[1, 1]] * 10
    draws = [
        scipy_stats.multinomial.pmf([wins, losses, 20 - wins - losses], 20, [0.35, 0.15, 0.5])
        for wins in range(21)
        for losses in range(wins, 21 - wins)
    ]
    found = paired_bootstrap(a, b, accuracy, rng=np.random.default_rng(0))["accuracy"]
    assert found.p == pytest.approx(2 * sum(draws), abs=0.02)


def test_paired_bootstrap_swaps_sign_with_its_arguments() -> None:
    a, b = ALL_DISTINCT, ALL_DISTINCT[::-1] // 2
    forth = paired_bootstrap(a, b, f1, rng=np.random.default_rng(0))["missed"]
    back = paired_bootstrap(b, a, f1, rng=np.random.default_rng(0))["missed"]
    assert forth.difference == -back.difference
    assert forth.interval == pytest.approx((-back.interval[1], -back.interval[0]))
    assert forth.p == back.p


def test_paired_bootstrap_refuses_different_examples() -> None:
    with pytest.raises(DataError, match="same examples"):
        paired_bootstrap([[1, 1]], [[1, 1], [0, 1]], accuracy, rng=np.random.default_rng(0))
