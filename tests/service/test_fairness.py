"""Fairness: long or many requests of one client keep neither turn nor room from the others."""

import http.client
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from aspectlab.data import Quad
from aspectlab.service.fairness import FairLine, Room
from aspectlab.service.filereport import remove_abandoned, scratch_folder
from aspectlab.service.inference import Inference, Turns
from tests.support.service_process import Running, running, wait_until


def test_line_serves_clients_in_turn_however_many_requests_one_has() -> None:
    line = FairLine[str]()
    for number in range(5):
        line.add(f"a{number}", "a", 10)
    line.add("b0", "b", 10)
    line.add("b1", "b", 10)
    assert [line.pop() for _ in range(7)] == ["a0", "b0", "a1", "b1", "a2", "a3", "a4"]


def test_line_gives_no_client_more_for_having_stayed_away() -> None:
    line = FairLine[str]()
    line.add("a", "a", 1_000)
    assert line.pop() == "a"
    for number in range(3):
        line.add(f"b{number}", "b", 100)
        line.add(f"c{number}", "c", 100)
    assert [line.pop() for _ in range(6)] == ["b0", "c0", "b1", "c1", "b2", "c2"]


def test_line_serves_a_long_request_at_last_however_many_short_ones_come() -> None:
    line = FairLine[str]()
    line.add("long", "a", 100)
    served = []
    for number in range(300):
        line.add(f"short {number}", f"client {number}", 10)
        served.append(line.pop())
    assert "long" in served
    assert served.index("long") > 5


def test_line_forgets_what_was_removed() -> None:
    line = FairLine[str]()
    line.add("a", "a", 1)
    line.remove("a")
    line.remove("a")
    assert (len(line), line.pop()) == (0, None)


def test_room_is_filled_by_no_number_of_large_requests() -> None:
    room = Room(1_000)
    while room.fits(200):
        room.held += 200
    assert room.held == 800
    assert room.fits(100)
    assert not room.fits(200)


def test_room_lets_a_request_grow_to_half_of_what_the_others_leave() -> None:
    room = Room(1_000, held=500)
    assert room.fits(300, held=100)
    assert not room.fits(301, held=100)


def test_turn_goes_to_the_kind_of_work_that_had_the_least() -> None:
    turns, order, begun, is_over = Turns(), list[str](), threading.Event(), threading.Event()

    def work(kind: str, size: int) -> None:
        with turns.hold(kind, size):
            order.append(kind)

    def hold_on() -> None:
        with turns.hold("reports", 1_000):
            begun.set()
            is_over.wait()

    with ThreadPoolExecutor(5) as pool:
        pool.submit(hold_on)
        begun.wait()
        for kind, size in [
            ("reports", 1_000),
            ("reports", 1_000),
            ("long texts", 1_000),
            ("short texts", 10),
        ]:
            pool.submit(work, kind, size)
        assert wait_until(lambda: len(turns._line) == 4, 5)
        is_over.set()
    assert order[0] == "short texts"
    assert set(order[1:3]) == {"long texts", "reports"}
    assert order[3] == "reports"


class Measured:
    """Notes how many characters it is given at once."""

    identity = "measured"

    def __init__(self) -> None:
        self.pieces: list[int] = []

    def predict(self, texts: Sequence[str]) -> list[tuple[Quad, ...]]:
        self.pieces.append(sum(map(len, texts)))
        return [() for _ in texts]

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.zeros((len(texts), 1), np.float32)


def test_first_piece_of_long_work_is_short_where_others_came_before() -> None:
    """It was long wherever no long work had come for a while, and held all others up."""
    model = Measured()
    inference = Inference(model)
    texts, go_on = ["The fan is loud, and so on." * 2] * 200, threading.Event()
    inference.predict(texts, "reports", go_on)
    assert max(model.pieces) > 3_000
    inference.predict(["The fan is loud."], "short texts", go_on)
    model.pieces.clear()
    inference.predict(texts, "reports", go_on)
    assert max(model.pieces) <= 300


# as long as two hundred characters and ten milliseconds of a model
SENTENCE = "pause 10 ms " + "and so on " * 18 + ".\n"


