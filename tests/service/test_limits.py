"""Limits: what is too much, too long or too slow is refused, and gives back what it held."""

import asyncio
import json
import os
import socket
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
import uvicorn
from uvicorn.server import ServerState

from aspectlab.service.limits import Limits
from aspectlab.service.server import limit_protocol
from tests.support.service_process import HEADERS, Running, running, wait_until

HEAD = b"POST /v1/analyze HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"

SIZES = {"body_bytes": 10_000, "buffered_bytes": 50_000, "waiting_chars": 2_000, "connections": 60}
TIMES = {"silence_s": 0.5, "body_s": 1.0, "write_s": 0.5, "analyze_s": 1.0}


@pytest.fixture(scope="module")
def strict() -> Iterator[Running]:
    """A service whose limits are soon reached."""
    with running(**SIZES, **TIMES) as service:
        yield service


def _chunks(number: int) -> Iterator[bytes]:
    for _ in range(number):
        yield b"x" * 1000


def test_body_over_its_length_is_refused(strict: Running) -> None:
    answer = strict.ask("POST", "/v1/analyze", b"x" * 10_001, HEADERS)
    assert (answer.status, answer.code) == (413, "body_too_large")


def test_body_of_unknown_length_is_refused_while_it_comes(strict: Running) -> None:
    answer = strict.ask("POST", "/v1/analyze", _chunks(5_000), HEADERS)
    assert (answer.status, answer.code) == (413, "body_too_large")
    assert answer.headers["connection"] == "close"


@pytest.mark.parametrize("path", ["/healthz", "/", "/nowhere"])
def test_body_that_nobody_wants_is_refused(strict: Running, path: str) -> None:
    assert strict.ask("GET", path, b"x" * 100_000).status == 413


def _count_up(keys: int) -> str:
    return "&".join(f"{key:x}=" for key in range(keys))


@pytest.mark.parametrize("path", ["/v1/report", "/v1/analyze", "/healthz", "/nowhere"])
@pytest.mark.parametrize("query", [_count_up(2_500), _count_up(13), "name=" + "x" * 4_092])
def test_query_of_thousands_of_keys_is_refused_before_it_is_read(
    strict: Running, path: str, query: str
) -> None:
    start = time.perf_counter()
    answer = strict.ask("POST", f"{path}?{query}", b"x")
    assert (answer.status, answer.code) == (414, "query_too_long")
    # to check so many keys took seconds, in which nobody else was answered
    assert time.perf_counter() - start < 1


@pytest.mark.parametrize("path", ["/v1/report", "/healthz"])
def test_address_longer_than_all_headers_may_be_is_refused(strict: Running, path: str) -> None:
    answer = strict.ask("POST", f"{path}?{_count_up(16_000)}", b"x")
    assert (answer.status, answer.code) == (431, "head_too_long")


@pytest.mark.parametrize("query", [_count_up(12), "name=" + "x" * 4_091])
def test_query_within_the_limit_is_read(strict: Running, query: str) -> None:
    answer = strict.ask("POST", f"/v1/report?{query}", b"x")
    assert (answer.status, answer.code) == (422, "invalid_request")


def test_work_that_takes_too_long_is_given_up(strict: Running) -> None:
    start = time.perf_counter()
    answer = strict.analyze(["pause 1500 ms"])
    assert (answer.status, answer.code) == (504, "analysis_timeout")
    assert time.perf_counter() - start < 1.4
    time.sleep(0.7)  # the model cannot be interrupted: what it had begun still runs
    assert strict.analyze(["x"]).status == 200


def test_work_that_was_given_up_does_not_keep_others_waiting() -> None:
    with running(analyze_s=2.0) as service:
        # ten seconds of work, in pieces of 256 sentences
        assert service.analyze(["pause 10 ms.\n" * 1000]).status == 504
        assert service.analyze(["The fan is loud."]).status == 200


def test_full_queue_says_when_to_come_back(strict: Running) -> None:
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: strict.analyze(["pause 100 ms" + " " * 600]), range(8)))
    statuses = [answer.status for answer in answers]
    assert set(statuses) == {200, 429}
    refused = answers[statuses.index(429)]
    assert refused.code == "busy"
    assert int(refused.headers["retry-after"]) >= 1


def test_slow_body_is_refused(strict: Running) -> None:
    with _connect(strict) as client:
        client.sendall(HEAD + b"Content-Length: 5000\r\n\r\n{")
        start = time.perf_counter()
        assert client.recv(100).startswith(b"HTTP/1.1 408 ")
        assert time.perf_counter() - start < 2


