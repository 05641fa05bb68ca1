"""Compare two shares that may rest on a few counts: Fisher's exact test."""

from __future__ import annotations

from math import exp, lgamma

# sums of logarithms differ in their last digits: outcomes that are as likely must count as such
_TIE = 1e-7


def fisher_exact(hits_a: int, total_a: int, hits_b: int, total_b: int) -> float:
    """Give the two-sided p value that two shares are equal, given all four margins.

    All outcomes count that are no more likely than the one found. Without any count p is 1.

    >>> round(fisher_exact(3, 4, 1, 4), 4)  # the lady who tasted eight cups of tea
    0.4857
    """
    assert 0 <= hits_a <= total_a, f"{hits_a} of {total_a}"
    assert 0 <= hits_b <= total_b, f"{hits_b} of {total_b}"
    hits = hits_a + hits_b
    low, high = max(0, hits - total_b), min(hits, total_a)
    logs = [_log_choose(total_a, k) + _log_choose(total_b, hits - k) for k in range(low, high + 1)]
    whole = _log_choose(total_a + total_b, hits)
    found = logs[hits_a - low]
    return min(1.0, sum(exp(value - whole) for value in logs if value <= found + _TIE))


def _log_choose(n: int, k: int) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)
