"""The nodes and links of a knowledge graph, as formats for graphs want them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple
from urllib.parse import quote

from aspectlab.data import Polarity
from aspectlab.insight.aggregate import Counts
from aspectlab.insight.knowledge import IMPLICIT, Entity, Knowledge, Said


class Kind(StrEnum):
    """The four kinds of nodes; a link has the kind of the node it leads to, or says SAME."""

    ENTITY = "entity"
    TOPIC = "topic"
    ASPECT = "aspect"
    OPINION = "opinion"
    SAME = "same"


class Node(NamedTuple):
    """A node; its id tells what it is, and is the same in every graph that holds it."""

    id: str
    kind: Kind
    label: str
    entity: str
    counts: Counts
    polarity: Polarity | None = None


class Link(NamedTuple):
    """A link from one node to another, by their ids."""

    source: str
    target: str
    kind: Kind
    counts: Counts
    polarity: Polarity | None = None


def list_nodes(graph: Knowledge) -> Iterator[Node]:
    """Give the nodes: of each entity itself, its topics, its aspects, and their opinions."""
    for entity in graph.entities:
        yield Node(make_id(entity.name), Kind.ENTITY, entity.name, entity.name, entity.counts)
        for topic, counts in entity.topics.items():
            if topic:
                yield Node(_topic_id(entity, topic), Kind.TOPIC, topic, entity.name, counts)
        for aspect in entity.aspects:
            own = make_id(entity.name, Kind.ASPECT, aspect.key)
            yield Node(own, Kind.ASPECT, aspect.name or IMPLICIT, entity.name, aspect.counts)
            for said in aspect.opinions:
                yield Node(
                    *(_opinion_id(own, said), Kind.OPINION, said.text or IMPLICIT, entity.name),
                    *(count_said(said), said.polarity),
                )


def list_links(graph: Knowledge) -> Iterator[Link]:
    """Give the links; an aspect without a topic hangs on its entity."""
    for entity in graph.entities:
        for topic, counts in entity.topics.items():
            if topic:
                yield Link(make_id(entity.name), _topic_id(entity, topic), Kind.TOPIC, counts)
        for aspect in entity.aspects:
            own = make_id(entity.name, Kind.ASPECT, aspect.key)
            for topic, counts in aspect.topics.items():
                above = _topic_id(entity, topic) if topic else make_id(entity.name)
                yield Link(above, own, Kind.ASPECT, counts)
            for said in aspect.opinions:
                yield Link(own, _opinion_id(own, said), Kind.OPINION, count_said(said), said.polarity)
    yield from _link_same(graph.entities)


def count_said(said: Said) -> Counts:
    """Give the count of an opinion by its polarity.

    >>> count_said(Said("soft", Polarity.POSITIVE, 3))
    Counts(positive=3, negative=0, neutral=0)
    """
    places = (Polarity.POSITIVE, Polarity.NEGATIVE, Polarity.NEUTRAL)
    return Counts(*(said.count if said.polarity is place else 0 for place in places))


def make_id(entity: str, *path: str) -> str:
    """Make an id that is a fragment of an address, whatever the names hold.

    >>> make_id("car 7", "aspect", "a/c")
    '#car%207/aspect/a%2Fc'
    """
    return "#" + "/".join(quote(part, safe="", errors="backslashreplace") for part in (entity, *path))


def _topic_id(entity: Entity, topic: str) -> str:
    return make_id(entity.name, Kind.TOPIC, topic)


def _opinion_id(aspect: str, said: Said) -> str:
    return f"{aspect}/{said.polarity.value}/{quote(said.text, safe='', errors='backslashreplace')}"


def _link_same(entities: Sequence[Entity]) -> Iterator[Link]:
    """Link each aspect to the same one of the first entity that has it."""
    first: dict[str, str] = {}
    for entity in entities:
        for aspect in entity.aspects:
            own = make_id(entity.name, Kind.ASPECT, aspect.key)
            if aspect.key and first.setdefault(aspect.key, own) != own:
                yield Link(first[aspect.key], own, Kind.SAME, Counts())
