"""Seal a finished analysis: `analysis.json` is written last, with the size and hash of both tables."""

from __future__ import annotations

import csv
import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from aspectlab.analysis.blocks import write_lines
from aspectlab.atomic import sync_path
from aspectlab.errors import ConfigError
from aspectlab.readers import FOLDER, OPINIONS_CSV, OPINIONS_PARQUET, SUMMARY
from aspectlab.readers.tables import read_footer

Seal = dict[str, int | str]
"""Size and hash of a table, as JSON holds them."""


def refuse_foreign_folder(out: Path, paths: Sequence[Path]) -> None:
    """Refuse a folder that holds anything but an earlier analysis of the same files."""
    if not out.exists():
        return
    if not out.is_dir():
        raise ConfigError(f"{out}: is a file: expected a folder: choose another --out")
    if (out / SUMMARY).exists():
        record = read_summary(out)
        if record is None or record.get("files") != _hash_paths(paths):
            raise ConfigError(f"{out}: holds the analysis of other files: choose another --out")
    elif not (out / FOLDER).is_dir() and any(out.iterdir()):
        raise ConfigError(f"{out}: holds files that no analysis wrote: choose another --out")


def write_summary(
    out: Path,
    identity: str,
    paths: Sequence[Path],
    aggregate: Mapping[str, object],
    tables: Mapping[str, Seal],
) -> None:
    """Write `analysis.json`, with which an analysis is complete."""
    record = {"identity": identity, "files": _hash_paths(paths), "aggregate": aggregate, "tables": tables}
    # ASCII only: the name of a column may hold the mark of bytes that are no text
    write_lines(out / SUMMARY, [json.dumps(record)])
    sync_path(out)


def read_summary(out: Path) -> dict[str, object] | None:
    """Read `analysis.json`; None where it is absent or broken."""
    try:
        record = json.loads((out / SUMMARY).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return record if isinstance(record, dict) else None


def seal_tables(out: Path) -> dict[str, Seal]:
    """Return the seals of both tables."""
    return {name: _seal(out / name) for name in (OPINIONS_CSV, OPINIONS_PARQUET)}


def find_broken_table(out: Path, seals: object, opinions: int) -> str | None:
    """Return the name of a table that is not as it was written; None if both are.

    Summaries of earlier versions have no seals: there the tables must at least hold all opinions.
    """
    for name, count_rows in _COUNT_ROWS.items():
        path = out / name
        try:
            if seals is None:
                is_whole = count_rows(path) == opinions
            else:
                is_whole = isinstance(seals, dict) and _fits(path, seals.get(name))
        except (OSError, ValueError, LookupError, csv.Error):
            is_whole = False
        if not is_whole:
            return name
    return None


def _hash_paths(paths: Sequence[Path]) -> list[str]:
    """Name where files lie by a hash, so that a result can be passed on without telling folders."""
    return [hashlib.sha256(os.fsencode(path.resolve())).hexdigest() for path in paths]


def _seal(path: Path) -> Seal:
    with path.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    return {"bytes": path.stat().st_size, "sha256": digest}


def _fits(path: Path, seal: object) -> bool:
    """Return whether a table has its seal; one of another size need not be read."""
    return isinstance(seal, dict) and path.stat().st_size == seal.get("bytes") and _seal(path) == seal


def _count_csv_rows(path: Path) -> int:
    with path.open(encoding="utf-8", newline="") as stream:
        return sum(1 for _ in csv.reader(stream)) - 1


def _count_parquet_rows(path: Path) -> int:
    return read_footer(path).rows


_COUNT_ROWS: dict[str, Callable[[Path], int]] = {
    OPINIONS_CSV: _count_csv_rows,
    OPINIONS_PARQUET: _count_parquet_rows,
}
