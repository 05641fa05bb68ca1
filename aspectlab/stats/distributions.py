"""Tails and quantiles of the t, chi-square, binomial and normal distributions.

All rest on the regularised incomplete beta and gamma functions: a power series or a continued fraction
behind a factor. The factor is written with Stirling corrections and excesses that are never negative, because
differences of `lgamma` would lose the digits of a sample of a hundred thousand.
"""

from collections.abc import Callable, Iterator
from itertools import count
from math import erfc, exp, inf, isfinite, lgamma, log, pi, sqrt

from aspectlab.errors import DataError

_PRECISION = 1e-16
_LEAST_TAIL = 1e-100
_TINY = 1e-300  # replaces a zero denominator in a continued fraction


def _refuse(where: str, name: str, value: float, expected: str) -> None:
    raise DataError(f"{where}: {name} = {value!r}: expected {expected}; leave out what was not measured")


def _check_finite(where: str, **values: float) -> None:
    """Refuse NaN, which would never converge, and infinity, which no sample gives."""
    for name, value in values.items():
        if not isfinite(value):
            _refuse(where, name, value, "a finite number")


def _check_freedom(where: str, freedom: float) -> None:
    if not 0 < freedom < inf:
        _refuse(where, "freedom", freedom, "a finite number above 0")


def _check_tail(where: str, tail: float) -> None:
    if not _LEAST_TAIL <= tail < 1:
        _refuse(where, "tail", tail, f"a share from {_LEAST_TAIL:g} to under 1")


def normal_tails(z: float) -> tuple[float, float]:
    """Return the probabilities of a standard normal value of at most and of at least z.

    >>> normal_tails(0.0)
    (0.5, 0.5)
    """
    _check_finite("normal_tails", z=z)
    return erfc(-z / sqrt(2)) / 2, erfc(z / sqrt(2)) / 2


def t_tail(t: float, freedom: float) -> float:
    """Return the probability of a value of at least t under Student's distribution.

    >>> round(t_tail(1.0, 1.0), 12)
    0.25
    """
    _check_finite("t_tail", t=t)
    _check_freedom("t_tail", freedom)
    return _t_tail(t, freedom)


def _t_tail(t: float, freedom: float) -> float:
    if t < 0:
        return 1 - _t_tail(-t, freedom)
    whole = freedom + t * t
    if whole == inf:
        return 0.0
    return _beta_share(freedom / 2, 0.5, freedom / whole, t * t / whole) / 2


def t_quantile(tail: float, freedom: float) -> float:
    """Return the value above which lies this share (from 1e-100 to under 1) of Student's distribution.

    >>> round(t_quantile(0.025, 10), 6)
    2.228139
    """
    _check_tail("t_quantile", tail)
    _check_freedom("t_quantile", freedom)
    if tail > 0.5:
        return -t_quantile(1 - tail, freedom)
    return _solve(lambda t: _t_tail(t, freedom), tail)


def chi2_tail(statistic: float, freedom: float) -> float:
    """Return the probability of a value of at least this statistic under the chi-square distribution.

    >>> round(chi2_tail(3.841458820694124, 1), 12)
    0.05
    """
    _check_finite("chi2_tail", statistic=statistic)
    _check_freedom("chi2_tail", freedom)
    return _chi2_tail(statistic, freedom)


def _chi2_tail(statistic: float, freedom: float) -> float:
    if statistic <= 0:
        return 1.0
    shape, x = freedom / 2, statistic / 2
    excess = shape * _excess((x - shape) / shape, x / shape)
    factor = sqrt(shape / (2 * pi)) * exp(-excess - _stirling(shape))
    if x < shape + 1:
        return 1 - factor * _gamma_series(shape, x)
    return factor * _gamma_fraction(shape, x)


def chi2_quantile(tail: float, freedom: float) -> float:
    """Return the value above which lies this share (from 1e-100 to under 1) of the chi-square distribution.

    >>> round(chi2_quantile(0.05, 1), 6)
    3.841459
    """
    _check_tail("chi2_quantile", tail)
    _check_freedom("chi2_quantile", freedom)
    return _solve(lambda statistic: _chi2_tail(statistic, freedom), tail)


