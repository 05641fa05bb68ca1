"""Load the runs that a report is made of, from folders of runs and from CSV files with one row per run."""

import csv
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from aspectlab.errors import DataError
from aspectlab.experiments import RunRecord, is_run_folder, read_record, read_runs
from aspectlab.tasks import TASKS
from aspectlab.untrusted import parse_count, parse_number

BASE = "base"
"""The variant of a training that others are compared with."""


@dataclass(frozen=True, slots=True)
class RunResult:
    """What one run says: who ran, on what, and its scores in percent by test set and metric."""

    label: str  # the model, and its variant where a study has several
    model: str
    encoder: str
    settings: Mapping[str, str]  # all that may tell two runs of one label apart
    task: str  # empty where a file does not say
    corpus: str
    split: int
    seed: int
    scores: Mapping[str, Mapping[str, float]]
    signatures: Mapping[str, str] = field(default_factory=dict)  # how each test set was measured
    origin: str = ""  # the name of the CSV file, without its ending, that holds the row
    run: str = ""  # the id of the run, where it has a folder of its own
    variant: str = ""  # of the training, where a file has several for each model: base or another
    study: str = ""  # the study that asked for the run
    made_by: str = ""  # the program that executed it, with its version
    dev: Mapping[str, float] = field(default_factory=dict)  # scores of the chosen epoch, in percent

    @property
    def provenance(self) -> str:
        """Return the run or its file, the study, and what executed it; what is not known is left out."""
        study = f"study {self.study}" if self.study else ""
        return ", ".join(filter(None, (self.run or self.origin, study, self.made_by)))


# how many splits a study asks for decides nothing about any of them: a study may grow
_IGNORED_SETTINGS = {"splits"}
_HASH = re.compile(r"\b([0-9a-f]{8})[0-9a-f]{56}\b")


def read_results(paths: Sequence[Path]) -> list[RunResult]:
    """Read the runs of folders of runs, of CSV files, and of folders of CSV files, in a fixed order."""
    found = sorted((result for path in paths for result in _read_path(path)), key=_sort_key)
    return _drop_redundant_f1(found)


def from_record(record: RunRecord) -> RunResult:
    """Take from the record of a run what reports need; fractions become percent."""
    settings = {**record.settings, **_flatten_hashes(record.protocol)}
    texts = {
        name: _format_setting(value)
        for name, value in sorted(settings.items())
        if name not in _IGNORED_SETTINGS
    }
    scores = {test: _in_percent(found) for test, found in record.metrics.items()}
    who, on = (record.label, record.model, record.encoder), (record.task, record.corpus)
    return RunResult(
        *who,
        texts,
        *on,
        record.split,
        record.seed,
        scores,
        record.signatures,
        run=record.id,
        variant=_find_variant(record.label, record.model),
        study=record.study,
        made_by=f"aspectlab run {record.environment.get('aspectlab', '')}".strip(),
        dev=_in_percent(record.dev),
    )


def _find_variant(label: str, model: str) -> str:
    """Return what a study trained differently, by its label MODEL+VARIANT; nothing for a label of its own."""
    if label == model:
        return BASE
    return label.removeprefix(f"{model}+") if label.startswith(f"{model}+") else ""


def _read_path(path: Path) -> list[RunResult]:
    if path.is_dir():
        found = [from_record(record) for record in _read_records(path)]
        files = [file for file in sorted(path.glob("*.csv")) if is_row_file(file)]
        found += [result for file in files for result in read_rows(file)]
    else:
        found = read_rows(path)
    if not found:
        raise DataError(
            f"{path}: found no finished run: expected the --out of `aspectlab run`, or CSV files with the "
            "columns model, corpus, split and seed and a column per score"
        )
    return found


def _read_records(folder: Path) -> list[RunRecord]:
    return [read_record(folder)] if is_run_folder(folder) else read_runs(folder)


def _sort_key(result: RunResult) -> tuple[str, str, str, str, str, int, int]:
    settings = " ".join(f"{name}={value}" for name, value in sorted(result.settings.items()))
    who = (result.label, result.encoder, settings)
    return (result.task, result.corpus, *who, result.split, result.seed)


def _flatten_hashes(protocol: Mapping[str, object]) -> dict[str, object]:
    """Return a key for every file of a corpus, so that a name holds only those that differ."""
    hashes = protocol.get("sha256")
    files = hashes if isinstance(hashes, dict) else {}
    others = {name: value for name, value in protocol.items() if value is not files}
    return others | {f"sha256:{name}": digest for name, digest in files.items()}


def _in_percent(scores: Mapping[str, float]) -> dict[str, float]:
    return {name: 100 * value for name, value in scores.items()}


def _drop_redundant_f1(results: Sequence[RunResult]) -> list[RunResult]:
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


def _format_setting(value: object) -> str:
    """Format a setting; of a hash, eight digits tell enough."""
    return _HASH.sub(r"\1", value if isinstance(value, str) else json.dumps(value, sort_keys=True))


KEY_COLUMNS = ("model", "corpus", "split", "seed")
"""A file without one of these columns is no file of runs."""

