"""The web page and the description of the interface: files of the package, nothing from the network."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Awaitable, Callable
from pathlib import Path

from fastapi import FastAPI
from starlette.responses import Response

from aspectlab.reports.look import BASE
from aspectlab.reports.opinions.look import STYLE
from aspectlab.reports.opinions.script import SCRIPT
from aspectlab.service.describing import describe_interface

_FOLDER = Path(__file__).parent / "page"

REPORT_POLICY = (
    "sandbox allow-scripts allow-downloads; default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; frame-ancestors 'none'"
)
"""For a report that is opened by itself; the page of the report forbids more."""


def add_pages(app: FastAPI) -> None:
    """Add the web page, what it loads, and the description of the interface."""
    policy = {"Content-Security-Policy": _page_policy()}
    files = {
        "/": (_read("index.html"), "text/html"),
        "/page.css": (BASE + _read("page.css"), "text/css"),
        "/page.js": (_read("page.js"), "text/javascript"),
        "/docs": (describe_interface(app.openapi()), "text/html"),
    }
    for path, (content, kind) in files.items():
        answer = Response(content, headers=policy, media_type=kind)
        app.add_api_route(path, _always(answer), include_in_schema=False)


def _always(answer: Response) -> Callable[[], Awaitable[Response]]:
    async def give() -> Response:
        return answer

    return give


def _page_policy() -> str:
    """Allow our own files, and the style and script of reports: the frame of a report inherits this."""
    return (
        f"default-src 'none'; script-src 'self' '{_digest(SCRIPT)}'; style-src 'self' '{_digest(STYLE)}'; "
        "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")
