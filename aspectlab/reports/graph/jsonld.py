"""A knowledge graph as JSON-LD, which is RDF: for triple stores, SPARQL and programs."""

from __future__ import annotations

import json
from collections import defaultdict

from aspectlab.insight.knowledge import Knowledge, balance
from aspectlab.insight.knowledgenodes import Kind, Link, Node, list_links, list_nodes

_NUMBER = "http://www.w3.org/2001/XMLSchema#integer"
_SPACE = "urn:x-aspectlab:"
_PROPERTIES = {
    Kind.TOPIC: "hasTopic",
    Kind.ASPECT: "hasAspect",
    Kind.OPINION: "hasOpinion",
    Kind.SAME: "same",
}

CONTEXT: dict[str, object] = {
    "@version": 1.1,
    "@vocab": _SPACE,
    "label": "http://www.w3.org/2000/01/rdf-schema#label",
    "same": {"@id": "http://www.w3.org/2004/02/skos/core#closeMatch", "@type": "@id"},
    **{name: {"@type": "@id"} for name in ("hasTopic", "hasAspect", "hasOpinion", "from", "to")},
    **{name: {"@type": _NUMBER} for name in ("count", "positive", "negative", "neutral", "balance")},
}
"""What the words of the document mean; a node is named within the document, so it may stand anywhere."""


def render_jsonld(graph: Knowledge) -> str:
    """Give the graph as one document: nodes with their links, and the links with their counts."""
    links = list(list_links(graph))
    leading: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for link in links:
        leading[link.source][_PROPERTIES[link.kind]].append(link.target)
    parts: list[dict[str, object]] = [
        {"@id": node.id, "@type": node.kind.value.capitalize(), "label": node.label, **_count(node)}
        | dict(leading[node.id])
        for node in list_nodes(graph)
    ]
    parts += [
        {"@type": "Link", "from": link.source, "to": link.target, **_count(link)}
        for link in links
        if link.kind is not Kind.SAME
    ]
    document = {"@context": CONTEXT, "@graph": parts}
    # half a surrogate pair cannot be written as UTF-8, but as an escape
    return json.dumps(document, indent=1, ensure_ascii=True) + "\n"


def _count(part: Node | Link) -> dict[str, object]:
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
