"""A real Label Studio on this machine, with a folder of its own, and what a test needs of its API."""

import http.client
import json
import os
import re
import socket
import subprocess
import time
import urllib.parse
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

START_S = 480.0
TOKEN = "0123456789abcdef0123456789abcdef01234567"
PASSWORD = "correct-horse-9"


class Server:
    """A running Label Studio."""

    def __init__(self, port: int) -> None:
        self.port = port

    def call(self, method: str, path: str, body: object = None, token: str = TOKEN) -> Any:
        """Ask the API, and give what it answers."""
        content = None if body is None else json.dumps(body)
        headers = {"Authorization": f"Token {token}", "Content-Type": "application/json"}
        status, answer, _ = self._ask(method, path, content, headers)
        assert status in (200, 201), f"{method} {path}: {status}: {answer[:2000]!r}"
        return json.loads(answer)

    def sign_up(self, email: str) -> str:
        """Make a user as the sign-up page does, and give the token that the user then sees."""
        page = "/user/signup/"
        cookies = self._ask("GET", page, None, {})[2]
        form = {"email": email, "password": PASSWORD, "csrfmiddlewaretoken": cookies["csrftoken"]}
        headers = {"Cookie": _join(cookies), "Content-Type": "application/x-www-form-urlencoded"}
        cookies |= self._ask("POST", page, urllib.parse.urlencode(form), headers)[2]
        answer = self._ask("GET", "/api/current-user/token", None, {"Cookie": _join(cookies)})[1]
        token: str = json.loads(answer)["token"]
        return token

    def is_up(self) -> bool:
        try:
            self.call("GET", "/api/current-user/whoami")
        except (OSError, AssertionError):
            return False
        return True

    def _ask(
        self, method: str, path: str, content: str | None, headers: Mapping[str, str]
    ) -> tuple[int, bytes, dict[str, str]]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request(method, path, content, dict(headers))
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        cookies = re.findall(r"^(\w+)=([^;]+)", "\n".join(answer.headers.get_all("Set-Cookie", [])), re.M)
        return answer.status, body, dict(cookies)


def _join(cookies: Mapping[str, str]) -> str:
    return "; ".join(f"{name}={value}" for name, value in cookies.items())


@contextmanager
def start(program: str, folder: Path) -> Iterator[Server]:
    """Start Label Studio with a new SQLite database, and stop it again."""
    port = _free_port()
    settings = {
        "LABEL_STUDIO_BASE_DATA_DIR": str(folder),
        "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "true",
        "LABEL_STUDIO_USERNAME": "anna@example.org",
        "LABEL_STUDIO_PASSWORD": PASSWORD,
        "LABEL_STUDIO_USER_TOKEN": TOKEN,
        "COLLECT_ANALYTICS": "false",
        "LATEST_VERSION_CHECK": "false",
    }
    command = [program, "start", "--no-browser", "--internal-host", "127.0.0.1", "--port", str(port)]
    # what belongs to our environment must not reach its own
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "DJANGO"))}
    with (folder / "server.log").open("wb") as log:
        process = subprocess.Popen(command, env=kept | settings, cwd=folder, stdout=log, stderr=log)
        try:
            server = Server(port)
            _wait(server, process, folder / "server.log")
            yield server
        finally:
            process.terminate()
            process.wait(30)


def _wait(server: Server, process: "subprocess.Popen[bytes]", log: Path) -> None:
    end = time.monotonic() + START_S
    while not server.is_up():
        alive = process.poll() is None and time.monotonic() < end
        assert alive, f"Label Studio did not start: {log.read_text(errors='replace')[-2000:]}"
        time.sleep(1)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
