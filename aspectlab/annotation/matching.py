"""Pair the triples of two annotators one to one, segment by segment, by the Hungarian method."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aspectlab.annotation.coding import Coded, Rows, Table, Unit
from aspectlab.annotation.similarity import Float32Array
from aspectlab.metrics.assignment import assign

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

_EDGE = 1e-5
"""What an equal polarity weighs in pairing: less than any difference of words, more than rounding."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """All pairs of one unit: how alike they are, in which segment, and whether the polarity is equal."""

    values: Float32Array  # [M]
    segments: Rows  # [M]
    is_same: BoolArray  # [M]


@dataclass(frozen=True, slots=True)
class Matched:
    """Two annotators' segments, compared; from here every threshold is a count."""

    first: IntArray  # [N] triples of one
    second: IntArray  # [N] triples of the other
    pairs: dict[Unit, Pairs]
    groups: dict[Unit, Float32Array]  # [N] each
    is_same_mood: BoolArray  # [N]


def match(table: Table, one: Coded, other: Coded, order: Rows | None = None) -> Matched:
    """Compare the segments of one annotator with those of another, taken in `order` if it is given."""
    order = np.arange(len(one.triples)) if order is None else order
    first, second = one.sizes, other.sizes[order]
    is_empty, is_lone = (first + second) == 0, (first == 0) != (second == 0)
    groups = {}
    for unit, rows in one.groups.items():
        alike = table.compare_each(rows, other.groups[unit][order])
        alike[is_lone] = 0  # nothing against something never agrees
        groups[unit] = alike
    same_mood = (one.moods == other.moods[order]) & ~is_lone | is_empty
    pairs = {unit: _match_unit(table, one, other, order, unit) for unit in Unit}
    return Matched(first, second, pairs, groups, same_mood)


def _match_unit(table: Table, one: Coded, other: Coded, order: Rows, unit: Unit) -> Pairs:
    values: list[Float32Array] = [np.zeros(0, np.float32)]
    segments: list[int] = []
    is_same: list[bool] = []
    for segment, place in enumerate(order.tolist()):
        rows, columns = one.units[unit][segment], other.units[unit][place]
        if not rows.size or not columns.size:
            continue
        alike = table.compare(rows, columns)  # [A, B]
        mine, theirs = (
            np.array([triple.polarity for triple in triples])
            for triples in (one.triples[segment], other.triples[place])
        )
        same = mine[:, None] == theirs[None, :]  # [A, B]
        # of pairings that are alike to a hair the one with pairs of one polarity is taken, then the one with
        # the closest pair: the order must not decide
        left, right = pair_best(alike + np.float32(_EDGE) * (same + alike**2))
        values.append(alike[left, right])
        segments += [segment] * len(left)
        is_same += same[left, right].tolist()
    return Pairs(np.concatenate(values), np.array(segments, np.intp), np.array(is_same, np.bool_))


def pair_best(alike: Float32Array) -> tuple[Rows, Rows]:
    """Give rows and columns of the one-to-one pairing with the largest sum.

    >>> rows, columns = pair_best(np.array([[0.9, 0.8], [0.8, 0.1]], np.float32))
    >>> columns.tolist()
    [1, 0]
    """
    if alike.shape[0] > alike.shape[1]:
        columns, rows = pair_best(alike.T)
        return rows, columns
    best = alike.argmax(1)
    # where no two rows want one column nothing has to be weighed, which is the usual case
    if len(set(best.tolist())) == len(best):
        return np.arange(len(best)), best
    return assign(-alike)
