"""Endpoint: an address that is safe to send texts and a key to.

The key stays in its environment variable: it is read for each request and never held by an object, so no
message, `repr` or file can show it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

from aspectlab.errors import ConfigError

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
