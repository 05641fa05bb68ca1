"""The description of the interface as a page, made from OpenAPI: FastAPI's own loads from a network."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import cast

from aspectlab.reports.page import show
from aspectlab.service.schemas import EXAMPLES

Record = Mapping[str, object]


def describe_interface(document: Record) -> str:
    """Give a page with all operations, their parameters, examples and statuses."""
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
        f"<h1>Interface of aspectlab {show(str(about['version']))}</h1>\n"
        f'<p class="text">{show(str(about["description"]))}</p>\n'
        '<p><a href="/">Web page</a> · <a href="/openapi.json">OpenAPI as JSON</a></p>\n'
        + "\n".join(sections)
        + "\n</main>\n</body>\n</html>\n"
    )


def _describe(method: str, path: str, operation: Record) -> str:
    pieces = [
        f"<section>\n<h2><code>{show(method.upper())} {show(path)}</code></h2>",
        f"<p>{show(str(operation.get('description', '')))}</p>",
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
        yield _row(f"<code>{show(str(parameter['name']))}</code>", show(f"{needed}. {meaning}"))
    yield "</table>"


def _describe_statuses(responses: Mapping[str, Record]) -> Iterator[str]:
    for status, response in responses.items():
        yield _row(show(status), show(str(response.get("description", ""))))


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
    return [f"<h3>{title}</h3>", f'<pre tabindex="0">{show(text)}</pre>']
