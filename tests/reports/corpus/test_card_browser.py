"""The data card in a real browser, on a phone and on a desk: it fits, asks for nothing, covers no label."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from aspectlab.data import Corpus
from aspectlab.reports.corpus.card import write_card
from tests.support.browser import Tab, browsing
from tests.support.corpora import TARGETS, make_corpus, make_hostile

pytestmark = pytest.mark.slow

CORPORA = {"ten": make_corpus(10), "large": make_corpus(500), "hostile": make_hostile(), "aspects": TARGETS}
# words of clouds have boxes that are higher than their letters: their ink is compared elsewhere
COVERED = """[...document.querySelectorAll(".plot")].flatMap((plot) => {
  const frame = plot.getBoundingClientRect(), wrong = [];
  const labels = [...plot.querySelectorAll("text:not([textLength])")];
  const boxes = labels.map((label) => label.getBoundingClientRect());
  boxes.forEach((one, k) => {
    if (one.left < frame.left - 1 || one.right > frame.right + 1) wrong.push(`cut: ${labels[k].textContent}`);
    const next = boxes.slice(k + 1).findIndex((other) => one.left < other.right - 1
      && other.left < one.right - 1 && one.top < other.bottom - 4 && other.top < one.bottom - 4);
    if (next >= 0) wrong.push(`${labels[k].textContent} / ${labels[k + 1 + next].textContent}`);
  });
  return wrong;
})"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("cards")

    def write(name: str, corpus: Corpus) -> Path:
        write_card(folder / name, [corpus])
        return folder / name / "card.html"

    return {name: write(name, corpus) for name, corpus in CORPORA.items()}


@pytest.fixture(scope="module")
def tab() -> Iterator[Tab]:
    with browsing() as found:
        yield found


@pytest.mark.parametrize("width", [400, 1280])
@pytest.mark.parametrize("name", CORPORA)
def test_card_fits_its_window_and_covers_no_label(
    pages: dict[str, Path], tab: Tab, name: str, width: int
) -> None:
    tab.open(pages[name].as_uri(), width)
    assert tab.get("document.documentElement.scrollWidth") == width
    assert tab.get(COVERED) == []


@pytest.mark.parametrize("name", CORPORA)
def test_card_asks_for_nothing_and_complains_of_nothing(pages: dict[str, Path], tab: Tab, name: str) -> None:
    tab.events.clear()
    tab.open(pages[name].as_uri(), 1280, is_dark=True)
    assert tab.problems() == []
    assert tab.requests() == [pages[name].as_uri()]
