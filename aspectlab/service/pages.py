"""Pages of the service: the page for people and the description of the interface."""

import base64
import hashlib
import json
from collections.abc import Awaitable, Callable, Iterator, Mapping
from pathlib import Path
from typing import cast

from fastapi import FastAPI
from starlette.responses import Response

from aspectlab.analysis import REPORT_SCRIPTS, REPORT_STYLES
from aspectlab.reports import BASE_STYLE, escape_html, load_assets
from aspectlab.service.access import public
from aspectlab.service.schemas import EXAMPLES

_FOLDER = Path(__file__).parent / "page"

REPORT_POLICY = (
    "sandbox allow-scripts allow-downloads; default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'"
)
"""For a report that is opened by itself; the page of the report forbids more."""


def add_pages(app: FastAPI) -> None:
    """Add the web page, what it loads, and the description of the interface."""
    policy = {"Content-Security-Policy": _page_policy()}
    files = {
        "/": (_read("index.html"), "text/html"),
        "/page.css": (load_assets(BASE_STYLE) + _read("page.css"), "text/css"),
        "/page.js": (_read("page.js"), "text/javascript"),
        "/docs": (describe_interface(app.openapi()), "text/html"),
    }
    for path, (content, kind) in files.items():
        answer = Response(content, headers=policy, media_type=kind)
        app.add_api_route(path, public(_always(answer)), include_in_schema=False)


def _always(answer: Response) -> Callable[[], Awaitable[Response]]:
    async def answer_always() -> Response:
        return answer

    return answer_always


def _page_policy() -> str:
    """Allow our own files, and the style and script of reports: the frame of a report inherits this."""
    script, style = _digest(load_assets(*REPORT_SCRIPTS)), _digest(load_assets(*REPORT_STYLES))
    return (
        f"default-src 'none'; script-src 'self' '{script}'; style-src 'self' '{style}'; "
        "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


Record = Mapping[str, object]


def describe_interface(document: Record) -> str:
    """Return a page with all operations, their parameters, examples and statuses."""
    about = cast(Record, document["info"])
    paths = cast(Mapping[str, Record], document["paths"])
    sections = (
        _describe(method, path, cast(Record, operation))
        for path, operations in paths.items()
        for method, operation in operations.items()
    )
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<title>aspectlab: interface</title>\n<link rel="icon" href="data:,">\n'
        '<link rel="stylesheet" href="/page.css">\n</head>\n<body>\n<main>\n'
        f"<h1>Interface of aspectlab {escape_html(str(about['version']))}</h1>\n"
        f'<p class="text">{escape_html(str(about["description"]))}</p>\n'
        '<p><a href="/">Web page</a> · <a href="/openapi.json">OpenAPI as JSON</a></p>\n'
        + "\n".join(sections)
        + "\n</main>\n</body>\n</html>\n"
    )


def _describe(method: str, path: str, operation: Record) -> str:
    pieces = [
        f"<section>\n<h2><code>{escape_html(method.upper())} {escape_html(path)}</code></h2>",
        f"<p>{escape_html(str(operation.get('description', '')))}</p>",
        *_describe_parameters(operation),
    ]
    body = cast(Record, operation.get("requestBody", {}))
    pieces += _show_example("Request", _find_example(body))
    responses = cast(Mapping[str, Record], operation["responses"])
    pieces += _show_example("Answer", _find_example(responses.get("200", {})))
    pieces += [
        "<h3>Statuses</h3>",
        '<table class="terms">',
        *_describe_statuses(responses),
        "</table>",
        "</section>",
    ]
    return "\n".join(pieces)


def _describe_parameters(operation: Record) -> Iterator[str]:
    parameters = cast(list[Record], operation.get("parameters", []))
    if not parameters:
        return
    yield '<h3>Query</h3>\n<table class="terms">'
    for parameter in parameters:
        needed = "required" if parameter.get("required") else "optional"
        meaning = str(parameter.get("description", ""))
        yield _row(f"<code>{escape_html(str(parameter['name']))}</code>", escape_html(f"{needed}. {meaning}"))
    yield "</table>"


def _describe_statuses(responses: Mapping[str, Record]) -> Iterator[str]:
    for status, response in responses.items():
        yield _row(escape_html(status), escape_html(str(response.get("description", ""))))


def _row(head: str, cell: str) -> str:
    return f'<tr><th scope="row">{head}</th><td>{cell}</td></tr>'


def _find_example(part: Record) -> object:
    """Find the example of a JSON body by the name of its schema."""
    content = cast(Mapping[str, Record], part.get("content", {}))
    schema = cast(Record, content.get("application/json", {}).get("schema", {}))
    return EXAMPLES.get(str(schema.get("$ref", "")).rpartition("/")[2])


def _show_example(title: str, example: object) -> list[str]:
    if example is None:
        return []
    text = json.dumps(example, ensure_ascii=False, indent=2)
    return [f"<h3>{title}</h3>", f'<pre tabindex="0">{escape_html(text)}</pre>']
