"""Who may ask: the token, where one is set."""

import asyncio
from collections.abc import Callable, Iterator

import pytest
from fastapi import FastAPI

from aspectlab.errors import ConfigError
from aspectlab.service import Access, app as service_app, build_app
from aspectlab.service.access import is_loopback, make_token, public, read_token
from aspectlab.service.guard import Guard
from tests.support.phrase_predictor import PhrasePredictor
from tests.support.service_process import Running, running

TOKEN = "a-token-of-tests"
SECRET = ["/v1/analyze", "/v1/report?name=a.csv", "/metrics"]


@pytest.fixture(scope="module")
def locked() -> Iterator[Running]:
    with running(token=TOKEN) as service:
        yield service


@pytest.mark.parametrize("path", SECRET)
@pytest.mark.parametrize(
    "sent", [None, "", "Bearer", "Bearer wrong", f"Basic {TOKEN}", f"Bearer {TOKEN}x", "Bearer é"]
)
def test_token_is_asked_for(locked: Running, path: str, sent: str | None) -> None:
    headers = {} if sent is None else {"Authorization": sent}
    answer = locked.ask("GET" if path == "/metrics" else "POST", path, None, headers)
    assert (answer.status, answer.code) == (401, "unauthorized")
    assert answer.headers["www-authenticate"].startswith("Bearer")
    assert TOKEN.encode() not in answer.body


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
def test_token_opens(locked: Running, scheme: str) -> None:
    assert locked.analyze(["The fan is loud."], {"Authorization": f"{scheme} {TOKEN}"}).status == 200


PUBLIC = ["/", "/page.css", "/page.js", "/docs", "/openapi.json", "/healthz", "/readyz"]


@pytest.mark.parametrize("path", PUBLIC)
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_pages_and_checks_need_no_token(locked: Running, method: str, path: str) -> None:
    assert locked.ask(method, path).status == 200


async def endpoint() -> str:
    return "an answer"


def build_with(monkeypatch: pytest.MonkeyPatch, add: Callable[[FastAPI], object]) -> tuple[Guard, FastAPI]:
    """Build the service with more routes, added where its own pages are."""
    apps: list[FastAPI] = []

    def add_pages(app: FastAPI) -> None:
        add(app)
        apps.append(app)
        own_pages(app)

    own_pages = service_app.add_pages
    monkeypatch.setattr(service_app, "add_pages", add_pages)
    return build_app(PhrasePredictor(), access=Access(TOKEN)), apps[0]


def status_of(guard: Guard, method: str, path: str, token: str = "") -> int:
    """Ask in this process, without a server."""
    messages: list[dict[str, object]] = []

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict[str, object]) -> None:
        messages.append(message)

    headers = [(b"authorization", f"Bearer {token}".encode())] if token else []
    scope = {"type": "http", "method": method, "path": path, "query_string": b"", "headers": headers}
    asyncio.run(guard(scope, receive, send))
    status = messages[0]["status"]
    assert isinstance(status, int)
    return status


@pytest.mark.parametrize(
    ("route", "asked"),
    [("/v1/new", "/v1/new"), ("/new", "/new"), ("/new/{name}", "/new/x"), ("/healthz", "/healthz")],
)
def test_new_route_is_private(monkeypatch: pytest.MonkeyPatch, route: str, asked: str) -> None:
    guard, _ = build_with(monkeypatch, lambda app: app.post(route)(endpoint))
    assert status_of(guard, "POST", asked) == 401
    assert status_of(guard, "POST", asked, token=TOKEN) == 200


def test_new_route_is_public_where_that_is_declared(monkeypatch: pytest.MonkeyPatch) -> None:
    async def open_to_all() -> str:
        return "an answer"

    guard, _ = build_with(monkeypatch, lambda app: app.post("/new")(public(open_to_all)))
    assert status_of(guard, "POST", "/new") == 200


def test_only_pages_and_checks_are_public(monkeypatch: pytest.MonkeyPatch) -> None:
    guard, app = build_with(monkeypatch, lambda app: app.get("/new")(endpoint))
    asked = {(method, route.path) for route in app.routes for method in route.methods}
    assert {("POST", "/v1/analyze"), ("GET", "/metrics"), ("GET", "/new")} < asked
    without_token = {path for method, path in asked if status_of(guard, method, path) != 401}
    assert without_token == set(PUBLIC)
    # what nobody has declared looks the same, whether it is there or not
    assert status_of(guard, "GET", "/no") == 401


def test_large_body_without_token_is_refused_before_it_is_read(locked: Running) -> None:
    answer = locked.ask("POST", "/v1/report?name=a.csv", b"x" * 5_000_000)
    assert answer.status == 401


def test_token_is_never_logged() -> None:
    with running(token=TOKEN) as service:
        service.analyze(["fail"], {"Authorization": f"Bearer {TOKEN}"})
        service.analyze(["x"], {"Authorization": "Bearer some-guess"})
        _, errors = service.end()
    assert "as asked for" in errors  # what failed is logged for the operator
    assert TOKEN not in errors
    assert "some-guess" not in errors


@pytest.mark.parametrize("value", [None, "", "short", "with a blank", "é" * 20, "x" * 513])
def test_read_token_refuses_what_is_no_token(value: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOME_TOKEN", raising=False)
    if value is not None:
        monkeypatch.setenv("SOME_TOKEN", value)
    with pytest.raises(ConfigError, match="SOME_TOKEN") as caught:
        read_token("SOME_TOKEN")
    assert not value or value not in str(caught.value)


def test_read_token_takes_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_TOKEN", TOKEN)
    assert read_token("SOME_TOKEN") == TOKEN


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("localhost", True),
        ("192.168.1.7", False),
        ("::", False),
    ],
)
def test_loopback_is_told_from_other_addresses(host: str, expected: bool) -> None:
    assert is_loopback(host) is expected


def test_make_token_draws_what_read_token_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    token = make_token()
    monkeypatch.setenv("SOME_TOKEN", token)
    assert read_token("SOME_TOKEN") == token
    assert make_token() != token
