"""The web page: nothing from the network, text only as text; in a real browser: keyboard, phone, report."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.browser import CTRL, ENTER, TAB, Tab, browsing
from tests.support.quad_predictor import FAILED, NEVER, PRICEY
from tests.support.service_process import Running, running

FILES = Path(__file__).parent.parent.parent / "aspectlab" / "service" / "page"
EXAMPLES = FILES.parent.parent.parent / "examples"
RESULTS = "!document.getElementById('results').hidden"
TOKEN = "a-token-of-tests"


@pytest.mark.parametrize("path", ["/", "/docs", "/page.js", "/page.css"])
def test_page_loads_nothing_from_elsewhere(service: Running, path: str) -> None:
    text = service.ask("GET", path).body.decode()
    assert not re.search(r"https?://|@import|url\(", text)
    assert set(re.findall(r'(?:src|href)="([^"]*)"', text)) <= {
        *("/page.css", "/page.js", "/docs", "/openapi.json", "/", "data:,")
    }


def test_page_never_reads_text_as_html() -> None:
    script = (FILES / "page.js").read_text(encoding="utf-8")
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|Function\(", script)
    assert script.count("srcdoc") == 1  # the report, in a frame without an origin
    page = (FILES / "index.html").read_text(encoding="utf-8")
    assert 'sandbox="allow-scripts allow-downloads"' in page
    assert "onclick" not in page


def test_page_labels_every_field(service: Running) -> None:
    page = service.ask("GET", "/").body.decode()
    fields = re.findall(r'<(?:textarea|input) id="([^"]+)"', page)
    assert len(fields) == 3
    assert [name for name in fields if f'<label for="{name}">' not in page] == []


@pytest.fixture(scope="module")
def tab() -> Iterator[Tab]:
    with browsing() as found:
        yield found


@pytest.mark.slow
def test_page_works_by_keyboard_alone(service: Running, tab: Tab) -> None:
    tab.open(f"http://127.0.0.1:{service.port}/")
    tab.press(TAB)
    tab.type("Nice 🙂🙂. The soup was lovely, but the <b>waiter</b> was curt and the fan is loud.")
    tab.press(ENTER, CTRL)
    tab.wait_for(RESULTS)
    marks = tab.get(
        "[...document.querySelectorAll('#results article mark')].map(m => [m.textContent, m.title])"
    )
    # two emoji are two characters for the service and four for JavaScript: a wrong count would shift marks
    assert marks == [
        ["soup", "aspect, positive"],
        ["lovely", "opinion, positive"],
        ["fan", "aspect, negative"],
        ["loud", "opinion, negative"],
    ]
    assert tab.get("document.querySelector('#results .text b')") is None
    assert tab.get("document.getElementById('state').textContent") == "2 opinions in 1 review"
    rows = tab.get("[...document.querySelectorAll('#results tbody tr')].map(r => r.innerText)")
    assert rows == ["soup\tlovely\t+ positive\t90 %", "fan\tloud\t− negative\t90 %"]


@pytest.mark.slow
def test_page_shows_what_is_not_named(service: Running, tab: Tab) -> None:
    tab.open(f"http://127.0.0.1:{service.port}/")
    tab.press(TAB)
    tab.type(f"{PRICEY} {FAILED} {NEVER}")
    tab.press(ENTER, CTRL)
    tab.wait_for(RESULTS)
    rows = tab.get("[...document.querySelectorAll('#results tbody tr')].map(r => r.innerText)")
    assert rows == [
        "restaurant: prices not named\tWay too expensive\t− negative\t90 %",
        "bed\ttold by the sentence\t− negative\t70 %",
        "not named\ttold by the sentence\t− negative\t40 %",
    ]


@pytest.mark.slow
def test_page_shows_hostile_text_as_text(service: Running, tab: Tab) -> None:
    tab.open(f"http://127.0.0.1:{service.port}/")
    hostile = "<img src=x onerror=window.harmed=1><script>window.harmed=1</script> The fan is loud."
    tab.press(TAB)
    tab.type(hostile)
    tab.press(ENTER, CTRL)
    tab.wait_for(RESULTS)
    assert tab.get("document.querySelector('#results .text').textContent") == hostile
    assert tab.get("document.querySelectorAll('#results img, #results script').length") == 0
    assert tab.get("window.harmed") is None


@pytest.mark.slow
def test_page_shows_the_report_of_a_file_in_a_closed_frame(service: Running, tab: Tab) -> None:
    address = f"http://127.0.0.1:{service.port}/"
    tab.events.clear()
    tab.open(address)
    tab.choose_file("#file", EXAMPLES / "reviews.csv")
    tab.get("document.getElementById('report').focus()")
    tab.press(ENTER)
    tab.wait_for("!document.getElementById('page').hidden")
    tab.wait_for("document.getElementById('state').textContent === 'The report is below.'")
    # the frame has no origin: this page cannot look into it, nor it into this page
    assert tab.get("document.getElementById('frame').contentDocument") is None
    frame = tab.enter_frame()
    assert frame.get("document.querySelector('h1').textContent") == "Opinions in reviews.csv"
    # its own script runs, and shows what needs one
    assert frame.get("[...document.querySelectorAll('.tools')].some(tools => !tools.hidden)") is True
    assert frame.problems() == []
    assert frame.get("fetch('/v1/analyze').then(() => 'reached', () => 'refused')") == "refused"
    assert tab.get("document.getElementById('save').href.startsWith('blob:')") is True
    assert tab.problems() == []
    assert [
        url
        for url in (*tab.requests(), *frame.requests())
        if not url.startswith((address, "about:", "data:", "blob:"))
    ] == []


@pytest.mark.slow
@pytest.mark.parametrize("width", [320, 360, 1280])
@pytest.mark.parametrize("path", ["", "docs"])
def test_page_fits_the_width_of_the_screen(service: Running, tab: Tab, width: int, path: str) -> None:
    tab.open(f"http://127.0.0.1:{service.port}/{path}", width, 700)
    if not path:
        tab.press(TAB)
        tab.type("The soup was lovely. " + "x" * 300 + " The unpronounceableaspectofgreatlength was curt.")
        tab.press(ENTER, CTRL)
        tab.wait_for(RESULTS)
    assert tab.get("document.documentElement.scrollWidth") == width


@pytest.mark.slow
def test_page_says_what_is_wrong(service: Running, tab: Tab, tmp_path: Path) -> None:
    tab.open(f"http://127.0.0.1:{service.port}/")
    tab.press(TAB)
    tab.press(ENTER, CTRL)
    assert tab.get("document.getElementById('state').textContent") == "Type or paste a review first."
    broken = tmp_path / "broken.xlsx"
    broken.write_bytes(b"PK\x03\x04")
    tab.choose_file("#file", broken)
    tab.get("document.getElementById('upload').requestSubmit()")
    tab.wait_for("document.getElementById('state').textContent.startsWith('broken.xlsx: ')")


@pytest.mark.slow
def test_page_asks_for_the_token(tab: Tab) -> None:
    with running(token=TOKEN) as service:
        tab.open(f"http://127.0.0.1:{service.port}/")
        tab.get("document.getElementById('example').click()")
        tab.wait_for("document.activeElement.id === 'token'")
        tab.type(TOKEN)
        tab.press(ENTER)
        tab.wait_for(RESULTS)
        assert tab.get("document.getElementById('access').hidden") is True


@pytest.mark.slow
def test_page_takes_the_token_of_its_address_and_hides_it(tab: Tab) -> None:
    with running(token=TOKEN) as service:
        tab.open(f"http://127.0.0.1:{service.port}/#token={TOKEN}")
        tab.get("document.getElementById('example').click()")
        tab.wait_for(RESULTS)
        assert tab.get("location.href") == f"http://127.0.0.1:{service.port}/"
