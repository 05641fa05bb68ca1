"""The formats for programs, read back by others: GraphML by networkx, JSON-LD by rdflib."""

import json
from collections import Counter
from io import BytesIO

import pytest

from aspectlab.graph.formats import CONTEXT, render_graphml, render_jsonld
from tests.support.graphs import COUPE, ESTATE, HOSTILE, make_entity_graph, strange_statements

BOTH = make_entity_graph([*COUPE, *ESTATE], merge=True)
STRANGE = make_entity_graph([*strange_statements(HOSTILE), *strange_statements("plain")], merge=True)


def test_graphml_is_read_back_by_networkx() -> None:
    networkx = pytest.importorskip("networkx")
    read = networkx.read_graphml(BytesIO(render_graphml(BOTH).encode()))
    assert read.is_directed()
    # coupe: seat in two topics, boot, engine; estate: seat, boot, price; two of them are the same
    kinds = Counter(values["kind"] for *_, values in read.edges(data=True))
    assert kinds == {"topic": 6, "aspect": 7, "opinion": 7, "same": 2}
    labels = {values["iri"]: values for _, values in read.nodes(data=True)}
    seat = labels["#coupe/aspect/backseat"]
    assert (seat["label"], seat["positive"], seat["negative"], seat["balance"]) == ("back seat", 2, 1, 1)
    said = [values for *_, values in read.edges(data=True) if values["kind"] == "opinion"]
    assert Counter(values["sentiment"] for values in said) == {"positive": 4, "negative": 3}
    assert sum(values["count"] for values in said) == len(COUPE) + len(ESTATE)


def test_graphml_of_hostile_strings_is_well_formed() -> None:
    networkx = pytest.importorskip("networkx")
    document = render_graphml(STRANGE).encode("utf-8", "replace")
    read = networkx.read_graphml(BytesIO(document))
    assert sum(values["kind"] == "entity" for _, values in read.nodes(data=True)) == 2
    assert b"<script" not in document


@pytest.mark.filterwarnings("ignore:ConjunctiveGraph:DeprecationWarning")
def test_jsonld_is_read_back_by_rdflib() -> None:
    rdflib = pytest.importorskip("rdflib")
    base, space = "http://example.org/graph", "urn:x-aspectlab:"
    read = rdflib.Graph().parse(data=render_jsonld(BOTH), format="json-ld", publicID=base)
    blame = """SELECT ?aspect ?count WHERE {
      ?entity a :Entity ; rdfs:label "coupe" . ?entity :hasTopic/:hasAspect ?a .
      ?a rdfs:label ?aspect ; :hasOpinion ?said . ?said :sentiment "negative" ; :count ?count . }"""
    names = {"": rdflib.URIRef(space), "rdfs": rdflib.RDFS}
    rows = {(str(aspect), int(count)) for aspect, count in read.query(blame, initNs=names)}
    assert rows == {("back seat", 1), ("boot", 2)}
    same = rdflib.URIRef("http://www.w3.org/2004/02/skos/core#closeMatch")
    pairs = {(str(one), str(other)) for one, other in read.subject_objects(same)}
    assert (f"{base}#coupe/aspect/backseat", f"{base}#estate/aspect/backseat") in pairs


def test_jsonld_defines_every_word_it_uses() -> None:
    document = json.loads(render_jsonld(STRANGE))
    assert document["@context"] == CONTEXT
    ids = [part["@id"] for part in document["@graph"] if "@id" in part]
    assert len(set(ids)) == len(ids)
    links = [part for part in document["@graph"] if part["@type"] == "Link"]
    assert {end for link in links for end in (link["from"], link["to"])} <= set(ids)
