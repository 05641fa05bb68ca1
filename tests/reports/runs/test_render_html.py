"""The report on runs as a page: nothing from the network, words for every picture; and in a real browser."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from aspectlab.reports.runs.load import read_results
from aspectlab.reports.runs.render_html import render_html
from aspectlab.reports.runs.summary import RunReport, summarise
from tests.support.browser import Tab, browsing
from tests.support.html import parse
from tests.support.runs import make_many, write_published_runs

WIDTHS = [400, 1600]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    write_published_runs(folder)
    path = folder / "report.html"
    runs = [*read_results([folder]), *make_many()]
    report = RunReport("Report", runs, summarise(runs))
    path.write_text(render_html(report, "aspectlab report runs"), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def tab() -> Iterator[Tab]:
    with browsing() as found:
        yield found


def test_page_names_nothing_on_the_network(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert not re.search(r"https?://|@import|url\(", text)
    assert "default-src 'none'" in text


def test_page_has_words_for_every_picture(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    parse(text)
    pictures = re.findall(r"<svg[^>]*>", text)
    labels = [re.search(r'role="img" aria-label="([^"]{40,})"', picture) for picture in pictures]
    assert len(pictures) > 50
    assert None not in labels


@pytest.mark.slow
@pytest.mark.parametrize("width", WIDTHS)
def test_page_opens_without_complaint_or_request(page: Path, tab: Tab, width: int) -> None:
    tab.events.clear()
    tab.open(page.as_uri(), width)
    assert tab.problems() == []
    assert tab.requests() == [page.as_uri()]


@pytest.mark.slow
@pytest.mark.parametrize("width", WIDTHS)
def test_page_fits_its_window(page: Path, tab: Tab, width: int) -> None:
    tab.open(page.as_uri(), width)
    tab.get("document.querySelectorAll('details').forEach(part => part.open = true)")
    assert tab.get("document.documentElement.scrollWidth") == width
    # a picture is drawn for 360 pixels: at less than 0.9 of that its letters would be under 9 pixels
    assert tab.get("Math.min(...[...document.querySelectorAll('.plot')].map(p => p.clientWidth))") >= 324


@pytest.mark.slow
@pytest.mark.parametrize("width", WIDTHS)
def test_page_cuts_no_text_of_a_picture(page: Path, tab: Tab, width: int) -> None:
    tab.open(page.as_uri(), width)
    tab.get("document.querySelectorAll('details').forEach(part => part.open = true)")
    script = """[...document.querySelectorAll('.plot text')].filter(text => {
        const own = text.getBoundingClientRect(), all = text.ownerSVGElement.getBoundingClientRect();
        return own.left < all.left - 1 || own.right > all.right + 1 || own.top < all.top - 1
            || own.bottom > all.bottom + 1;
    }).map(text => text.textContent)"""
    assert tab.get(script) == []


@pytest.mark.slow
@pytest.mark.parametrize("width", WIDTHS)
def test_page_lays_no_text_over_another(page: Path, tab: Tab, width: int) -> None:
    tab.open(page.as_uri(), width)
    tab.get("document.querySelectorAll('details').forEach(part => part.open = true)")
    script = """[...document.querySelectorAll('.plot')].flatMap(plot => {
        const texts = [...plot.querySelectorAll('text')].map(t => [t.textContent, t.getBoundingClientRect()]);
        return texts.flatMap(([a, p], k) => texts.slice(k + 1).filter(([b, q]) =>
            Math.min(p.right, q.right) - Math.max(p.left, q.left) > 1
            && Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > 4).map(([b]) => a + ' / ' + b));
    })"""
    assert tab.get(script) == []
