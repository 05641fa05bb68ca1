"""Read the prediction tables of the ARTS authors: one row per example, one column of labels per model."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from aspectlab.data import Corpus, Example, Part, Polarity, Provenance, Quad, Term
from aspectlab.errors import ConfigError
from aspectlab.readers import Source, read, read_header, read_predicted
from aspectlab.readers.tables import (
    Row,
    StrictTable,
    find_column,
    need_column,
    open_strict_table,
    parse_polarity,
)
from aspectlab.registry import suggest
from aspectlab.robustness.aspects import PREDICTED_SUFFIX
from aspectlab.robustness.scoring import SUFFIXES
from aspectlab.robustness.strategies import STRATEGIES

LabelledRow = tuple[Example, dict[str, Polarity]]
"""An example and the label that each column gives it."""

_GOLD = ""
"""The key of the gold labels; no model has it, because a column without a name is passed over."""

_PARTS = frozenset({Part.ASPECT, Part.POLARITY})
_NAMES = "|".join(map(re.escape, STRATEGIES))
_VARIANT = re.compile(
    rf"(?P<origin>.*)_(?P<suffix>adv[^_]*|(?P<name>({_NAMES})({re.escape(PREDICTED_SUFFIX)})?))", re.DOTALL
)

_COLUMNS = {
    "id": ("id",),
    "sentence": ("sentence", "text"),
    "term": ("term", "aspect"),
    "gold": ("gold_label", "gold"),
}
"""What the columns that describe an example are called; all others are models."""


@dataclass(frozen=True, slots=True)
class PredictionTable:
    """A test set and the predictions of every model for it."""

    gold: Corpus
    models: dict[str, Corpus]


def read_predictions(path: str | Path) -> PredictionTable:
    """Read a CSV (TSV, XLSX) file with the columns id, sentence, term, gold_label, and one per model.

    An id that ends in `_adv1`, `_adv2`, `_adv3` or `_adv4` is a variant: RevTgt, RevNon, AddDiff, AddDiff. So
    is one that ends in the name of a strategy, as `arts generate` names chains: `_revnon+adddiff`.
    """
    source = Source(Path(path))
    sheet = open_strict_table(source)
    positions = {name: need_column(source, sheet.header, *names) for name, names in _COLUMNS.items()}
    models = _find_models(source, sheet.header, set(positions.values()))
    columns = {_GOLD: positions["gold"], **models}
    rows = list(_read_rows(source, sheet, positions, columns))
    if not rows:
        raise source.error("whole file", "no row below the header", "one per example", "check the path")
    gold = _label(source, source.path.stem, _GOLD, rows)
    return PredictionTable(gold, {name: _label(source, name, name, rows) for name in models})


def read_testset(path: Path) -> Corpus:
    """Read a test set in any format; a table of predictions holds one too."""
    return read_predictions(path).gold if _is_table(path) else read(path)


def read_answers(path: Path, gold: Corpus, column: str | None = None) -> Corpus:
    """Read the predictions for a test set: a corpus in any format, or one column of a table."""
    if not _is_table(path):
        if column is not None:
            raise ConfigError(
                f"column {column!r}: {path} is not a table of predictions; leave the column out"
            )
        return read_predicted(path)
    models = read_predictions(path).models
    if column is None and len(models) > 1:
        raise ConfigError(f"{path}: found the models {', '.join(models)}: expected one; name its column")
    chosen = next(iter(models)) if column is None else column
    if chosen not in models:
        raise ConfigError(f"{path}: column {chosen!r} is unknown: {suggest(chosen, models)}")
    return _align(models[chosen], gold)


def _is_table(path: Path) -> bool:
    """Return whether a file is a table of predictions, not a corpus: it has gold labels beside others."""
    header = read_header(path)
    return all(find_column(header, names) is not None for names in _COLUMNS.values())


def _align(predicted: Corpus, gold: Corpus) -> Corpus:
    """Take over the ids and terms of the test set, from which those of the authors' table differ a little.

    They call AddDiff adv4 in the one and adv3 in the other, and a term may be spelt in another way; a row
    of the table is about one aspect in any case.
    """
    ids = {example.id: example for example in gold}
    variants = {(example.source, example.variant): example for example in gold}
    return predicted.with_examples(
        _label_as(ids.get(example.id) or variants.get((example.source, example.variant)), example)
        for example in predicted
    )


def _label_as(wanted: Example | None, example: Example) -> Example:
    # of another text it cannot be the row; what is wrong is told when texts are compared
    if wanted is None or len(wanted.quads) != 1 or wanted.text != example.text:
        return example
    aspect = wanted.quads[0].aspect
    return replace(example, id=wanted.id, quads=tuple(replace(quad, aspect=aspect) for quad in example.quads))


def _find_models(source: Source, header: Sequence[str], described: set[int]) -> dict[str, int]:
    """Return the columns of the models; one without a name, as pandas writes its index, is skipped."""
    models: dict[str, int] = {}
    for position, name in enumerate(header):
        if position in described or not name:
            continue
        if name in models:
            raise source.error("header", f"the column {name!r:.80} twice", "one per model", "rename one")
        models[name] = position
    if not models:
        found = f"the columns {', '.join(header):.200}"
        raise source.error("header", found, "a column per model after these", "add its predicted labels")
    return models


def _read_rows(
    source: Source, sheet: StrictTable, positions: dict[str, int], columns: dict[str, int]
) -> Iterator[LabelledRow]:
    """Return the examples without labels, each with the labels of all columns."""
    seen: set[str] = set()
    for number, cells in sheet.rows:
        example = _read_example(source, (number, cells), positions)
        if example.id in seen:
            raise source.error(number, f"the id {example.id!r:.80} again", "unique ids", "remove one row")
        seen.add(example.id)
        labels: dict[str, Polarity] = {}
        for name, position in columns.items():
            where = f"line {number}, column {sheet.header[position]!r:.80}"
            labels[name] = parse_polarity(source, where, cells[position])
        yield example, labels


def _read_example(source: Source, row: Row, positions: dict[str, int]) -> Example:
    number, cells = row
    name, text, term = (cells[positions[column]] for column in ("id", "sentence", "term"))
    quads = (Quad(Term(term)),)
    found = _VARIANT.fullmatch(name)
    if found is None:
        return Example(name, text, quads)
    strategy = found["name"] or SUFFIXES.get(found["suffix"])
    if strategy is None:
        expected = f"one of _{', _'.join(SUFFIXES)} at its end, or none"
        raise source.error(number, f"the id {name!r:.80}", expected, "rename or remove the row")
    return Example(name, text, quads, found["origin"], strategy)


def _label(source: Source, name: str, column: str, rows: Sequence[LabelledRow]) -> Corpus:
    """Make the corpus of one column: the same examples for all, with its labels."""
    examples = (
        replace(example, quads=tuple(quad.with_polarity(labels[column]) for quad in example.quads))
        for example, labels in rows
    )
    provenance = Provenance(str(source.path), "arts-predictions", source.sha256)
    return Corpus(name, "und", _PARTS, tuple(examples), provenance)
