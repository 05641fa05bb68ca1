"""Pictures of a knowledge graph: nothing covers anything, whatever the size and the strings."""

import re
from itertools import combinations
from xml.etree import ElementTree as Tree

import pytest

from aspectlab.graph.formats import draw_picture
from aspectlab.graph.model import KnowledgeGraph, Statement
from aspectlab.graph.shapes import text_width
from tests.support.graphs import (
    COUPE,
    ESTATE,
    HOSTILE,
    make_entity_graph,
    make_statements,
    strange_statements,
)

SPACE = "{http://www.w3.org/2000/svg}"
GRAPHS = {
    "three": make_entity_graph(COUPE),
    "ten": make_entity_graph(make_statements("car", 10)),
    "five hundred": make_entity_graph(make_statements("car", 500)),
    "strange": make_entity_graph(strange_statements(HOSTILE)),
    "no topics": make_entity_graph([each._replace(topic="") for each in COUPE]),
    "pair": make_entity_graph([*COUPE, *ESTATE], merge=True),
    "pair of five hundred": make_entity_graph(
        [*make_statements("one", 500), *make_statements("two", 400)], merge=True
    ),
    "strange pair": make_entity_graph(
        [*strange_statements(HOSTILE), *strange_statements("plain")], merge=True
    ),
}

Box = tuple[float, float, float, float]


def parse(graph: KnowledgeGraph) -> Tree.Element:
    # what is drawn is our own; that it is well formed is what is tested
    return Tree.fromstring(draw_picture(graph, 20).encode("utf-8", "replace"))  # noqa: S314


def boxes_of(picture: Tree.Element) -> list[Box]:
    """Return the boxes, and the free texts among them as boxes, by left, top, right and bottom."""
    found = []
    for rect in picture.iter(f"{SPACE}rect"):
        if rect.get("class") == "box":
            x, y, width, height = (float(rect.get(name, 0)) for name in ("x", "y", "width", "height"))
            found.append((x, y, x + width, y + height))
    for text in picture.findall(f"{SPACE}text"):
        said = text.text or ""
        if said.startswith("and "):
            x, y, width = float(text.get("x", 0)), float(text.get("y", 0)), 0.85 * text_width(said)
            left = x - width if "end" in text.get("class", "") else x
            found.append((left, y - 10, left + width, y + 3))
    return found


def overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


@pytest.mark.parametrize("name", GRAPHS)
def test_picture_covers_no_label(name: str) -> None:
    picture = parse(GRAPHS[name])
    boxes = boxes_of(picture)
    width, height = float(picture.get("width", 0)), float(picture.get("height", 0))
    assert [pair for pair in combinations(boxes, 2) if overlap(*pair)] == []
    assert [box for box in boxes if box[0] < 0 or box[1] < 0 or box[2] > width or box[3] > height] == []


@pytest.mark.parametrize("name", GRAPHS)
def test_picture_keeps_labels_within_their_boxes(name: str) -> None:
    for group in parse(GRAPHS[name]).iter(f"{SPACE}g"):
        box = group.find(f"{SPACE}rect")
        assert box is not None
        used = sum(text_width(text.text or "") for text in group.iter(f"{SPACE}text"))
        assert used <= float(box.get("width", 0)), group.get("class")


def test_picture_says_what_is_left_out() -> None:
    picture = draw_picture(GRAPHS["five hundred"], 20)
    assert "left out: 480 aspects and" in picture
    assert picture.count('<g class="aspect">') == 20
    assert "left out" not in draw_picture(GRAPHS["three"], 20)


@pytest.mark.parametrize("name", ["ten", "pair"])
def test_picture_is_the_same_every_time(name: str) -> None:
    assert draw_picture(GRAPHS[name], 20) == draw_picture(GRAPHS[name], 20)


def test_picture_tells_polarities_apart_without_colour() -> None:
    picture = draw_picture(GRAPHS["three"], 20)
    rounded = re.findall(r'<g class="(positive|negative)"><rect[^>]* rx="(\d+)"', picture)
    assert set(rounded) == {("positive", "11"), ("negative", "0")}
    assert {">+</text>", ">−</text>"} <= set(re.findall(r">[+−]</text>", picture))


def test_picture_shows_blame_beside_much_praise() -> None:
    praise = [Statement("car", "", "seat", f"good {k}", COUPE[0].polarity) for k in range(9) for _ in "ab"]
    blame = Statement("car", "", "seat", "creaks", COUPE[3].polarity)
    assert "creaks" in draw_picture(make_entity_graph([*praise, blame]), 20)


def test_picture_holds_no_foreign_markup() -> None:
    picture = draw_picture(GRAPHS["strange pair"], 20)
    assert "<script" not in picture
    assert "<img" not in picture
