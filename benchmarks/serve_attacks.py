"""Attacks on `aspectlab serve`: how long a polite client waits while a hostile one sends what it can.

    python benchmarks/serve_attacks.py [--only NAME ...] [--seconds 3] [--rounds 2] [--pace 0.05]
        [--requests 2000] [--connections 1000] [--source 127.0.0.2]

The service runs as its users start it, with the shipped model. The polite client asks for the opinions of one
sentence, over a new connection each time; the hostile one sends a megabyte a second from one process, by four
threads. Quiet and attacked phases alternate in one run: on a busy machine only their ratio tells something.
Beside the times stands the CPU time that a hostile megabyte costs the service.
Then the memory over many requests, right and wrong ones, and what a service leaves that was killed.
All traffic goes to 127.0.0.1. The exit status is 1 if under an attack the 99th percentile is over three times
the quiet one or a polite request was refused, if the memory grows by more than 15 %, or if files are left.
"""

import argparse
import http.client
import io
import json
import multiprocessing
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np

BYTES_PER_S = 1_000_000
PIECE = 16 << 10
THREADS = 4
MOST_RATIO, MOST_GROWTH = 3.0, 1.15
TEXT = "The food was delicious, but the service was slow."
REVIEWS = b"review\n" + b"The food was delicious and the waiter was kind, but the room was cold.\n" * 14_000


_OF_A_PROCESS = 2
"""How Linux numbers the clock that counts what another process has worked."""


class Service(NamedTuple):
    """A service that runs."""

    process: subprocess.Popen[str]
    port: int

    def cpu_s(self) -> float:
        """Return the seconds that all its threads worked so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def clock(self) -> float:
        """Return the same to the microsecond."""
        return time.clock_gettime(~self.process.pid << 3 | _OF_A_PROCESS)

    def memory_mb(self) -> float:
        """Return what the process holds now."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024  # type: ignore[index]


@contextmanager
def serving(scratch: Path) -> Iterator[Service]:
    """Start the command, which keeps the files of clients in a folder."""
    program = [sys.executable, "-m", "aspectlab", "serve", "--port", "0"]
    environment = os.environ | {"TMPDIR": str(scratch)}
    with subprocess.Popen(program, stderr=subprocess.PIPE, text=True, env=environment) as process:
        try:
            assert process.stderr is not None
            found = re.search(r"http://\S+:(\d+)", process.stderr.readline())
            if found is None:
                sys.exit(f"the service does not start: {process.stderr.read()}")
            service = Service(process, int(found[1]))
            ask(service.port)
            yield service
        finally:
            process.kill()


def ask(port: int, body: str = "") -> int:
    """Send the polite request, or another, over a new connection; 0: it got no answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request(
            "POST",
            "/v1/analyze",
            body or json.dumps({"texts": [TEXT]}),
            {"Content-Type": "application/json"},
        )
        answer = connection.getresponse()
        answer.read()
    except (OSError, http.client.HTTPException):
        return 0
    else:
        return answer.status
    finally:
        connection.close()


class Counted(Protocol):
    """A number that two processes share."""

    value: float


class Hostile:
    """What a hostile client may send, in bytes a second."""

    def __init__(self, port: int, source: str, sent: Counted) -> None:
        self._port = port
        self._sent = sent
        self._source = source
        self._lock = threading.Lock()
        self._free_at = time.monotonic()

    def connect(self) -> socket.socket:
        """Open a connection."""
        return socket.create_connection(("127.0.0.1", self._port), 30, (self._source, 0))

    def send(self, client: socket.socket, content: bytes) -> None:
        """Send something no faster than is allowed."""
        for start in range(0, len(content), PIECE):
            piece = content[start : start + PIECE]
            with self._lock:
                now = time.monotonic()
                self._free_at = max(self._free_at, now) + len(piece) / BYTES_PER_S
                pause = self._free_at - now
            time.sleep(pause)
            client.sendall(piece)
            self._sent.value += len(piece)

    def request(self, content: bytes) -> None:
        """Send one request and wait for the end of its answer."""
        with suppress(OSError), self.connect() as client:
            self.send(client, content)
            while client.recv(65536):
                pass

    def hold(self, first: bytes, then: bytes, number: int, pause_s: float) -> None:
        """Keep many connections that send a little now and then, and open those anew that were closed."""
        clients: list[socket.socket] = []
        while True:
            while len(clients) < number:
                with suppress(OSError):
                    clients.append(self.connect())
                    self.send(clients[-1], first)
            for client in clients[:]:
                try:
                    self.send(client, then)
                except OSError:
                    clients.remove(client)
            time.sleep(pause_s)


def post(path: str, body: bytes, kind: str = "application/json", more: str = "") -> bytes:
    """Write a request."""
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: {kind}\r\n{more}"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def query_of_keys(number: int) -> str:
    """Write a query of keys that no path knows."""
    return "&".join(f"{key:x}=" for key in range(number))


def json_of_keys(number: int) -> bytes:
    """Write an object of keys that no path knows."""
    return json.dumps({"texts": ["x"], **{f"{key:x}": 1 for key in range(number)}}).encode()


def chunked(path: str) -> bytes:
    """Write a body in chunks of a byte."""
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
    return head.encode() + b"1\r\nx\r\n" * 200_000


def workbook() -> bytes:
    """Write a workbook that unpacks to 300 megabytes."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as packed:
        for number in range(300):
            packed.writestr(f"xl/worksheets/sheet{number}.xml", b" " * (1 << 20))
    return stream.getvalue()


