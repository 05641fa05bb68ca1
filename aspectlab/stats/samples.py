"""Samples: check the numbers that come in, once, so that no statistic ends in NaN by accident."""

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aspectlab.errors import ConfigError, DataError

Numbers: TypeAlias = ArrayLike
"""What a statistic takes: a list, an array, or whatever else numpy reads as numbers."""

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]

# sums of squares must still fit a float
_LARGEST = 1e100


def check_sample(where: str, values: Numbers, *, least: int) -> FloatArray:
    """Turn a sample into a vector of floats; refuse what is not one, or is too short.

    >>> check_sample("welch: a", [1, 2, 4], least=2)
    array([1., 2., 4.])
    """
    try:
        sample = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(f"{where}: {error}: expected a list of numbers") from None
    if sample.ndim != 1:
        raise DataError(f"{where}: found an array of shape {sample.shape}: expected one list of numbers")
    if len(sample) < least:
        raise DataError(
            f"{where}: found {len(sample)} values: expected at least {least}; add runs or examples"
        )
    bad = np.flatnonzero(~(np.abs(sample) <= _LARGEST))
    if bad.size:
        value = float(sample[bad[0]])
        raise DataError(
            f"{where}: value {bad[0] + 1} is {value!r}: expected finite numbers within ±{_LARGEST:g}; "
            "leave out what was not measured"
        )
    return sample


def check_pairs(where: str, a: Numbers, b: Numbers, *, least: int) -> tuple[FloatArray, FloatArray]:
    """Check two samples whose values belong together, one to one."""
    first = check_sample(f"{where}: a", a, least=least)
    second = check_sample(f"{where}: b", b, least=least)
    if len(first) != len(second):
        raise DataError(
            f"{where}: a has {len(first)} values and b has {len(second)}: "
            "expected pairs; give both in the same order"
        )
    return first, second


def check_level(where: str, level: float) -> None:
    """Refuse a level of confidence that no confidence interval can have, such as 95 for 95 %."""
    if not 0 < level < 1:
        raise ConfigError(f"{where}: level = {level!r}: expected a number between 0 and 1, such as 0.95")


def subtract(first: FloatArray, second: FloatArray) -> FloatArray:
    """Subtract pair by pair, in units of the largest value and without the digits that rounding spoils.

    0.3 - 0.2 and 0.2 - 0.1 are the same difference; as plain floats they are not.

    >>> subtract(np.array([1.0, 0.3, 0.2]), np.array([1.0, 0.2, 0.1]))
    array([0. , 0.1, 0.1])
    """
    scale = max(float(np.abs(first).max()), float(np.abs(second).max())) or 1.0
    rounded: FloatArray = np.round(first / scale - second / scale, 12)
    return rounded


def average(sample: FloatArray) -> float:
    """Return the mean, exactly the common value where all values are equal.

    >>> average(np.array([0.1, 0.1, 0.1]))
    0.1
    """
    # the plain mean of equal floats may differ from them in the last bit, so measure from one of them
    return float(sample[0] + np.mean(sample - sample[0]))


def variance(sample: FloatArray) -> float:
    """Return the sample variance (ddof 1), exactly 0 where all values are equal.

    >>> variance(np.array([0.1, 0.1, 0.1]))
    0.0
    """
    return float(np.var(sample - sample[0], ddof=1))
