"""Locks on files and folders, held by the system for this process: one that dies holds nothing."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from aspectlab.errors import ConfigError


def refuse_unwritable(folder: Path, option: str = "--out") -> None:
    """Refuse a folder that cannot be made, before hours of work end there."""
    parent = next(each for each in (folder, *folder.absolute().parents) if each.exists())
    if not parent.is_dir() or not os.access(parent, os.W_OK):
        raise ConfigError(f"{folder}: {parent} is no folder that can be written to: choose another {option}")


@contextmanager
def lock_directory(folder: Path, *, holder: str = "another process") -> Iterator[None]:
    """Make a folder and lock it, or refuse if `holder` has it; a new one that stays empty is removed again.

    The folder itself is locked: no file is left in it.
    """
    is_new = not folder.exists()
    _refuse_undecodable(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"{folder}: cannot be made: {error.strerror}: choose another --out") from None
    try:
        with _hold(folder, holder):
            yield
    finally:
        if is_new:
            with suppress(OSError):
                folder.rmdir()


class FileLock:
    """A lock on a file that exists for this only; the lock holds whatever happens to the file's folder."""

    def __init__(self, path: Path, handle: int) -> None:
        self._path, self._handle = path, handle

    def release(self) -> None:
        """Remove the file and release the lock."""
        # removed while it is locked: whoever opened the file before finds that it is not the one on disk
        self._path.unlink(missing_ok=True)
        os.close(self._handle)


def try_lock(path: Path) -> FileLock | None:
    """Create and lock a file; None if another process has locked it.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     lock = try_lock(Path(folder) / "run-7")
    ...     try_lock(Path(folder) / "run-7") is None
    True
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        if _try_flock(handle) and _is_on_disk(path, handle):
            return FileLock(path, handle)
    except BaseException:
        os.close(handle)
        raise
    os.close(handle)
    return None


@contextmanager
def _hold(folder: Path, holder: str) -> Iterator[None]:
    if sys.platform == "win32":  # opens no folders
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        # some network drives know no locks: there the user must see to it
        with suppress(OSError):
            if not _try_flock(handle):
                remedy = "wait for its end, or choose another --out"
                raise ConfigError(f"{folder}: {holder} is writing to it: {remedy}")
        yield
    finally:
        os.close(handle)


def _try_flock(handle: int) -> bool:
    """Lock an open file unless another process has locked it."""
    if sys.platform == "win32":
        return True
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_on_disk(path: Path, handle: int) -> bool:
    try:
        return path.stat().st_ino == os.fstat(handle).st_ino
    except FileNotFoundError:
        return False


def _refuse_undecodable(folder: Path) -> None:
    """Refuse a path that is not UTF-8: what writes Parquet tables into the folder takes no other."""
    try:
        str(folder.resolve()).encode()
    except UnicodeEncodeError:
        raise ConfigError(f"{str(folder)!r}: its path is no UTF-8: choose another --out") from None
