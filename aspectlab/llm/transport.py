"""One HTTP request and what comes back, whatever its status; nothing is followed or tried again here."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPResponse
from urllib.request import HTTPHandler, HTTPSHandler, OpenerDirector, ProxyHandler, Request

from aspectlab.errors import EndpointError
from aspectlab.llm.endpoint import Endpoint
from aspectlab.version import VERSION

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
