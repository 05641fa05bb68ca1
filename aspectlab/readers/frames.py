"""Frames: a corpus as a table of pandas or as a data set of Hugging Face's `datasets`, and back.

Both libraries are imported when they are asked for; no install of ours brings them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from aspectlab.data import Corpus, Example, Part, Provenance, Quad, example_from_dict, example_to_dict
from aspectlab.errors import ConfigError, DataError, MissingPartError
from aspectlab.readers import Source
from aspectlab.readers.quadrows import (
    NAMES,
    OFFSETS,
    QuadRow,
    choose_columns,
    note_unread,
    read_examples,
    to_rows,
)

if TYPE_CHECKING:
    from datasets import Dataset
    from pandas import DataFrame

_ATTRS = "aspectlab"
"""Where a table keeps what it says of the corpus."""

_MORE: dict[str, Callable[[Example, Quad | None], object]] = {
    "valence": lambda example, quad: quad and quad.intensity and quad.intensity.valence,
    "arousal": lambda example, quad: quad and quad.intensity and quad.intensity.arousal,
    "confidence": lambda example, quad: quad and quad.confidence and dict(quad.confidence),
    "style": lambda example, quad: example.style,
}
"""Columns beyond those of files; each is there if any quad has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """What a caller says of a table: its columns, and the corpus."""

    text_column: str | None = None
    id_column: str | None = None
    aspect_column: str | None = None
    opinion_column: str | None = None
    category_column: str | None = None
    polarity_column: str | None = None
    name: str | None = None
    language: str | None = None
    annotates: Iterable[Part | str] | None = None

    @property
    def columns(self) -> dict[str, str | None]:
        chosen = (self.text_column, self.id_column, self.aspect_column, self.opinion_column)
        names = ("text", "id", "aspect", "opinion", "category", "polarity")
        return dict(zip(names, (*chosen, self.category_column, self.polarity_column), strict=True))


def to_pandas(corpus: Corpus) -> DataFrame:
    """Return a pandas table with one row per quad, or per text without quads."""
    pandas = _load("pandas", "to_pandas")
    found = _to_columns(corpus)
    # whole numbers beside absent ones would become floats
    columns = {
        name: pandas.array(cells, dtype="Int64") if name in OFFSETS else pandas.Series(cells, dtype=object)
        for name, cells in found.items()
    }
    frame: DataFrame = pandas.DataFrame(columns)
    frame.attrs[_ATTRS] = _describe(corpus)
    return frame


def _to_columns(corpus: Corpus) -> dict[str, list[object]]:
    rows = list(to_rows(corpus))
    pairs = [(example, quad) for example in corpus for quad in example.quads or (None,)]
    more = {name: [take(*pair) for pair in pairs] for name, take in _MORE.items()}
    usual: dict[str, list[object]] = {name: [row[name] for row in rows] for name in NAMES}
    return usual | {name: cells for name, cells in more.items() if any(cell is not None for cell in cells)}


def _describe(corpus: Corpus) -> dict[str, object]:
    return {
        "name": corpus.name,
        "language": corpus.language,
        "annotates": sorted(corpus.annotates),
        "version": corpus.provenance.version,
    }


def from_pandas(frame: DataFrame, **known: object) -> Corpus:
    """Make a corpus of a pandas table; its columns are found by name, as those of a file."""
    if not hasattr(frame, "columns") or not hasattr(frame, "attrs"):
        raise ConfigError(
            f"from_pandas: found {type(frame).__name__}: expected a pandas.DataFrame; "
            "make one with pandas.DataFrame(...)"
        )
    if repeated := [str(name) for name in frame.columns[frame.columns.duplicated()]]:
        raise DataError(
            f"table: found the column {repeated[0]!r} twice: expected every column once; drop one"
        )
    header = [str(name) for name in frame.columns]
    rows = zip(*(frame[name].tolist() for name in frame.columns), strict=True)
    records = (dict(zip(header, row, strict=True)) for row in rows)
    return _make_corpus("table", header, records, frame.attrs.get(_ATTRS, {}), _check(known))


