"""Differences of systems over splits and seeds; values from scipy, levels by simulation."""

import math

import numpy as np
import pytest
from scipy.stats import ttest_ind, ttest_rel

from aspectlab.errors import DataError
from aspectlab.stats import compare_runs


def runs(rows: list[list[float]]) -> dict[tuple[int, int], float]:
    return {(split, seed): value for split, row in enumerate(rows) for seed, value in enumerate(row)}


A, B = [[80.0, 82.0], [84.0, 83.0], [81.0, 80.0]], [[79.0, 80.0], [84.0, 82.0], [78.0, 80.0]]


def test_several_splits_are_compared_by_their_means() -> None:
    found = compare_runs(runs(A), runs(B))
    outside = ttest_rel([81.0, 83.5, 80.5], [79.5, 83.0, 79.0])
    assert found.p == pytest.approx(outside.pvalue)
    assert found.interval() == pytest.approx(outside.confidence_interval(0.95))
    assert found.interval(0.8) == pytest.approx(outside.confidence_interval(0.8))


def test_seeds_of_one_split_are_pairs_only_if_they_are_said_to_be() -> None:
    a, b = runs([[80.0, 82.0, 81.0]]), runs([[79.0, 81.5, 80.5]])
    independent, pairs = (
        ttest_ind([*a.values()], [*b.values()], equal_var=False),
        ttest_rel([*a.values()], [*b.values()]),
    )
    assert compare_runs(a, b).p == pytest.approx(independent.pvalue)
    assert compare_runs(a, b, paired=True).p == pytest.approx(pairs.pvalue)


def test_pairs_are_the_runs_that_both_have() -> None:
    a, b = {(1, 1): 3.0, (1, 2): 5.0, (1, 3): 99.0}, {(1, 1): 1.0, (1, 2): 4.0, (2, 3): 0.0}
    assert compare_runs(a, b, paired=True).difference == 1.5


def test_single_runs_give_a_difference_and_no_test() -> None:
    found = compare_runs({(1, 1): 3.0}, {(1, 1): 1.0})
    assert (found.difference, found.p, found.interval()) == (2.0, None, None)


@pytest.mark.parametrize(
    ("splits", "seeds", "p"), [(2, 1, 2 / 4), (5, 1, 2 / 32), (1, 2, 2 / 6), (1, 5, 2 / 252)]
)
def test_runs_that_do_not_vary_prove_no_more_than_their_order(splits: int, seeds: int, p: float) -> None:
    """Two equal differences of two splits are no certainty: on small test sets they are common."""
    a, b = (runs([[level] * seeds] * splits) for level in (90.0, 80.1))
    found = compare_runs(a, b)
    assert (found.p, found.interval()) == (pytest.approx(p), None)
    assert compare_runs(a, a).p == 1.0


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_what_is_no_number_is_refused(value: float) -> None:
    with pytest.raises(DataError, match="expected finite numbers"):
        compare_runs({(1, 1): value, (1, 2): 1.0}, {(1, 1): 1.0, (1, 2): 2.0})


def test_systems_without_a_common_split_are_refused() -> None:
    with pytest.raises(DataError, match="no split that both have"):
        compare_runs({(1, 1): 1.0}, {(2, 1): 1.0})


@pytest.mark.parametrize("design", [(1, 3), (1, 5), (2, 2), (5, 5)])
def test_intervals_and_tests_hold_their_level(design: tuple[int, int]) -> None:
    """As `benchmarks/coverage.py`, with fewer studies: three standard errors of 1,000 are 2 points."""
    rng = np.random.default_rng(8)
    splits = design[0]
    held = found = 0
    for _ in range(1000):
        sides = [
            rng.normal(0, 1 if splits > 1 else 0, (splits, 1)) + rng.normal(size=design) for _ in range(2)
        ]
        outcome = compare_runs(*(dict(np.ndenumerate(side)) for side in sides))
        low, high = outcome.interval() or (0.0, 0.0)
        held += low <= 0 <= high
        found += (outcome.p or 0.0) <= 0.05
    assert 930 <= held <= 975
    assert found <= 70
