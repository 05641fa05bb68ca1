"""CSV files of runs: a row per run, what tells runs apart in named columns, every other column a score."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

from aspectlab.errors import DataError
from aspectlab.reports.runs.result import BASE, Result
from aspectlab.tasks import TASKS

KEYS = ("model", "corpus", "split", "seed")
"""A file without one of these columns is no file of runs."""

# columns that say how a run went, not how good it is; dev scores chose the epoch and prove nothing
_OTHER = {*KEYS, "task", "encoder", "settings", "study", "variant", "dev", "epoch", "epochs"}
_DEV, _SECONDS = "dev_", "seconds"

_ARTS, _ADDDIFF, _COMBINED = "arts_", "adddiff_", "combined_"
# these are measured on a test set with variants only
_ROBUSTNESS = ("ars_", "revtgt_", "revnon_", _ADDDIFF)
_VIOLATIONS = "vr"
_MOST = 100.0


def is_row_file(path: Path) -> bool:
    """Tell whether a CSV file has the columns of runs."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            return set(KEYS) <= {name.strip() for name in next(csv.reader(stream), [])}
    except (OSError, ValueError, csv.Error):
        return False


def read_rows(path: Path) -> list[Result]:
    """Read all runs of a file; the task is its column, a setting, or the file's name where that is a task."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.DictReader(stream, strict=True)
            reader.fieldnames = [name.strip() for name in reader.fieldnames or ()]
            missing = [key for key in KEYS if key not in reader.fieldnames]
            if missing:
                found = ", ".join(reader.fieldnames)
                raise DataError(
                    f"{path}: found no column {missing[0]!r} in {found!r:.80}: expected the columns "
                    f"{', '.join(KEYS)}, and a column per score, commas between; or give a folder of runs"
                )
            _refuse_repeated(path, reader.fieldnames)
            return [_read_row(f"{path}: line {reader.line_num}", cells, path.stem) for cells in reader]
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}; check the path") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"{path}: {error}: expected CSV in UTF-8; save it as such") from None


def place_column(column: str) -> tuple[str, str]:
    """Give the test set and the metric that a column is of.

    >>> place_column("accuracy"), place_column("arts_accuracy"), place_column("adddiff_2")
    (('test', 'accuracy'), ('arts', 'accuracy'), ('adddiff-2', 'accuracy'))
    >>> place_column("vr_aspect"), place_column("combined_revnon+adddiff_new")
    (('metamorphic', 'vr_aspect'), ('combined', 'revnon+adddiff_new'))
    """
    for prefix in (_ARTS, _COMBINED):
        if column.startswith(prefix):
            return prefix.removesuffix("_"), column.removeprefix(prefix)
    if column.startswith(_ADDDIFF) and column.removeprefix(_ADDDIFF).isdigit():
        return f"adddiff-{column.removeprefix(_ADDDIFF)}", "accuracy"
    if column.partition("_")[0] == _VIOLATIONS:
        return "metamorphic", column
    return ("arts" if column.startswith(_ROBUSTNESS) else "test"), column


def _read_row(where: str, cells: Mapping[str | None, str | None], stem: str) -> Result:
    if None in cells or None in cells.values():
        raise DataError(f"{where}: found more or fewer cells than columns: expected one each; mend the line")
    texts = {str(column): (cell or "").strip() for column, cell in cells.items()}
    if nameless := [key for key in ("model", "corpus") if not texts[key]]:
        raise DataError(f"{where}: {nameless[0]} is empty: expected a name")
    settings = _read_settings(where, texts.get("settings", ""))
    columns = [name for name in texts if _is_score(name) and texts[name]]
    task = texts.get("task") or settings.get("task") or (stem if stem in TASKS else "")
    split, seed = (_read_whole(where, column, texts[column]) for column in ("split", "seed"))
    scores = _read_scores(where, texts, columns)
    variant = texts.get("variant", "")
    label = f"{texts['model']}+{variant}" if variant not in ("", BASE) else texts["model"]
    who, on = (label, texts["model"], texts.get("encoder", "")), (task, texts["corpus"])
    return Result(*who, settings, *on, split, seed, scores, origin=stem, variant=variant)


def _read_settings(where: str, text: str) -> dict[str, str]:
    words = text.split()
    if odd := [word for word in words if "=" not in word]:
        raise DataError(
            f"{where}: settings = {text!r}: found the word {odd[0]!r}: expected name=value, blanks between"
        )
    return dict(word.split("=", 1) for word in words)


def _refuse_repeated(path: Path, columns: Sequence[str]) -> None:
    """Refuse two columns of one name, or of one metric: the later would silently replace the earlier."""
    seen: dict[tuple[str, str], str] = {}
    for column in columns:
        place = place_column(column) if _is_score(column) else ("", column)
        if place in seen:
            raise DataError(
                f"{path}: line 1: found the columns {seen[place]!r} and {column!r}, which mean the same: "
                "expected one; remove one of them"
            )
        seen[place] = column


def _is_score(column: str) -> bool:
    # a column without a name is the index that pandas writes, and "Unnamed: 0" what it reads it as
    is_index = not column or column.startswith("Unnamed: ")
    return not (is_index or column in _OTHER or column.startswith(_DEV) or column.endswith(_SECONDS))


def _read_scores(where: str, texts: Mapping[str, str], columns: Sequence[str]) -> dict[str, dict[str, float]]:
    scores: dict[str, dict[str, float]] = {}
    for column in columns:
        test, metric = place_column(column)
        scores.setdefault(test, {})[metric] = _read_score(where, column, texts[column])
    return scores


def _read_whole(where: str, column: str, text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise DataError(f"{where}: {column} = {text!r}: expected a whole number")
    return int(text)


def _read_score(where: str, column: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    # a number that has lost its point is beyond any percentage; Python takes 8_4 for 84
    if not abs(value) <= _MOST or "_" in text:
        raise DataError(
            f"{where}: {column} = {text!r}: expected a score in percent with a point, such as 84.5; leave it "
            "empty if not measured"
        )
    return value
