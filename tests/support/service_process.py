"""Run the service as its users do: a process of its own, with a real server on a local port."""

import http.client
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

ROOT = Path(__file__).parents[2]
HEADERS = {"Content-Type": "application/json"}

# what a process does that serves the keyword predictor: settings come as JSON, the address goes to stdout
_PROGRAM = """
import json, sys
from tests.support.phrase_predictor import PhrasePredictor
from aspectlab.service import Access, Limits, build_app
from aspectlab.service.server import name_address, open_socket, run
settings = json.loads(sys.argv[1])
access = Access(settings.pop("token", None), frozenset(settings.pop("hosts", ())))
limits = Limits(**settings)
listener = open_socket("127.0.0.1", 0)
print(name_address(listener), flush=True)
run(build_app(PhrasePredictor(), limits=limits, access=access), listener, limits)
"""


@dataclass(frozen=True)
class Answer:
    """What the service answered."""

    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> dict:
        return json.loads(self.body)

    @property
    def code(self) -> str:
        """The code of an error; every error must have this form."""
        error = self.json()["error"]
        assert sorted(error) == ["code", "message", "remedy"]
        return error["code"]


@dataclass(frozen=True)
class Running:
    """A service that runs."""

    process: subprocess.Popen[str]
    port: int
    errors: IO[str]

    def ask(
        self, method: str, path: str, body: object = None, headers: dict[str, str] | None = None
    ) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body, headers or {})
            response = connection.getresponse()
            names = {name.lower(): value for name, value in response.getheaders()}
            return Answer(response.status, names, response.read())
        finally:
            connection.close()

    def analyze(self, texts: object, headers: dict[str, str] | None = None, **options: object) -> Answer:
        payload = {"texts": texts, **({"options": options} if options else {})}
        return self.ask("POST", "/v1/analyze", json.dumps(payload), HEADERS | (headers or {}))

    def memory_mb(self, what: str = "VmRSS") -> float:
        """Return the memory of the process now, or at its highest (VmHWM); Linux only."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        line = next(line for line in status.splitlines() if line.startswith(what))
        return int(line.split()[1]) / 1024

    def end(self) -> tuple[int, str]:
        """Ask it to stop; give how it ended and what it wrote to stderr."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=30), _read(self.errors, self.process)


def wait_until(is_true: Callable[[], bool], seconds: float) -> bool:
    """Look again and again whether something has become true."""
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        if is_true():
            return True
        time.sleep(0.05)
    return False


def _read(errors: IO[str], process: subprocess.Popen[str]) -> str:
    process.wait(timeout=30)
    errors.seek(0)
    return errors.read()


@contextmanager
def running(*, scratch: str = "", **settings: object) -> Iterator[Running]:
    """Start a service with these limits, and the token and names of hosts if they are given.

    It keeps the files of clients in the folder `scratch`.
    """
    paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    # a file takes any number of log lines, where a pipe that nobody reads would stop the service
    errors = tempfile.TemporaryFile("w+")  # noqa: SIM115
    process = subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, json.dumps(settings)],
        stdout=subprocess.PIPE,
        stderr=errors,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths), "TMPDIR": scratch or tempfile.gettempdir()},
    )
    try:
        assert process.stdout is not None
        address = process.stdout.readline()
        assert address, f"the service does not start:\n{_read(errors, process)}"
        service = Running(process, int(address.rpartition(":")[2]), errors)
        # clients can connect before the service has begun, when a signal would still end it at once
        service.ask("GET", "/healthz")
        yield service
    finally:
        process.kill()
        process.communicate()
        errors.close()
