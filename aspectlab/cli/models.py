"""`aspectlab models`: what can be trained, with paper, settings and defaults."""

from __future__ import annotations

import inspect
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from aspectlab.cli.console import print_json, print_table
from aspectlab.cli.llm import describe_llm
from aspectlab.cli.settings import require_training
from aspectlab.registry import options_of

if TYPE_CHECKING:
    from aspectlab.models import Model


def models(
    name: Annotated[str | None, typer.Argument(help="Say all about this one.", show_default=False)] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the models, or describe one with its settings and how it is trained.

    Example: `aspectlab models marked`
    """
    if name == "llm":  # the one that needs no torch
        _show(describe_llm(), as_json=as_json)
        return
    require_training("models")
    from aspectlab.models import MODELS

    if name is None:
        records = [*(describe(known, MODELS[known]) for known in MODELS), describe_llm()]
        if as_json:
            print_json(records)
        else:
            columns = ["model", "task", "paper", "encoder"]
            print_table("", columns, [[record[key] for key in columns] for record in records])
    else:
        _show(describe(name, MODELS[name]), as_json=as_json)


def describe(name: str, kind: type[Model]) -> dict[str, object]:
    """Say what there is to know of a model: its docstring, its settings and its plan, with their defaults."""
    module = inspect.getmodule(kind)
    text = inspect.cleandoc((module and module.__doc__) or "")
    return {
        "model": name,
        "task": kind.task,
        "paper": text.partition("\n")[0],
        "encoder": kind.default_encoder,
        "settings": {key: option.default for key, option in options_of(kind).items()},
        "plan": asdict(kind.plan),
        "description": text,
    }


def _show(record: dict[str, object], *, as_json: bool) -> None:
    if as_json:
        print_json(record)
        return
    print(record["description"])
    print()
    print_table("", ["model", "task", "encoder"], [[record[key] for key in ("model", "task", "encoder")]])
    for part in ("settings", "plan"):
        values = record[part]
        assert isinstance(values, dict)
        rows = [[key, "none" if value is None else repr(value)] for key, value in values.items()]
        if rows:
            print_table(part, ["name", "default"], rows)
