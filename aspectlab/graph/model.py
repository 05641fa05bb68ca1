"""Knowledge graph: what is said of an entity, from its topics over their aspects to the opinions."""

import difflib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple
from unicodedata import normalize

from aspectlab.data import Polarity, PolarityCounts
from aspectlab.errors import ConfigError, DataError
from aspectlab.language import normalise_term

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
class CountedOpinion:
    """An opinion on one aspect: its words, its polarity, and how often it is said."""

    text: str
    polarity: Polarity
    count: int


@dataclass(frozen=True, slots=True)
class EntityAspect:
    """An aspect of an entity: what is said of it, and in which topics; what is frequent comes first."""

    key: str
    name: str
    counts: PolarityCounts
    topics: Mapping[str, PolarityCounts]
    opinions: tuple[CountedOpinion, ...]

    @property
    def topic(self) -> str:
        """The topic in which most is said of it."""
        return next(iter(self.topics))


@dataclass(frozen=True, slots=True)
class Entity:
    """One thing that is spoken of, with its aspects; what is frequent comes first."""

    name: str
    counts: PolarityCounts
    topics: Mapping[str, PolarityCounts]
    aspects: tuple[EntityAspect, ...]

    @property
    def opinions(self) -> int:
        """The number of links from aspects to opinions."""
        return sum(len(aspect.opinions) for aspect in self.aspects)


@dataclass(frozen=True, slots=True)
class KnowledgeGraph:
    """The graph: one entity, or several beside each other."""

    title: str
    entities: tuple[Entity, ...]

    @property
    def is_pair(self) -> bool:
        """Whether there are two entities to compare."""
        return len(self.entities) == 2


def balance(counts: PolarityCounts) -> int:
    """Return how much more often something is praised than blamed.

    >>> balance(PolarityCounts(positive=3, negative=5, neutral=9))
    -2
    """
    return counts.positive - counts.negative


def build_entity(name: str, statements: Iterable[Statement], *, merge: bool) -> Entity:
    """Build the graph of one entity.

    With `merge`, aspects that differ in case, number, article, whitespace or hyphens only are one, and so are
    opinions that differ in case or whitespace. Without it, every distinct triple is a link of its own.

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
    """Return the form under which an aspect is joined with others.

    >>> {fold_aspect(text) for text in ("back seat", "Backseat", "the back-seats")}
    {'backseat'}
    """
    plain = normalise_term(normalize("NFKC", text))
    return "".join(plain.replace("-", " ").split()) or fold_opinion(text)


def fold_opinion(text: str) -> str:
    """Normalise the words of an opinion: lower case, single spaces.

    >>> fold_opinion(" Very  Soft")
    'very soft'
    """
    return " ".join(normalize("NFKC", text).lower().split())


def _build_aspect(key: str, statements: Sequence[Statement], *, merge: bool) -> EntityAspect:
    forms: dict[tuple[str, Polarity], Counter[str]] = defaultdict(Counter)
    for statement in statements:
        words = fold_opinion(statement.opinion) if merge else statement.opinion
        forms[words, statement.polarity][statement.opinion] += 1
    opinions = [CountedOpinion(_most_used(found), kind, found.total()) for (_, kind), found in forms.items()]
    return EntityAspect(
        key,
        _most_used(Counter(statement.aspect for statement in statements)),
        _count(statements),
        _count_topics(statements),
        tuple(sorted(opinions, key=lambda said: -said.count)),
    )


def _count_topics(statements: Iterable[Statement]) -> dict[str, PolarityCounts]:
    topics: dict[str, list[Statement]] = defaultdict(list)
    for statement in statements:
        topics[statement.topic].append(statement)
    ranked = sorted(topics.items(), key=lambda item: -len(item[1]))
    return {name: _count(said) for name, said in ranked}


def _count(statements: Iterable[Statement]) -> PolarityCounts:
    found = Counter(statement.polarity for statement in statements)
    return PolarityCounts(found[Polarity.POSITIVE], found[Polarity.NEGATIVE], found[Polarity.NEUTRAL])


def _most_used(forms: Counter[str]) -> str:
    """Name a thing by its most frequent form; among equals the one that was met first."""
    return forms.most_common(1)[0][0]


_NAMED, _LONGEST = 5, 80


@dataclass(frozen=True, slots=True)
class GraphSelection:
    """What to show; no entities stand for all, taken as one or, with `each`, apart; no topics for all."""

    entities: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    neutral: bool = False
    merge: bool = False
    each: bool = False


def build_graph(title: str, statements: Sequence[Statement], choice: GraphSelection) -> KnowledgeGraph:
    """Build the graph of what is chosen; refuse names that do not occur, and a graph without any link."""
    known = Counter(statement.entity for statement in statements)
    for name in choice.entities:
        _check_name("entity", name, known)
    for name in choice.topics:
        _check_name("topic", name, Counter(statement.topic for statement in statements if statement.topic))
    kept = [statement for statement in statements if _is_kept(statement, choice)]
    groups = _group(kept, title, choice)
    empty = [name for name, found in groups.items() if not found]
    if empty:
        where = f" in {', '.join(choice.topics)}" if choice.topics else ""
        remedy = "choose others" if choice.neutral else "choose others, or add neutral ones with --neutral"
        raise DataError(f"{empty[0]}: found no opinion{where}: expected at least one; {remedy}")
    entities = tuple(build_entity(name, found, merge=choice.merge) for name, found in groups.items())
    return KnowledgeGraph(title if choice.each else " and ".join(groups), entities)


def count_variants(graph: KnowledgeGraph) -> int:
    """Count the aspects that are another one in another form, and that merging would take away."""
    return sum(
        len(entity.aspects) - len({fold_aspect(aspect.name) for aspect in entity.aspects})
        for entity in graph.entities
    )


def _group(kept: Sequence[Statement], title: str, choice: GraphSelection) -> dict[str, list[Statement]]:
    """Return the statements by entity, those of all as one; an entity that is asked for may have none."""
    groups: dict[str, list[Statement]] = {name: [] for name in choice.entities}
    for statement in kept:
        if choice.each or statement.entity in groups:
            groups.setdefault(statement.entity, []).append(statement)
    return groups or {title: list(kept)}


def _is_kept(statement: Statement, choice: GraphSelection) -> bool:
    if not choice.neutral and statement.polarity is Polarity.NEUTRAL:
        return False
    return not choice.topics or statement.topic in choice.topics


def _check_name(kind: str, name: str, known: Counter[str]) -> None:
    if name in known:
        return
    lower = {each.lower(): each for each in known}
    near = difflib.get_close_matches(name.lower(), lower, n=1, cutoff=0.5)
    hint = f"did you mean {lower[near[0]]!r:.{_LONGEST}}? " if near else ""
    raise ConfigError(f"{kind} {name!r:.{_LONGEST}} is unknown: {hint}{_list_known(kind, known)}")


def _list_known(kind: str, known: Counter[str]) -> str:
    """Name the most frequent ones: there may be thousands."""
    names = [f"{name:.{_LONGEST}}" for name, _ in known.most_common(_NAMED)]
    if not names:
        return f"the file names no {kind}"
    more = f", … ({len(known):,} in all)" if len(known) > len(names) else ""
    return f"There are: {', '.join(names)}{more}"
