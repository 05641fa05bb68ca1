"""RunRecord: what a finished run says of itself; its file run.json is the contract of studies and reports.

A folder of runs holds one folder per run, named by the run's id, with run.json and predictions/TEST.jsonl. A
run's folder appears by a rename when it is complete. Names that begin with a dot are work in progress.
"""

import json
import logging
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from math import isfinite
from pathlib import Path
from typing import TypeVar

from aspectlab.errors import DataError
from aspectlab.untrusted import as_number, read_json

FORMAT = 1
"""Raised when a key of run.json changes its meaning."""

RUN_FILE = "run.json"

_LOG = logging.getLogger(__name__)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Timing:
    """How long a run took, how many epochs it trained, and which of them was chosen (from 1)."""

    seconds: float
    epochs: int
    best_epoch: int


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One model, trained once and measured on its test sets; scores are fractions from 0 to 1.

    `label` is the row of a table that the run belongs to: the model, and its variant where a study has
    several. Runs of one row on one corpus differ by `split` and `seed` only.
    """

    id: str
    study: str
    label: str
    model: str
    encoder: str
    settings: dict[str, object]  # of the model and of its plan, defaults included
    corpus: str
    split: int  # from 1; 1 where the corpus has a dev part of its own
    seed: int
    task: str
    protocol: dict[str, object]  # how the corpora were read, and which rule chose the epoch
    metrics: dict[str, dict[str, float]]  # test set -> score -> fraction
    dev: dict[str, float]  # score -> fraction, of the chosen epoch
    timing: Timing
    environment: dict[str, str]  # versions, device, host
    signatures: dict[str, str]  # test set -> what its scores were measured on and how
    command: str
    rates: dict[str, float] = field(default_factory=dict)  # of violations on dev, by element: MATO's weights


def record_to_dict(record: RunRecord) -> dict[str, object]:
    """Turn a record into the object that run.json holds."""
    return {"format": FORMAT, **asdict(record)}


def record_from_dict(found: object) -> RunRecord:
    """Turn the object of a run.json into a record, or say which key is wrong.

    >>> record_from_dict({"format": 1})
    Traceback (most recent call last):
    aspectlab.errors.DataError: key 'id': found None: expected str
    """
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise DataError(f'found {found!r:.80}: expected an object with "format": {FORMAT}; run it again')
    name = _typed(found, "id", str)
    timing, metrics = (_typed(found, key, dict) for key in ("timing", "metrics"))
    return RunRecord(
        id=name,
        study=_typed(found, "study", str),
        label=_typed(found, "label", str),
        model=_typed(found, "model", str),
        encoder=_typed(found, "encoder", str),
        settings=_typed(found, "settings", dict),
        corpus=_typed(found, "corpus", str),
        split=_typed(found, "split", int),
        seed=_typed(found, "seed", int),
        task=_typed(found, "task", str),
        protocol=_typed(found, "protocol", dict),
        metrics={name: _scores(metrics, name) for name in metrics},
        dev=_scores(found, "dev"),
        timing=Timing(
            _typed(timing, "seconds", float), _typed(timing, "epochs", int), _typed(timing, "best_epoch", int)
        ),
        environment=_typed(found, "environment", dict),
        signatures=_typed(found, "signatures", dict),
        command=_typed(found, "command", str),
        rates=_numbers(found, "rates") if "rates" in found else {},
    )


def write_record(record: RunRecord, folder: Path) -> None:
    """Write run.json into the folder of a run."""
    text = json.dumps(record_to_dict(record), ensure_ascii=False, indent=1) + "\n"
    (folder / RUN_FILE).write_text(text, encoding="utf-8")


def read_record(folder: Path) -> RunRecord:
    """Read the run.json of one run's folder, or say what is wrong with it."""
    path = folder / RUN_FILE
    try:
        found = read_json(path)
        # JSON can name half a surrogate pair, which can be written nowhere
        json.dumps(found, ensure_ascii=False).encode()
        return record_from_dict(found)
    except UnicodeEncodeError:
        raise DataError(f"{path}: found half a surrogate pair: expected text; delete its folder") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}; check the path") from None
    except ValueError as error:
        raise DataError(
            f"{path}: found no JSON ({error}): expected a finished run; delete its folder"
        ) from None
    except DataError as error:
        raise DataError(f"{path}: {error}") from None


def read_runs(folder: Path) -> list[RunRecord]:
    """Read every finished run of a folder, in the order of a table; what is no finished run is passed over.

    A folder with a run.json that cannot be read, or that bears another run's id, is passed over with a log
    line: `aspectlab run` makes such a run anew.
    """
    if not folder.is_dir():
        raise DataError(f"{folder}: found no such folder: expected the --out of `aspectlab run`")
    found = (_read_quietly(path) for path in sorted(folder.iterdir()) if is_run_folder(path))
    return sorted((record for record in found if record), key=_table_order)


def is_run_folder(path: Path) -> bool:
    """Return whether a path looks like a finished run: no dot in front, and a run.json in it."""
    return not path.name.startswith(".") and (path / RUN_FILE).is_file()


def _read_quietly(folder: Path) -> RunRecord | None:
    try:
        record = read_record(folder)
    except DataError as error:
        _LOG.warning("passed over: %s", error)
        return None
    if record.id != folder.name:
        _LOG.warning("passed over: %s: it holds run %s", folder, record.id)
        return None
    return record


def _table_order(record: RunRecord) -> tuple[str, str, str, int, int, str]:
    return record.corpus, record.label, record.encoder, record.split, record.seed, record.id


def _typed(found: Mapping[str, object], key: str, kind: type[T]) -> T:
    value = found.get(key)
    # a whole number of seconds is written without a point
    typed = as_number(value) if kind is float and type(value) is int else value
    if not isinstance(typed, kind) or isinstance(typed, bool):
        raise DataError(f"key {key!r}: found {value!r:.80}: expected {kind.__name__}")
    return typed


def _scores(found: Mapping[str, object], key: str) -> dict[str, float]:
    scores = _numbers(found, key)
    for name, value in scores.items():
        # a percentage would be taken for a hundred times as much
        if not 0 <= value <= 1:
            raise DataError(f"key {name!r}: found {value!r}: expected a fraction from 0 to 1")
    return scores


def _numbers(found: Mapping[str, object], key: str) -> dict[str, float]:
    numbers = _typed(found, key, dict)
    return {name: _number(numbers, name) for name in numbers}


def _number(numbers: Mapping[str, object], name: str) -> float:
    value = _typed(numbers, name, float)
    # Python reads NaN and Infinity from JSON, but no mean can be made of them
    if not isfinite(value):
        raise DataError(f"key {name!r}: found {value!r}: expected a finite number")
    return value
