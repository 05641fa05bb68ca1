"""What training asks of an encoding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from aspectlab.data import Example, Quad
from aspectlab.encodings.batch import Batch, Item


class Encoding(Protocol):
    """Examples to items, items to a batch, scores to quads; each encoding has its own items and batch."""

    def encode(self, examples: Sequence[Example]) -> Sequence[Item]:
        """Make the items of some examples: none, one or several each."""
        ...

    def collate(self, items: Sequence[Item], length: int | None = None) -> Batch[NDArray[np.generic]]:
        """Pad items that this encoding made to one length: that of the longest, or the one given."""
        ...

    def decode(
        self, scores: NDArray[np.float32], items: Sequence[Item], examples: Sequence[Example]
    ) -> list[tuple[Quad, ...]]:
        """Give the predicted quads of each item."""
        ...
