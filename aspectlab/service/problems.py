"""Problem: a request that is not served, told to the client in one form."""

from __future__ import annotations

import json

from starlette.exceptions import HTTPException
from starlette.responses import Response

RETRY_AFTER_S = 2
"""When a client may try again if the service is busy."""


class Problem(HTTPException):
    """A request that is not served: its status, a code for programs, and what was wrong and what to do."""

    def __init__(
        self, status: int, code: str, message: str, remedy: str, *, headers: dict[str, str] | None = None
    ) -> None:
        super().__init__(status, message, headers)
        self.code = code
        self.remedy = remedy

    def response(self) -> Response:
        """Give the answer that tells it."""
        body = render_error(self.code, self.detail, self.remedy)
        return Response(body, self.status_code, self.headers, "application/json")


def render_error(code: str, message: str, remedy: str) -> bytes:
    """Write the body of an error.

    >>> render_error("not_found", "no such path", "see /docs")
    b'{"error":{"code":"not_found","message":"no such path","remedy":"see /docs"}}'
    """
    error = {"code": code, "message": message, "remedy": remedy}
    # ASCII only: a message may quote what a client sent, also half a surrogate pair
    return json.dumps({"error": error}, separators=(",", ":")).encode()


def busy(message: str, retry_after_s: int = RETRY_AFTER_S) -> Problem:
    """Tell that there is too much to do just now."""
    remedy = f"try again in {retry_after_s} seconds"
    return Problem(429, "busy", message, remedy, headers={"Retry-After": str(retry_after_s)})


def too_large(limit: int, what: str = "the body has") -> Problem:
    """Tell that a body is over its limit."""
    return Problem(
        413,
        "body_too_large",
        f"{what} more than {limit:,} bytes",
        "send it in parts, or use the command `aspectlab analyze`, which has no limit",
    )
