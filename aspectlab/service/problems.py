"""Problems: every refusal of the service in one form, and the handlers that write it."""

import json
from collections.abc import Sequence

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
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
        """Return the problem as an HTTP response."""
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
    """Return the problem for a service at its capacity."""
    remedy = f"try again in {retry_after_s} seconds"
    return Problem(429, "busy", message, remedy, headers={"Retry-After": str(retry_after_s)})


def too_large(limit: int, what: str = "the body has") -> Problem:
    """Return the problem for a body over its limit."""
    return Problem(
        413,
        "body_too_large",
        f"{what} more than {limit:,} bytes",
        "send it in parts, or use the command `aspectlab analyze`, which has no limit",
    )


_SEE = "see /docs for what the service offers"
_LONGEST = 300

KNOWN = {
    400: Problem(400, "invalid_body", "the body cannot be read", "send valid JSON in UTF-8"),
    404: Problem(404, "not_found", "there is no such path", _SEE),
    405: Problem(405, "method_not_allowed", "this path does not know this method", _SEE),
}


def add_answers(app: FastAPI) -> None:
    """Register handlers that give every failure the same form."""
    app.add_exception_handler(HTTPException, _answer_http)
    app.add_exception_handler(RequestValidationError, _answer_invalid)
    app.add_exception_handler(ClientDisconnect, _answer_gone)
    app.add_exception_handler(Exception, _answer_failure)


async def _answer_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if request.method == "OPTIONS" and error.status_code == 405:
        return Response(status_code=204, headers=error.headers)
    if isinstance(error, Problem):
        return error.response()
    known = KNOWN.get(error.status_code, KNOWN[400])
    headers = dict(error.headers) if error.headers else None
    return Problem(known.status_code, known.code, known.detail, known.remedy, headers=headers).response()


async def _answer_invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    where = describe_location(first["loc"])
    if first["type"] == "json_invalid":
        detail = f"body, character {first['loc'][-1]}: {first['ctx']['error']}"
        return Problem(400, "invalid_json", detail[:_LONGEST], "send valid JSON in UTF-8").response()
    more = len(error.errors()) - 1
    also = f" (and {more} more)" if more else ""
    message = f"{where}: {str(first['msg'])[:_LONGEST]}{also}"
    return Problem(422, "invalid_request", message, _SEE).response()


async def _answer_gone(request: Request, error: Exception) -> Response:
    # nobody reads this, but the request is counted by its status
    return Problem(400, "incomplete_body", "the client went away", "send the whole request").response()


async def _answer_failure(request: Request, error: Exception) -> Response:
    # the server logs the traceback; the client gets none of it
    return Problem(
        500, "internal_error", "the service failed on this request", "try again; the server's log says more"
    ).response()


def describe_location(location: Sequence[str | int]) -> str:
    """Name the part of a request that is wrong.

    >>> describe_location(("body", "texts", 3))
    'body.texts[3]'
    """
    pieces = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)
    # a client may name a key as it likes
    return "".join(pieces).removeprefix(".")[:_LONGEST]
