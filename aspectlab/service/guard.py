"""Guard: what every request passes before and after the application."""

from __future__ import annotations

import time
from collections.abc import Mapping

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from aspectlab.service.access import check_site, check_token
from aspectlab.service.exchange import BodyRule, Exchange, Holding
from aspectlab.service.limits import Limits
from aspectlab.service.metrics import OTHER, Metrics
from aspectlab.service.problems import Problem, too_large

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


class Guard:
    """The outermost application: checks, limits, headers and counts."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        rules: Mapping[str, BodyRule],
        secret: frozenset[str],
        token: str | None,
        limits: Limits,
        metrics: Metrics,
    ) -> None:
        """Put the guard before an application; `secret` are the paths that need the token."""
        self._app = app
        self._rules = rules
        self._secret = secret
        self._token = token
        self._limits = limits
        self._metrics = metrics
        self._holding = Holding(limits.buffered_bytes)

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
            holding=self._holding,
            limits=self._limits,
            headers=SECURITY,
        )
        # the server leaves out the body of an answer to HEAD
        inner = {**scope, "method": "GET"} if scope["method"] == "HEAD" else scope
        self._metrics.in_flight += 1
        try:
            await self._answer(inner, exchange)
        finally:
            self._metrics.in_flight -= 1
            exchange.release()
            path = getattr(inner.get("route"), "path", OTHER)
            self._metrics.record(scope["method"], path, exchange.status, time.perf_counter() - start)

    async def _answer(self, scope: Scope, exchange: Exchange) -> None:
        try:
            self._check(scope["path"], scope["method"], Headers(scope=scope))
        except Problem as problem:
            await problem.response()(scope, exchange.receive, exchange.send)
            return
        await self._app(scope, exchange.receive, exchange.send)

    def _check(self, path: str, method: str, headers: Headers) -> None:
        """Refuse by the headers alone, before anything of the body is read."""
        if path in self._secret:
            check_token(headers, self._token)
        rule = self._rules.get(path, _FREE)
        if method == "POST":
            check_site(headers)
            _check_content(headers, rule)
        length = headers.get("content-length", "0")
        if length.isdecimal() and int(length[:20]) > rule.limit:
            raise too_large(rule.limit)


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
