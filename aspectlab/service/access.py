"""Access: who may use the service, by the token, the site of a page, and the name in the address."""

import hmac
import os
import re
import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TypeVar

from starlette.datastructures import Headers
from starlette.routing import BaseRoute, Route

from aspectlab.errors import ConfigError
from aspectlab.service.problems import Problem

_TOKEN = re.compile(r"[!-~]{8,512}")
_SCHEME = "bearer "


def read_token(variable: str) -> str:
    """Take the token from an environment variable; its value is never shown."""
    token = os.environ.get(variable, "")
    if not _TOKEN.fullmatch(token):
        found = f"{len(token)} characters" if token else "nothing"
        raise ConfigError(
            f"--token-variable {variable}: found {found} in this environment variable: "
            "expected 8 to 512 visible ASCII characters without spaces; try: "
            f"export {variable}=$(openssl rand -hex 32)"
        )
    return token


def make_token() -> str:
    """Draw a token that nobody can guess."""
    return secrets.token_urlsafe(24)


Endpoint = TypeVar("Endpoint", bound=Callable[..., object])
_PUBLIC = "is_public"


def public(endpoint: Endpoint) -> Endpoint:
    """Declare that a route needs no token; every other route requires it where one is set."""
    setattr(endpoint, _PUBLIC, True)
    return endpoint


def list_public(routes: Iterable[BaseRoute]) -> frozenset[tuple[str, str]]:
    """List the methods and paths of the routes that were declared public."""
    return frozenset(
        (method, route.path)
        for route in routes
        if isinstance(route, Route) and getattr(route.endpoint, _PUBLIC, False)
        for method in route.methods or ()
    )


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach an address.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@dataclass(frozen=True, slots=True)
class Access:
    """Who may ask."""

    token: str | None = None
    """What clients must send, except to public routes."""

    hosts: frozenset[str] = frozenset()
    """Names of the service, in lower case, beside localhost."""

    def check(self, headers: Headers, *, is_public: bool, is_safe: bool) -> None:
        """Refuse a request by its headers; one that is safe only reads."""
        self._check_host(headers.get("host", ""))
        if not is_public:
            self._check_token(headers.get("authorization", ""))
        if not is_safe:
            _check_site(headers)

    def _check_host(self, host: str) -> None:
        """Refuse a name that its owner may have pointed at this machine, to read answers (DNS rebinding).

        An address is nobody's, and no page of another site knows the token.
        """
        name = _strip_port(host).lower().removesuffix(".")
        if self.token is not None or _is_own(name) or name in self.hosts:
            return
        raise Problem(
            421,
            "unknown_host",
            f"{name[:60]!r} is no name of this service",
            "ask for localhost, or start the service with --allowed-host NAME",
        )

    def _check_token(self, sent: str) -> None:
        if self.token is None:
            return
        given = sent[len(_SCHEME) :].strip() if sent.lower().startswith(_SCHEME) else ""
        # the time of the comparison must not tell how much of a guess is right
        if not hmac.compare_digest(given.encode(), self.token.encode()):
            raise Problem(
                401,
                "unauthorized",
                "a valid token is missing",
                "send the header 'Authorization: Bearer TOKEN'",
                headers={"WWW-Authenticate": 'Bearer realm="aspectlab"'},
            )


def _check_site(headers: Headers) -> None:
    """Refuse what a page of another site makes a visitor's browser send."""
    site = headers.get("sec-fetch-site")
    if site is None:
        # browsers send it to https and to loopback only; elsewhere the origin of the page must be ours
        origin = headers.get("origin")
        is_ours = origin is None or origin.partition("://")[2].lower() == headers.get("host", "").lower()
    else:
        is_ours = site in {"none", "same-origin"}
    if not is_ours:
        raise Problem(
            403, "cross_site", "the request comes from a page of another site", "use the page of this service"
        )


def _strip_port(host: str) -> str:
    """Return the name or the address in a Host header.

    >>> _strip_port("localhost:8000"), _strip_port("[::1]:8000"), _strip_port("[::1]")
    ('localhost', '::1', '::1')
    """
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0]


def _is_own(name: str) -> bool:
    # browsers always name a host: what names none is a plain check that the service lives
    if name in {"", "localhost"} or name.endswith(".localhost"):
        return True
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