def test_short_texts_do_not_wait_for_long_ones() -> None:
    with running() as service, ThreadPoolExecutor(2) as pool:
        began = time.perf_counter()
        long = [pool.submit(service.analyze, [SENTENCE * 95] * 5) for _ in range(2)]
        time.sleep(0.5)
        for _ in range(5):
            asked = time.perf_counter()
            assert service.analyze(["The fan is loud."]).status == 200
            assert time.perf_counter() - asked < 3
        assert not any(one.done() for one in long)
        assert [one.result().status for one in long] == [200, 200]
        # they take as long as they take
        assert time.perf_counter() - began > 9


def test_short_texts_find_room_where_long_ones_wait() -> None:
    with running(waiting_chars=20_000) as service, ThreadPoolExecutor(8) as pool:
        text = "pause 2000 ms" + " and so on" * 490
        long = [pool.submit(service.analyze, [text]) for _ in range(8)]
        time.sleep(0.5)
        answers = [service.analyze(["The fan is loud."]) for _ in range(3)]
        assert [answer.status for answer in answers] == [200] * 3
        statuses = [one.result().status for one in long]
    assert set(statuses) == {200, 429}


def test_small_bodies_find_room_where_large_ones_never_end() -> None:
    with running(body_bytes=10_000, buffered_bytes=50_000) as service:
        clients = [socket.create_connection(("127.0.0.1", service.port)) for _ in range(12)]
        head = b"POST /v1/analyze HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        for client in clients:
            client.sendall(head + b"Content-Length: 9000\r\n\r\n" + b"x" * 8000)
        time.sleep(0.3)
        assert service.analyze(["The fan is loud."]).status == 200
        for client in clients:
            client.close()


def send_from(service: Running, address: str, content: bytes) -> int:
    """Send a file from one of the addresses of this machine."""
    connection = http.client.HTTPConnection("127.0.0.1", service.port, 60, source_address=(address, 0))
    connection.request("POST", "/v1/report?name=a.txt", content)
    status = connection.getresponse().status
    connection.close()
    return status


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have one address of their own")
def test_report_does_not_wait_for_all_those_of_another_client() -> None:
    with running(reports=2) as service, ThreadPoolExecutor(3) as pool:
        long = [pool.submit(send_from, service, "127.0.0.1", b"pause 2000 ms\n") for _ in range(3)]
        time.sleep(0.5)
        assert send_from(service, "127.0.0.2", b"The fan is loud.\n") == 200
        assert sum(one.done() for one in long) <= 1
        assert [one.result() for one in long] == [200] * 3


def test_service_removes_what_one_that_was_killed_has_left(tmp_path: Path) -> None:
    with running(scratch=str(tmp_path)) as service:
        client = socket.create_connection(("127.0.0.1", service.port))
        head = b"POST /v1/report?name=a.txt HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999\r\n\r\n"
        client.sendall(head + b"x" * 90_000)
        assert wait_until(lambda: len(list(tmp_path.rglob("a.txt"))) == 1, 5)
        service.process.kill()
        service.process.wait()
        client.close()
    left = list(tmp_path.iterdir())
    assert len(left) == 1
    with running(scratch=str(tmp_path)):
        assert list(tmp_path.rglob("a.txt")) == []
        assert not left[0].exists()
    # what the second leaves goes with the third
    with running(scratch=str(tmp_path)) as service:
        service.end()
    assert list(tmp_path.iterdir()) == []


def test_folder_of_a_service_that_lives_is_not_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with scratch_folder() as folder:
        assert folder.stat().st_mode & 0o077 == 0
        remove_abandoned()
        assert folder.is_dir()
    assert list(tmp_path.iterdir()) == []


def test_link_is_not_taken_for_the_folder_of_a_service(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary, precious = tmp_path / "temporary", tmp_path / "precious"
    temporary.mkdir()
    precious.mkdir()
    (temporary / "aspectlab-serve-x").symlink_to(precious)
    (temporary / "aspectlab-serve-y").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    remove_abandoned()
    assert precious.is_dir()
    assert [path.name for path in temporary.iterdir()] == ["aspectlab-serve-x"]
