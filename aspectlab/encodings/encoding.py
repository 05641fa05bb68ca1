"""What training asks of an encoding of given aspects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from aspectlab.data import Example, Quad
from aspectlab.encodings.pair import PairBatch, PairItem


class Encoding(Protocol):
    """Examples to items, items to a batch, scores to quads; an encoding may add to items and batch."""

    def encode(self, examples: Sequence[Example]) -> Sequence[PairItem]:
        """Make the items of some examples."""
        ...

    def collate(self, items: Sequence[PairItem], length: int | None = None) -> PairBatch[NDArray[np.generic]]:
        """Pad items that this encoding made to one length: that of the longest, or the one given."""
        ...

    def decode(
        self, scores: NDArray[np.float32], items: Sequence[PairItem], examples: Sequence[Example]
    ) -> list[tuple[Quad, ...]]:
        """Give the quads of each example, with those of the items predicted."""
        ...
