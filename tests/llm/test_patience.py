"""The time limit holds for a whole exchange, and Ctrl-C is not made to wait: before, either took for ever."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread

import pytest

from aspectlab.errors import EndpointError
from aspectlab.llm import Client, Endpoint
from tests.support.chat_endpoint import KEY

ROOT = Path(__file__).parents[2]
HELLO = [{"role": "user", "content": "Nice tea"}]
LIMIT_S, ENOUGH_S = 1.0, 15.0

OK = b"HTTP/1.1 200 OK\r\n"
DRIBBLES = {
    "a header": (OK + b"X: ", b"x"),
    "headers": (OK, b"X: y\r\n"),
    "a chunk size": (OK + b"Transfer-Encoding: chunked\r\n\r\n", b"0"),
    "chunks": (OK + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
    "a body": (OK + b"Content-Length: 9999\r\n\r\n", b" "),
    "a body without an end": (OK + b"\r\n", b" "),
    "100 Continue": (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "headers of 100 Continue": (b"HTTP/1.1 100 Continue\r\n", b"X: y\r\n"),
    "nothing": (b"", b""),
}


@contextmanager
def dribble(first: bytes, more: bytes) -> Iterator[str]:
    """Answer each connection by some bytes at once and one piece every 50 ms, for ever."""
    closing = Event()

    def answer(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            connection.recv(65_536)
            connection.sendall(first)
            while not closing.wait(0.05):
                connection.sendall(more)

    def serve(listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                Thread(target=answer, args=[listener.accept()[0]], daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = Thread(target=serve, args=[listener], daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        finally:
            closing.set()
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()


@pytest.mark.parametrize("what", DRIBBLES)
def test_endpoint_that_dribbles_was_waited_for_without_an_end(what: str) -> None:
    with dribble(*DRIBBLES[what]) as url:
        client = Client(Endpoint(url), "m1", timeout_s=LIMIT_S, tries=2, wait=lambda pause_s: None)
        began = time.monotonic()
        with pytest.raises(EndpointError, match=r"no whole answer within 1 s|got more than 100 headers"):
            client.ask(HELLO)
        assert time.monotonic() - began < ENOUGH_S


def test_interrupt_waited_for_an_endpoint_that_never_answers(tmp_path: Path) -> None:
    (tmp_path / "texts.jsonl").write_text('{"id": "1", "text": "nice tea", "quads": []}\n', encoding="utf-8")
    with dribble(b"", b"") as url:
        words = ["predict", "llm:m1", "texts.jsonl", "--out", "out.jsonl", "--endpoint", url]
        found = {"OPENAI_API_KEY": KEY, "ASPECTLAB_CACHE": str(tmp_path / "cache"), "PYTHONPATH": str(ROOT)}
        process = subprocess.Popen(
            [sys.executable, "-m", "aspectlab", *words, "--timeout-s", "300"],
            cwd=tmp_path,
            env=os.environ | found,
            stderr=subprocess.PIPE,
        )
        # the cache is opened right before the first question
        while not (tmp_path / "cache").exists() and process.poll() is None:
            time.sleep(0.05)
        time.sleep(1.0)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert KEY.encode() not in said
