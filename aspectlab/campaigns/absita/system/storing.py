"""Store a trained system as JSON and plain arrays; nothing is pickled, and loading checks everything."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from aspectlab.campaigns.absita.system.features import Features
from aspectlab.campaigns.absita.system.parts import WIDTH
from aspectlab.campaigns.absita.system.rows import Rows
from aspectlab.campaigns.absita.system.system import LABELS, Decider, System
from aspectlab.campaigns.absita.system.terms import KINDS, Vocabulary
from aspectlab.errors import DataError
from aspectlab.version import VERSION

FORMAT = "absita-system-2"
_CONFIG, _ARRAYS = "config.json", "arrays.npz"

Number = TypeVar("Number", np.float32, np.float64, np.int64)
Arrays = Mapping[str, NDArray[np.generic]]


def save_system(system: System, folder: Path) -> None:
    """Write config.json and arrays.npz into a folder; the configuration comes last and makes it whole."""
    known = system.known
    arrays: dict[str, NDArray[np.generic]] = {"vectors": known.vectors, "owners": known.owners}
    arrays |= {name: getattr(known.terms, name) for name in ("values", "columns", "ends")}
    for vocabulary in system.vocabularies:
        arrays[f"weights_{vocabulary.kind}"] = vocabulary.weights
    for task, decider in system.deciders.items():
        arrays |= {f"coefficients_{task}": decider.coefficients, f"thresholds_{task}": decider.thresholds}
    config = {
        "format": FORMAT,
        "aspectlab": VERSION,
        "tasks": {
            task: {"penalty": d.penalty, "slack": d.slack, "f1": d.f1} for task, d in system.deciders.items()
        },
        "terms": {vocabulary.kind: [*vocabulary.columns] for vocabulary in system.vocabularies},
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / _CONFIG).unlink(missing_ok=True)
        with (folder / _ARRAYS).open("wb") as stream:
            np.savez_compressed(stream, allow_pickle=False, **arrays)
        (folder / _CONFIG).write_text(json.dumps(config, ensure_ascii=False), encoding="utf-8")
    except OSError as error:
        raise DataError(f"{folder}: cannot be written: {error.strerror}; name another folder") from None


def load_system(folder: Path) -> System:
    """Load a system that `save_system` wrote, or say what is wrong with the folder."""
    try:
        config = json.loads((folder / _CONFIG).read_text(encoding="utf-8"))
        # numpy leaves a broken file open if it was given the path
        with (folder / _ARRAYS).open("rb") as stream, np.load(stream, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        if config["format"] != FORMAT:
            raise ValueError(f"the format {config['format']!r:.40}")
        return _assemble(config, arrays)
    except OSError as error:
        raise _refuse(folder, f"no readable {_CONFIG} and {_ARRAYS} ({error.strerror})") from None
    except (KeyError, TypeError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise _refuse(folder, f"a broken model ({error!s:.120})") from None


def _assemble(config: Mapping[str, Mapping[str, Mapping[str, float]]], arrays: Arrays) -> System:
    """Put the parts together and check that they fit each other."""
    vocabularies = tuple(_vocabulary(kind, [*config["terms"][kind]], arrays) for kind in KINDS)
    width = sum(len(vocabulary.columns) for vocabulary in vocabularies)
    texts, clauses = len(arrays["ends"]) - 1, len(arrays["vectors"])
    owners = _take(arrays, "owners", (clauses,), np.int64)
    if not np.array_equal(np.unique(owners), np.arange(texts)) or bool((np.diff(owners) < 0).any()):
        raise ValueError("texts without clauses, or clauses of no text")
    vectors = _take(arrays, "vectors", (clauses, WIDTH), np.float32)
    known = Features(_rows(arrays, (texts, width)), vectors, owners)
    deciders = {task: _decider(task, config["tasks"][task], texts, arrays) for task in LABELS}
    return System(vocabularies, known, deciders)


def _vocabulary(kind: str, terms: list[str], arrays: Arrays) -> Vocabulary:
    weights = _take(arrays, f"weights_{kind}", (len(terms),), np.float64)
    return Vocabulary(kind, {term: column for column, term in enumerate(terms)}, weights)


def _decider(task: str, said: Mapping[str, float], texts: int, arrays: Arrays) -> Decider:
    count = len(LABELS[task])
    coefficients = _take(arrays, f"coefficients_{task}", (texts, count), np.float32)
    thresholds = _take(arrays, f"thresholds_{task}", (count,), np.float32)
    penalty, slack, f1 = (float(said[name]) for name in ("penalty", "slack", "f1"))
    return Decider(penalty, slack, f1, coefficients, thresholds)


def _rows(arrays: Arrays, shape: tuple[int, int]) -> Rows:
    size = len(arrays["values"])
    columns = _take(arrays, "columns", (size,), np.int64)
    ends = _take(arrays, "ends", (shape[0] + 1,), np.int64)
    if size and not (columns.min() >= 0 and columns.max() < shape[1]):
        raise ValueError("terms in columns that are not there")
    if ends[0] != 0 or ends[-1] != size or not bool((np.diff(ends) >= 0).all()):
        raise ValueError("terms in rows that do not fit")
    return Rows(columns, _take(arrays, "values", (size,), np.float32), ends, shape[1])


def _take(arrays: Arrays, name: str, shape: tuple[int, ...], kind: type[Number]) -> NDArray[Number]:
    found = arrays[name]
    if found.shape != shape or found.dtype != np.dtype(kind):
        raise ValueError(f"{name} of shape {found.shape} and type {found.dtype}, not {shape}")
    numbers = found.astype(kind, copy=False)
    if not np.isfinite(numbers).all():
        raise ValueError(f"{name} that are no finite numbers")
    return numbers


def _refuse(folder: Path, found: str) -> DataError:
    return DataError(f"{folder}: found {found}: expected a system; `aspectlab absita train` makes one")
