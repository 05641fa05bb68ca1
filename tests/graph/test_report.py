"""The page of a knowledge graph: complete without script, and closed to foreign ones."""

import re

from aspectlab.graph.report import render_graph_page
from tests.support.graphs import (
    COUPE,
    ESTATE,
    HOSTILE,
    make_entity_graph,
    make_statements,
    strange_statements,
)
from tests.support.html import parse

SMALL = make_entity_graph([*COUPE, *ESTATE], merge=True)
LARGE = make_entity_graph(make_statements("car", 500))
STRANGE = make_entity_graph([*strange_statements(HOSTILE), *strange_statements("plain")], merge=True)


def test_page_holds_all_aspects_without_script() -> None:
    page = render_graph_page(LARGE, 20)
    assert page.count('<tr id="row-0-') == 500
    assert "rather remarkable in way 8" in "".join(parse(page).texts)


def test_page_loads_nothing() -> None:
    page = render_graph_page(SMALL, 20)
    assert "default-src 'none'" in page
    assert not re.search(r"https?://|@import|url\(", page)


def test_page_compares_two_entities_and_does_not_conclude_from_few() -> None:
    page = render_graph_page(SMALL, 20)
    assert "2 aspects of both with too few statements to tell" in page
    assert "+67 points (−24 to +90)" not in page.split("<details>")[0]
    assert "Compared" not in render_graph_page(LARGE, 20)


def test_hostile_page_holds_no_foreign_markup() -> None:
    page = render_graph_page(STRANGE, 20)
    tags = parse(page)
    assert tags.tags.count("script") == 2
    assert "img" not in tags.tags
    assert not [name for name, _ in tags.attributes if name.startswith("on")]
