"""Write the generated parts of the docs while they are built: commands, training settings, models.

A hook of mkdocs: a line `<!-- generated: NAME -->` of a page is replaced by what the package says of itself
at that moment, so that no page can be out of date.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from html import escape
from importlib import import_module
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import griffe
import typer

from aspectlab.cli.main import app
from aspectlab.registry import field_docs, options_of

_MARK = re.compile(r"^<!-- generated: (\w+) -->$", re.M)


def on_page_markdown(markdown: str, **_: object) -> str:
    """Fill in the generated parts of a page."""
    return _MARK.sub(lambda found: PARTS[found[1]](), markdown)


def describe_commands() -> str:
    """Return a section for every command, with its usage, its help and its options."""
    return "\n\n".join(_describe_command(typer.main.get_command(app), ["aspectlab"], None))


def _describe_command(command: Any, words: list[str], parent: Any) -> Iterator[str]:  # noqa: ANN401
    context = type(command).context_class(command, info_name=words[-1], parent=parent)
    subcommands = {name: command.get_command(context, name) for name in _list_names(command, context)}
    if len(words) > 1:
        yield f"{'#' * min(len(words), 4)} `{' '.join(words)}`"
        usage = " ".join(command.collect_usage_pieces(context))
        yield f"```text\n{' '.join(words)} {usage}\n```"
        yield inspect.cleandoc(command.help or "").replace("\nExample: ", "\n\n**Example:** ")
    rows = [
        _describe_parameter(each, context) for each in command.params if not getattr(each, "hidden", False)
    ]
    if rows and len(words) > 1 and not subcommands:
        yield "\n".join(["| option | meaning |", "|---|---|", *filter(None, rows)])
    for name, subcommand in subcommands.items():
        yield from _describe_command(subcommand, [*words, name], context)


def _list_names(command: Any, context: Any) -> list[str]:  # noqa: ANN401
    return list(command.list_commands(context)) if hasattr(command, "list_commands") else []


def _describe_parameter(parameter: Any, context: Any) -> str:  # noqa: ANN401
    record = parameter.get_help_record(context)
    if record is None:
        return ""
    # a bar would end the cell, and code in backticks would show how it is escaped
    cells = [escape(" ".join(text.split())).replace("|", "&#124;").replace("*", "&#42;") for text in record]
    return f"| <code>{cells[0]}</code> | {cells[1]} |"


_PACKAGES = {
    "data": "Data",
    "readers": "Readers",
    "tasks": "Tasks",
    "metrics": "Metrics",
    "stats": "Statistics",
    "models": "Models",
    "encoders": "Encoders",
    "training": "Training",
    "experiments": "Studies",
    "reports.runs": "Reports on runs",
    "robustness": "Robustness",
    "metamorphic": "Metamorphic relations",
    "annotation": "Annotation",
    "graph": "Knowledge graphs",
    "llm": "Language models",
}


def describe_api() -> str:
    """Return what mkdocstrings renders: the public names of each package, as its stub lists them."""
    parts = []
    for package, title in _PACKAGES.items():
        found = import_module(f"aspectlab.{package}")
        names = [name for name in found.__all__ if not inspect.ismodule(getattr(found, name))]
        members = ", ".join(sorted(names, key=str.lower))
        parts.append(
            f"## {title}\n\n`from aspectlab.{package} import …`\n\n"
            f"::: aspectlab.{package}\n    options:\n      members: [{members}]"
        )
    return "\n\n".join(parts)


def describe_plan() -> str:
    """Return a table of the training settings: what each may be, its default, and what it does."""
    from aspectlab.models import Plan
    from aspectlab.training import CurriculumSettings, MatoSettings

    tables = []
    for kind, title in (
        (Plan, "The loop"),
        (CurriculumSettings, "Variants, easy ones first"),
        (MatoSettings, "MATO"),
    ):
        hints, docs = get_type_hints(kind, include_extras=True), field_docs(kind)
        defaults = {each.name: getattr(kind(), each.name) for each in fields(kind)}
        rows = [
            f"| `{name}` | {_spell(hints[name])} | `{_show(defaults[name])}` | {docs.get(name, '')} |"
            for name in defaults
            if name != "extensions"
        ]
        tables.append(
            "\n".join(
                [f"## {title}", "", "| setting | values | usual | meaning |", "|---|---|---|---|", *rows]
            )
        )
    return "\n\n".join(tables)


def _spell(hint: object) -> str:
    """Spell the values that a setting may have."""
    for note in getattr(hint, "__metadata__", ()):
        if expected := getattr(note, "expected", ""):
            return str(expected)
    if get_origin(hint) is Literal:
        return ", ".join(f"`{value}`" for value in get_args(hint))
    if hint is bool:
        return "`true`, `false`"
    if parts := [part for part in get_args(hint) if part is not NoneType]:
        suffix = ", or `none`" if NoneType in get_args(hint) else ""
        return _spell(parts[0]) + suffix
    return "a text" if hint is str else getattr(hint, "__name__", str(hint))


def _show(value: object) -> str:
    return "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def describe_models() -> str:
    """Return task, encoder, settings and plan of every model; of the plan what differs from the usual."""
    from aspectlab.models import MODELS, Plan
    from aspectlab.training import plan_to_dict

    usual = plan_to_dict(Plan())
    rows = []
    for name, kind in MODELS.items():
        settings = {key: option.default for key, option in options_of(kind).items()}
        plan = {key: value for key, value in plan_to_dict(kind.plan).items() if value != usual[key]}
        cells = [
            f"`{name}`",
            f"[`{kind.task}`](metrics.md)",
            f"`{kind.default_encoder}`",
            _join(settings),
            _join(plan),
        ]
        rows.append(f"| {' | '.join(cells)} |")
    head = "| model | task | encoder | settings | training, where it differs from the [usual](plan.md) |"
    return "\n".join([head, "|---|---|---|---|---|", *rows])


def _join(values: Mapping[str, object]) -> str:
    return ", ".join(f"`{key}={_show(value)}`" for key, value in values.items())


class DoctestFences(griffe.Extension):
    """Fence the examples of docstrings, which Markdown would take for quotations within quotations."""

    def on_object(self, *, obj: griffe.Object, **_: object) -> None:
        """Rewrite the docstring of an object."""
        if obj.docstring is not None:
            obj.docstring.value = fence_examples(obj.docstring.value)


def fence_examples(text: str) -> str:
    """Put every example, from its prompt to the next empty line, into a fence."""
    paragraphs = re.split(r"\n\s*\n", inspect.cleandoc(text))
    return "\n\n".join(
        f"```pycon\n{each}\n```" if each.lstrip().startswith(">>>") else each for each in paragraphs
    )


PARTS: Mapping[str, Callable[[], str]] = {
    "api": describe_api,
    "commands": describe_commands,
    "plan": describe_plan,
    "models": describe_models,
}
"""What a page may ask for."""
