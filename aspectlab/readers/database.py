"""A DuckDB in memory that may touch named files only; it is imported when one is opened."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

MEMORY = "512MB"


@contextmanager
def open_database(*paths: Path, spill: Path | None = None) -> Iterator[DuckDBPyConnection]:
    """Open an empty database that may read and write these files; what exceeds memory goes to `spill`.

    >>> with open_database() as database:
    ...     database.execute("SELECT 6 * 7").fetchone()
    (42,)
    """
    import duckdb

    settings: dict[str, str | bool | int | float | list[str]] = {
        "threads": 1,
        "memory_limit": MEMORY,
        # without a folder of its own, it would write into the current one
        "temp_directory": "" if spill is None else str(spill),
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "allow_persistent_secrets": False,
    }
    with duckdb.connect(":memory:", config=settings) as database:
        forms = [form for path in paths for form in (str(path), escape_pattern(path))]
        database.execute("SET allowed_paths = ?", [forms])
        database.execute("SET enable_external_access = false")
        database.execute("SET TimeZone = 'UTC'")  # a time must not read differently elsewhere
        yield database


def escape_pattern(path: Path) -> str:
    """Write a path so that it matches itself only: DuckDB takes the path of a file to read as a pattern.

    >>> escape_pattern(Path("a[1]*.parquet"))
    'a[[]1][*].parquet'
    """
    return re.sub(r"([*?\[])", r"[\1]", str(path))


def quote(text: str) -> str:
    """Write a string as a literal of SQL.

    >>> print(quote("it's"))
    'it''s'
    """
    return "'" + text.replace("'", "''") + "'"
