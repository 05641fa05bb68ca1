"""Card: what a saved model says of its training, for readers, for programs, and on the Hugging Face hub.

The record of a training holds plain values only. It stands in config.json, its epochs in history.jsonl, and
the card is written from it, so that a model that was loaded and saved again loses nothing.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from importlib import import_module
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from aspectlab.data import Corpus
from aspectlab.encoders import is_offline
from aspectlab.errors import ConfigError, DataError
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
        # JSON has no word for infinity
        "plan": {key: "inf" if value == inf else value for key, value in plan_to_dict(plan).items()},
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


def write_card(model: Model, more: Mapping[str, object] | None = None) -> str:
    """Write the card in Markdown, with what the hub reads in front; `more` are keys of that."""
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
    front = _write_metadata(model, record or {}, more or {})
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


def _write_metadata(model: Model, record: Record, more: Mapping[str, object]) -> str:
    """Write what the hub reads, as YAML: values are JSON, so that the name of a corpus stays a name."""
    corpora = list(_table(record, "corpora").values()) if record else []
    languages = {str(part["language"]) for part in corpora if isinstance(part, Mapping)} - {"und"}
    names = [re.sub(r"[^\w./-]+", "-", str(part["name"])) for part in corpora if isinstance(part, Mapping)]
    found: dict[str, object] = {
        "library_name": "aspectlab",
        "license": "unknown",
        "pipeline_tag": _HUB_TASKS.get(model.task, "token-classification"),
        "tags": _list_tags(model),
    }
    if languages:
        found["language"] = sorted(languages)
    if names:
        found["datasets"] = list(dict.fromkeys(names))
        found["model-index"] = [{"name": model.name, "results": [_describe_result(model, record)]}]
    return "".join(f"{key}: {json.dumps(value)}\n" for key, value in {**found, **more}.items())


def _list_tags(model: Model) -> list[str]:
    return ["aspectlab", "aspect-based-sentiment-analysis", model.task, model.name]


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


_REPOSITORY = re.compile(r"[\w-][\w.-]*/[\w-][\w.-]*", re.ASCII)


def check_repository(name: str) -> str:
    """Refuse what is no name of a model on the hub.

    >>> check_repository("my-model")
    Traceback (most recent call last):
    aspectlab.errors.ConfigError: 'my-model': no folder, and no name on the hub: expected "organisation/name"
    """
    if not _REPOSITORY.fullmatch(name):
        raise ConfigError(f'{name!r}: no folder, and no name on the hub: expected "organisation/name"')
    return name


@contextmanager
def explained_hub(name: str) -> Iterator[None]:
    """Turn what the hub's library raises into one of our errors."""
    from huggingface_hub.errors import HfHubHTTPError

    try:
        yield
    except (HfHubHTTPError, OSError, ValueError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise DataError(
            f"{name}: the hub says: {reason:.200}; check the name and the network, and log in with "
            "`hf auth login` where the model is private"
        ) from None


def push_to_hub(
    model: Model,
    repository: str,
    *,
    private: bool = False,
    license: str = "unknown",
    language: str | None = None,
    tags: Sequence[str] = (),
    token: str | None = None,
) -> str:
    """Upload a model with its card to the Hugging Face hub; return the address of the commit."""
    check_repository(repository)
    if is_offline():
        raise ConfigError(f"{repository}: ASPECTLAB_OFFLINE is set: nothing is sent; unset it first")
    api = import_module("huggingface_hub").HfApi(token=token)
    more: dict[str, object] = {"license": license, "tags": [*_list_tags(model), *tags]}
    if language:
        more["language"] = [language]
    with tempfile.TemporaryDirectory() as draft, explained_hub(repository):
        folder = Path(draft) / "model"
        model.save(folder)
        (folder / "README.md").write_text(write_card(model, more), encoding="utf-8")
        _leave_out_paths(folder, model.encoder.name)
        api.create_repo(repository, private=private, exist_ok=True)
        commit = api.upload_folder(
            repo_id=repository, folder_path=str(folder), commit_message=f"Upload {model.name}"
        )
    return str(getattr(commit, "commit_url", commit))


def _leave_out_paths(folder: Path, encoder: str) -> None:
    """Name an encoder that lay in a folder here by its last part: others need not know the rest."""
    if Path(encoder).name == encoder or not Path(encoder).exists():
        return
    for name in ("config.json", "README.md"):
        path = folder / name
        shown = path.read_text(encoding="utf-8")
        for text in (json.dumps(encoder)[1:-1], escape_markdown(encoder)):
            shown = shown.replace(text, Path(encoder).name)
        path.write_text(shown, encoding="utf-8")