def test_body_that_trickles_is_refused_at_its_deadline(strict: Running) -> None:
    with _connect(strict) as client:
        client.sendall(HEAD + b"Content-Length: 5000\r\n\r\n")
        _trickle(client, 1.5)
        assert client.recv(100).startswith(b"HTTP/1.1 408 ")


@pytest.mark.parametrize(
    "first", [b"", b"P", HEAD, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nGET / HT"]
)
def test_client_that_never_completes_its_headers_is_dropped(strict: Running, first: bytes) -> None:
    with _connect(strict) as client:
        client.sendall(first)
        start = time.perf_counter()
        _read_all(client)
        assert time.perf_counter() - start < 3


def test_client_that_does_not_take_its_answer_is_dropped(strict: Running) -> None:
    before = _open_files(strict)
    with ExitStack() as stack:
        for _ in range(4):
            client = stack.enter_context(_connect(strict, receive=4096))
            # far more answers than the buffers between us hold
            client.sendall(b"GET /docs HTTP/1.1\r\nHost: localhost\r\n\r\n" * 1000)
        assert wait_until(lambda: _open_files(strict) >= before + 4, 2)
        assert wait_until(lambda: _open_files(strict) <= before, 10)


def test_clients_beyond_the_limit_make_those_leave_who_wait_longest(strict: Running) -> None:
    with ExitStack() as stack:
        clients = [stack.enter_context(_connect(strict)) for _ in range(60)]
        for client in clients:
            client.sendall(b"GET /healthz HT")
        for _ in range(5):
            assert strict.ask("GET", "/healthz").status == 200
        # they are dropped long before their time is over
        assert _read_all(clients[0]) == b""
    assert wait_until(lambda: strict.ask("GET", "/healthz").status == 200, 5)


def test_client_that_has_just_connected_does_not_make_room_for_bodies_that_trickle() -> None:
    with running(connections=10) as service, ExitStack() as stack:
        for _ in range(10):
            stack.enter_context(_connect(service)).sendall(HEAD + b"Content-Length: 24\r\n\r\n{")
        time.sleep(0.3)
        polite = stack.enter_context(_connect(service))
        time.sleep(0.3)
        for _ in range(3):
            stack.enter_context(_connect(service)).sendall(HEAD + b"Content-Length: 24\r\n\r\n{")
        time.sleep(0.3)
        polite.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert polite.recv(100).startswith(b"HTTP/1.1 200 ")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have one address of their own")
def test_client_with_one_connection_does_not_make_room_for_one_with_many() -> None:
    with running(connections=20) as service, ExitStack() as stack:
        polite = stack.enter_context(_connect(service, source="127.0.0.2"))
        polite.sendall(HEAD + b"Content-Length: 24\r\n\r\n")
        for _ in range(50):
            stack.enter_context(_connect(service)).sendall(b"GET / HT")
        time.sleep(0.2)
        polite.sendall(b'{"texts": ["The fan is"]}'[:24])
        assert polite.recv(100).startswith(b"HTTP/1.1 400 ")


def test_clients_are_turned_away_where_all_are_being_served() -> None:
    with running(connections=4) as service, ThreadPoolExecutor(4) as pool:
        work = [pool.submit(service.analyze, ["pause 700 ms"]) for _ in range(4)]
        time.sleep(0.5)
        with _connect(service) as client:
            assert b"503 too_many_connections" in _read_all(client)
        assert [one.result().status for one in work] == [200] * 4


@pytest.mark.parametrize(("fields", "code"), [(100, b"too_many_headers"), (10_000, b"head_too_long")])
def test_request_of_very_many_headers_is_refused(strict: Running, fields: int, code: bytes) -> None:
    with _connect(strict) as client:
        client.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + b"a:\r\n" * fields + b"\r\n")
        answer = _read_all(client)
    assert answer.startswith(b"HTTP/1.1 431 ")
    assert code in answer


def test_request_of_as_many_headers_as_may_be_is_answered(strict: Running) -> None:
    with _connect(strict) as client:
        client.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + b"a:\r\n" * 99 + b"\r\n")
        assert client.recv(100).startswith(b"HTTP/1.1 200 ")


def test_chunks_of_a_byte_do_not_keep_others_waiting() -> None:
    """A megabyte of them took over half a second to parse, in which nobody else was answered."""
    with running() as service, _connect(service) as client:
        client.sendall(b"POST /v1/report?name=a.txt HTTP/1.1\r\nHost: localhost\r\n")
        client.sendall(b"Transfer-Encoding: chunked\r\n\r\n")
        sending = threading.Thread(target=_send_all, args=(client, b"1\r\nx\r\n" * 400_000))
        sending.start()
        before = _cpu_s(service)
        times = []
        for _ in range(20):
            start = time.perf_counter()
            assert service.ask("GET", "/healthz").status == 200
            times.append(time.perf_counter() - start)
            time.sleep(0.05)
        # parsed in pieces, with rests between them: about a fifth of the time
        assert _cpu_s(service) - before < 0.6 * (sum(times) + 1)
        client.shutdown(socket.SHUT_RDWR)
        sending.join()


