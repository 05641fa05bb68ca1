"""Knowledge graph: what is said of an entity, from its topics over their aspects to the opinions.

An opinion belongs to one aspect, one wording and one polarity, and is counted: were it shared by aspects, or
by polarities, its links could not say who praises what.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple
from unicodedata import normalize

from aspectlab.data import Polarity
from aspectlab.insight.aggregate import Counts
from aspectlab.insight.terms import normalise_term

IMPLICIT = "(implicit)"
"""The label of an aspect or opinion that is meant but not named."""


class Statement(NamedTuple):
    """What is said once of an aspect of an entity; "" stands for what is not named."""

    entity: str
    topic: str
    aspect: str
    opinion: str
    polarity: Polarity


@dataclass(frozen=True, slots=True)
class Said:
    """An opinion on one aspect: its words, its polarity, and how often it is said."""

    text: str
    polarity: Polarity
    count: int


@dataclass(frozen=True, slots=True)
class Aspect:
    """An aspect of an entity: what is said of it, and in which topics; what is frequent comes first."""

    key: str
    name: str
    counts: Counts
    topics: Mapping[str, Counts]
    opinions: tuple[Said, ...]

    @property
    def topic(self) -> str:
        """The topic in which most is said of it."""
        return next(iter(self.topics))


@dataclass(frozen=True, slots=True)
class Entity:
    """One thing that is spoken of, with its aspects; what is frequent comes first."""

    name: str
    counts: Counts
    topics: Mapping[str, Counts]
    aspects: tuple[Aspect, ...]

    @property
    def opinions(self) -> int:
        """The number of links from aspects to opinions."""
        return sum(len(aspect.opinions) for aspect in self.aspects)


@dataclass(frozen=True, slots=True)
class Knowledge:
    """The graph: one entity, or several beside each other."""

    title: str
    entities: tuple[Entity, ...]

    @property
    def is_pair(self) -> bool:
        """Whether there are two entities to compare."""
        return len(self.entities) == 2


def balance(counts: Counts) -> int:
    """Give the sign summary: how much more often it is praised than blamed.

    >>> balance(Counts(positive=3, negative=5, neutral=9))
    -2
    """
    return counts.positive - counts.negative


def build_entity(name: str, statements: Iterable[Statement], *, merge: bool) -> Entity:
    """Build the graph of one entity.

    With `merge`, aspects that differ in case, number, article, blanks or hyphens only are one, and so are
    opinions that differ in case or blanks. Without it, every distinct triple is a link of its own.

    >>> seat = Statement("a", "comfort", "back seat", "soft", Polarity.POSITIVE)
    >>> entity = build_entity("a", [seat, seat._replace(aspect="Backseats")], merge=True)
    >>> [(aspect.name, aspect.opinions[0].count) for aspect in entity.aspects]
    [('back seat', 2)]
    """
    groups: dict[str, list[Statement]] = defaultdict(list)
    for statement in statements:
        groups[fold_aspect(statement.aspect) if merge else statement.aspect].append(statement)
    aspects = [_build_aspect(key, said, merge=merge) for key, said in groups.items()]
    every = [statement for said in groups.values() for statement in said]
    return Entity(
        name,
        _count(every),
        _count_topics(every),
        tuple(sorted(aspects, key=lambda aspect: -aspect.counts.total)),
    )


@lru_cache(1 << 12)
def fold_aspect(text: str) -> str:
    """Give the form under which an aspect is joined with others.

    >>> {fold_aspect(text) for text in ("back seat", "Backseat", "the back-seats")}
    {'backseat'}
    """
    plain = normalise_term(normalize("NFKC", text))
    return "".join(plain.replace("-", " ").split()) or fold_opinion(text)


def fold_opinion(text: str) -> str:
    """Bring the words of an opinion to lower case, with single blanks.

    >>> fold_opinion(" Very  Soft")
    'very soft'
    """
    return " ".join(normalize("NFKC", text).lower().split())


def _build_aspect(key: str, statements: Sequence[Statement], *, merge: bool) -> Aspect:
    forms: dict[tuple[str, Polarity], Counter[str]] = defaultdict(Counter)
    for statement in statements:
        words = fold_opinion(statement.opinion) if merge else statement.opinion
        forms[words, statement.polarity][statement.opinion] += 1
    opinions = [Said(_most_used(found), kind, found.total()) for (_, kind), found in forms.items()]
    return Aspect(
        key,
        _most_used(Counter(statement.aspect for statement in statements)),
        _count(statements),
        _count_topics(statements),
        tuple(sorted(opinions, key=lambda said: -said.count)),
    )


def _count_topics(statements: Iterable[Statement]) -> dict[str, Counts]:
    topics: dict[str, list[Statement]] = defaultdict(list)
    for statement in statements:
        topics[statement.topic].append(statement)
    ranked = sorted(topics.items(), key=lambda item: -len(item[1]))
    return {name: _count(said) for name, said in ranked}


def _count(statements: Iterable[Statement]) -> Counts:
    found = Counter(statement.polarity for statement in statements)
    return Counts(found[Polarity.POSITIVE], found[Polarity.NEGATIVE], found[Polarity.NEUTRAL])


def _most_used(forms: Counter[str]) -> str:
    """Name a thing by its most frequent form; among equals the one that was met first."""
    return forms.most_common(1)[0][0]
