"""Exchange: one request and its answer, with the bytes counted, the time limited and the headers added."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import Message, Receive, Scope, Send

from aspectlab.service.limits import Limits
from aspectlab.service.problems import Problem, busy, too_large

_SMALL_BODY = 64 << 10
# the rest of a body that was refused is read and dropped for so long, or the client might never see why
_LINGER_S, _LINGER_BYTES = 5.0, 64 << 20


@dataclass(frozen=True, slots=True)
class BodyRule:
    """What a path accepts as its body."""

    limit: int = _SMALL_BODY
    is_held: bool = False
    """Held in memory as a whole, so counted against what all requests may hold."""

    content_type: str | None = None


@dataclass(eq=False, slots=True)
class Holding:
    """The bytes of bodies that all requests hold together."""

    limit: int
    held: int = 0


class Exchange:
    """Stands between the server and the application for one request."""

    def __init__(
        self,
        scope: Scope,
        receive: Receive,
        send: Send,
        *,
        rule: BodyRule,
        holding: Holding,
        limits: Limits,
        headers: Mapping[str, str],
    ) -> None:
        self._receive = receive
        self._send = send
        self._rule = rule
        self._holding = holding
        self._limits = limits
        self._headers = headers
        self._deadline: float | None = None
        self._bytes = self._held = 0
        sent = Headers(scope=scope)
        self._is_read = "transfer-encoding" not in sent and sent.get("content-length", "0") == "0"
        self.status = 0

    async def receive(self) -> Message:
        """Give the next part of the body, or raise what is wrong with it."""
        if self._is_read:
            return await self._receive()
        message = await self._receive_in_time()
        body = message.get("body", b"")
        self._bytes += len(body)
        if self._bytes > self._rule.limit:
            raise too_large(self._rule.limit)
        if self._rule.is_held:
            self._hold(len(body))
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
        """Give back what the body held."""
        self._holding.held -= self._held
        self._held = 0

    def _hold(self, size: int) -> None:
        if self._holding.held + size > self._holding.limit:
            raise busy("the requests being read hold as much as they may")
        self._holding.held += size
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
