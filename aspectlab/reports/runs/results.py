"""Results: the runs that a report is made of, from folders of runs and from CSV files of one row a run."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from aspectlab.errors import DataError
from aspectlab.reports.runs.record import RunRecord, is_run_folder, read_record, read_runs
from aspectlab.reports.runs.result import Result
from aspectlab.reports.runs.rowfiles import is_row_file, read_rows

# how many splits a study asks for decides nothing about any of them: a study may grow
_IDLE = {"splits"}
_HASH = re.compile(r"\b([0-9a-f]{8})[0-9a-f]{56}\b")


def read_results(places: Sequence[Path]) -> list[Result]:
    """Read the runs of folders of runs, of CSV files, and of folders of CSV files, in a fixed order."""
    found = sorted((result for place in places for result in _read(place)), key=_order)
    return _name_once(found)


def from_record(record: RunRecord) -> Result:
    """Take from the record of a run what reports need; fractions become percent."""
    settings = {**record.settings, **_flatten_hashes(record.protocol)}
    texts = {name: _write(value) for name, value in sorted(settings.items()) if name not in _IDLE}
    scores = {test: _in_percent(found) for test, found in record.metrics.items()}
    who, on = (record.label, record.model, record.encoder), (record.task, record.corpus)
    return Result(*who, texts, *on, record.split, record.seed, scores, record.signatures, run=record.id)


def _read(place: Path) -> list[Result]:
    if place.is_dir():
        found = [from_record(record) for record in _read_records(place)]
        paths = [path for path in sorted(place.glob("*.csv")) if is_row_file(path)]
        found += [result for path in paths for result in read_rows(path)]
    else:
        found = read_rows(place)
    if not found:
        raise DataError(
            f"{place}: found no finished run: expected the --out of `aspectlab run`, or CSV files with the "
            "columns model, corpus, split and seed and a column per score"
        )
    return found


def _read_records(folder: Path) -> list[RunRecord]:
    return [read_record(folder)] if is_run_folder(folder) else read_runs(folder)


def _order(result: Result) -> tuple[str, str, str, str, str, int, int]:
    settings = " ".join(f"{name}={value}" for name, value in sorted(result.settings.items()))
    who = (result.label, result.encoder, settings)
    return (result.task, result.corpus, *who, result.split, result.seed)


def _flatten_hashes(protocol: Mapping[str, object]) -> dict[str, object]:
    """Give every file of a corpus a key of its own, so that a name holds only those that differ."""
    hashes = protocol.get("sha256")
    files = hashes if isinstance(hashes, dict) else {}
    others = {name: value for name, value in protocol.items() if value is not files}
    return others | {f"sha256:{name}": digest for name, digest in files.items()}


def _in_percent(scores: Mapping[str, float]) -> dict[str, float]:
    return {name: 100 * value for name, value in scores.items()}


def _name_once(results: Sequence[Result]) -> list[Result]:
    """Leave F1 out where it is accuracy: every example has one label then, and one column says it.

    All runs on a test set decide: in a single run the two may agree by chance, as they do at 0, and a mean of
    F1 without such runs would be too high. Rows of a CSV file keep the columns that it has.
    """
    differing = {
        (result.task, result.corpus, test)
        for result in results
        for test, scores in result.scores.items()
        if result.origin or scores.get("f1") != scores.get("accuracy")
    }
    return [
        replace(
            result,
            scores={
                test: scores if (result.task, result.corpus, test) in differing else _without_f1(scores)
                for test, scores in result.scores.items()
            },
        )
        for result in results
    ]


def _without_f1(scores: Mapping[str, float]) -> dict[str, float]:
    return {name: value for name, value in scores.items() if name != "f1"}


def _write(value: object) -> str:
    """Write a setting; of a hash, eight digits tell enough."""
    return _HASH.sub(r"\1", value if isinstance(value, str) else json.dumps(value, sort_keys=True))
