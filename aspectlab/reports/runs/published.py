"""Published values: what papers printed for a model on a test set, with known misprints, and the gap to our
runs.
"""

import csv
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from math import sqrt
from pathlib import Path
from typing import Literal, cast

from aspectlab.stats import Decomposition, StandardError, gap_interval, standard_error

ValueKind = Literal["published", "reproduced"]

SOURCES = {
    "reproducibility": "On the current state of reproducibility and reporting of uncertainty for "
    "Aspect-based Sentiment Analysis; published values are those of the models' authors as it cites them, "
    "reproduced ones its own: 5 splits × 5 runs, on MAMS 5 runs",
    "arts": "Xing et al., Tasty Burgers, Soggy Fries, 2020 (ARTS): one run each; ARS by aspect",
    "mato": "Tang et al., MATO: A Model-Agnostic Training Optimization for Aspect Sentiment Triplet "
    "Extraction",
    "muse-caraste": "Usmani et al., MuSe-CarASTE: A comprehensive dataset for aspect sentiment triplet "
    "extraction in automotive review videos",
}
"""The papers behind the table, by the short name that reports use."""

_TABLE = Path(__file__).with_name("published.tsv")
_SPLITS = 5  # of every reproduced value for which the spread between splits is known
_MISPRINT = "misprint:"
# corpora that differ from a published one by how train and dev were cut only: the test set is the same
_SAME_TEST = ("-src",)


@dataclass(frozen=True, slots=True)
class PublishedValue:
    """One printed value in percent; `value` is what holds where the printed one contradicts its own row."""

    source: str
    table: str
    kind: ValueKind
    printed: float
    value: float
    std: float | None
    error: StandardError | None  # None where the paper gives no way to tell
    flag: str

    @property
    def is_misprint(self) -> bool:
        """Whether the printed mean or deviation contradicts other numbers of the same paper."""
        return self.flag.startswith(_MISPRINT)

    @property
    def cited(self) -> str:
        """The paper and its table, in short."""
        return f"{self.source}, Table {self.table}"


ValueKey = tuple[str, str, str, str, str]
"""Task, corpus, test set, label and metric."""


def find_published(task: str, corpus: str, test: str, label: str, metric: str) -> list[PublishedValue]:
    """Find what papers say of a model; a variant has the label MODEL+VARIANT.

    >>> [fact.cited for fact in find_published("atsc", "rest14", "test", "rgat-bert", "accuracy")]
    ['reproducibility, Table 2', 'reproducibility, Table 2']
    >>> find_published("atsc", "lap14", "arts", "capsnet-bert", "accuracy")[0].flag
    'misprint: 79.77 is printed, but the five splits average 70.76'
    """
    for ending in _SAME_TEST:
        corpus = corpus.removesuffix(ending)
    return list(_read_published().get((task, corpus, test, label, metric), ()))


@cache
def _read_published() -> Mapping[ValueKey, list[PublishedValue]]:
    facts: dict[ValueKey, list[PublishedValue]] = defaultdict(list)
    with _TABLE.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream, delimiter="\t"):
            label = f"{row['model']}+{row['variant']}" if row["variant"] else row["model"]
            facts[row["task"], row["corpus"], row["test"], label, row["metric"]].append(_read_value(row))
    return facts


def _read_value(row: Mapping[str, str]) -> PublishedValue:
    return PublishedValue(
        source=row["source"],
        table=row["table"],
        kind=cast(ValueKind, row["kind"]),
        printed=float(row["value"]),
        value=float(row["corrected"] or row["value"]),
        std=float(row["std"]) if row["std"] else None,
        error=_read_error(row),
        flag=row["flag"],
    )


def _read_error(row: Mapping[str, str]) -> StandardError | None:
    """Return the standard error over splits or, where a corpus was not split, over runs."""
    if row["between"]:
        return StandardError(float(row["between"]) / sqrt(_SPLITS), _SPLITS - 1)
    if row["std"] and int(row["runs"]) == _SPLITS:
        return StandardError(float(row["std"]) / sqrt(_SPLITS), _SPLITS - 1)
    return None


@dataclass(frozen=True, slots=True)
class Gap:
    """The mean of our runs less a printed value, with its 95 % interval; None where nothing shows it."""

    fact: PublishedValue
    difference: float
    interval: tuple[float, float] | None


def measure_gaps(
    task: str, corpus: str, test: str, label: str, metric: str, *, spread: Decomposition
) -> tuple[Gap, ...]:
    """Compare runs with every printed value for them: published ones first, then reproduced ones."""
    facts = sorted(
        find_published(task, corpus, test, label, metric), key=lambda fact: (fact.kind, fact.source)
    )
    error = standard_error(spread) if facts else None
    return tuple(_measure_gap(spread.mean - fact.value, fact, error) for fact in facts)


def _measure_gap(difference: float, fact: PublishedValue, error: StandardError | None) -> Gap:
    if error is None or (fact.error is None and fact.kind == "reproduced"):
        return Gap(fact, difference, None)
    # a printed best value has no error that could be known: the interval is that of our mean alone
    errors = [error] if fact.error is None else [error, fact.error]
    return Gap(fact, difference, gap_interval(difference, *errors))
