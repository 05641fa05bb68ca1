"""What of a knowledge graph fits into a picture: the most frequent aspects, and a few opinions of each."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from aspectlab.data import Polarity
from aspectlab.insight.knowledge import Aspect, Entity, Said

MOST_ASPECTS, MOST_OPINIONS = 20, 3
"""A picture with more is too high for one page."""


class Branch(NamedTuple):
    """An aspect with the opinions that are shown of it, and how many are not."""

    aspect: Aspect
    shown: tuple[Said, ...]

    @property
    def hidden(self) -> int:
        """How many opinions are not shown."""
        return len(self.aspect.opinions) - len(self.shown)


def choose_branches(entity: Entity, most: int) -> dict[str, list[Branch]]:
    """Give the most frequent aspects by their main topics, the topics in the order of the entity."""
    topics: dict[str, list[Branch]] = defaultdict(list)
    for aspect in entity.aspects[:most]:
        topics[aspect.topic].append(choose_opinions(aspect))
    return {topic: topics[topic] for topic in entity.topics if topic in topics}


def choose_opinions(aspect: Aspect, most: int = MOST_OPINIONS) -> Branch:
    """Choose opinions of every polarity in turn: praise must not hide blame."""
    ranks: Counter[Polarity] = Counter()
    ranked: list[tuple[int, Said]] = []
    for said in aspect.opinions:
        ranked.append((ranks[said.polarity], said))
        ranks[said.polarity] += 1
    chosen = sorted(ranked, key=lambda item: (item[0], -item[1].count))[:most]
    shown = {id(said) for _, said in chosen}
    return Branch(aspect, tuple(said for said in aspect.opinions if id(said) in shown))


def count_opinions(branches: Iterable[Branch]) -> int:
    """Count the opinions that are shown."""
    return sum(len(branch.shown) for branch in branches)
