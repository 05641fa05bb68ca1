"""Tally: what reading reviews left out, counted, with the first places named."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

NAMED_PLACES = 5
"""So many broken rows are named; the others are only counted."""


@dataclass(eq=False, slots=True)
class Tally:
    """Counts of what was read and of what was left out; its size does not grow with the files."""

    reviews: int = 0
    empty: int = 0
    cut: int = 0
    broken: int = 0
    places: list[str] = field(default_factory=list)

    def skip(self, path: Path, where: int | str, found: str) -> None:
        """Count a row that cannot be read; the first few are named."""
        self.broken += 1
        if len(self.places) < NAMED_PLACES:
            place = f"line {where}" if isinstance(where, int) else where
            self.places.append(f"{path}: {place}: found {found}: row skipped")

    def notices(self) -> Iterator[str]:
        """Say what was left out, for people.

        >>> tally = Tally(empty=2)
        >>> tally.skip(Path("a.csv"), 7, "2 cells, not 3")
        >>> for notice in tally.notices():
        ...     print(notice)
        a.csv: line 7: found 2 cells, not 3: row skipped
        1 broken row skipped
        2 reviews without text skipped
        """
        yield from self.places
        if self.broken:
            yield f"{_count(self.broken, 'broken row')} skipped"
        if self.empty:
            yield f"{_count(self.empty, 'review')} without text skipped"
        if self.cut:
            yield f"{_count(self.cut, 'very long review')} cut"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
