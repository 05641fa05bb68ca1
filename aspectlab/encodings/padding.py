"""Lists of different lengths to arrays of one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from aspectlab.encodings.batch import Item


def pad_field(
    rows: Sequence[Sequence[int]], length: int, fill: int, dtype: type[np.generic]
) -> NDArray[np.generic]:
    """Make an array of lists, filled up behind.

    >>> pad_field([[5, 6], [7]], 3, 0, np.int32).tolist()
    [[5, 6, 0], [7, 0, 0]]
    """
    array = np.full((len(rows), length), fill, dtype)
    for number, row in enumerate(rows):
        array[number, : len(row)] = row
    return array


def frame_arrays(items: Sequence[Item], pad: int, length: int | None) -> dict[str, NDArray[np.generic]]:
    """Give the fields that every batch has, padded to the longest item or to the length given."""
    width = length or max((len(item) for item in items), default=1) or 1
    return {
        "tokens": pad_field([item.tokens for item in items], width, pad, np.int32),
        "segments": pad_field([item.segments for item in items], width, 0, np.int32),
        "mask": pad_field([[1] * len(item) for item in items], width, 0, np.bool_),
        "words": pad_field([item.words for item in items], width, -1, np.int32),
        "group": np.array([item.example for item in items], np.int32),
        "weight": np.ones(len(items), np.float32),
    }