# columns that say how a run went, not how good it is; dev scores chose the epoch and stand apart
_NO_SCORES = {
    *KEY_COLUMNS,
    *("task", "encoder", "settings", "study", "made_by", "variant", "dev", "epoch", "epochs"),
}
_DEV, _SECONDS = "dev_", "seconds"
# violation rates on dev begin alike, and are no scores that choose
_DEV_COLUMNS = {"dev": "score"} | {f"{_DEV}{name}": name for name in ("accuracy", "f1", "macro_f1")}

_ARTS, _ADDDIFF, _COMBINED = "arts_", "adddiff_", "combined_"
# these are measured on a test set with variants only
_ROBUSTNESS = ("ars_", "revtgt_", "revnon_", _ADDDIFF)
_VIOLATIONS = "vr"
_MAX_PERCENT = 100.0


def is_row_file(path: Path) -> bool:
    """Return whether a CSV file has the columns of runs."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            return set(KEY_COLUMNS) <= {name.strip() for name in next(csv.reader(stream), [])}
    except (OSError, ValueError, csv.Error):
        return False


def read_rows(path: Path) -> list[RunResult]:
    """Read all runs of a file; the task is its column, a setting, or the file's name where that is a task."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.DictReader(stream, strict=True)
            reader.fieldnames = [name.strip() for name in reader.fieldnames or ()]
            missing = [key for key in KEY_COLUMNS if key not in reader.fieldnames]
            if missing:
                found = ", ".join(reader.fieldnames)
                raise DataError(
                    f"{path}: found no column {missing[0]!r} in {found!r:.80}: expected the columns "
                    f"{', '.join(KEY_COLUMNS)}, and a column per score, commas between; or give "
                    "a folder of runs"
                )
            _refuse_repeated(path, reader.fieldnames)
            return [_read_row(f"{path}: line {reader.line_num}", cells, path.stem) for cells in reader]
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}; check the path") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"{path}: {error}: expected CSV in UTF-8; save it as such") from None


def split_column(column: str) -> tuple[str, str]:
    """Return the test set and the metric that a column is of.

    >>> split_column("accuracy"), split_column("arts_accuracy"), split_column("adddiff_2")
    (('test', 'accuracy'), ('arts', 'accuracy'), ('adddiff-2', 'accuracy'))
    >>> split_column("vr_aspect"), split_column("combined_revnon+adddiff_new")
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


def _read_row(where: str, cells: Mapping[str | None, str | None], stem: str) -> RunResult:
    if None in cells or None in cells.values():
        raise DataError(
            f"{where}: found more or fewer cells than columns: expected one each; correct the line"
        )
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
    study, made_by = texts.get("study", ""), texts.get("made_by", "")
    result = RunResult(*who, settings, *on, split, seed, scores, origin=stem, variant=variant)
    dev = {name: column for column, name in _DEV_COLUMNS.items() if texts.get(column)}
    dev_scores = {name: _read_score(where, column, texts[column]) for name, column in dev.items()}
    return replace(result, study=study, made_by=made_by, dev=dev_scores)


def _read_settings(where: str, text: str) -> dict[str, str]:
    words = text.split()
    if odd := [word for word in words if "=" not in word]:
        raise DataError(
            f"{where}: settings = {text!r}: found the word {odd[0]!r}: expected name=value, spaces between"
        )
    return dict(word.split("=", 1) for word in words)


def _refuse_repeated(path: Path, columns: Sequence[str]) -> None:
    """Refuse two columns of one name, or of one metric: the later would silently replace the earlier."""
    seen: dict[tuple[str, str], str] = {}
    for column in columns:
        target = split_column(column) if _is_score(column) else ("", column)
        if target in seen:
            raise DataError(
                f"{path}: line 1: found the columns {seen[target]!r} and {column!r}, which mean the same: "
                "expected one; remove one of them"
            )
        seen[target] = column


def _is_score(column: str) -> bool:
    # a column without a name is the index that pandas writes, and "Unnamed: 0" what it reads it as
    is_index = not column or column.startswith("Unnamed: ")
    return not (is_index or column in _NO_SCORES or column.startswith(_DEV) or column.endswith(_SECONDS))


def _read_scores(where: str, texts: Mapping[str, str], columns: Sequence[str]) -> dict[str, dict[str, float]]:
    scores: dict[str, dict[str, float]] = {}
    for column in columns:
        test, metric = split_column(column)
        scores.setdefault(test, {})[metric] = _read_score(where, column, texts[column])
    return scores


def _read_whole(where: str, column: str, text: str) -> int:
    count = parse_count(text)
    if count is None:
        raise DataError(f"{where}: {column} = {text!r:.40}: expected a whole number")
    return count


def _read_score(where: str, column: str, text: str) -> float:
    value = parse_number(text)
    # a number that has lost its point is beyond any percentage
    if value is None or abs(value) > _MAX_PERCENT:
        raise DataError(
            f"{where}: {column} = {text!r:.40}: expected a score in percent with a point, such as 84.5; "
            "leave it empty if not measured"
        )
    return value
