"""The files of a knowledge graph: GraphML, JSON-LD, a page, and a picture as SVG or PNG."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from aspectlab.data import Polarity, PolarityCounts
from aspectlab.graph.model import IMPLICIT, CountedOpinion, Entity, KnowledgeGraph, balance
from aspectlab.graph.pictures import draw_butterfly, draw_tree
from aspectlab.graph.report import render_graph_page
from aspectlab.reports import escape_html, render_png, write_file

NAME = "graph"
"""Of all files but for their endings."""


def write_graph(graph: KnowledgeGraph, folder: Path, forms: Sequence[str], most: int) -> list[Path]:
    """Write one file a format; a picture shows the `most` frequent aspects, everything else holds all."""
    # half a surrogate pair has no UTF-8 form
    render: dict[str, Callable[[], bytes]] = {
        "graphml": lambda: render_graphml(graph).encode("utf-8", "replace"),
        "jsonld": lambda: render_jsonld(graph).encode(),
        "html": lambda: render_graph_page(graph, most).encode("utf-8", "xmlcharrefreplace"),
        "svg": lambda: draw_picture(graph, most).encode("utf-8", "replace"),
        "png": lambda: render_png(draw_picture(graph, most)),
    }
    # all is made before anything is written, so that a missing package leaves no half of the files
    made = {folder / f"{NAME}.{form}": render[form]() for form in forms}
    return [write_file(path, content) for path, content in made.items()]


def draw_picture(graph: KnowledgeGraph, most: int) -> str:
    """Draw the graph as SVG: one entity as a tree, two of them joined at their aspects."""
    if graph.is_pair:
        first, second = graph.entities
        return draw_butterfly(first, second, most)
    return draw_tree(graph.entities[0], most)


class NodeKind(StrEnum):
    """The four kinds of nodes; a link has the kind of the node it leads to, or says SAME."""

    ENTITY = "entity"
    TOPIC = "topic"
    ASPECT = "aspect"
    OPINION = "opinion"
    SAME = "same"


class GraphNode(NamedTuple):
    """A node; its id tells what it is, and is the same in every graph that holds it."""

    id: str
    kind: NodeKind
    label: str
    entity: str
    counts: PolarityCounts
    polarity: Polarity | None = None


class GraphLink(NamedTuple):
    """A link from one node to another, by their ids."""

    source: str
    target: str
    kind: NodeKind
    counts: PolarityCounts
    polarity: Polarity | None = None


def list_nodes(graph: KnowledgeGraph) -> Iterator[GraphNode]:
    """Return the nodes: of each entity itself, its topics, its aspects, and their opinions."""
    for entity in graph.entities:
        yield GraphNode(make_id(entity.name), NodeKind.ENTITY, entity.name, entity.name, entity.counts)
        for topic, counts in entity.topics.items():
            if topic:
                yield GraphNode(_topic_id(entity, topic), NodeKind.TOPIC, topic, entity.name, counts)
        for aspect in entity.aspects:
            own = make_id(entity.name, NodeKind.ASPECT, aspect.key)
            yield GraphNode(own, NodeKind.ASPECT, aspect.name or IMPLICIT, entity.name, aspect.counts)
            for said in aspect.opinions:
                yield GraphNode(
                    *(_opinion_id(own, said), NodeKind.OPINION, said.text or IMPLICIT, entity.name),
                    *(count_opinion(said), said.polarity),
                )


def list_links(graph: KnowledgeGraph) -> Iterator[GraphLink]:
    """Return the links; an aspect without a topic is linked to its entity."""
    for entity in graph.entities:
        for topic, counts in entity.topics.items():
            if topic:
                yield GraphLink(make_id(entity.name), _topic_id(entity, topic), NodeKind.TOPIC, counts)
        for aspect in entity.aspects:
            own = make_id(entity.name, NodeKind.ASPECT, aspect.key)
            for topic, counts in aspect.topics.items():
                above = _topic_id(entity, topic) if topic else make_id(entity.name)
                yield GraphLink(above, own, NodeKind.ASPECT, counts)
            for said in aspect.opinions:
                yield GraphLink(
                    own, _opinion_id(own, said), NodeKind.OPINION, count_opinion(said), said.polarity
                )
    yield from _link_same(graph.entities)


def count_opinion(said: CountedOpinion) -> PolarityCounts:
    """Return the count of an opinion by its polarity.

    >>> count_opinion(CountedOpinion("soft", Polarity.POSITIVE, 3))
    PolarityCounts(positive=3, negative=0, neutral=0)
    """
    kinds = (Polarity.POSITIVE, Polarity.NEGATIVE, Polarity.NEUTRAL)
    return PolarityCounts(*(said.count if said.polarity is kind else 0 for kind in kinds))


def make_id(entity: str, *path: str) -> str:
    """Make an id that is a fragment of an address, whatever the names hold.

    >>> make_id("car 7", "aspect", "a/c")
    '#car%207/aspect/a%2Fc'
    """
    return "#" + "/".join(quote(part, safe="", errors="backslashreplace") for part in (entity, *path))


def _topic_id(entity: Entity, topic: str) -> str:
    return make_id(entity.name, NodeKind.TOPIC, topic)


def _opinion_id(aspect: str, said: CountedOpinion) -> str:
    return f"{aspect}/{said.polarity.value}/{quote(said.text, safe='', errors='backslashreplace')}"


def _link_same(entities: Sequence[Entity]) -> Iterator[GraphLink]:
    """Link each aspect to the same one of the first entity that has it."""
    first: dict[str, str] = {}
    for entity in entities:
        for aspect in entity.aspects:
            own = make_id(entity.name, NodeKind.ASPECT, aspect.key)
            if aspect.key and first.setdefault(aspect.key, own) != own:
                yield GraphLink(first[aspect.key], own, NodeKind.SAME, PolarityCounts())


_GRAPHML_NAMESPACE = "http://graphml.graphdrawing.org/xmlns"
_COUNT_KEYS = ("count", "positive", "negative", "neutral", "balance")
_KEYS = {
    "node": {**dict.fromkeys(("kind", "label", "entity", "iri", "sentiment"), "string")},
    "edge": {**dict.fromkeys(("kind", "sentiment"), "string")},
}

Values = dict[str, str | int]


def render_graphml(graph: KnowledgeGraph) -> str:
    """Render the graph as a directed GraphML document."""
    nodes = list(list_nodes(graph))
    # the format allows no more in an id than in a name
    short = {node.id: f"n{number}" for number, node in enumerate(nodes)}
    parts = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<graphml xmlns="{_GRAPHML_NAMESPACE}">',
        *_declare(),
        f'<graph id="graph" edgedefault="directed"><desc>{escape_html(graph.title)}</desc>',
        *(f'<node id="{short[node.id]}">{_fill("node", _describe(node))}</node>' for node in nodes),
        *(
            f'<edge id="e{number}" source="{short[link.source]}" target="{short[link.target]}">'
            f"{_fill('edge', _list_values(link, link.counts))}</edge>"
            for number, link in enumerate(list_links(graph))
        ),
        "</graph>\n</graphml>\n",
    ]
    return "\n".join(parts)


def _declare() -> Iterator[str]:
    for part, names in _KEYS.items():
        for name, kind in (names | dict.fromkeys(_COUNT_KEYS, "int")).items():
            yield f'<key id="{part}-{name}" for="{part}" attr.name="{name}" attr.type="{kind}"/>'


def _describe(node: GraphNode) -> Values:
    return {"label": node.label, "entity": node.entity, "iri": node.id, **_list_values(node, node.counts)}


def _list_values(part: GraphNode | GraphLink, counts: PolarityCounts) -> Values:
    values: Values = {"kind": part.kind.value}
    if part.polarity is not None:
        values["sentiment"] = part.polarity.value
    numbers = (counts.total, counts.positive, counts.negative, counts.neutral, balance(counts))
    return {**values, **dict(zip(_COUNT_KEYS, numbers, strict=True))}


def _fill(part: str, values: Values) -> str:
    return "".join(
        f'<data key="{part}-{name}">{escape_html(value) if isinstance(value, str) else value}</data>'
        for name, value in values.items()
    )


_NUMBER = "http://www.w3.org/2001/XMLSchema#integer"
_VOCABULARY = "urn:x-aspectlab:"
_PROPERTIES = {
    NodeKind.TOPIC: "hasTopic",
    NodeKind.ASPECT: "hasAspect",
    NodeKind.OPINION: "hasOpinion",
    NodeKind.SAME: "same",
}

CONTEXT: dict[str, object] = {
    "@version": 1.1,
    "@vocab": _VOCABULARY,
    "label": "http://www.w3.org/2000/01/rdf-schema#label",
    "same": {"@id": "http://www.w3.org/2004/02/skos/core#closeMatch", "@type": "@id"},
    **{name: {"@type": "@id"} for name in ("hasTopic", "hasAspect", "hasOpinion", "from", "to")},
    **{name: {"@type": _NUMBER} for name in ("count", "positive", "negative", "neutral", "balance")},
}
"""What the words of the document mean; a node is named within the document, so it may stand anywhere."""


def render_jsonld(graph: KnowledgeGraph) -> str:
    """Render the graph as one document: nodes with their links, and the links with their counts."""
    links = list(list_links(graph))
    leading: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for link in links:
        leading[link.source][_PROPERTIES[link.kind]].append(link.target)
    parts: list[dict[str, object]] = [
        {"@id": node.id, "@type": node.kind.value.capitalize(), "label": node.label, **_describe_counts(node)}
        | dict(leading[node.id])
        for node in list_nodes(graph)
    ]
    parts += [
        {"@type": "Link", "from": link.source, "to": link.target, **_describe_counts(link)}
        for link in links
        if link.kind is not NodeKind.SAME
    ]
    document = {"@context": CONTEXT, "@graph": parts}
    # half a surrogate pair cannot be written as UTF-8, but as an escape
    return json.dumps(document, indent=1, ensure_ascii=True) + "\n"


def _describe_counts(part: GraphNode | GraphLink) -> dict[str, object]:
    counts = part.counts
    said = {} if part.polarity is None else {"sentiment": part.polarity.value}
    return {
        **said,
        "count": counts.total,
        "positive": counts.positive,
        "negative": counts.negative,
        "neutral": counts.neutral,
        "balance": balance(counts),
    }
