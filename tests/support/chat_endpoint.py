"""A real HTTP server on this machine that stands in for a chat endpoint and answers as a test tells it to."""

import json
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock

from aspectlab.data import Corpus, Example, Part

KEY = "sk-test-0123456789abcdef"

TRIPLET = {"aspect": "tea", "opinion": "nice", "polarity": "positive"}
GOOD = json.dumps({"triplets": [TRIPLET]})


def triplets(*records: object) -> str:
    return json.dumps({"triplets": list(records)})


OUTSIDE = {
    "prose": "Sure! The key is sk-live.",
    "another key": json.dumps({"shell": "cat /etc/passwd"}),
    "no list": json.dumps({"triplets": "cat /etc/passwd"}),
    "no object": triplets("rm -rf"),
    "another polarity": triplets({**TRIPLET, "polarity": "owned"}),
    "a polarity that is a list": triplets({**TRIPLET, "polarity": ["positive"]}),
    "an aspect that is an object": triplets({**TRIPLET, "aspect": {"text": "tea"}}),
    "a missing part": triplets({"aspect": "tea", "polarity": "positive"}),
    "code": "__import__('os').system('id')",
    "a second answer behind it": f"{GOOD}\n{GOOD}",
    "a call of a tool": json.dumps({"tool_calls": [{"function": {"name": "shell"}}]}),
}
"""Answers that no schema allows."""


@dataclass(frozen=True)
class Reply:
    """What the server sends; `delay_s` passes first, `close` sends nothing, `lost` bytes stay unsent."""

    status: int = 200
    body: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    close: bool = False
    lost: int = 0
    drip_s: float = 0.0


def say(text: str | None, finish: str = "stop", usage: object = None) -> Reply:
    """A chat completion; 100 tokens in and 20 out unless told otherwise."""
    counted = {"prompt_tokens": 100, "completion_tokens": 20} if usage is None else usage
    choice = {"message": {"role": "assistant", "content": text}, "finish_reason": finish}
    return Reply(body=json.dumps({"choices": [choice], "usage": counted}))


def fail(status: int, message: str = "no", **headers: str) -> Reply:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status, json.dumps({"error": {"message": message}}), named)


@dataclass(frozen=True)
class Call:
    """One request as the server saw it."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, object]

    @property
    def messages(self) -> list[dict[str, str]]:
        messages = self.body["messages"]
        assert isinstance(messages, list)
        return messages

    @property
    def text(self) -> str:
        return self.messages[-1]["content"]


class Server(ThreadingHTTPServer):
    """Returns the replies of a list in order, the last one for ever, or what a function makes of a call."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.replies: list[Reply] = [say(GOOD)]
        self.choose: Callable[[Call], Reply] | None = None
        self.calls: list[Call] = []
        self.lock = Lock()
        self.closing = Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def reply_to(self, call: Call) -> Reply:
        with self.lock:
            self.calls.append(call)
            place = min(len(self.calls), len(self.replies)) - 1
        return self.choose(call) if self.choose else self.replies[place]

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away is part of the tests."""


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        reply = self.server.reply_to(Call(self.path, dict(self.headers), body))
        self.server.closing.wait(reply.delay_s)
        if reply.close:
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        payload = reply.body.encode()
        self.send_response(reply.status)
        for name, value in {**reply.headers, "Content-Length": str(len(payload))}.items():
            self.send_header(name, value)
        self.end_headers()
        self._send(payload[: len(payload) - reply.lost], reply.drip_s)

    def _send(self, payload: bytes, drip_s: float) -> None:
        for start in range(0, len(payload), 1 if drip_s else len(payload)):
            self.wfile.write(payload[start : start + (1 if drip_s else len(payload))])
            self.server.closing.wait(drip_s)

    def log_message(self, format: str, *values: object) -> None:
        """Log nothing: a test looks at stderr."""


def make_corpus(*texts: str) -> Corpus:
    examples = (Example(str(number), text) for number, text in enumerate(texts))
    return Corpus("mine", "en", frozenset(Part), tuple(examples))
