"""Join two entities: the aspects, or the topics, of which something is said about both."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from aspectlab.insight.aggregate import Counts
from aspectlab.insight.grouping import OTHER
from aspectlab.insight.knowledge import Aspect, Entity


class Pair(NamedTuple):
    """One aspect of two entities; None where nothing is said of it."""

    name: str
    first: Aspect | None
    second: Aspect | None

    @property
    def total(self) -> int:
        """How often something is said of it."""
        return sum(aspect.counts.total for aspect in (self.first, self.second) if aspect)


class Joined(NamedTuple):
    """The counts of two entities for one aspect or topic."""

    name: str
    first: Counts
    second: Counts


def join_aspects(first: Entity, second: Entity) -> tuple[Pair, ...]:
    """Pair the aspects by their keys: those of both entities first, then the most frequent.

    What is not named is no pair: it is not the same thing in two entities.
    """
    left, right = ({aspect.key: aspect for aspect in entity.aspects} for entity in (first, second))
    pairs = [
        Pair((left.get(key) or right[key]).name, left.get(key), right.get(key))
        for key in (left | right)
        if key
    ]
    return tuple(sorted(pairs, key=lambda pair: (not (pair.first and pair.second), -pair.total)))


def list_joined(first: Entity, second: Entity, *, by_topic: bool) -> Iterator[Joined]:
    """Give what both entities have, with its counts; what fits nowhere is no topic."""
    if by_topic:
        for topic, counts in first.topics.items():
            if topic not in ("", OTHER) and topic in second.topics:
                yield Joined(topic, counts, second.topics[topic])
        return
    for pair in join_aspects(first, second):
        if pair.first and pair.second:
            yield Joined(pair.name, pair.first.counts, pair.second.counts)