ANALYZE, REPORT = "/v1/analyze", "/v1/report?name=a.csv"
FORM = "multipart/form-data; boundary=x"
# what one request is: made in the hostile process, once
REQUESTS: dict[str, Callable[[], bytes]] = {
    "long query": lambda: post(f"/v1/report?{query_of_keys(12_000)}", b"x"),
    "query of many keys": lambda: post(f"/v1/report?{query_of_keys(32)}{'x' * 3_900}", b"x"),
    "unknown keys": lambda: post(ANALYZE, json_of_keys(130_000)),
    "keys within the bounds": lambda: post(ANALYZE, json_of_keys(1_000)),
    "huge JSON": lambda: post(ANALYZE, json.dumps({"texts": ["\x01" * 19_000] * 17}).encode()),
    "deep nesting": lambda: post(ANALYZE, b'{"texts": ' + b"[" * 8_000 + b"]" * 8_000 + b"}"),
    "chunks of a byte": lambda: chunked(REPORT),
    "many uploads": lambda: post(REPORT, REVIEWS, "text/csv"),
    "multipart bomb": lambda: post(REPORT, b"--x\r\n\r\n\r\n" * 100_000, FORM),
    "packed body": lambda: post(ANALYZE, b"\x1f\x8b" * 500_000, more="Content-Encoding: gzip\r\n"),
    "packed workbook": lambda: post("/v1/report?name=a.xlsx", workbook(), "text/csv"),
    "many headers": lambda: b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"a:\r\n" * 4_000 + b"\r\n",
    "huge header": lambda: b"GET / HTTP/1.1\r\nHost: localhost\r\na: " + b"x" * 1_000_000 + b"\r\n\r\n",
}
SLOW_BODY = b"POST /v1/report?name=a.csv HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999\r\n\r\n"
# what each of many connections sends first, and then each so often
HELD = {
    "trickled bodies": (SLOW_BODY, b"x", 0.5),
    "slow headers": (b"GET / HTTP/1.1\r\nHost: localhost\r\n", b"a: b\r\n", 0.5),
    "many connections": (b"G", b"", 0.5),
}


