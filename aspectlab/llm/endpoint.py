"""Endpoint: the address and key of a model, and one HTTP request to it."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from io import BufferedReader, RawIOBase
from ipaddress import ip_address
from socket import socket
from typing import TYPE_CHECKING, BinaryIO
from urllib.parse import SplitResult, urlsplit
from urllib.request import HTTPHandler, HTTPSHandler, OpenerDirector, ProxyHandler, Request

from aspectlab.errors import ConfigError, EndpointError
from aspectlab.version import VERSION

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

KEY_VARIABLE = "OPENAI_API_KEY"
_PATH = "/chat/completions"
_EXPECTED = "expected an address such as https://api.openai.com/v1 or http://localhost:8000/v1"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The address of a chat API, and the name of the variable that holds its key.

    Without a name the variable is OPENAI_API_KEY; where that is unset, no key is sent.

    >>> Endpoint("http://localhost:8000/v1/").chat_url
    'http://localhost:8000/v1/chat/completions'
    >>> Endpoint("localhost:8000")
    Traceback (most recent call last):
    aspectlab.errors.ConfigError: endpoint 'localhost:8000': expected an address such as \
https://api.openai.com/v1 or http://localhost:8000/v1
    """

    url: str
    key_variable: str | None = None

    def __post_init__(self) -> None:
        parts = _split(self.url)
        # the default variable may hold the key of another service: to send it in the clear takes a word
        if self.key and parts.scheme == "http" and not self.is_local and self.key_variable is None:
            raise ConfigError(
                f"endpoint {self.url!r}: the key in {KEY_VARIABLE} would travel unencrypted; use https, or "
                f"agree with --key-variable {KEY_VARIABLE}, or name a variable that is not set"
            )

    @property
    def chat_url(self) -> str:
        """The address that questions go to."""
        return self.url.rstrip("/").removesuffix(_PATH) + _PATH

    @property
    def is_local(self) -> bool:
        """Whether what is sent stays on this machine."""
        host = urlsplit(self.url).hostname or ""
        try:
            return host == "localhost" or ip_address(host).is_loopback
        except ValueError:
            return False

    @property
    def variable(self) -> str:
        """The name of the environment variable that holds the key."""
        return self.key_variable or KEY_VARIABLE

    @property
    def key(self) -> str | None:
        """The key, as the environment has it now."""
        key = os.environ.get(self.variable, "").strip()
        # http.client would name a value that no header can hold in its error message
        if not (key.isascii() and key.isprintable()):
            raise ConfigError(
                f"environment variable {self.variable}: its value cannot be a key: expected printable ASCII "
                "characters; set it again"
            )
        return key or None

    def redact(self, text: str) -> str:
        """Remove the key from what the endpoint said: some repeat it in their errors."""
        key = self.key
        return text.replace(key, "[key]") if key else text


def _split(url: str) -> SplitResult:
    """Take an address apart, or refuse it; one that may hold a secret is not repeated in the message."""
    try:
        parts = urlsplit(url)
        secret = parts.username is not None or parts.password is not None or parts.query or parts.fragment
        (parts.hostname or "").encode("idna")
        _ = parts.port  # a port that is no number shows itself only when asked for
    except ValueError:
        raise ConfigError(f"endpoint {url!r}: {_EXPECTED}") from None
    if secret:
        raise ConfigError(
            "endpoint: the address holds a user name, a password, a query or a fragment: "
            f"{_EXPECTED}; the key comes from an environment variable"
        )
    is_plain = url.isascii() and url.isprintable() and " " not in url
    if parts.scheme not in ("http", "https") or not parts.hostname or not is_plain:
        raise ConfigError(f"endpoint {url!r}: {_EXPECTED}")
    return parts


_LARGEST = 8 * 2**20
"""No answer to a question about one text has more bytes."""


@dataclass(frozen=True, slots=True)
class Response:
    """The status, the body, and the two headers that matter."""

    status: int
    text: str
    retry_after: str | None = None
    location: str | None = None


