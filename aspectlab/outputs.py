"""Outputs: refused before the work where they cannot be, locked by one process, and written atomically.

A file or a folder is written under another name first, and appears whole or not at all. Locks are held by the
system for this process: one that dies holds nothing.
"""

import os
import re
import secrets
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from aspectlab.errors import ConfigError, DataError

_DRAFT = ".part"
_DRAFT_NAME = re.compile(rf"\..+\.[0-9a-f]{{8}}{re.escape(_DRAFT)}", re.DOTALL)


@contextmanager
def atomic_write(
    path: Path, *, remedy: str = "check the folder and its space", durable: bool = False
) -> Iterator[Path]:
    """Yield the path of a draft, which replaces the file when all is written, and is removed if that fails.

    A failure to write becomes a DataError that ends in `remedy`. With `durable`, the file survives a crash
    of the machine as well: a rename may reach the disk before the content does.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with atomic_write(Path(folder) / "tea.txt") as draft:
    ...         size = draft.write_text("Good tea.")
    ...     [path.name for path in Path(folder).iterdir()]
    ['tea.txt']
    """
    try:
        # to rename over a device or a pipe (/dev/stdout, /dev/null), or over a link, would remove it
        if path.exists() and not path.is_file() and not path.is_dir():
            yield path
        else:
            yield from _write_and_rename(path.resolve(), durable)
    except OSError as error:
        raise DataError(f"{path}: cannot be written: {error.strerror or error}; {remedy}") from None


@contextmanager
def atomic_directory(folder: Path, *, draft: Path | None = None, durable: bool = False) -> Iterator[Path]:
    """Yield a new folder to write into, which replaces the other when all is written, or is removed.

    The draft lies beside the folder unless it is named; it must be on the same disk. `durable` as above.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as parent:
    ...     with atomic_directory(Path(parent) / "tea") as draft:
    ...         size = (draft / "notes.txt").write_text("Good tea.")
    ...     [path.name for path in Path(parent).iterdir()]
    ['tea']
    """
    target = folder.resolve()  # "." has no name that a draft could be called after
    draft, old = draft or _name_draft(target), _name_draft(target)
    draft.mkdir(parents=True, exist_ok=True)
    try:
        yield draft
        if durable:
            for path in (*draft.rglob("*"), draft):
                _flush(path)
        if target.exists():
            target.rename(old)  # not deleted before the new one is there: a rename can fail
        try:
            draft.rename(target)
        except OSError:
            if old.exists():
                old.rename(target)
            raise
        if durable:
            _flush(target.parent)
        shutil.rmtree(old, ignore_errors=True)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def remove_drafts(folder: Path) -> None:
    """Remove the drafts of files that a killed process left in a folder; nobody may be writing to it."""
    for path in folder.iterdir():
        if _DRAFT_NAME.fullmatch(path.name):
            path.unlink(missing_ok=True)


def sync_path(path: Path) -> None:
    """Wait until the disk holds a file, or the names in a folder: a name may get there before the content."""
    if path.is_dir():
        # some network drives sync no folders
        with suppress(OSError):
            _flush(path)
    else:
        _flush(path)


def _name_draft(target: Path) -> Path:
    return target.with_name(f".{target.name}.{secrets.token_hex(4)}{_DRAFT}")


def _write_and_rename(target: Path, durable: bool) -> Iterator[Path]:
    draft = _name_draft(target)
    # made as any new file is: a user's umask may say that nobody else reads what they write
    draft.touch(exist_ok=False)
    try:
        yield draft
        if target.is_file():
            shutil.copymode(target, draft)
        if durable:
            _flush(draft)
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


def _flush(path: Path) -> None:
    """Wait until the disk holds a file, or the names in a folder."""
    if sys.platform == "win32":  # it opens no folders, and a file only to write to it
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def refuse_unwritable(folder: Path, option: str = "--out") -> None:
    """Refuse a folder that cannot be made, before hours of work end there."""
    parent = next(each for each in (folder, *folder.absolute().parents) if each.exists())
    if not parent.is_dir() or not os.access(parent, os.W_OK):
        raise ConfigError(
            f"{folder}: {parent} is not a folder that can be written to; choose another {option}"
        )


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
        raise ConfigError(f"{folder}: cannot be made: {error.strerror}; choose another --out") from None
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
        raise ConfigError(f"{str(folder)!r}: its path is not UTF-8; choose another --out") from None
