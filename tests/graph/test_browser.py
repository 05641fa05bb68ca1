"""The page of a knowledge graph in a real browser: filter, fold, zoom, move, keys; no label is covered."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from aspectlab.graph.formats import write_graph
from tests.support.browser import ENTER, Tab, browsing
from tests.support.graphs import (
    COUPE,
    ESTATE,
    HOSTILE,
    make_entity_graph,
    make_statements,
    strange_statements,
)

pytestmark = pytest.mark.slow

GRAPHS = {
    "small": make_entity_graph([*COUPE, *ESTATE], merge=True),
    "ten": make_entity_graph(make_statements("car", 10)),
    "large": make_entity_graph(make_statements("car", 500)),
    "strange": make_entity_graph([*strange_statements(HOSTILE), *strange_statements("plain")], merge=True),
}
# pairs of boxes that touch, and labels that leave their box by more than a pixel
COVERED = """(() => {
  const shown = [...document.querySelectorAll("#picture .node")];
  const boxes = shown.map((node) => (node.querySelector("rect") ?? node).getBoundingClientRect());
  const wrong = [];
  boxes.forEach((one, k) => boxes.slice(k + 1).forEach((other) => {
    if (one.left < other.right - 1 && other.left < one.right - 1 && one.top < other.bottom - 1
      && other.top < one.bottom - 1) wrong.push(`box ${k}`);
  }));
  for (const node of document.querySelectorAll(".kg g")) {
    const parts = [...node.querySelectorAll("text")].map((text) => text.getBoundingClientRect());
    const box = node.querySelector("rect")?.getBoundingClientRect();
    if (box && parts.some((part) => part.left < box.left - 1 || part.right > box.right + 1)) {
      wrong.push(node.textContent);
    }
    if (parts.slice(1).some((part, k) => parts[k].right > part.left + 1)) wrong.push(node.textContent);
  }
  return wrong;
})()"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("graphs")
    for name, graph in GRAPHS.items():
        write_graph(graph, folder / name, ["html"], 20)
    return folder


@pytest.fixture(scope="module")
def tab() -> Iterator[Tab]:
    with browsing() as found:
        yield found


def visit(tab: Tab, pages: Path, name: str, choices: str = "", width: int = 1280) -> None:
    tab.open("about:blank#")
    tab.events.clear()
    tab.open((pages / name / "graph.html").as_uri() + choices, width)
    tab.wait_for("document.getElementById('shown').textContent !== ''")


def press(tab: Tab, *keys: str) -> None:
    for key in keys:
        tab.press(ENTER if key == "Enter" else {"key": key})


@pytest.mark.parametrize(
    ("choices", "shown"),
    [
        ("", "6 aspects, 7 opinions"),
        ("#search=SEAT", "2 aspects, 3 opinions"),
        ("#search=seat+hard", "1 aspect, 1 opinion"),
        ("#polarity=negative", "3 aspects, 3 opinions"),
        ("#entity=1&polarity=positive", "2 aspects, 2 opinions"),
        ("#search=nowhere", "0 aspects, 0 opinions"),
        ("#topic=99&polarity=odd", "6 aspects, 7 opinions"),
    ],
)
def test_page_filters_the_tree_and_the_table(tab: Tab, pages: Path, choices: str, shown: str) -> None:
    visit(tab, pages, "small", choices)
    assert tab.get("document.getElementById('shown').textContent") == shown
    rows = tab.get("document.querySelectorAll('tr[id^=row]:not([hidden])').length")
    assert rows == int(shown[0])
    assert tab.problems() == []


@pytest.mark.parametrize("width", [400, 1280])
@pytest.mark.parametrize("name", GRAPHS)
def test_page_covers_no_label_and_asks_for_nothing(tab: Tab, pages: Path, name: str, width: int) -> None:
    visit(tab, pages, name, width=width)
    assert tab.get(COVERED) == []
    assert tab.get("document.documentElement.scrollWidth") <= width  # type: ignore[operator]
    assert tab.problems() == []
    assert len(tab.requests()) == 1


def test_page_unfolds_all_aspects(tab: Tab, pages: Path) -> None:
    visit(tab, pages, "large")
    assert tab.get("document.querySelectorAll('#picture .aspect').length") == 30
    tab.get("document.getElementById('all').click()")
    assert tab.get("document.querySelectorAll('#picture .aspect').length") == 500


def test_tree_is_walked_and_folded_by_keys(tab: Tab, pages: Path) -> None:
    visit(tab, pages, "small")
    tab.get("document.querySelector('#picture .node[tabindex=\"0\"]').focus()")
    said = "document.activeElement.getAttribute('aria-label')"
    assert tab.get(said) == "entity coupe: 3 positive, 3 negative; balance 0"
    press(tab, "ArrowRight", "ArrowRight")
    assert tab.get(said) == "aspect boot: 0 positive, 2 negative; balance −2"
    press(tab, "Enter")
    assert tab.get("document.activeElement.getAttribute('aria-expanded')") == "false"
    press(tab, "ArrowRight", "ArrowRight")
    assert tab.get(said) == "negative: tiny; said 2 times of boot"
    assert tab.get("document.getElementById('detail').textContent") == tab.get(said)
    press(tab, "ArrowLeft", "ArrowLeft", "End")
    assert tab.get(said) == "positive: fair; said once of price"


def test_tree_is_zoomed_and_moved(tab: Tab, pages: Path) -> None:
    visit(tab, pages, "large")
    wide = "Number(document.getElementById('picture').getAttribute('width'))"
    before = tab.get(wide)
    tab.get("document.querySelector('#picture .node[tabindex=\"0\"]').focus()")
    press(tab, "+", "+")
    assert tab.get(wide) == pytest.approx(before * 1.25**2)  # type: ignore[operator]
    press(tab, "0")
    assert tab.get(wide) == pytest.approx(before)
    tab.get("document.getElementById('view').scrollTo(0, 0)")
    for kind, y in (("mousePressed", 600), ("mouseMoved", 500), ("mouseReleased", 500)):
        tab.call("Input.dispatchMouseEvent", type=kind, x=300, y=y, button="left", buttons=1, clickCount=1)
    assert tab.get("document.getElementById('view').scrollTop") == 100


def test_click_on_more_shows_more(tab: Tab, pages: Path) -> None:
    visit(tab, pages, "large")
    first = "document.querySelectorAll('#picture .node.positive, #picture .node.negative').length"
    before = tab.get(first)
    tab.get("document.querySelector('#picture .more').dispatchEvent(new MouseEvent('click'))")
    # the first aspect has nine opinions, of which three were shown
    assert tab.get(first) == before + 6  # type: ignore[operator]
