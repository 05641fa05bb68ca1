"""Choose what a knowledge graph shows: an entity, topics, with or without neutral statements."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from aspectlab.data import Polarity
from aspectlab.errors import ConfigError, DataError
from aspectlab.insight.knowledge import Knowledge, Statement, build_entity, fold_aspect

_NAMED, _LONGEST = 5, 80


@dataclass(frozen=True, slots=True)
class Choice:
    """What to show; no entities stand for all, taken as one or, with `each`, apart; no topics for all."""

    entities: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    neutral: bool = False
    merge: bool = False
    each: bool = False


def build_knowledge(title: str, statements: Sequence[Statement], choice: Choice) -> Knowledge:
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
    return Knowledge(title if choice.each else " and ".join(groups), entities)


def count_variants(graph: Knowledge) -> int:
    """Count the aspects that are another one in another form, and that merging would take away."""
    return sum(
        len(entity.aspects) - len({fold_aspect(aspect.name) for aspect in entity.aspects})
        for entity in graph.entities
    )


def _group(kept: Sequence[Statement], title: str, choice: Choice) -> dict[str, list[Statement]]:
    """Give the statements by entity, those of all as one; an entity that is asked for may have none."""
    groups: dict[str, list[Statement]] = {name: [] for name in choice.entities}
    for statement in kept:
        if choice.each or statement.entity in groups:
            groups.setdefault(statement.entity, []).append(statement)
    return groups or {title: list(kept)}


def _is_kept(statement: Statement, choice: Choice) -> bool:
    if not choice.neutral and statement.polarity is Polarity.NEUTRAL:
        return False
    return not choice.topics or statement.topic in choice.topics


def _check_name(kind: str, name: str, known: Counter[str]) -> None:
    if name in known:
        return
    lower = {each.lower(): each for each in known}
    near = difflib.get_close_matches(name.lower(), lower, n=1, cutoff=0.5)
    hint = f"did you mean {lower[near[0]]!r:.{_LONGEST}}? " if near else ""
    raise ConfigError(f"{kind} {name!r:.{_LONGEST}} is unknown: {hint}{_say_known(kind, known)}")


def _say_known(kind: str, known: Counter[str]) -> str:
    """Name the most frequent ones: there may be thousands."""
    names = [f"{name:.{_LONGEST}}" for name, _ in known.most_common(_NAMED)]
    if not names:
        return f"the file names no {kind}"
    more = f", … ({len(known):,} in all)" if len(known) > len(names) else ""
    return f"There are: {', '.join(names)}{more}"
