"""Assemble the result from blocks: name the categories, write the tables, collect the aggregate."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TextIO

from aspectlab.errors import DataError
from aspectlab.insight.blocks import Work
from aspectlab.insight.collecting import Collector
from aspectlab.insight.counting import TopCounter
from aspectlab.insight.grouping import MAX_TERMS, OTHER, Grouping, group_terms
from aspectlab.insight.opinions import COLUMNS, Cell, Opinion
from aspectlab.insight.predictor import Predictor
from aspectlab.insight.survey import Survey
from aspectlab.readers.csvfile import write_csv
from aspectlab.readers.parquetwriter import pack_lines

CSV, PARQUET = "opinions.csv", "opinions.parquet"

_ENCODE = json.JSONEncoder(ensure_ascii=False).encode
_COUNTED_TERMS = 20_000
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_TYPES = {
    **dict.fromkeys(COLUMNS, "VARCHAR"),
    **dict.fromkeys(("sentence", "sentence_start"), "INTEGER"),
    **dict.fromkeys(("aspect_start", "aspect_end", "opinion_start", "opinion_end"), "INTEGER"),
    "probability": "DOUBLE",
}
_MAX_ROW_BYTES = 2 << 20


def assemble(work: Work, grouping: Grouping, survey: Survey, out: Path) -> Collector:
    """Write both tables, each of which appears whole or not at all, and collect what the aggregate needs."""
    collector = Collector(survey)
    table, rows = work.folder / CSV, work.folder / "opinions.jsonl"
    try:
        with rows.open("w", encoding="utf-8", newline="\n") as stream:
            write_csv(table, _rows(work, grouping, collector, stream), ",", quote=False)
        packed = work.folder / PARQUET
        pack_lines(rows, packed, _TYPES, longest=_MAX_ROW_BYTES)
        table.replace(out / CSV)
        packed.replace(out / PARQUET)
    except OSError as error:
        raise DataError(f"{out}: cannot be written: {error.strerror}; free some space") from None
    return collector


def group_opinions(
    opinions: Iterator[Opinion], predictor: Predictor, aspects: Sequence[str] | None
) -> Grouping:
    """Count the aspect terms and group the frequent ones."""
    return group_terms(_count_terms(opinions), predictor.embed, aspects)


def categorise(opinion: Opinion, grouping: Grouping) -> Opinion:
    """Name the category of an opinion, unless the model has."""
    found = opinion.category or (grouping.find(opinion.aspect) if opinion.aspect else OTHER)
    return opinion._replace(category=found)


def escape_formula(cell: Cell) -> str | int:
    """Keep a spreadsheet from taking a cell for a formula, as is usual: with an apostrophe before it.

    >>> escape_formula("=1+1"), escape_formula("fine"), escape_formula(None), escape_formula(0.5)
    ("'=1+1", 'fine', '', '0.5000')
    """
    if cell is None:
        return ""
    if isinstance(cell, float):
        return f"{cell:.4f}"
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell


def unescape_formula(cell: str) -> str:
    """Take back the apostrophe that `escape_formula` put before a cell.

    >>> unescape_formula("'=1+1"), unescape_formula("'tis")
    ('=1+1', "'tis")
    """
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(_FORMULA) else cell


def _count_terms(opinions: Iterator[Opinion]) -> list[tuple[str, int]]:
    """Give the frequent terms only: the others are gone before the grouping needs its memory."""
    terms = TopCounter[str](_COUNTED_TERMS)
    for opinion in opinions:
        if opinion.aspect:
            terms.add(opinion.aspect.lower())
    # a term may have several forms
    return terms.top(4 * MAX_TERMS)


def _rows(work: Work, grouping: Grouping, collector: Collector, stream: TextIO) -> Iterator[list[str | int]]:
    """Give the rows of the CSV table, and write them for Parquet, collecting on the way."""
    yield list(COLUMNS)
    for plain in work.opinions():
        opinion = categorise(plain, grouping)
        collector.add(opinion)
        stream.write(_ENCODE(opinion._asdict()) + "\n")
        yield [cell if type(cell) is int else escape_formula(cell) for cell in opinion]
