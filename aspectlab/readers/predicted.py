"""Predictions that stand in a table, which may name terms without saying where they stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from aspectlab.data import Corpus, Quad, Term
from aspectlab.readers.columns import find_column, open_sheet
from aspectlab.readers.parquetfile import read_names
from aspectlab.readers.quadrows import NAMES, OFFSETS
from aspectlab.readers.reading import read
from aspectlab.readers.source import Source

_SHEETS = ("table", "muse")
"""The formats of tables that name terms."""


def read_predicted(path: Path) -> Corpus:
    """Read predictions; terms of a table without offsets have no place, so that they are compared by words.

    For gold a reader takes the first occurrence; the term that a model means may be the second.
    """
    corpus = read(path)
    header = _read_columns(path, corpus.provenance.format)
    if not header or any(find_column(header, NAMES[name]) is not None for name in OFFSETS):
        return corpus
    return corpus.with_examples(
        replace(example, quads=tuple(map(_unplace, example.quads))) for example in corpus
    )


def _read_columns(path: Path, format: str) -> Sequence[str]:
    """Give the names of the columns of a table, whatever its file is called; none of another format."""
    if format == "parquet":
        return read_names(Source(path))
    return open_sheet(Source(path)).header if format in _SHEETS else ()


def read_header(path: Path) -> Sequence[str]:
    """Give the names of the columns; none of a file that is no table."""
    return open_sheet(Source(path)).header if path.suffix.lower() in {".csv", ".tsv", ".xlsx"} else ()


def _unplace(quad: Quad) -> Quad:
    aspect, opinion = (term and Term(term.text) for term in (quad.aspect, quad.opinion))
    return replace(quad, aspect=aspect, opinion=opinion)
