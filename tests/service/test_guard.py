"""Who may ask: the token, where one is set."""

from collections.abc import Iterator

import pytest

from aspectlab.errors import ConfigError
from aspectlab.service.guard import is_loopback, read_token
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


@pytest.mark.parametrize("path", ["/", "/page.js", "/docs", "/openapi.json", "/healthz", "/readyz"])
def test_pages_and_checks_need_no_token(locked: Running, path: str) -> None:
    assert locked.ask("GET", path).status == 200


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
