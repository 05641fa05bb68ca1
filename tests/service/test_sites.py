"""Pages of other sites: neither do they make a visitor's browser work, nor do they read answers."""

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.support.browser import Tab, browsing
from tests.support.service_process import Running, running

NAME = "reviews.test"
TOKEN = "a-token-of-tests"


@pytest.fixture(scope="module")
def named() -> Iterator[Running]:
    """A service that is also known by a name, as one for other machines is."""
    with running(hosts=[NAME]) as service:
        yield service


@pytest.fixture(scope="module")
def locked() -> Iterator[Running]:
    with running(token=TOKEN) as service:
        yield service


OWN = [
    "localhost",
    "LOCALHOST:8000",
    "api.localhost",
    "localhost.",
    "127.0.0.1:9",
    "[::1]:8000",
    "192.168.1.7",
]
FOREIGN = ["evil.test", "evil.test:8000", "localhost.evil.test", "127.0.0.1.evil.test", "[x]", "notlocalhost"]


@pytest.mark.parametrize("host", OWN)
@pytest.mark.parametrize(("method", "path"), [("GET", "/metrics"), ("GET", "/"), ("POST", "/v1/analyze")])
def test_service_answers_by_its_own_names(service: Running, method: str, path: str, host: str) -> None:
    assert service.ask(method, path, None, {"Host": host}).status in {200, 415}


@pytest.mark.parametrize("host", FOREIGN)
@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/metrics"), ("GET", "/"), ("POST", "/v1/analyze"), ("GET", "/no")]
)
def test_service_answers_by_no_name_that_another_may_have_pointed_at_it(
    service: Running, method: str, path: str, host: str
) -> None:
    answer = service.ask(method, path, None, {"Host": host})
    assert (answer.status, answer.code) == (421, "unknown_host")


def test_service_answers_by_a_name_that_it_was_given(named: Running) -> None:
    assert named.ask("GET", "/metrics", None, {"Host": f"{NAME.upper()}:8000"}).status == 200
    assert named.ask("GET", "/metrics", None, {"Host": "evil.test"}).status == 421


def test_service_with_a_token_answers_by_every_name(locked: Running) -> None:
    """No page of another site knows the token: a proxy may call the service as it likes."""
    headers = {"Host": "evil.test", "Authorization": f"Bearer {TOKEN}"}
    assert locked.ask("GET", "/metrics", None, headers).status == 200
    assert locked.ask("GET", "/metrics", None, {"Host": "evil.test"}).status == 401


def test_check_without_a_host_is_answered(service: Running) -> None:
    import socket

    with socket.create_connection(("127.0.0.1", service.port)) as client:
        client.sendall(b"GET /healthz HTTP/1.0\r\n\r\n")
        assert client.recv(100).startswith(b"HTTP/1.1 200 ")


def post(service: Running, headers: dict[str, str]) -> int:
    return service.ask("POST", "/v1/report?name=a.txt", b"The fan is loud.\n", headers).status


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": f"http://{NAME}:8000"},
        {"Origin": f"https://{NAME.upper()}:8000"},
        {"Sec-Fetch-Site": "same-origin", "Origin": "https://another.name.of.the.proxy"},
        {"Sec-Fetch-Site": "none"},
        {},
    ],
)
def test_page_of_the_service_may_post(named: Running, headers: dict[str, str]) -> None:
    assert post(named, {"Host": f"{NAME}:8000", **headers}) == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.test"},
        {"Origin": f"http://{NAME}"},
        {"Origin": f"http://{NAME}:9000"},
        {"Origin": f"http://{NAME}:8000.evil.test"},
        {"Origin": "null"},
        {"Origin": ""},
        {"Origin": f"http://{NAME}:8000", "Sec-Fetch-Site": "cross-site"},
        {"Origin": f"http://{NAME}:8000", "Sec-Fetch-Site": "same-site"},
    ],
)
def test_page_of_another_site_may_not_post(named: Running, headers: dict[str, str]) -> None:
    """A browser sends Sec-Fetch-Site to https and loopback only; to a plain name it sends Origin alone."""
    assert post(named, {"Host": f"{NAME}:8000", **headers}) == 403


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *ignored: object) -> None:
        pass


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[str]:
    """Serve the pages of another site; gives its address."""
    (tmp_path / "index.html").write_text("<!DOCTYPE html><title>elsewhere</title><body></body>")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(tmp_path)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://evil.test:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module")
def tab() -> Iterator[Tab]:
    names = f"MAP evil.test 127.0.0.1, MAP {NAME} 127.0.0.1"
    with browsing(f"--host-resolver-rules={names}") as found:
        yield found


def count_reports(service: Running) -> str:
    lines = service.ask("GET", "/metrics").body.decode().splitlines()
    return next(line for line in lines if line.startswith("aspectlab_reports_total "))


FETCH = "fetch('{}v1/report?name=a.txt', {{method: 'POST', mode: 'no-cors', body: 'The fan is loud.'}})"
FORM = (
    "(() => {{ const form = document.createElement('form'); form.method = 'POST';"
    " form.enctype = 'text/plain'; form.action = '{}v1/report?name=a.txt';"
    " document.body.append(form); form.submit(); }})()"
)


@pytest.mark.slow
@pytest.mark.parametrize("host", [NAME, "127.0.0.1", "localhost"])
def test_browser_on_a_page_of_another_site_makes_no_report(
    named: Running, tab: Tab, elsewhere: str, host: str
) -> None:
    before = count_reports(named)
    address = f"http://{host}:{named.port}/"
    tab.open(elsewhere)
    tab.get(FETCH.format(address) + ".then(() => 'sent', error => String(error))")
    assert count_reports(named) == before
    tab.get(FORM.format(address))
    tab.wait_for("document.body.innerText.includes('cross_site')")
    assert count_reports(named) == before


@pytest.mark.slow
def test_browser_on_the_page_of_the_service_makes_a_report(named: Running, tab: Tab) -> None:
    before = count_reports(named)
    for host in (NAME, "127.0.0.1", "localhost"):
        address = f"http://{host}:{named.port}/"
        tab.open(address)
        status = (
            f"fetch('{address}v1/report?name=a.txt', {{method: 'POST', body: 'A fan.'}}).then(a => a.status)"
        )
        assert tab.get(status) == 200
    assert count_reports(named) != before


@pytest.mark.slow
def test_browser_reads_nothing_by_a_name_that_was_pointed_at_this_machine(named: Running, tab: Tab) -> None:
    # a page that came from elsewhere under this name has no policy of ours
    tab.call("Page.setBypassCSP", enabled=True)
    tab.open(f"http://evil.test:{named.port}/")
    assert "unknown_host" in str(tab.get("document.body.innerText"))
    assert tab.get("fetch('/metrics').then(answer => answer.status)") == 421
    headers = "{method: 'POST', headers: {'Content-Type': 'application/json'}, body: '{}'}"
    assert tab.get(f"fetch('/v1/analyze', {headers}).then(answer => answer.status)") == 421