def binomial_tail(hits: int, n: int, share: float = 0.5) -> float:
    """Return the probability of at most so many hits in n draws, each a hit with probability `share`.

    >>> binomial_tail(1, 3)
    0.5
    """
    _check_finite("binomial_tail", hits=hits, n=n)
    if not 0 <= share <= 1:
        _refuse("binomial_tail", "share", share, "a share from 0 to 1")
    if hits < 0 or hits >= n:
        return 0.0 if hits < 0 else 1.0
    return _beta_share(n - hits, hits + 1, 1 - share, share)


def _beta_share(a: float, b: float, x: float, y: float) -> float:
    """Return the regularised incomplete beta function at x; y is 1 - x, which the caller knows better."""
    if x <= 0 or y <= 0:
        return 0.0 if x <= 0 else 1.0
    gap = b * x - a * y
    spread = a * _excess(gap / a, x * (a + b) / a) + b * _excess(-gap / b, y * (a + b) / b)
    correction = _stirling(a + b) - _stirling(a) - _stirling(b)
    factor = sqrt(a * b / (2 * pi * (a + b))) * exp(correction - spread)
    # each fraction is fast on its own side of the mean
    if x * (a + b + 2) < a + 1:
        return factor / a * _beta_fraction(a, b, x)
    return 1 - factor / b * _beta_fraction(b, a, y)


def _excess(u: float, ratio: float) -> float:
    """Return u - log(ratio), where ratio is 1 + u, with all digits also where either has lost its own."""
    if abs(u) > 0.3:
        return u - log(ratio)
    power, k = u * u, 2
    total = step = power / k
    while abs(step) > _PRECISION * total:
        power, k = -u * power, k + 1
        step = power / k
        total += step
    return total


def _stirling(z: float) -> float:
    """Return what Stirling's formula lacks of the logarithm of the gamma function."""
    if z < 10:
        return lgamma(z) - (z - 0.5) * log(z) + z - log(2 * pi) / 2
    w = 1 / (z * z)
    terms = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156, -3617 / 122400)
    return sum(term * w**k for k, term in enumerate(terms)) / z


def _gamma_series(shape: float, x: float) -> float:
    total = step = 1 / shape
    while step > _PRECISION * total:
        shape += 1
        step *= x / shape
        total += step
    return total


def _gamma_fraction(shape: float, x: float) -> float:
    def terms() -> Iterator[tuple[float, float]]:
        yield 1.0, x + 1 - shape
        yield from ((k * (shape - k), x + 2 * k + 1 - shape) for k in count(1))

    return _fraction(terms())


def _beta_fraction(a: float, b: float, x: float) -> float:
    def terms() -> Iterator[tuple[float, float]]:
        yield 1.0, 1.0
        for m in count(0):
            yield -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)), 1.0
            yield (m + 1) * (b - m - 1) * x / ((a + 2 * m + 1) * (a + 2 * m + 2)), 1.0

    return _fraction(terms())


def _fraction(terms: Iterator[tuple[float, float]]) -> float:
    """Sum a continued fraction n1/(d1 + n2/(d2 + ...)) by Lentz's method."""
    value, above, below = _TINY, _TINY, 0.0
    for numerator, denominator in terms:
        below = 1 / ((denominator + numerator * below) or _TINY)
        above = (denominator + numerator / above) or _TINY
        value *= above * below
        if abs(above * below - 1) <= _PRECISION:
            break
    return value


def _solve(tail_of: Callable[[float], float], tail: float) -> float:
    """Find where a tail that falls from 0 on takes a value: double until beyond, then halve."""
    low, high = 0.0, 1.0
    while tail_of(high) > tail:
        low, high = high, 2 * high
    while True:
        # the geometric mean gives small quantiles as many digits as large ones
        middle = sqrt(low * high) if low else high / 2
        if not low < middle < high:
            return middle
        low, high = (middle, high) if tail_of(middle) > tail else (low, middle)
