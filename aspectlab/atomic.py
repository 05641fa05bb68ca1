"""Atomic writes: a file or a folder is written under another name first, and appears whole or not at all."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from aspectlab.errors import DataError


@contextmanager
def atomic_write(path: Path, *, remedy: str = "check the folder and its space") -> Iterator[Path]:
    """Give the place to write a file to; it gets its name when all is written, and is gone if that fails.

    A failure to write becomes a DataError that ends in `remedy`.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with atomic_write(Path(folder) / "tea.txt") as draft:
    ...         size = draft.write_text("Good tea.")
    ...     [path.name for path in Path(folder).iterdir()]
    ['tea.txt']
    """
    try:
        # to rename over a device or a pipe (/dev/stdout, /dev/null), or over a link, would take it away
        if path.exists() and not path.is_file() and not path.is_dir():
            yield path
        else:
            yield from _write_and_rename(path.resolve())
    except OSError as error:
        raise DataError(f"{path}: cannot be written: {error.strerror or error}; {remedy}") from None


@contextmanager
def atomic_directory(folder: Path) -> Iterator[Path]:
    """Give a new folder to write into; it takes the other's place when all is written, or is gone.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as place:
    ...     with atomic_directory(Path(place) / "tea") as draft:
    ...         size = (draft / "notes.txt").write_text("Good tea.")
    ...     [path.name for path in Path(place).iterdir()]
    ['tea']
    """
    target = folder.resolve()  # "." has no name that a draft could be called after
    draft, old = (target.with_name(f".{target.name}.{secrets.token_hex(4)}") for _ in range(2))
    draft.mkdir(parents=True)
    try:
        yield draft
        if target.exists():
            target.rename(old)  # not deleted before the new one is there: a rename can fail
        try:
            draft.rename(target)
        except OSError:
            if old.exists():
                old.rename(target)
            raise
        shutil.rmtree(old, ignore_errors=True)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _write_and_rename(target: Path) -> Iterator[Path]:
    draft = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    # made as any new file is: a user's umask may say that nobody else reads what they write
    draft.touch(exist_ok=False)
    try:
        yield draft
        if target.is_file():
            shutil.copymode(target, draft)
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)
