"""Guard: what every request passes before and after the application."""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from aspectlab.service.access import Access
from aspectlab.service.fairness import Room
from aspectlab.service.limits import MAX_KEYS, MAX_MARKS, MAX_STRINGS, MAX_TEXTS, Limits
from aspectlab.service.metrics import OTHER, Metrics
from aspectlab.service.problems import Problem, busy, too_large

_BLANKS = b" \t\r\n"


class Structure:
    r"""Counts how many strings a JSON body has, and what stands between them, while the body comes.

    A parser makes an object of each, and a check an error of each that is wrong: hundreds of thousands of
    them would stop the service for a second. Here they cost what it takes to look at the bytes.

    >>> structure = Structure()
    >>> structure.add(b'{"texts": ["a \\')
    >>> structure.add(b'" b"]}')
    >>> structure.strings, structure.marks
    (2, 5)
    """

    def __init__(self) -> None:
        self.marks = 0
        """The characters outside strings, but for blanks."""

        self.keys = 0
        """The colons among them: each stands behind a key."""

        self._quotes = 0
        self._rest = b""

    @property
    def strings(self) -> int:
        """The strings that are complete."""
        return self._quotes // 2

    def add(self, piece: bytes) -> None:
        """Count the next part of the body, or refuse it."""
        if b"\0" in piece:
            # JSON in UTF-16, which would be counted wrongly
            raise Problem(400, "invalid_json", "body: a zero byte", "send valid JSON in UTF-8")
        # what an escaped backslash leaves behind it is no escape
        plain = (self._rest + piece).replace(b"\\\\", b"")
        self._rest = b"\\" if plain.endswith(b"\\") else b""
        plain = plain.removesuffix(b"\\").replace(b'\\"', b"")
        is_inside = self._quotes % 2
        self._quotes += plain.count(b'"')
        self._refuse_many()
        for outside in plain.split(b'"')[is_inside::2]:
            self.marks += len(outside.translate(None, _BLANKS))
            self.keys += outside.count(b":")
        self._refuse_many()

    def _refuse_many(self) -> None:
        if self.strings > MAX_STRINGS or self.keys > MAX_KEYS or self.marks > MAX_MARKS:
            found = (
                f"body: more than {MAX_STRINGS:,} strings, {MAX_KEYS} keys, or {MAX_MARKS:,} other characters"
            )
            raise Problem(422, "invalid_request", found, f"send at most {MAX_TEXTS} texts, and nothing else")


_SMALL_BODY = 64 << 10
# the rest of a body that was refused is read and dropped for so long, or the client might never see why
_LINGER_S, _LINGER_BYTES = 5.0, 64 << 20


@dataclass(frozen=True, slots=True)
class BodyRule:
    """What a path accepts as its body."""

    limit: int = _SMALL_BODY
    room: Room | None = None
    """Counts what is kept until the request ends, in memory or on disk."""

    content_type: str | None = None

    @property
    def is_json(self) -> bool:
        """Whether the body is JSON, whose parts are counted."""
        return self.content_type == "application/json"


