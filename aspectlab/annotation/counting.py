"""Count agreement per segment, so that sums can be scored and resampled.

TPA is the share of triples that agree: twice the pairs that are alike enough, by the triples of both (Dice).
SGA is the share of segments whose own TPA reaches a share. A segment without triples on both sides agrees.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aspectlab.annotation.coding import Unit
from aspectlab.annotation.matching import Matched
from aspectlab.metrics.metric import FloatArray, IntArray, ratio

COLUMNS = (
    *("first", "second", *Unit, "same", "segments", "agreed"),
    *("group_aspect", "group_opinion", "group_sentiment", "equal_number", "within_one"),
)
"""What is counted in every segment, in the order of the columns."""

_SLACK = 1e-6
"""Cosines are sums of floats: one that should be 0.6 may come out a little below."""


def count(matched: Matched, threshold: float, share: float) -> IntArray:
    """Count one row per segment, [N, K], at a threshold of similarity; `share` is that of SGA."""
    n = len(matched.first)
    hits = {unit: _hits(matched, unit, threshold) for unit in Unit}
    pairs = matched.pairs[Unit.PAIR]
    same = pairs.segments[(pairs.values >= threshold - _SLACK) & pairs.is_same]
    difference = np.abs(matched.first - matched.second)
    columns: list[NDArray[np.generic]] = [
        *(matched.first, matched.second, *(hits[unit] for unit in Unit)),
        np.bincount(same, minlength=n),
        np.ones(n, np.int64),
        segment_tpa(matched, threshold) >= share - _SLACK,
        *(matched.groups[unit] >= threshold - _SLACK for unit in (Unit.ASPECT, Unit.OPINION)),
        *(matched.is_same_mood, difference == 0, difference <= 1),
    ]
    return np.stack([np.asarray(column, np.int64) for column in columns], axis=1)


def score(total: IntArray) -> dict[str, FloatArray]:
    """Turn summed counts [..., K] into shares of shape [...].

    Where no side has a triple, TPA is 1. What has nothing to be a share of is not a number: the sentiment
    where no pair is alike enough, and TPA by the triples of one side where only the other has any.
    """
    part = {name: total[..., place] for place, name in enumerate(COLUMNS)}
    both, segments = part["first"] + part["second"], part["segments"]
    dice = {unit: _share(2 * part[unit], both, both) for unit in Unit}
    return {
        "tpa": dice[Unit.TRIPLE],
        "tpa_of_first": _share(part[Unit.TRIPLE], part["first"], both),
        "tpa_of_second": _share(part[Unit.TRIPLE], part["second"], both),
        "pairs": dice[Unit.PAIR],
        "aspects": dice[Unit.ASPECT],
        "opinions": dice[Unit.OPINION],
        "sga": ratio(part["agreed"], segments),
        "sentiment_agreement": _ratio(part["same"], part[Unit.PAIR]),
        "group_aspects": ratio(part["group_aspect"], segments),
        "group_opinions": ratio(part["group_opinion"], segments),
        "group_sentiment": ratio(part["group_sentiment"], segments),
        "equal_number": ratio(part["equal_number"], segments),
        "within_one": ratio(part["within_one"], segments),
    }


def segment_tpa(matched: Matched, threshold: float) -> FloatArray:
    """Give the TPA inside each segment, [N]."""
    both = matched.first + matched.second
    return _share(2 * _hits(matched, Unit.TRIPLE, threshold), both, both)


def _hits(matched: Matched, unit: Unit, threshold: float) -> IntArray:
    pairs = matched.pairs[unit]
    alike = pairs.segments[pairs.values >= threshold - _SLACK]
    return np.bincount(alike, minlength=len(matched.first)).astype(np.int64)


def _share(part: IntArray, whole: IntArray, both: IntArray) -> FloatArray:
    """Divide, with 1 where neither side has anything: two who say nothing agree."""
    return np.where(np.equal(both, 0), 1.0, _ratio(part, whole))


def _ratio(part: IntArray, whole: IntArray) -> FloatArray:
    """Divide, with no number where there is nothing to divide by: 0 would say that nothing agrees."""
    return np.where(np.equal(whole, 0), np.nan, ratio(part, whole))