def _send_all(client: socket.socket, content: bytes) -> None:
    with suppress(OSError):
        client.sendall(content)


def _cpu_s(service: Running) -> float:
    fields = Path(f"/proc/{service.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def count_reads(company: int) -> int:
    """Return how often a service reads of a client that sends thirty bytes one by one, in three seconds."""
    reads = 0

    async def trickle() -> None:
        nonlocal reads
        config = uvicorn.Config(
            lambda scope, receive, send: asyncio.sleep(0), lifespan="off", log_config=None
        )
        config.load()
        state = ServerState()
        protocol = limit_protocol(Limits(connections=80))(config, state, {})  # type: ignore[call-arg]
        server = await asyncio.get_running_loop().create_server(lambda: protocol, "127.0.0.1", 0)
        state.connections |= {object() for _ in range(company)}  # type: ignore[arg-type]
        take = protocol.data_received  # type: ignore[attr-defined]

        def count(data: bytes) -> None:
            nonlocal reads
            reads += 1
            take(data)

        protocol.data_received = count  # type: ignore[attr-defined]
        _, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        writer.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for sign in b"GET / HTTP/1.1\r\nHost: a\r\nX: yz":
            writer.write(bytes([sign]))
            await asyncio.sleep(0.1)
        writer.close()
        protocol.transport.abort()  # type: ignore[attr-defined]
        server.close()
        await asyncio.sleep(0.1)

    asyncio.run(trickle())
    return reads


def test_clients_that_trickle_are_read_from_now_and_then_where_there_are_many() -> None:
    assert count_reads(company=0) >= 20
    assert 2 <= count_reads(company=20) <= 8


def test_request_in_small_pieces_is_answered_in_a_crowd_too() -> None:
    with running(connections=8) as service:
        others = [socket.create_connection(("127.0.0.1", service.port)) for _ in range(3)]
        with socket.create_connection(("127.0.0.1", service.port), 30) as client:
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for piece in (
                b"GET /healthz HTTP/1.1\r\n",
                b"Host: localhost\r\n",
                b"A: b\r\n",
                b"C: d\r\n",
                b"\r\n",
            ):
                client.sendall(piece)
                time.sleep(0.05)
            assert b"200 OK" in client.recv(4096)
        for other in others:
            other.close()


def test_bodies_held_together_are_limited(strict: Running) -> None:
    with ExitStack() as stack:
        clients = [stack.enter_context(_connect(strict)) for _ in range(12)]
        for client in clients:
            client.sendall(HEAD + b"Content-Length: 9000\r\n\r\n" + b"x" * 8000)
        answers = [_read_all(client) for client in clients]
    # twelve times 8,000 bytes do not fit into 50,000: some or all must come back later
    assert {answer[:13] for answer in answers} - {b"HTTP/1.1 408 "} == {b"HTTP/1.1 429 "}
    assert strict.analyze(["x"]).status == 200


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.test\r\n\r\n",
        b"GET /\xff HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\n",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\nZZ\r\n",
    ],
    ids=lambda value: repr(value)[:30],
)
def test_what_is_no_http_gets_400(strict: Running, request_bytes: bytes) -> None:
    with _connect(strict) as client:
        client.sendall(request_bytes)
        head, _, body = _read_all(client).partition(b"\r\n\r\n")
    assert head.split()[1] in {b"400", b"501"}
    assert json.loads(body)["error"]["code"] == "not_http"


def test_truncated_body_does_no_harm(strict: Running) -> None:
    with _connect(strict) as client:
        client.sendall(HEAD + b'Content-Length: 500\r\n\r\n{"texts": ["')
    assert strict.analyze(["x"]).status == 200


def _connect(service: Running, receive: int | None = None, source: str = "") -> socket.socket:
    client = socket.socket()
    if source:
        client.bind((source, 0))
    if receive:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive)
    client.settimeout(10)
    client.connect(("127.0.0.1", service.port))
    return client


def _read_all(client: socket.socket) -> bytes:
    pieces = []
    try:
        while piece := client.recv(65536):
            pieces.append(piece)
    except ConnectionError:
        pass  # dropped without a word: that is allowed
    return b"".join(pieces)


def _trickle(client: socket.socket, seconds: float) -> None:
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        try:
            client.sendall(b"x")
        except ConnectionError:
            return
        time.sleep(0.1)


def _open_files(service: Running) -> int:
    return len(list(Path(f"/proc/{service.process.pid}/fd").iterdir()))
