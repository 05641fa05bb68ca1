"""Shelves: items of about one length are put together until a batch is full.

The length that an item is padded to follows from its own length alone, never from its batch mates: a longer
row adds up in another order, and the last digits would tell who stood beside it.
Only a few shapes occur, since the engine keeps code and memory for each of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

TOKENS = 512
"""Tokens a full batch has: what measures fastest on one core with its caches."""

_REST = 4
"""Rows of a batch that is not full; what is left beyond that goes alone."""

_STEPS = ((64, 4), (128, 16))
"""Up to so many tokens, lengths are rounded up to so much; longer ones to a multiple of 64."""


def padded_length(length: int, longest: int) -> int:
    """Round a length up, but never beyond the longest that the model reads.

    >>> [padded_length(length, 512) for length in (18, 65, 200, 511)]
    [20, 80, 256, 512]
    """
    step = next((step for bound, step in _STEPS if length <= bound), 64)
    # a text without tokens still takes a row
    return min(-(-max(length, 1) // step) * step, longest)


def full_size(length: int) -> int:
    """Give the rows of a full batch of some padded length.

    >>> full_size(20), full_size(512)
    (25, 1)
    """
    return max(TOKENS // length, 1)


@dataclass(slots=True)
class Shelves:
    """Numbers of items by padded length, until there are enough for a batch."""

    longest: int
    waiting: dict[int, list[int]] = field(default_factory=dict)

    def add(self, number: int, length: int) -> tuple[int, list[int]] | None:
        """Put an item on its shelf; give the padded length and the items of the batch that it completes.

        >>> shelves = Shelves(512)
        >>> shelves.add(0, 20), shelves.add(1, 510)
        (None, (512, [1]))
        >>> list(shelves.rest())
        [(20, [0])]
        """
        padded = padded_length(length, self.longest)
        shelf = self.waiting.setdefault(padded, [])
        shelf.append(number)
        if len(shelf) < full_size(padded):
            return None
        return padded, self.waiting.pop(padded)

    def rest(self) -> Iterator[tuple[int, Sequence[int]]]:
        """Give what is left, in batches of few sizes, the longest first."""
        for padded in sorted(self.waiting, reverse=True):
            shelf = self.waiting.pop(padded)
            whole = len(shelf) - len(shelf) % _REST
            yield from ((padded, shelf[start : start + _REST]) for start in range(0, whole, _REST))
            yield from ((padded, [number]) for number in shelf[whole:])
