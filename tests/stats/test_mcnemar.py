"""McNemar's test: statsmodels as oracle, and tables without disagreement."""

import pytest
from statsmodels.stats.contingency_tables import mcnemar as reference

from aspectlab.errors import DataError
from aspectlab.stats import mcnemar


def flags(only_a: int, only_b: int, both: int = 5) -> tuple[list[int], list[int]]:
    return [1] * only_a + [0] * only_b + [1] * both, [0] * only_a + [1] * only_b + [1] * both


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize(("only_a", "only_b"), [(8, 2), (0, 6), (40, 22), (13, 12), (1, 0), (150, 90)])
def test_mcnemar_agrees_with_statsmodels(only_a: int, only_b: int, exact: bool) -> None:
    outcome = mcnemar(*flags(only_a, only_b), exact=exact)
    expected = reference([[5, only_a], [only_b, 0]], exact=exact, correction=True)
    assert (outcome.statistic, outcome.p) == pytest.approx((expected.statistic, expected.pvalue))


@pytest.mark.parametrize(
    ("only_a", "only_b", "method"),
    [(12, 12, "mcnemar-exact"), (13, 12, "mcnemar-chi2"), (0, 0, "mcnemar-exact")],
)
def test_mcnemar_is_exact_below_25_disagreements(only_a: int, only_b: int, method: str) -> None:
    assert mcnemar(*flags(only_a, only_b)).method == method


@pytest.mark.parametrize("exact", [None, True, False])
def test_mcnemar_without_disagreement_gives_one(exact: bool | None) -> None:
    outcome = mcnemar([1, 0, 1], [1, 0, 1], exact=exact)
    assert (outcome.statistic, outcome.p) == (0.0, 1.0)


@pytest.mark.parametrize("exact", [True, False])
def test_mcnemar_of_equal_disagreement_gives_one(exact: bool) -> None:
    # the plain continuity correction would turn the difference of 0 into one of -1
    assert mcnemar(*flags(30, 30), exact=exact).p == pytest.approx(1.0)


def test_mcnemar_takes_booleans() -> None:
    assert mcnemar([True, True, False], [False, True, False]).p == 1.0


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ([], [], "found 0 values"),
        ([1], [1, 0], "expected pairs"),
        ([1, 2], [0, 1], "a holds 2.0"),
        ([1], [0.5], "b holds"),
    ],
)
def test_mcnemar_refuses_what_is_not_right_or_wrong(a: list, b: list, message: str) -> None:
    with pytest.raises(DataError, match=message):
        mcnemar(a, b)
