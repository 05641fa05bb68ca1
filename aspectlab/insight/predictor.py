"""Predictor: what the analysis needs of a model, whatever runs it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from aspectlab.data import Quad


class Predictor(Protocol):
    """A model that finds opinions in sentences and gives vectors for grouping their aspects."""

    @property
    def identity(self) -> str:
        """A name that changes when the results may change."""
        ...

    def predict(self, texts: Sequence[str]) -> list[tuple[Quad, ...]]:
        """Give the opinions of each text, with spans and the probability of each polarity."""
        ...

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Give one vector a text, [N, D]."""
        ...
