"""Dialogue: an encoding that asks more than once, since what it asks next hangs on the answers so far."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from aspectlab.data import Example, Quad
from aspectlab.encodings.batch import Item


class Turn(NamedTuple):
    """A question and the model's scores for it."""

    item: Item
    scores: NDArray[np.float32]


@runtime_checkable
class Dialogue(Protocol):
    """What predicting asks of such an encoding, besides `encode` and `collate`, which serve training."""

    def open(self, examples: Sequence[Example]) -> Sequence[Item]:
        """Give the first questions; gold answers, where the examples have some, must not show in them."""
        ...

    def follow(self, rounds: Sequence[Sequence[Turn]], examples: Sequence[Example]) -> Sequence[Item]:
        """Give the next questions after some rounds; none when everything has been asked."""
        ...

    def conclude(
        self, rounds: Sequence[Sequence[Turn]], examples: Sequence[Example]
    ) -> list[tuple[Quad, ...]]:
        """Give the predicted quads of each example."""
        ...
