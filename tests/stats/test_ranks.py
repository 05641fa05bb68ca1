"""Wilcoxon's signed-rank test and A12: published p values, scipy as oracle, zeros and ties."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats as scipy_stats

from aspectlab.errors import ConfigError, DataError
from aspectlab.stats import vargha_delaney, wilcoxon

ALTERNATIVES = ["two-sided", "greater", "less"]
MIRROR = {"two-sided": "two-sided", "greater": "less", "less": "greater"}
whole_numbers = st.lists(st.integers(-8, 8), min_size=1, max_size=10)
distinct = st.lists(st.integers(1, 999), min_size=1, max_size=30, unique=True).flatmap(
    lambda sizes: st.tuples(*[st.sampled_from([size, -size]) for size in sizes])
)


@pytest.mark.parametrize(
    ("alternative", "p"), [("two-sided", 0.001953), ("greater", 0.000977), ("less", 1.0)]
)
@pytest.mark.parametrize("differences", [range(1, 11), [3] * 10, [1, 1, 2, 2, 2, 3, 4, 5, 5, 5]])
def test_wilcoxon_of_ten_positive_differences_is_that_of_the_mutant_tables(
    differences: list[int], alternative: str, p: float
) -> None:
    # 2 / 2**10 and 1 / 2**10: papers on metamorphic testing with ten mutants print 0.0020 and 0.0010
    outcome = wilcoxon(differences, [0] * 10, alternative=alternative)
    assert outcome.p == pytest.approx(p, abs=5e-7)
    assert (outcome.statistic, outcome.method) == (55.0, "wilcoxon-exact")


@settings(deadline=None, max_examples=60)
@given(distinct, st.sampled_from(ALTERNATIVES))
def test_wilcoxon_without_ties_is_scipys_exact_test(differences: tuple[int, ...], alternative: str) -> None:
    found = wilcoxon(differences, np.zeros(len(differences)), alternative=alternative)
    expected = scipy_stats.wilcoxon(differences, method="exact", alternative=alternative)
    assert found.p == pytest.approx(expected.pvalue)


@settings(deadline=None, max_examples=40)
@given(whole_numbers.filter(lambda values: np.count_nonzero(values) > 1), st.sampled_from(ALTERNATIVES))
def test_wilcoxon_with_ties_and_zeros_is_the_full_permutation_test(
    differences: list[int], alternative: str
) -> None:
    kept = np.array([value for value in differences if value])
    expected = scipy_stats.permutation_test(
        (kept.astype(float),),
        lambda signed, axis: (scipy_stats.rankdata(np.abs(signed), axis=axis) * (signed > 0)).sum(axis),
        permutation_type="samples",
        alternative=alternative,
        n_resamples=np.inf,
        vectorized=True,
    )
    found = wilcoxon(differences, [0] * len(differences), alternative=alternative)
    assert found.p == pytest.approx(expected.pvalue)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(("n", "top"), [(12, 5), (80, 6), (200, 1000)])
def test_wilcoxon_normal_is_scipys_with_tie_correction(n: int, top: int, alternative: str) -> None:
    a, b = np.random.default_rng(n).integers(0, top, size=(2, n))
    found = wilcoxon(a, b, alternative=alternative, exact=False)
    expected = scipy_stats.wilcoxon(a, b, method="approx", alternative=alternative, zero_method="wilcox")
    assert (found.p, found.method) == (pytest.approx(expected.pvalue), "wilcoxon-normal")


@pytest.mark.parametrize(("n", "method"), [(50, "wilcoxon-exact"), (51, "wilcoxon-normal")])
def test_wilcoxon_is_exact_up_to_fifty_pairs(n: int, method: str) -> None:
    assert wilcoxon(np.arange(1, n + 1), np.zeros(n)).method == method


def test_wilcoxon_leaves_out_pairs_without_difference() -> None:
    with_zeros = wilcoxon([1, 2, 3, 7, 7], [0, 0, 0, 7, 7])
    assert with_zeros == wilcoxon([1, 2, 3], [0, 0, 0])
    assert with_zeros.p == 0.25  # 2 / 2**3


@pytest.mark.parametrize("exact", [None, True, False])
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_wilcoxon_of_equal_values_gives_one(alternative: str, exact: bool | None) -> None:
    outcome = wilcoxon([0.1, 0.2], [0.1, 0.2], alternative=alternative, exact=exact)
    assert (outcome.statistic, outcome.p) == (0.0, 1.0)


def test_wilcoxon_sees_ties_through_rounding() -> None:
    # 0.3 - 0.2, 0.2 - 0.1 and 0.7 - 0.6 are one difference: three ties, each of rank 2
    assert wilcoxon([0.3, 0.2, 0.6], [0.2, 0.1, 0.7]).statistic == 4.0


@settings(deadline=None)
@given(whole_numbers, st.sampled_from(ALTERNATIVES), st.sampled_from([None, False]))
def test_wilcoxon_mirrors_with_its_arguments(
    differences: list[int], alternative: str, exact: bool | None
) -> None:
    zeros = [0] * len(differences)
    forth = wilcoxon(differences, zeros, alternative=alternative, exact=exact)
    back = wilcoxon(zeros, differences, alternative=MIRROR[alternative], exact=exact)
    assert forth.p == pytest.approx(back.p)
    assert 0 <= forth.p <= 1


def test_wilcoxon_refuses_an_unknown_alternative() -> None:
    with pytest.raises(ConfigError, match="expected one of two-sided, greater, less"):
        wilcoxon([1, 2], [0, 0], alternative="bigger")


def test_wilcoxon_refuses_exact_for_many_pairs() -> None:
    with pytest.raises(ConfigError, match="at most 50"):
        wilcoxon(np.arange(1, 52), np.zeros(51), exact=True)


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [([], [], "found 0 values"), ([1, 2], [1], "expected pairs"), ([np.nan], [1], "nan")],
)
def test_wilcoxon_refuses_what_is_not_pairs(a: list, b: list, message: str) -> None:
    with pytest.raises(DataError, match=message):
        wilcoxon(a, b)


@pytest.mark.parametrize(
    ("a", "b", "share"),
    [
        ([2, 3], [0, 1], 1.0),
        ([0, 1], [2, 3], 0.0),
        ([1, 1], [1], 0.5),
        ([1, 3], [2], 0.5),
        ([2, 3], [2, 1], 7 / 8),
    ],
)
def test_vargha_delaney_gives_hand_counted_shares(a: list[int], b: list[int], share: float) -> None:
    assert vargha_delaney(a, b) == share


@settings(deadline=None)
@given(whole_numbers, whole_numbers)
def test_vargha_delaney_is_the_share_of_mann_whitney(a: list[int], b: list[int]) -> None:
    expected = scipy_stats.mannwhitneyu(a, b, method="asymptotic", use_continuity=False, nan_policy="raise")
    assert vargha_delaney(a, b) == pytest.approx(expected.statistic / (len(a) * len(b)))


def test_vargha_delaney_refuses_an_empty_sample() -> None:
    with pytest.raises(DataError, match="vargha_delaney: b: found 0 values"):
        vargha_delaney([1], [])
