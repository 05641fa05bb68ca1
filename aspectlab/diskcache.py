"""The cache folder: what is worth keeping between runs, and tables of texts in it."""

import os
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from aspectlab.errors import ConfigError


def cache_folder() -> Path:
    """Return the user's cache folder, or the one that ASPECTLAB_CACHE names; it may not exist yet."""
    if named := os.environ.get("ASPECTLAB_CACHE"):
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or _find_home() / ".cache") / "aspectlab"


def _find_home() -> Path:
    try:
        return Path.home()
    except RuntimeError:
        # a folder that anybody may write to would not do: what lies there is believed
        raise ConfigError(
            "the cache: found no home folder of this user: expected one; set HOME, or let ASPECTLAB_CACHE "
            "name a folder of your own"
        ) from None


@dataclass(frozen=True, slots=True)
class TextTable:
    """Texts by key in one SQLite file; what cannot be read counts as absent.

    Several processes may read and write at once. Entries are written all or none. A folder that cannot be
    written to only costs the work anew.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     table = TextTable(Path(folder) / "words.sqlite")
    ...     table.write({"one": "uno"})
    ...     table.read(["one", "two"])
    True
    {'one': 'uno'}
    """

    path: Path

    def read(self, keys: Sequence[str]) -> dict[str, str]:
        """Return the texts of those keys that are there."""
        try:
            # a read-only connection makes no file, and works where nothing may be written
            with closing(sqlite3.connect(f"{self.path.absolute().as_uri()}?mode=ro", uri=True)) as table:
                rows = [
                    table.execute("SELECT text FROM kept WHERE key = ?", (key,)).fetchone() for key in keys
                ]
        except sqlite3.Error:
            return {}
        return {key: row[0] for key, row in zip(keys, rows, strict=True) if row and isinstance(row[0], str)}

    def write(self, texts: Mapping[str, str]) -> bool:
        """Add texts, in place of those with the same key; return whether that was possible."""
        with suppress(OSError, sqlite3.OperationalError):  # locked, full or read-only
            self.path.parent.mkdir(parents=True, exist_ok=True)
            try:
                self._insert(texts)
            except sqlite3.OperationalError:
                raise
            except sqlite3.DatabaseError:  # the file holds no table any more, so nothing in it can be lost
                self.path.unlink()
                self._insert(texts)
            return True
        return False

    def _insert(self, texts: Mapping[str, str]) -> None:
        with closing(sqlite3.connect(self.path)) as table, table:
            table.execute("CREATE TABLE IF NOT EXISTS kept (key TEXT PRIMARY KEY, text TEXT) WITHOUT ROWID")
            table.executemany("INSERT OR REPLACE INTO kept VALUES (?, ?)", texts.items())