def _make_corpus(
    where: str, header: Sequence[str], records: Iterable[Mapping[str, object]], said: object, known: _Known
) -> Corpus:
    """Read rows as those of a file are read; `said` is what the table itself says of the corpus."""
    source = Source(Path(where))
    columns = choose_columns(source, header, known.columns)
    note_unread(source, [name for name in header if name not in _MORE], columns)
    names = {name: header[index] for name, index in columns.items()}
    rows = list(records)
    cells = (QuadRow(f"row {n}", _to_cells(row, names)) for n, row in enumerate(rows))
    examples: Iterable[Example] = read_examples(source, columns, cells)
    if not {"valence", "arousal", "confidence", "style"}.isdisjoint(header):
        examples = _add_more(list(examples), rows, names)
    return _name_corpus(examples, said, known)


def _to_cells(row: Mapping[str, object], names: Mapping[str, str]) -> dict[str, str | None]:
    return {name: None if _is_missing(row[own]) else str(row[own]) for name, own in names.items()}


def _is_missing(cell: object) -> bool:
    """Return whether a cell is None, NaN or NA, none of which equals itself as a truth."""
    return cell is None or type(cell).__name__ in {"NAType", "NaTType"} or cell != cell


def _add_more(
    examples: Sequence[Example], rows: Iterable[Mapping[str, object]], names: Mapping[str, str]
) -> Iterator[Example]:
    """Add what files have no column for; the rows of an example are in the order of its quads."""
    groups: dict[object, list[Mapping[str, object]]] = {}
    for number, row in enumerate(rows):
        key = str(row[names["id"]]) if "id" in names else number
        groups.setdefault(key, []).append(row)
    if len(groups) != len(examples):
        raise DataError(
            "table: valence, arousal, confidence and style are read by the id of each row: expected a column "
            "id with another id for every text; add one, or drop these columns"
        )
    for example, group in zip(examples, groups.values(), strict=True):
        more = [{key: row[key] for key in _MORE if not _is_missing(row.get(key))} for row in group]
        quads = list(map(_add_to_quad, example.quads, more))
        yield replace(example, quads=tuple(quads), style=more[0].get("style"))  # type: ignore[arg-type]


def _add_to_quad(quad: Quad, more: Mapping[str, object]) -> Quad:
    own = {key: value for key, value in more.items() if key != "style"}
    values = {key: own.pop(key) for key in ("valence", "arousal") if key in own}
    made = example_from_dict({"id": "", "text": "", "quads": [{**own, "intensity": values or None}]}).quads[0]
    return replace(quad, confidence=made.confidence, intensity=made.intensity)


def _name_corpus(examples: Iterable[Example], said: object, known: _Known) -> Corpus:
    described = said if isinstance(said, Mapping) else {}
    corpus = Corpus(
        known.name or str(described.get("name") or "corpus"),
        known.language or str(described.get("language") or "und"),
        known.annotates if known.annotates is not None else described.get("annotates"),
        examples,
    )
    ids = [example.id for example in corpus]
    if len(set(ids)) < len(ids):
        twice = next(name for name in ids if ids.count(name) > 1)
        raise DataError(f"table: found the id {twice!r} with several texts: expected unique ids; rename one")
    version = str(described.get("version") or "")
    return replace(corpus, provenance=replace(corpus.provenance, version=version)) if version else corpus


def to_datasets(corpus: Corpus) -> Dataset:
    """Return a data set with one row per example, as a line of canonical JSONL has it."""
    datasets = _load("datasets", "to_datasets")
    rows = [example_to_dict(example) for example in corpus]
    for row in rows:
        row["quads"] = [_to_record(quad) for quad in row["quads"]]  # type: ignore[attr-defined]
    features = _features(datasets)
    info = datasets.DatasetInfo(description=json.dumps({_ATTRS: _describe(corpus)}), features=features)
    columns = {name: [row.get(name) for row in rows] for name in features}
    dataset: Dataset = datasets.Dataset.from_dict(columns, features=features, info=info)
    return dataset


def _to_record(quad: Mapping[str, object]) -> dict[str, object]:
    """Write a confidence as JSON: its keys differ from model to model, and columns do not."""
    confidence = quad.get("confidence")
    return {
        **quad,
        "intensity": quad.get("intensity"),
        "confidence": json.dumps(confidence) if confidence else None,
    }


