"""Parquet with the columns of a table: one row per quad or per text."""

from __future__ import annotations

from pathlib import Path

from aspectlab.data import Corpus
from aspectlab.readers.format import Format
from aspectlab.readers.parquetfile import is_parquet
from aspectlab.readers.parquetwriter import write_rows
from aspectlab.readers.quadrows import NAMES, OFFSETS, to_rows
from aspectlab.readers.table import read


def write(corpus: Corpus, path: Path) -> None:
    """Write a Parquet file from which the same examples are read again."""
    write_rows(path, to_rows(corpus), {name: "INTEGER" if name in OFFSETS else "VARCHAR" for name in NAMES})


FORMAT = Format("Parquet: one row per quad or text, columns by name", is_parquet, read, write, language="und")
