"""Compare two systems that are right or wrong on the same examples."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from aspectlab.errors import DataError
from aspectlab.stats.distributions import binomial_tail, chi2_tail
from aspectlab.stats.outcome import Outcome
from aspectlab.stats.samples import FloatArray, check_pairs

# from so many examples on which the two disagree, the chi-square approximation is good enough
_LARGE = 25


def mcnemar(a: ArrayLike, b: ArrayLike, *, exact: bool | None = None) -> Outcome:
    """Test whether two systems err equally often; `a` and `b` say per example whether it was right (1 or 0).

    Only examples on which the two disagree count. Below 25 of them the test is the exact binomial one, and
    the statistic the smaller of the two counts; from 25 on it is the chi-square with continuity correction.
    `exact` forces either. Without any disagreement the statistic is 0 and p is 1.

    >>> right_a, right_b = [1] * 8 + [0] * 2 + [1] * 5, [0] * 8 + [1] * 2 + [1] * 5
    >>> outcome = mcnemar(right_a, right_b)
    >>> outcome.method, outcome.statistic, round(outcome.p, 9)
    ('mcnemar-exact', 2.0, 0.109375)
    """
    first, second = check_pairs("mcnemar", a, b, least=1)
    _check_flags("a", first)
    _check_flags("b", second)
    only_a, only_b = int(np.sum(first > second)), int(np.sum(first < second))
    n = only_a + only_b
    if n < _LARGE if exact is None else exact:
        return _exact_test(min(only_a, only_b), n)
    if n == 0:
        return Outcome(0.0, 1.0, "mcnemar-chi2", 1.0)
    # the correction must not make a difference out of none
    statistic = max(0, abs(only_a - only_b) - 1) ** 2 / n
    return Outcome(statistic, chi2_tail(statistic, 1), "mcnemar-chi2", 1.0)


def _exact_test(fewer: int, n: int) -> Outcome:
    if n == 0:
        return Outcome(0.0, 1.0, "mcnemar-exact")
    # equal counts lie in both tails
    return Outcome(float(fewer), min(1.0, 2 * binomial_tail(fewer, n)), "mcnemar-exact")


def _check_flags(name: str, flags: FloatArray) -> None:
    wrong = flags[(flags != 0) & (flags != 1)]
    if wrong.size:
        raise DataError(
            f"mcnemar: {name} holds {float(wrong[0])!r}: expected 1 (right) or 0 (wrong) an example; "
            "compare prediction and gold first"
        )