def attack(name: str, port: int, source: str, connections: int, sent: Counted) -> None:
    """Attack until the process is ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    hostile = Hostile(port, source, sent)
    if name in HELD:
        first, then, pause_s = HELD[name]
        hostile.hold(first, then, connections, pause_s)
    content = REQUESTS[name]()

    def repeat() -> None:
        while True:
            hostile.request(content)

    for _ in range(THREADS):
        threading.Thread(target=repeat, daemon=True).start()
    threading.Event().wait()


def be_polite(service: Service, seconds: float, pace: float) -> tuple[list[float], list[float], int]:
    """Ask again and again; gives the milliseconds of each answer and of the work meanwhile, and refusals."""
    times, works, refused = [], [], 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        began, worked = time.perf_counter(), service.clock()
        refused += ask(service.port) != 200
        times.append(1000 * (time.perf_counter() - began))
        works.append(1000 * (service.clock() - worked))
        time.sleep(pace)
    return times, works, refused


@dataclass
class Phases:
    """What the polite client met in all phases of one kind, and what the service did meanwhile."""

    times: list[float] = field(default_factory=list)
    works: list[float] = field(default_factory=list)
    refused: int = 0
    cpu_s: float = 0.0

    def add(self, service: Service, options: argparse.Namespace) -> None:
        """Measure one phase more."""
        before = service.cpu_s()
        times, works, refused = be_polite(service, options.seconds, options.pace)
        self.cpu_s += service.cpu_s() - before
        self.times += times
        self.works += works
        self.refused += refused

    @property
    def p99(self) -> float:
        """Return the time within which 99 of 100 requests were answered."""
        return float(np.percentile(self.times, 99))

    @property
    def work_p99(self) -> float:
        """Return what the service worked at most until 99 of 100 requests were answered."""
        return float(np.percentile(self.works, 99))


def compare(name: str, service: Service, options: argparse.Namespace) -> bool:
    """Measure quiet and attacked phases in turn; gives whether the polite client was served well."""
    quiet, attacked = Phases(), Phases()
    context = multiprocessing.get_context("spawn")
    sent = context.Value("d", 0.0)
    total = 0.0
    for _ in range(options.rounds):
        quiet.add(service, options)
        arguments = (name, service.port, options.source, options.connections, sent)
        process = context.Process(target=attack, args=arguments)
        process.start()
        try:
            time.sleep(options.lead)
            before = sent.value
            attacked.add(service, options)
            total += sent.value - before
        finally:
            process.kill()
            process.join()
        # what it has begun shall not weigh upon the quiet phase
        time.sleep(options.lead)
    ratio = attacked.p99 / quiet.p99
    # the polite requests cost what they cost in the quiet
    cpu = attacked.cpu_s - quiet.cpu_s / len(quiet.times) * len(attacked.times)
    cells = [np.median(quiet.times), quiet.p99, np.median(attacked.times), attacked.p99]
    cells += [quiet.work_p99, attacked.work_p99]
    row = f"{name:<24}" + "".join(f"{cell:>9.1f}" for cell in cells)
    per_mb = f"{1e6 * cpu / total:>9.3f}" if total > 100_000 else f"{'–':>9}"
    print(f"{row}{ratio:>8.2f}{attacked.refused:>9}{len(attacked.times):>9}{per_mb}", flush=True)
    return ratio <= MOST_RATIO and not attacked.refused


def measure_memory(service: Service, requests: int) -> bool:
    """Send many requests, one in four wrong, and compare the memory after a tenth of them and after all."""
    wrong = ['{"texts": [1]}', "{", json.dumps({"texts": ["x"], **dict.fromkeys("abc", 1)})]
    marks: list[float] = []
    for number in range(requests):
        ask(service.port, wrong[number // 4 % 3] if number % 4 == 3 else "")
        if number + 1 in (requests // 10, requests):
            marks.append(service.memory_mb())
    print(f"memory after {requests // 10:,} and {requests:,} requests: {marks[0]:.0f} and {marks[-1]:.0f} MB")
    return marks[-1] <= MOST_GROWTH * marks[0]


def measure_remains(scratch: Path) -> bool:
    """Kill a service while it receives a file, and look for the file after the next one has begun."""
    with serving(scratch) as service, socket.create_connection(("127.0.0.1", service.port)) as client:
        client.sendall(SLOW_BODY + b"x" * 90_000)
        time.sleep(1)
        service.process.kill()
        service.process.wait()
    left = list(scratch.rglob("a.csv"))
    with serving(scratch):
        still = list(scratch.rglob("a.csv"))
    print(f"files of a killed service: {len(left)}; after the next start: {len(still)}")
    return not still


def main() -> None:
    """Run the attacks one after the other."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = [*REQUESTS, *HELD]
    parser.add_argument("--only", nargs="+", choices=names, default=names, metavar="NAME")
    parser.add_argument("--seconds", type=float, default=3.0, help="of each phase")
    parser.add_argument("--rounds", type=int, default=2, help="of a quiet and an attacked phase")
    parser.add_argument("--lead", type=float, default=1.0, help="seconds of an attack before it counts")
    parser.add_argument("--pace", type=float, default=0.05, help="seconds between polite requests")
    parser.add_argument("--requests", type=int, default=2_000, help="for the memory; 0: do not measure it")
    parser.add_argument("--connections", type=int, default=1_000, help="of the attacks that hold many")
    parser.add_argument("--source", default="127.0.0.1", help="address that the hostile client sends from")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        with serving(Path(folder)) as service:
            be_polite(service, 1.0, 0.0)
            print(
                f"{'ms':<24}{'quiet':>9}{'p99':>9}{'attack':>9}{'p99':>9}{'work p99':>9}{'attack':>9}"
                f"{'ratio':>8}{'refused':>9}{'of':>9}{'s/MB':>9}"
            )
            passed: Sequence[bool] = [compare(name, service, options) for name in options.only]
            passed = [*passed, not options.requests or measure_memory(service, options.requests)]
        passed = [*passed, measure_remains(Path(folder))]
    sys.exit(0 if all(passed) else 1)


if __name__ == "__main__":
    main()
