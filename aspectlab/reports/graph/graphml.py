"""A knowledge graph as GraphML, for Gephi, yEd, Cytoscape, networkx and others."""

from __future__ import annotations

from collections.abc import Iterator

from aspectlab.insight.aggregate import Counts
from aspectlab.insight.knowledge import Knowledge, balance
from aspectlab.insight.knowledgenodes import Link, Node, list_links, list_nodes
from aspectlab.reports.page import show

_SPACE = "http://graphml.graphdrawing.org/xmlns"
_COUNTS = ("count", "positive", "negative", "neutral", "balance")
_KEYS = {
    "node": {**dict.fromkeys(("kind", "label", "entity", "iri", "sentiment"), "string")},
    "edge": {**dict.fromkeys(("kind", "sentiment"), "string")},
}

Values = dict[str, str | int]


def render_graphml(graph: Knowledge) -> str:
    """Give the graph as a directed GraphML document."""
    nodes = list(list_nodes(graph))
    # the format allows no more in an id than in a name
    short = {node.id: f"n{number}" for number, node in enumerate(nodes)}
    parts = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<graphml xmlns="{_SPACE}">',
        *_declare(),
        f'<graph id="graph" edgedefault="directed"><desc>{show(graph.title)}</desc>',
        *(f'<node id="{short[node.id]}">{_fill("node", _describe(node))}</node>' for node in nodes),
        *(
            f'<edge id="e{number}" source="{short[link.source]}" target="{short[link.target]}">'
            f"{_fill('edge', _values(link, link.counts))}</edge>"
            for number, link in enumerate(list_links(graph))
        ),
        "</graph>\n</graphml>\n",
    ]
    return "\n".join(parts)


def _declare() -> Iterator[str]:
    for place, names in _KEYS.items():
        for name, kind in (names | dict.fromkeys(_COUNTS, "int")).items():
            yield f'<key id="{place}-{name}" for="{place}" attr.name="{name}" attr.type="{kind}"/>'


def _describe(node: Node) -> Values:
    return {"label": node.label, "entity": node.entity, "iri": node.id, **_values(node, node.counts)}


def _values(part: Node | Link, counts: Counts) -> Values:
    values: Values = {"kind": part.kind.value}
    if part.polarity is not None:
        values["sentiment"] = part.polarity.value
    numbers = (counts.total, counts.positive, counts.negative, counts.neutral, balance(counts))
    return {**values, **dict(zip(_COUNTS, numbers, strict=True))}


def _fill(place: str, values: Values) -> str:
    return "".join(
        f'<data key="{place}-{name}">{show(value) if isinstance(value, str) else value}</data>'
        for name, value in values.items()
    )