def post(
    endpoint: Endpoint,
    body: Mapping[str, object],
    timeout_s: float,
    is_aborted: Callable[[], bool] = lambda: False,
) -> Response:
    """Send a question; raises OSError or HTTPException where no whole response came in time.

    Where `is_aborted` becomes true, the answer is not waited for any longer.
    """
    headers = {"Content-Type": "application/json", "User-Agent": f"aspectlab/{VERSION}"}
    if endpoint.key:
        headers["Authorization"] = f"Bearer {endpoint.key}"
    payload = json.dumps(body).encode("ascii")
    request = Request(endpoint.chat_url, payload, headers)  # noqa: S310 (Endpoint lets only http and https pass)
    patience = _Patience(time.monotonic() + timeout_s, is_aborted)
    with _opener(endpoint, patience).open(request, timeout=timeout_s) as response:
        text = _read(response).decode("utf-8", "replace")
        named = response.headers
        return Response(response.status, text, named.get("Retry-After"), named.get("Location"))


_GLANCE_S = 0.25


@dataclass(frozen=True, slots=True)
class _Patience:
    """How long a whole exchange may take, from the first byte of the question to the last of the answer."""

    deadline: float
    is_aborted: Callable[[], bool]

    def next_wait_s(self) -> float:
        """Return how long to wait for bytes before looking again; raises once that has gone on too long."""
        left_s = self.deadline - time.monotonic()
        if self.is_aborted():
            raise ConnectionAbortedError("the command was stopped")
        if left_s <= 0:
            raise TimeoutError("timed out")
        return min(left_s, _GLANCE_S)


class _PatientReader(RawIOBase):
    """The bytes of a socket until a deadline: its own timeout starts anew with each byte that drips in."""

    def __init__(self, connection: socket, file: BinaryIO, patience: _Patience) -> None:
        self._connection, self._file, self._patience = connection, file, patience

    def readable(self) -> bool:
        """Return that it can be read."""
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Read what there is, waiting for the first byte."""
        while True:
            self._connection.settimeout(self._patience.next_wait_s())
            with suppress(TimeoutError):
                return self._connection.recv_into(buffer)

    def close(self) -> None:
        """Close the file, which keeps the socket open until then."""
        self._file.close()
        super().close()


class _PatientResponse(HTTPResponse):
    """A response of which status, headers and body have one deadline together."""

    def __init__(self, connection: socket, patience: _Patience, method: str | None = None) -> None:
        super().__init__(connection, method=method)
        self.fp = BufferedReader(_PatientReader(connection, self.fp, patience))


class _PatientHandler(HTTPHandler, HTTPSHandler):
    """Opens plain and encrypted connections."""

    def __init__(self, patience: _Patience) -> None:
        HTTPHandler.__init__(self)
        HTTPSHandler.__init__(self)
        self._patience = patience

    def http_open(self, req: Request) -> HTTPResponse:
        """Open a plain connection."""
        return self.do_open(partial(self._connect, HTTPConnection), req)

    def https_open(self, req: Request) -> HTTPResponse:
        """Open an encrypted connection."""
        return self.do_open(partial(self._connect, HTTPSConnection), req)

    def _connect(self, kind: type[HTTPConnection], host: str, *, timeout: float) -> HTTPConnection:
        connection = kind(host, timeout=timeout)
        connection.response_class = partial(_PatientResponse, patience=self._patience)  # type: ignore[assignment]
        return connection


def _opener(endpoint: Endpoint, patience: _Patience) -> OpenerDirector:
    """Go through the usual proxies, but follow no redirect, lest another host get the key."""
    opener = OpenerDirector()
    for handler in (ProxyHandler({} if endpoint.is_local else None), _PatientHandler(patience)):
        opener.add_handler(handler)
    return opener


def _read(response: HTTPResponse) -> bytes:
    """Read the body, if it is not larger than any answer."""
    body = b""
    while chunk := response.read1(65_536):
        body += chunk
        if len(body) > _LARGEST:
            raise EndpointError(f"the answer has more than {_LARGEST:,} bytes: expected a chat answer")
    if response.length:
        raise ConnectionError(f"the connection ended {response.length} bytes too early")
    return body
