"""Hostile clients against a real server: no crash, no 500, bounded memory, the right status."""

import json
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest

from tests.support.hostile_requests import Hostile, draw
from tests.support.service_process import Answer, Running, running

WORKERS = 8
MOST_MB = 400
"""What the process may hold at its highest: it starts with about 60."""


@pytest.fixture
def fresh() -> Iterator[Running]:
    # as many reports at once as there are clients here: no upload is to be turned away unread
    with running(reports=WORKERS) as service:
        yield service


@pytest.mark.parametrize("number", [400, pytest.param(10_000, marks=pytest.mark.slow)])
def test_hostile_requests_get_the_right_status(fresh: Running, number: int) -> None:
    requests = [draw(Random(seed)) for seed in range(number)]
    with ThreadPoolExecutor(WORKERS) as pool:
        wrong = [problem for problem in pool.map(lambda request: _judge(fresh, request), requests) if problem]
    assert wrong == []
    assert fresh.memory_mb("VmHWM") < MOST_MB
    assert fresh.analyze(["The fan is loud."]).status == 200
    _, errors = fresh.end()
    assert "Traceback" not in errors


def _judge(service: Running, hostile: Hostile) -> str | None:
    answer = service.ask(hostile.method, hostile.path, hostile.body, hostile.headers)
    body = hostile.body if hostile.body is None else hostile.body[:80]
    if answer.status not in hostile.right:
        return f"{hostile.kind}: {answer.status}: {hostile.path[:80]}: {body!r}: {answer.body[:200]!r}"
    return None if _is_sound(answer, hostile) else f"{hostile.kind}: {answer.body[:200]!r}"


def _is_sound(answer: Answer, hostile: Hostile) -> bool:
    """Every answer says what it is, errors have one form, and a page holds no markup of the client."""
    if answer.headers.get("x-content-type-options") != "nosniff":
        return False
    if answer.status >= 400 and hostile.method != "HEAD":
        return len(answer.code) > 0 and len(answer.body) < 2_000
    if answer.headers.get("content-type", "").startswith("text/html"):
        return (
            b"<script>alert" not in answer.body
            and b"<img" not in answer.body
            and b"<svg onload" not in answer.body
        )
    return True


def test_five_hundred_clients_at_once_are_served_or_told_to_come_back(fresh: Running) -> None:
    before = fresh.memory_mb()
    text = "The fan is loud. " * 3
    with ThreadPoolExecutor(500) as pool:
        answers = list(pool.map(lambda _: fresh.analyze([text] * 4), range(500)))
    statuses = Counter(answer.status for answer in answers)
    assert set(statuses) <= {200, 429}
    assert statuses[200] >= 50
    assert all("retry-after" in answer.headers for answer in answers if answer.status == 429)
    assert fresh.memory_mb("VmHWM") < before + 300
    assert fresh.analyze(["x"]).status == 200


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/v1/analyze", "/v1/report?name=a.csv", "/", "/metrics"])
@pytest.mark.parametrize("is_told", [True, False], ids=["length", "chunked"])
def test_body_of_fifty_megabytes_is_refused_in_little_memory(
    fresh: Running, path: str, is_told: bool
) -> None:
    before = fresh.memory_mb()
    headers = {"Content-Type": "application/json"} | ({"Content-Length": str(50 << 20)} if is_told else {})
    with ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(lambda _: _send_megabytes(fresh, path, headers), range(10)))
    assert {answer.status for answer in answers} <= {413, 422, 429, 405}
    assert fresh.memory_mb("VmHWM") < before + 100


def _send_megabytes(service: Running, path: str, headers: dict[str, str]) -> Answer:
    return service.ask("POST", path, (b"x" * (1 << 20) for _ in range(50)), headers)


@pytest.mark.slow
def test_slow_clients_do_not_keep_others_waiting(fresh: Running) -> None:
    import socket

    clients = [socket.create_connection(("127.0.0.1", fresh.port)) for _ in range(300)]
    for number, client in enumerate(clients):
        client.sendall(b"POST /v1/analyze HTTP/1.1\r\nHost: localhost\r\n"[: number % 40])
    start = time.perf_counter()
    assert fresh.analyze(["The fan is loud."]).status == 200
    assert time.perf_counter() - start < 2
    time.sleep(11)  # longer than a client may be silent
    for client in clients:
        client.settimeout(1)
        with client:
            assert _is_closed(client)
    assert json.loads(fresh.ask("GET", "/healthz").body)["status"] == "ok"


def _is_closed(client: object) -> bool:
    try:
        return client.recv(1) == b""  # type: ignore[attr-defined]
    except ConnectionError:
        return True
