"""A real headless Chromium, driven over its debugging pipe; nothing but the browser is needed."""

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

OPTIONS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
]
OPTIONS += ["--disable-component-update", "--disable-sync", "--disable-extensions", "--hide-scrollbars"]
TIMEOUT_S = 30.0
ENTER = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"}
TAB = {"key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9}
CTRL = 2


class Tab:
    """One page of the browser."""

    def __init__(self, commands: int, answers: int, target: str | None = None) -> None:
        self._commands = commands
        self._answers = answers
        self._number = 0
        self._bytes = b""
        self._session: dict[str, str] = {}
        self.events: list[dict] = []
        chosen = target or self.call("Target.createTarget", url="about:blank")["targetId"]
        found = self.call("Target.attachToTarget", targetId=chosen, flatten=True)
        self._session = {"sessionId": found["sessionId"]}
        for domain in ("Page", "Runtime", "Log", "Network", "DOM"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: object) -> dict:
        """Send a command and wait for its answer; events are kept."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters, **self._session}
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._number:
                assert "error" not in answer, f"{method}: {answer['error']}"
                return answer["result"]
            self.events.append(answer)

    def open(self, address: str, width: int = 1280, height: int = 900, *, is_dark: bool = False) -> None:
        """Open a page in a window of this size."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
        self.call("Emulation.setDeviceMetricsOverride", **size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.call("Page.navigate", url=address)
        self.wait_for("document.readyState === 'complete' && location.href !== 'about:blank'")

    def get(self, script: str) -> object:
        """Evaluate an expression in the page."""
        found = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def enter_frame(self) -> "Tab":
        """Return the only frame of the page as a page of its own: without origin it has its own process."""
        end = time.monotonic() + TIMEOUT_S
        frames: list[str] = []
        # on a busy machine the page is there before the process of its frame
        while not frames:
            assert time.monotonic() < end, "the frame never came"
            targets = self.call("Target.getTargets")["targetInfos"]
            frames = [target["targetId"] for target in targets if target["type"] == "iframe"]
        frame = Tab(self._commands, self._answers, frames[0])
        frame.wait_for("document.readyState === 'complete' && document.body !== null")
        return frame

    def wait_for(self, script: str) -> None:
        """Wait until an expression is true."""
        end = time.monotonic() + TIMEOUT_S
        while not self.get(script):
            assert time.monotonic() < end, f"never true: {script}: {self.get('document.body.innerText')}"
            time.sleep(0.05)

    def type(self, text: str) -> None:
        self.call("Input.insertText", text=text)

    def press(self, key: dict[str, object], modifiers: int = 0) -> None:
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, modifiers=modifiers, **key)

    def choose_file(self, selector: str, path: Path) -> None:
        root = self.call("DOM.getDocument")["root"]["nodeId"]
        node = self.call("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self.call("DOM.setFileInputFiles", files=[str(path)], nodeId=node)

    def shoot(self, path: Path, clip: dict[str, float]) -> None:
        """Take a picture of a part of the page, also where it is not in the window."""
        picture = self.call("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)["data"]
        path.write_bytes(base64.b64decode(picture))

    def problems(self) -> list[str]:
        """Return what the browser complained about: errors of scripts, and what a policy forbade."""
        thrown = [
            e["params"]["exceptionDetails"] for e in self.events if e["method"] == "Runtime.exceptionThrown"
        ]
        logged = [e["params"]["entry"] for e in self.events if e["method"] == "Log.entryAdded"]
        return [str(e) for e in thrown] + [e["text"] for e in logged if e["level"] == "error"]

    def requests(self) -> list[str]:
        """Return all addresses that the page asked for."""
        return [
            e["params"]["request"]["url"] for e in self.events if e["method"] == "Network.requestWillBeSent"
        ]

    def _read(self) -> dict:
        end = time.monotonic() + TIMEOUT_S
        while b"\0" not in self._bytes:
            ready, _, _ = select.select([self._answers], [], [], max(end - time.monotonic(), 0))
            assert ready, "the browser does not answer"
            piece = os.read(self._answers, 1 << 20)
            assert piece, "the browser ended"
            self._bytes += piece
        message, _, self._bytes = self._bytes.partition(b"\0")
        return json.loads(message)


@contextmanager
def browsing(*options: str) -> Iterator[Tab]:
    """Start a browser with one page and more options; the test skips where there is none."""
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("no Chromium is installed")
    theirs_in, commands = os.pipe()
    answers, theirs_out = os.pipe()
    # the browser reads its commands from 3 and writes to 4: keep our ends out of the way
    ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (theirs_in, theirs_out)]

    def arrange() -> None:
        os.dup2(ends[0], 3)
        os.dup2(ends[1], 4)

    with tempfile.TemporaryDirectory(prefix="chromium-", ignore_cleanup_errors=True) as profile:
        process = subprocess.Popen(
            [program, *OPTIONS, *options, f"--user-data-dir={profile}", "--remote-debugging-pipe"],
            preexec_fn=arrange,
            pass_fds=(3, 4),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for end in (theirs_in, theirs_out, *ends):
            os.close(end)
        try:
            yield Tab(commands, answers)
        finally:
            process.terminate()
            process.wait(timeout=10)
            os.close(commands)
            os.close(answers)
