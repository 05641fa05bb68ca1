"""Epoch: what one pass over the training data came to."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Epoch:
    """Its number from 0, the mean loss of its steps, the dev scores after it, and how long it took."""

    number: int
    loss: float
    dev: dict[str, float]
    seconds: float
