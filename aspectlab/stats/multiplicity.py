"""Correct p values for the number of tests."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from aspectlab.errors import DataError
from aspectlab.stats.samples import FloatArray, check_sample


def holm(p_values: ArrayLike) -> FloatArray:
    """Adjust p values by Holm's step-down method, in the order they came in; no tests give no values.

    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    found = check_sample("holm", p_values, least=0)
    outside = np.flatnonzero((found < 0) | (found > 1))
    if outside.size:
        place = int(outside[0])
        raise DataError(f"holm: value {place + 1} is {float(found[place])!r}: expected p values from 0 to 1")
    order = np.argsort(found, kind="stable")
    # the smallest p value stands against all tests, the next against one less
    remaining = np.arange(len(found), 0, -1)
    adjusted = np.empty_like(found)
    adjusted[order] = np.minimum(1, np.maximum.accumulate(found[order] * remaining))
    return adjusted
