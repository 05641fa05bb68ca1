"""Hold a folder, so that two analyses never write to it at once; a process that dies holds nothing."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from aspectlab.errors import ConfigError


@contextmanager
def hold_folder(folder: Path) -> Iterator[None]:
    """Make a folder and keep other analyses out; a new one that stays empty is removed again."""
    is_new = not folder.exists()
    _refuse_undecodable(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"{folder}: cannot be made: {error.strerror}: choose another --out") from None
    try:
        with _lock(folder):
            yield
    finally:
        if is_new:
            with suppress(OSError):
                folder.rmdir()


def _refuse_undecodable(folder: Path) -> None:
    """Refuse a path that is no UTF-8: what writes the Parquet table at the end takes no other."""
    try:
        str(folder.resolve()).encode()
    except UnicodeEncodeError:
        raise ConfigError(f"{str(folder)!r}: its path is no UTF-8: choose another --out") from None


@contextmanager
def _lock(folder: Path) -> Iterator[None]:
    """Lock the folder itself: no file is left in it."""
    # Windows opens no folders
    if sys.platform == "win32":
        yield
        return
    import fcntl

    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        raise ConfigError(
            f"{folder}: another analysis is writing to it: wait for its end, or choose another --out"
        ) from None
    except OSError:
        # some network drives know no locks: there the user must see to it
        pass
    try:
        yield
    finally:
        os.close(handle)
