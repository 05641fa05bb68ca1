"""The commands `models` and `encoders`: what can be trained, and what is installed."""

from __future__ import annotations

import inspect
from typing import Annotated

import typer

from aspectlab import encoders as known_encoders, models as known_models, training
from aspectlab.cli.console import print_json, print_table, print_text
from aspectlab.cli.llm import describe_llm
from aspectlab.cli.options import require_training
from aspectlab.errors import MissingPartError
from aspectlab.registry import options_of


def models(
    name: Annotated[str | None, typer.Argument(help="Show details of one model.", show_default=False)] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the models, or describe one with its settings and training plan.

    Example: `aspectlab models marked`
    """
    if name == "llm":  # the one that needs no torch
        _show(describe_llm(), as_json=as_json)
        return
    require_training("models")
    table = known_models.MODELS
    if name is None:
        records = [*(describe(known, table[known]) for known in table), describe_llm()]
        if as_json:
            print_json(records)
        else:
            columns = ["model", "task", "paper", "encoder"]
            print_table("", columns, [[record[key] for key in columns] for record in records])
    else:
        _show(describe(name, table[name]), as_json=as_json)


def describe(name: str, kind: type[known_models.Model]) -> dict[str, object]:
    """Describe a model: its docstring, its settings and its plan, with their defaults."""
    module = inspect.getmodule(kind)
    text = inspect.cleandoc((module and module.__doc__) or kind.__doc__ or "")
    package = known_models.MODELS.package_of(name)
    return {
        "model": name,
        **({"package": package} if package else {}),
        "task": kind.task,
        "paper": text.partition("\n")[0],
        "encoder": kind.default_encoder,
        "settings": {key: option.default for key, option in options_of(kind).items()},
        "plan": training.plan_to_dict(kind.plan),
        "published": _describe_published(name, kind),
        "description": text,
    }


def _describe_published(name: str, kind: type[known_models.Model]) -> dict[str, object] | None:
    """Return what the authors had otherwise, by setting, with the source; None of a model of ours."""
    if kind.published is None:
        return None
    ours = {key: option.default for key, option in options_of(kind).items()}
    ours |= training.plan_to_dict(kind.plan)
    settings, plan = known_models.apply_recipe(name, "published")
    wanted = training.plan_to_dict(plan) | settings
    return {
        "encoder": kind.published.encoder,
        "settings": {key: value for key, value in wanted.items() if ours[key] != value},
        "source": kind.published.source,
        "unlike": kind.published.unlike,
    }


def _show_published(published: object) -> None:
    """Print what the recipe of the authors changes."""
    if not isinstance(published, dict):
        print_text("These defaults are our recipe; no paper describes the model.")
        return
    rows = [[key, "none" if value is None else repr(value)] for key, value in published["settings"].items()]
    print_text(
        f"These defaults are our recipe. --recipe published takes the settings of {published['source']}, "
        f"where the encoder was {published['encoder']}; it changes:"
    )
    print_table("published", ["name", "value"], rows)
    if published["unlike"]:
        print_text(f"Unlike there: {published['unlike']}.")


def _show(record: dict[str, object], *, as_json: bool) -> None:
    if as_json:
        print_json(record)
        return
    print_text(record["description"])
    print_text()
    print_table("", ["model", "task", "encoder"], [[record[key] for key in ("model", "task", "encoder")]])
    meanings = training.plan_docs()
    for part, columns in (("settings", ["name", "default"]), ("plan", ["name", "default", "meaning"])):
        values = record[part]
        assert isinstance(values, dict)
        shown = {key: "none" if value is None else repr(value) for key, value in values.items()}
        rows = [[key, text, meanings.get(key, "")][: len(columns)] for key, text in shown.items()]
        if rows:
            print_table(part, columns, rows)
    if "published" in record:
        _show_published(record["published"])


def encoders(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """List the encoders, where they were found, and how to install the rest.

    Published weights are looked for in the folder that ASPECTLAB_WEIGHTS names, in the package that carries
    them, and in the cache of Hugging Face; what is in none is fetched from the hub when it is first used,
    unless ASPECTLAB_OFFLINE=1.

    Example: `aspectlab encoders`
    """
    records = [
        {"encoder": name, "about": about, "remedy": find_remedy(name), "where": find_place(name)}
        for name, about in known_encoders.list_encoders().items()
    ]
    if as_json:
        print_json([{**record, "ready": record["remedy"] is None} for record in records])
        return
    rows = [
        [record["encoder"], record["remedy"] or "ready", record["where"] or "", record["about"]]
        for record in records
    ]
    print_table("", ["encoder", "what to do", "found in", "about"], rows)


def find_place(name: str) -> str | None:
    """Return where published weights were found; None for others, and where there are none."""
    found = known_encoders.locate_weights(name) if name in known_encoders.PRETRAINED else None
    return found.where if found else None


def find_remedy(name: str) -> str | None:
    """Return how to install an encoder, or None if it is installed; reads no weights."""
    part = known_encoders.PRETRAINED.get(name)
    absent = None if part is None or known_encoders.is_installed(name) else part
    try:
        require_training("train")
    except MissingPartError as error:
        return _join(str(error).rpartition(": ")[2], absent.install if absent else "")
    return f"{absent.install} ({absent.size_mb} MB)" if absent else None


def _join(extra: str, files: str) -> str:
    """Make one command of two; an extra of ours brings what training needs.

    >>> _join("pip install 'aspectlab[train]'", "pip install weights==0.2")
    "pip install 'aspectlab[train]' weights==0.2"
    """
    if "aspectlab[" in files:
        return files
    return f"{extra} {files.removeprefix('pip install ')}".strip()
