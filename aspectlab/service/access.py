"""Who may ask: a bearer token where one is set, and no other site's pages."""

from __future__ import annotations

import hmac
import os
import re
from ipaddress import ip_address

from starlette.datastructures import Headers

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
            "expected 8 to 512 visible ASCII characters without blanks; try: "
            f"export {variable}=$(openssl rand -hex 32)"
        )
    return token


def check_token(headers: Headers, token: str | None) -> None:
    """Refuse a request without the right token."""
    if token is None:
        return
    sent = headers.get("authorization", "")
    given = sent[len(_SCHEME) :].strip() if sent.lower().startswith(_SCHEME) else ""
    # the time of the comparison must not tell how much of a guess is right
    if not hmac.compare_digest(given.encode(), token.encode()):
        raise Problem(
            401,
            "unauthorized",
            "a valid token is missing",
            "send the header 'Authorization: Bearer TOKEN'",
            headers={"WWW-Authenticate": 'Bearer realm="aspectlab"'},
        )


def check_site(headers: Headers) -> None:
    """Refuse what a page of another site makes a visitor's browser send."""
    if headers.get("sec-fetch-site", "none") not in {"none", "same-origin"}:
        raise Problem(
            403, "cross_site", "the request comes from a page of another site", "use the page of this service"
        )


def is_loopback(host: str) -> bool:
    """Tell whether only this machine can reach an address.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