def _features(datasets: ModuleType) -> Mapping[str, object]:
    value = datasets.Value
    term = {"text": value("string"), "start": value("int64"), "end": value("int64")}
    quad = {
        "aspect": term,
        "category": value("string"),
        "opinion": term,
        "polarity": value("string"),
        "intensity": {"valence": value("float64"), "arousal": value("float64")},
        "confidence": value("string"),
    }
    strings = dict.fromkeys(("id", "text", "source", "variant", "style"), value("string"))
    features: Mapping[str, object] = datasets.Features({**strings, "quads": [quad]})
    return features


def from_datasets(dataset: Dataset, **known: object) -> Corpus:
    """Make a corpus of a data set: of `to_datasets`, or one with a row per quad or text."""
    if not hasattr(dataset, "column_names") or not hasattr(dataset, "to_list"):
        raise ConfigError(
            f"from_datasets: found {type(dataset).__name__}: expected a datasets.Dataset; "
            "choose one of several splits, as dataset['train']"
        )
    said = _read_description(dataset.info.description)
    chosen, header, rows = _check(known), list(dataset.column_names), dataset.to_list()
    if "quads" in header and not any(chosen.columns.values()):
        return _name_corpus(map(_read_nested, rows), said, chosen)
    # a class is a number here, whose word stands beside the column
    words = {name: kind.names for name, kind in dataset.features.items() if hasattr(kind, "names")}
    for row, (name, names) in ((row, each) for row in rows for each in words.items()):
        row[name] = names[row[name]] if isinstance(row[name], int) and row[name] >= 0 else None
    return _make_corpus("dataset", header, rows, said, chosen)


def read_folder(path: Path, *, name: str | None = None, **known: object) -> Corpus:
    """Read a folder that `Dataset.save_to_disk` wrote, without any code that lies in it."""
    if (path / "dataset_dict.json").is_file():
        splits = ", ".join(sorted(found.name for found in path.iterdir() if found.is_dir()))
        raise DataError(f"{path}: found several splits: expected one; name its folder: {splits:.200}")
    datasets = _load("datasets", "read")
    try:
        dataset = datasets.load_from_disk(str(path))
    # what pyarrow and json raise where a file of the folder is broken, and OSError where one is missing
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataError(f"{path}: {error!s:.200}: expected a folder of `Dataset.save_to_disk`") from None
    corpus = from_datasets(dataset, **known)
    own = name or ("" if corpus.name == "corpus" else corpus.name)
    version = corpus.provenance.version
    return replace(
        corpus,
        name=own or path.resolve().name,
        provenance=Provenance(str(path), "datasets", version=version, name=own),
    )


def _read_nested(row: Mapping[str, object]) -> Example:
    quads = [
        {**quad, **{part: _drop_absent(quad.get(part)) for part in ("aspect", "opinion", "intensity")}}
        for quad in row["quads"]  # type: ignore[attr-defined]
    ]
    for quad in quads:
        if isinstance(quad.get("confidence"), str):
            quad["confidence"] = json.loads(quad["confidence"])
    names = ("id", "text", "source", "variant", "style")
    return example_from_dict({**{name: row.get(name) for name in names}, "quads": quads})


def _drop_absent(record: object) -> object:
    """Return None for a structure of which nothing is there: columns have no other way to say so."""
    if not isinstance(record, Mapping):
        return record
    return {key: value for key, value in record.items() if value is not None} or None


def _read_description(description: str) -> object:
    try:
        found = json.loads(description)
    except ValueError:
        return {}
    return found.get(_ATTRS) if isinstance(found, dict) else {}


def _check(known: Mapping[str, object]) -> _Known:
    try:
        return _Known(**known)  # type: ignore[arg-type]
    except TypeError:
        names = ", ".join(_Known.__slots__)
        given = next(name for name in known if name not in _Known.__slots__)
        raise ConfigError(f"option {given!r} is unknown: expected one of {names}") from None


def _load(package: str, caller: str) -> ModuleType:
    try:
        return import_module(package)
    except ImportError:
        raise MissingPartError(
            f"{caller}: the package {package} is not installed; get it with: pip install {package}"
        ) from None