class Exchange:
    """Stands between the server and the application for one request."""

    def __init__(
        self,
        scope: Scope,
        receive: Receive,
        send: Send,
        *,
        rule: BodyRule,
        limits: Limits,
        headers: Mapping[str, str],
    ) -> None:
        self._receive = receive
        self._send = send
        self._rule = rule
        self._limits = limits
        self._headers = headers
        self._deadline: float | None = None
        self._bytes = self._held = 0
        self._structure = Structure() if rule.is_json else None
        sent = Headers(scope=scope)
        self._is_read = "transfer-encoding" not in sent and sent.get("content-length", "0") == "0"
        self.status = 0

    async def receive(self) -> Message:
        """Return the next part of the body, or raise what is wrong with it."""
        if self._is_read:
            return await self._receive()
        message = await self._receive_in_time()
        body = message.get("body", b"")
        self._bytes += len(body)
        if self._bytes > self._rule.limit:
            raise too_large(self._rule.limit)
        if self._rule.room:
            self._hold(self._rule.room, len(body))
        if self._structure:
            self._structure.add(body)
        return message

    async def send(self, message: Message) -> None:
        """Pass the answer on with the headers that every answer has."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            # a copy: the pages' answers are made once and sent many times
            message = {**message, "headers": list(message.get("headers", ()))}
            headers = MutableHeaders(scope=message)
            for name, value in self._headers.items():
                headers.setdefault(name, value)
            if not self._is_read:
                headers["connection"] = "close"
            await self._send(message)
        elif message.get("more_body") or self._is_read:
            await self._send(message)
        else:
            await self._send({**message, "more_body": True})
            await self._drop_rest()
            await self._send({"type": "http.response.body", "body": b"", "more_body": False})

    def release(self) -> None:
        """Release the bytes that the body held."""
        if self._rule.room:
            self._rule.room.held -= self._held
        self._held = 0

    def _hold(self, room: Room, size: int) -> None:
        if not room.fits(self._held + size, held=self._held):
            raise busy("the requests being read hold as much as they may")
        room.held += size
        self._held += size

    async def _receive_in_time(self) -> Message:
        now = asyncio.get_running_loop().time()
        if self._deadline is None:
            self._deadline = now + self._limits.body_s
        try:
            async with asyncio.timeout_at(min(self._deadline, now + self._limits.silence_s)):
                message = await self._receive()
        except TimeoutError:
            raise Problem(
                408, "request_timeout", "the body did not come in time", "send it without pauses"
            ) from None
        self._is_read = not message.get("more_body", False)
        return message

    async def _drop_rest(self) -> None:
        """Read what the client still sends, without keeping it, so that it gets to see the answer."""
        dropped = 0
        try:
            async with asyncio.timeout(min(_LINGER_S, self._limits.silence_s)):
                while dropped < _LINGER_BYTES and not self._is_read:
                    message = await self._receive()
                    dropped += len(message.get("body", b""))
                    self._is_read = not message.get("more_body", False)
        except TimeoutError:
            return


SECURITY = {
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}
"""Headers of every answer; a page sets its own policy."""

_FREE = BodyRule()
_SAFE = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})


class Guard:
    """The outermost application: checks, limits, headers and counts."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        rules: Mapping[str, BodyRule],
        public: frozenset[tuple[str, str]],
        access: Access,
        limits: Limits,
        metrics: Metrics,
    ) -> None:
        """Wrap an application in the guard; `public` are the methods and paths that need no token."""
        self._app = app
        self._rules = rules
        self._public = public
        self._access = access
        self._limits = limits
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        start = time.perf_counter()
        exchange = Exchange(
            scope,
            receive,
            send,
            rule=self._rules.get(scope["path"], _FREE),
            limits=self._limits,
            headers=SECURITY,
        )
        # the server leaves out the body of an answer to HEAD
        inner = {**scope, "method": "GET"} if scope["method"] == "HEAD" else scope
        self._metrics.in_flight.inc()
        try:
            await self._answer(inner, exchange)
        finally:
            self._metrics.in_flight.dec()
            exchange.release()
            path = getattr(inner.get("route"), "path", OTHER)
            self._metrics.record(scope["method"], path, exchange.status, time.perf_counter() - start)

    async def _answer(self, scope: Scope, exchange: Exchange) -> None:
        try:
            self._check(scope, Headers(scope=scope))
        except Problem as problem:
            await problem.response()(scope, exchange.receive, exchange.send)
            return
        await self._app(scope, exchange.receive, exchange.send)

    def _check(self, scope: Scope, headers: Headers) -> None:
        """Refuse by the address and the headers alone, before anything of the body is read."""
        if len(headers) > self._limits.header_fields:
            raise Problem(
                431,
                "too_many_headers",
                f"the request has more than {self._limits.header_fields} headers",
                "send only what /docs names",
            )
        method, path = scope["method"], scope["path"]
        self._access.check(headers, is_public=(method, path) in self._public, is_safe=method in _SAFE)
        _check_query(scope["query_string"], self._limits)
        rule = self._rules.get(path, _FREE)
        if method == "POST":
            _check_content(headers, rule)
        length = headers.get("content-length", "0")
        if length.isdecimal() and int(length[:20]) > rule.limit:
            raise too_large(rule.limit)


def _check_query(query: bytes, limits: Limits) -> None:
    # the time to check keys that are not known grows with the square of their number
    if len(query) <= limits.query_bytes and query.count(b"&") < limits.query_keys:
        return
    raise Problem(
        414,
        "query_too_long",
        f"the query has more than {limits.query_bytes:,} bytes or {limits.query_keys} keys",
        "send only what /docs names",
    )


def _check_content(headers: Headers, rule: BodyRule) -> None:
    # a packed body may be a thousand times larger than what was sent
    if headers.get("content-encoding", "identity").lower() != "identity":
        raise Problem(415, "packed_body", "the body is packed (Content-Encoding)", "send it as it is")
    found = headers.get("content-type", "").partition(";")[0].strip().lower()
    # its borders would be read as reviews
    if found == "multipart/form-data":
        raise Problem(
            415,
            "form_body",
            "the body is a form, not a file",
            "send the file as it is: curl --data-binary @FILE",
        )
    if rule.content_type and found != rule.content_type:
        raise Problem(
            415,
            "wrong_content_type",
            f"the body is {found[:60]!r}, not {rule.content_type}",
            f"send the header 'Content-Type: {rule.content_type}'",
        )
