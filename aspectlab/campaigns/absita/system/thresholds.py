"""Thresholds: one per label, together the best micro-F1 on scores that no label of their own has touched.

A sentence that no label reaches gets the one that comes nearest, if it misses by little: next to no sentence
of the campaign is about nothing.
"""

from __future__ import annotations

import numpy as np

from aspectlab.campaigns.absita.system.parts import Float32Array
from aspectlab.metrics import BoolArray, FloatArray

_CANDIDATES = np.linspace(0.3, 0.995, 80)
_ROUNDS = 4
_SLACKS = np.linspace(0, 0.3, 13)


def decide(scores: Float32Array, thresholds: Float32Array, slack: float) -> BoolArray:
    """Choose labels [N, L]: those above their threshold, or else the nearest within the slack.

    >>> decide(np.array([[0.9, 0.4], [0.1, 0.3]]), np.array([0.5, 0.5]), 0.25).tolist()
    [[True, False], [False, True]]
    """
    margins = scores - thresholds
    chosen: BoolArray = margins > 0
    nearest = margins.argmax(axis=1)
    empty = np.flatnonzero(~chosen.any(axis=1) & (margins.max(axis=1) > -slack))
    chosen[empty, nearest[empty]] = True
    return chosen


def choose_slack(scores: Float32Array, thresholds: Float32Array, gold: BoolArray) -> tuple[float, float]:
    """Choose the slack with the best micro-F1, the smallest of equals, and say which F1 that is."""
    reached = []
    for slack in _SLACKS:
        chosen = decide(scores, thresholds, slack)
        reached.append(float(_f1((chosen & gold).sum(), chosen.sum(), gold.sum())))
    best = int(np.argmax(reached))
    return float(_SLACKS[best]), reached[best]


def choose_thresholds(scores: Float32Array, gold: BoolArray) -> tuple[Float32Array, float]:
    """Choose a threshold per label [L] for scores [N, L], and say which micro-F1 they reach.

    Each label begins with its own best F1; then the labels take turns, since what counts is the F1 of all.
    """
    offered = np.quantile(scores, _CANDIDATES, axis=0)  # [Q, L]
    chosen = scores[None] > offered[:, None]  # [Q, N, L]
    hits = (chosen & gold[None]).sum(axis=1).astype(np.float64)  # [Q, L]
    predicted = chosen.sum(axis=1).astype(np.float64)  # [Q, L]
    wanted = gold.sum(axis=0)  # [L]
    labels = np.arange(scores.shape[1])
    best = np.argmax(_f1(hits, predicted, wanted), axis=0)  # [L]
    for label in np.tile(labels, _ROUNDS):
        others = labels != label
        hit, guess = (counts[best, labels][others].sum() for counts in (hits, predicted))
        best[label] = np.argmax(_f1(hit + hits[:, label], guess + predicted[:, label], wanted.sum()))
    reached = _f1(hits[best, labels].sum(), predicted[best, labels].sum(), wanted.sum())
    return offered[best, labels].astype(np.float32), float(reached)


def _f1(hits: FloatArray, predicted: FloatArray, wanted: FloatArray) -> FloatArray:
    found: FloatArray = 2 * hits / np.maximum(predicted + wanted, 1)
    return found
