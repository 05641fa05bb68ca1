"""Card: what a saved model says of its training, for readers, for the hub, and for programs.

The record of a training holds plain values only. It stands in config.json, its epochs in history.jsonl, and
the card is written from it, so that a model that was loaded and saved again loses nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from aspectlab.data import Corpus
from aspectlab.metrics import evaluate
from aspectlab.models import Model, Plan
from aspectlab.tasks import TASKS
from aspectlab.training.recipe import describe_recipe, plan_to_dict
from aspectlab.untrusted import escape_markdown, format_code_span
from aspectlab.version import VERSION

if TYPE_CHECKING:
    from aspectlab.training.trainer import Fitted

Record = Mapping[str, object]

_LONGEST = 200
"""Characters of a setting that a card shows as it is."""

_FIELDS = {
    "seed": int,
    "recipe": str,
    "plan": dict,
    "corpora": dict,
    "epoch": int,
    "loss": float,
    "epochs": int,
}
_FIELDS |= {"rates": dict, "dev": dict, "signature": str}
"""What a record holds, besides its history."""

_HUB_TASKS = {"atsc": "text-classification", "acsc": "text-classification", "acd": "text-classification"}
"""What the hub calls our tasks; the others find terms."""


def make_record(fitted: Fitted, plan: Plan, seed: int, parts: Mapping[str, Corpus]) -> dict[str, object]:
    """Describe a training; `parts` are the corpora by what they were used for."""
    # of bare examples only this is known: they hold what the task needs, or there were no training
    dev = replace(parts["dev"], annotates=parts["dev"].annotates | TASKS[fitted.model.task].parts)
    return {
        "seed": seed,
        "recipe": describe_recipe(fitted.model, plan),
        "plan": plan_to_dict(plan),
        "corpora": {use: _describe_corpus(corpus) for use, corpus in parts.items()},
        "epoch": fitted.best.number + 1,
        "epochs": len(fitted.history),
        "loss": fitted.best.loss,
        "rates": dict(fitted.rates),
        "dev": dict(fitted.best.dev),
        "signature": str(evaluate(dev, dev, fitted.model.task).signature),
        "history": [asdict(epoch) for epoch in fitted.history],
    }


def _describe_corpus(corpus: Corpus) -> dict[str, object]:
    return {
        "name": corpus.name,
        "language": corpus.language,
        "examples": len(corpus),
        "sha256": corpus.sha256,
        "file_sha256": corpus.provenance.sha256,
    }


def is_record(found: object) -> bool:
    """Return whether a value read from a file is a record that a card can be written from."""
    if not isinstance(found, dict) or any(
        type(found.get(name)) is not kind for name, kind in _FIELDS.items()
    ):
        return False
    keys = {"name": str, "language": str, "examples": int, "sha256": str, "file_sha256": str}
    return (
        all(
            isinstance(part, dict) and all(type(part.get(key)) is kind for key, kind in keys.items())
            for part in found["corpora"].values()
        )
        and all(type(value) is float for name in ("dev", "rates") for value in found[name].values())
        and all(isinstance(row, dict) for row in found.get("history", []))
    )


def write_card(model: Model) -> str:
    """Write the card in Markdown, with what the hub reads in front."""
    record = model.training_record
    sections = [f"# {model.name}"]
    built = {"model": model.name, "encoder": model.encoder.name}
    if record is None:
        sections += [
            f"A model for {model.task}, written by aspectlab {VERSION}; it was not trained here.",
            _format_table("setting", {**built, **model.settings}),
        ]
    else:
        sections += _show_training(model, record, built)
    front = _write_metadata(model, record or {})
    return f"---\n{front}---\n\n" + "\n\n".join(sections) + "\n"


def _show_training(model: Model, record: Record, built: Mapping[str, object]) -> list[str]:
    corpora, plan, dev = (_table(record, name) for name in ("corpora", "plan", "dev"))
    return [
        f"A model for {model.task}, trained with aspectlab {VERSION}.",
        _format_table("setting", {**built, "seed": record["seed"], **model.settings}),
        "## Corpora",
        *(f"- {escape_markdown(use)}: {_show_corpus(_table(corpora, use))}" for use in corpora),
        "## Training",
        f"Recipe: {escape_markdown(str(record['recipe']))}.",
        _format_table("plan", plan),
        f"Chosen on dev: epoch {record['epoch']} of {record['epochs']}, loss {record['loss']:.4f}.",
        *_show_rates(_table(record, "rates")),
        "## Dev scores in percent",
        _format_table("score", {name: f"{100 * float(str(value)):.2f}" for name, value in dev.items()}),
        format_code_span(str(record["signature"])),
        "The epoch was chosen by these scores, so they flatter the model: judge it on a test set with "
        "`aspectlab evaluate`.",
    ]


def _table(record: Record, name: str) -> Mapping[str, object]:
    found = record[name]
    assert isinstance(found, Mapping)
    return found


def _show_corpus(corpus: Mapping[str, object]) -> str:
    name, count = escape_markdown(str(corpus["name"])), int(str(corpus["examples"]))
    file = f", of the file {escape_markdown(str(corpus['file_sha256']))}" if corpus["file_sha256"] else ""
    return f"{name}, {count:,} examples, sha256 {escape_markdown(str(corpus['sha256']))}{file}"


def _show_rates(rates: Mapping[str, object]) -> list[str]:
    """Return the violation rates that weighed MATO, where it was used."""
    if not rates:
        return []
    shown = {name: f"{100 * float(str(rate)):.2f}" for name, rate in rates.items()}
    return ["## Violation rates on dev that MATO was weighed by, in percent", _format_table("element", shown)]


def _format_table(title: str, values: Mapping[str, object]) -> str:
    # an underscore needs no escape in a name, and is easier to find without
    names = [name if name.isidentifier() else escape_markdown(name) for name in values]
    shown = [escape_markdown(str(_shorten(value))) for value in values.values()]
    rows = [f"| {name} | {value} |" for name, value in zip(names, shown, strict=True)]
    return "\n".join([f"| {title} | value |", "|---|---|", *rows])


def _shorten(value: object) -> object:
    """Count what is too much to list: the categories of many data sets, which config.json has in full."""
    if len(str(value)) <= _LONGEST:
        return value
    if isinstance(value, Mapping):
        return ", ".join(f"{name or 'no style'}: {len(names)} names" for name, names in value.items())
    return f"{len(value)} names" if isinstance(value, Sequence) else value


def _write_metadata(model: Model, record: Record) -> str:
    """Write what the hub reads, as YAML: values are JSON, so that the name of a corpus stays a name."""
    corpora = list(_table(record, "corpora").values()) if record else []
    languages = {str(part["language"]) for part in corpora if isinstance(part, Mapping)} - {"und"}
    names = [re.sub(r"[^\w./-]+", "-", str(part["name"])) for part in corpora if isinstance(part, Mapping)]
    found: dict[str, object] = {
        "library_name": "aspectlab",
        "license": "unknown",
        "pipeline_tag": _HUB_TASKS.get(model.task, "token-classification"),
        "tags": ["aspectlab", "aspect-based-sentiment-analysis", model.task, model.name],
    }
    if languages:
        found["language"] = sorted(languages)
    if names:
        found["datasets"] = list(dict.fromkeys(names))
        found["model-index"] = [{"name": model.name, "results": [_describe_result(model, record)]}]
    return "".join(f"{key}: {json.dumps(value)}\n" for key, value in found.items())


def _describe_result(model: Model, record: Record) -> dict[str, object]:
    dev = _table(_table(record, "corpora"), "dev")
    return {
        "task": {"type": _HUB_TASKS.get(model.task, "token-classification"), "name": TASKS[model.task].title},
        "dataset": {"type": "aspectlab", "name": dev["name"], "split": "dev", "revision": dev["sha256"]},
        "metrics": [
            {"type": name, "value": value, "name": f"{name} on dev"}
            for name, value in _table(record, "dev").items()
        ],
    }
