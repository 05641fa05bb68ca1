"""Endpoint: the address and key of a model, and one HTTP request to it."""

import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPResponse
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit
from urllib.request import HTTPHandler, HTTPSHandler, OpenerDirector, ProxyHandler, Request

from aspectlab.errors import ConfigError, EndpointError
from aspectlab.version import VERSION

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
                f"endpoint {self.url!r}: the key in {KEY_VARIABLE} would travel unencrypted: use https, or "
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
                "characters; set it anew"
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


def post(endpoint: Endpoint, body: Mapping[str, object], timeout_s: float) -> Response:
    """Send a question; raises OSError or HTTPException where no whole response came in time."""
    headers = {"Content-Type": "application/json", "User-Agent": f"aspectlab/{VERSION}"}
    if endpoint.key:
        headers["Authorization"] = f"Bearer {endpoint.key}"
    payload = json.dumps(body).encode("ascii")
    request = Request(endpoint.chat_url, payload, headers)  # noqa: S310 (Endpoint lets only http and https pass)
    deadline = time.monotonic() + timeout_s
    with _opener(endpoint).open(request, timeout=timeout_s) as response:
        text = _read(response, deadline).decode("utf-8", "replace")
        named = response.headers
        return Response(response.status, text, named.get("Retry-After"), named.get("Location"))


def _opener(endpoint: Endpoint) -> OpenerDirector:
    """Go through the usual proxies, but follow no redirect, lest another host get the key."""
    opener = OpenerDirector()
    for handler in (ProxyHandler({} if endpoint.is_local else None), HTTPHandler(), HTTPSHandler()):
        opener.add_handler(handler)
    return opener


def _read(response: HTTPResponse, deadline: float) -> bytes:
    """Read the body; the time-out of a socket starts anew with each byte, so the whole has its own."""
    body = b""
    while chunk := response.read1(65_536):
        body += chunk
        if time.monotonic() > deadline:
            raise TimeoutError("timed out")
        if len(body) > _LARGEST:
            raise EndpointError(f"the answer has more than {_LARGEST:,} bytes: expected a chat answer")
    if response.length:
        raise ConnectionError(f"the connection ended {response.length} bytes too early")
    return body
