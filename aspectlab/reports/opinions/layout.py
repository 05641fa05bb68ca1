"""Place labelled boxes: linked ones close, none over another, and always the same way.

Only sums in a fixed order, products and square roots are used: these give the same bits on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

GAP = 6.0
"""Between any two boxes at least so many pixels are left."""

_STEPS = 250
_PUSHES = 60
_GRID = 6.0
# labels are wider than high: forces act as if the area were narrower than it is
_STRETCH = np.array([1.6, 1.0])


class Edge(NamedTuple):
    """A link between two boxes, by their numbers; a heavier one pulls more."""

    first: int
    second: int
    weight: float


class Layout(NamedTuple):
    """The centres of the boxes and the area that holds them all."""

    centres: FloatArray  # [N, 2]
    width: float
    height: float


def place_boxes(sizes: FloatArray, edges: Sequence[Edge], width: float, height: float) -> Layout:
    """Place boxes of these sizes, [N, 2]; the area grows downwards where it proves too small.

    >>> layout = place_boxes(np.array([[40.0, 20.0], [60.0, 20.0]]), [Edge(0, 1, 1.0)], 200, 100)
    >>> bool(np.all(np.abs(layout.centres[0] - layout.centres[1]) < [50 + GAP, 20 + GAP]))
    False
    """
    widest = sizes.max(axis=0, initial=0.0) + 2 * GAP
    area = np.maximum(widest, [width, height])
    while True:
        wishes = _push_apart(_spread(sizes, edges, area), sizes, area)
        centres = _settle(wishes, sizes, area)
        if centres is not None:
            return Layout(centres, float(area[0]), float(area[1]))
        area = area * [1.0, 1.2]


def _spread(sizes: FloatArray, edges: Sequence[Edge], area: FloatArray) -> FloatArray:
    """Let all boxes repel each other and edges pull, with ever smaller moves (Fruchterman and Reingold)."""
    n = len(sizes)
    low, high = (bound / _STRETCH for bound in _bounds(sizes, area))
    places = low + _start(n) * (high - low)  # [N, 2]
    pull = np.zeros((n, n))
    for first, second, weight in edges:
        pull[first, second] = pull[second, first] = weight
    room = area / _STRETCH
    reach = 0.9 * np.sqrt(room[0] * room[1] / max(n, 1))
    for step in range(_STEPS):
        apart = places[None, :, :] - places[:, None, :]  # [N, N, 2], from the first to the second
        distance = np.sqrt(np.maximum(apart[..., 0] ** 2 + apart[..., 1] ** 2, 1e-3))  # [N, N]
        # boxes far apart leave each other alone, or everything would end at the rim
        push = np.where(distance < 2 * reach, reach**2 / distance**2, 0.0) - pull * distance / reach
        # summed over the first axis: row by row, so the order of the sum is fixed
        move = (apart * push[..., None]).sum(axis=0) + 0.05 * (room / 2 - places)  # [N, 2]
        length = np.sqrt(np.maximum(move[:, :1] ** 2 + move[:, 1:] ** 2, 1e-9))
        limit = reach * (1 - step / _STEPS)
        places = np.clip(places + move / length * np.minimum(length, limit), low, high)
    spread: FloatArray = places * _STRETCH
    return spread


def _start(n: int) -> FloatArray:
    """Put the boxes on a spiral in the unit square, without sines: their last bit differs among machines."""
    turn_x, turn_y = -0.7373688, 0.6754903  # the golden angle
    places, x, y = np.empty((n, 2)), 1.0, 0.0
    for k in range(n):
        places[k] = 0.5 + 0.45 * np.sqrt((k + 0.5) / n) * np.array([x, y])
        x, y = x * turn_x - y * turn_y, x * turn_y + y * turn_x
    return places


def _push_apart(centres: FloatArray, sizes: FloatArray, area: FloatArray) -> FloatArray:
    """Push boxes that touch apart, along the axis that needs less; in a full area some may go on touching."""
    low, high = _bounds(sizes, area)
    for _ in range(_PUSHES):
        apart = centres[None] - centres[:, None]  # [N, N, 2]
        excess = (sizes[:, None] + sizes[None]) / 2 + GAP - np.abs(apart)
        first, second = np.nonzero(np.triu((excess > 0).all(axis=2), k=1))
        if not len(first):
            break
        for i, j in zip(first.tolist(), second.tolist(), strict=True):
            axis = int(excess[i, j, 1] <= excess[i, j, 0])
            step = (excess[i, j, axis] / 2 + 0.5) * (1 if apart[i, j, axis] >= 0 else -1)
            centres[i, axis] -= step
            centres[j, axis] += step
        centres = np.clip(centres, low, high)
    return centres


def _settle(wishes: FloatArray, sizes: FloatArray, area: FloatArray) -> FloatArray | None:
    """Give each box in turn the free place nearest to its wish; None if the area is too full."""
    low, high = _bounds(sizes, area)
    grid = np.mgrid[0 : area[0] : _GRID, 0 : area[1] : _GRID].reshape(2, -1).T  # [G, 2]
    centres = np.empty_like(wishes)
    for k, wish in enumerate(wishes):
        spots = np.clip(np.vstack([wish, grid]), low[k], high[k])  # [G + 1, 2]
        apart = np.abs(spots[:, None] - centres[None, :k])  # [G + 1, k, 2]
        is_free = (apart >= (sizes[k] + sizes[:k]) / 2 + GAP - 1e-6).any(axis=2).all(axis=1)
        if not is_free.any():
            return None
        free = spots[is_free]
        centres[k] = free[((free - wish) ** 2).sum(axis=1).argmin()]
    return centres


def _bounds(sizes: FloatArray, area: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Give the smallest and largest centres that keep each box within the area."""
    return (sizes + GAP) / 2, area - (sizes + GAP) / 2
