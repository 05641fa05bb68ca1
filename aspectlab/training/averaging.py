"""A running mean of the weights: steadier than the weights of any single step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import torch
from torch import Tensor, nn


class Average:
    """Follow the weights with a decay; with a decay of 0 there is nothing to follow, and nothing is done."""

    def __init__(self, parameters: Sequence[nn.Parameter], decay: float) -> None:
        self.decay = decay
        self.weights = [parameter.data for parameter in parameters] if decay else []
        self.means = [weight.clone() for weight in self.weights]

    def restart(self) -> None:
        """Begin anew at the present weights."""
        for mean, weight in zip(self.means, self.weights, strict=True):
            mean.copy_(weight)

    def update(self) -> None:
        """Take one step towards the present weights; part of a captured training step."""
        if self.means:
            torch._foreach_lerp_(self.means, self.weights, 1 - self.decay)

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """Put the means in the place of the weights for a while."""
        self._exchange()
        try:
            yield
        finally:
            self._exchange()

    def load(self, means: Sequence[Tensor]) -> None:
        """Go on from means that were kept."""
        for mean, value in zip(self.means, means, strict=True):
            mean.copy_(value)

    def _exchange(self) -> None:
        for mean, weight in zip(self.means, self.weights, strict=True):
            kept = weight.clone()
            weight.copy_(mean)
            mean.copy_(kept)
