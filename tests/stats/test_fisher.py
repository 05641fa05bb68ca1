"""Fisher's exact test against scipy."""

import pytest
from hypothesis import given, strategies as st
from scipy.stats import fisher_exact as oracle

from aspectlab.stats.tests import fisher_exact

COUNT = st.integers(0, 60)


@given(COUNT, COUNT, COUNT, COUNT)
def test_fisher_equals_scipy(hits_a: int, rest_a: int, hits_b: int, rest_b: int) -> None:
    expected = oracle([[hits_a, rest_a], [hits_b, rest_b]]).pvalue
    found = fisher_exact(hits_a, hits_a + rest_a, hits_b, hits_b + rest_b)
    assert found == pytest.approx(expected, rel=1e-8)


def test_fisher_without_counts_says_nothing() -> None:
    assert fisher_exact(0, 0, 0, 0) == 1.0
