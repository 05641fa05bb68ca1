"""Splits: runs by the split that they were trained on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

Key = tuple[int, int]
"""The split and the seed of a run."""


def split_values(values: Mapping[Key, float]) -> dict[int, list[float]]:
    """Give the values by split, in the order of seeds.

    >>> split_values({(2, 1): 7.0, (1, 2): 6.0, (1, 1): 5.0})
    {1: [5.0, 6.0], 2: [7.0]}
    """
    splits: dict[int, list[float]] = defaultdict(list)
    for split, seed in sorted(values):
        splits[split].append(values[split, seed])
    return dict(splits)
