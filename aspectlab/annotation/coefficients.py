"""Agreement beyond chance on labels: Cohen's and Fleiss' kappa, Krippendorff's alpha.

Each is None where it is undefined: nothing is labelled, or all have one and the same label.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

IntArray = NDArray[np.int64]

MISSING = -1
"""The label of what an annotator did not judge."""


def cohen_kappa(one: ArrayLike, other: ArrayLike) -> float | None:
    """Compare two annotators' labels, whole numbers from 0, item by item.

    >>> cohen_kappa([0, 0, 1, 1], [0, 1, 1, 1])    # (3/4 - 1/2) / (1 - 1/2)
    0.5
    """
    a, b = np.asarray(one, np.int64), np.asarray(other, np.int64)
    assert a.shape == b.shape
    if not a.size:
        return None
    n_labels = int(max(a.max(), b.max())) + 1
    shares = (np.bincount(labels, minlength=n_labels) / a.size for labels in (a, b))
    first, second = shares  # [L] both
    return _beyond(float(np.mean(a == b)), float(first @ second))


def fleiss_kappa(labels: ArrayLike) -> float | None:
    """Compare two or more annotators, [annotators, items], who labelled every item.

    >>> fleiss_kappa([[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 1, 1]])
    1.0
    """
    counts = _count_labels(np.asarray(labels, np.int64))  # [items, L]
    if not counts.size:
        return None
    raters = int(counts[0].sum())
    agreeing = (counts * (counts - 1)).sum(1) / (raters * (raters - 1))  # [items]
    shares = counts.sum(0) / counts.sum()  # [L]
    return _beyond(float(agreeing.mean()), float(shares @ shares))


def krippendorff_alpha(labels: ArrayLike) -> float | None:
    """Compare annotators, [annotators, items], on nominal labels; -1 is a missing one.

    >>> krippendorff_alpha([[0, 1, 1, -1], [0, 1, 0, 1]])    # 1 - 2 * 5 / 18, counted by hand
    0.4444444444444444
    """
    counts = _count_labels(np.asarray(labels, np.int64))  # [items, L]
    counts = counts[counts.sum(1) > 1]  # an item with one label has nothing to be compared with
    if not counts.size:
        return None
    raters = counts.sum(1)
    differing = (raters**2 - (counts**2).sum(1)) / (raters - 1)  # [items]
    totals, n = counts.sum(0), int(counts.sum())
    expected = (n**2 - int((totals**2).sum())) / (n - 1)
    return 1 - float(differing.sum()) / expected if expected else None


def mean_cohen_kappa(labels: Sequence[ArrayLike]) -> float | None:
    """Average Cohen's kappa over all pairs of annotators; pairs where it is undefined are left out.

    >>> mean_cohen_kappa([[0, 0, 1, 1], [0, 1, 1, 1]])
    0.5
    """
    pairs = [(one, other) for place, one in enumerate(labels) for other in labels[place + 1 :]]
    found = [value for pair in pairs if (value := cohen_kappa(*pair)) is not None]
    return sum(found) / len(found) if found else None


def _count_labels(labels: IntArray) -> IntArray:
    """Count for every item how many annotators gave it each label, [items, L]."""
    n_labels = int(labels.max(initial=MISSING)) + 1
    counts = np.stack([(labels == label).sum(0) for label in range(n_labels)], axis=1) if n_labels else None
    return np.zeros((0, 0), np.int64) if counts is None else counts


def _beyond(observed: float, expected: float) -> float | None:
    return None if expected >= 1 else (observed - expected) / (1 - expected)
