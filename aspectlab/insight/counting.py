"""Count what is frequent in bounded space."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)


class TopCounter(Generic[Key]):
    """Counts of the most frequent keys; where there are too many, the rarest are forgotten.

    A key that is forgotten and met again begins anew, so only counts of rare keys can come out too low.

    >>> counter = TopCounter[str](1000)
    >>> for letter in "banana":
    ...     counter.add(letter)
    >>> counter.top(2)
    [('a', 3), ('n', 2)]
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._counts: dict[Key, int] = {}
        self.has_forgotten = False

    def __len__(self) -> int:
        return len(self._counts)

    def __getitem__(self, key: Key) -> int:
        return self._counts.get(key, 0)

    def add(self, key: Key) -> None:
        """Count a key once."""
        self._counts[key] = self._counts.get(key, 0) + 1
        if len(self._counts) > 2 * self._size:
            self._counts = dict(self.top(self._size))
            self.has_forgotten = True

    def correct(self, counts: Mapping[Key, int]) -> None:
        """Set the counts of some keys, which were counted again by whoever knows which ones matter."""
        self._counts.update(counts)

    def say_distinct(self) -> str:
        """Say how many keys there are, for people; where some are forgotten, how many there are at least.

        >>> TopCounter[str](1000).say_distinct()
        '0'
        """
        return f"over {2 * self._size:,}" if self.has_forgotten else f"{len(self):,}"

    def top(self, number: int | None = None) -> list[tuple[Key, int]]:
        """Give the most frequent keys and their counts; among equals the one that was met first."""
        ranked = sorted(self._counts.items(), key=lambda item: -item[1])
        return ranked[:number]
