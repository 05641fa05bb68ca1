"""Blocks: work that can be interrupted at any moment and resumes where it stopped, in a folder that is
locked.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import astuple, dataclass
from itertools import count
from pathlib import Path

from aspectlab.analysis.opinions import Opinion
from aspectlab.errors import ConfigError, DataError
from aspectlab.readers import Review

BLOCK_FORMAT = 3
"""Raised when a block holds something else, so that an old one is thrown away."""

_MANIFEST = "manifest.json"
_DRAFT = ".part"
_MAX_CHARS = 2_000_000


@dataclass(frozen=True, slots=True)
class BlockCounts:
    """How many reviews and sentences a block holds, also those without opinions; ids need not be unique."""

    reviews: int
    sentences: int
    reviews_with_opinions: int

    def __add__(self, other: BlockCounts) -> BlockCounts:
        return BlockCounts(*map(sum, zip(astuple(self), astuple(other), strict=True)))


@dataclass(frozen=True, slots=True)
class Block:
    """Some reviews that are analysed together, and their place in the work."""

    number: int
    reviews: list[Review]


@dataclass(frozen=True, slots=True)
class BlockResult:
    """What was found in a block: its opinions, each as a line of JSON."""

    number: int
    counts: BlockCounts
    lines: list[str]


class BlockStore:
    """The folder of blocks of one analysis."""

    def __init__(self, folder: Path, identity: str) -> None:
        """Go on with the blocks in this folder if they are of the same identity, or begin anew."""
        self.folder = folder
        if not is_resumable(folder, identity):
            remove_blocks(folder)
            folder.mkdir(parents=True)
            write_atomically(folder / _MANIFEST, [json.dumps({"identity": identity})])
        for draft in folder.glob(f"*{_DRAFT}"):
            draft.unlink(missing_ok=True)

    def has(self, number: int) -> bool:
        """Tell whether a block is complete."""
        return self._path(number).exists()

    def write(self, found: BlockResult) -> None:
        """Write a block; it appears whole or not at all."""
        head = json.dumps(astuple(found.counts))
        write_atomically(self._path(found.number), [head, *found.lines])

    def counts(self, number: int) -> BlockCounts:
        """Read what a block holds."""
        with self._path(number).open(encoding="utf-8") as stream:
            return BlockCounts(*json.loads(stream.readline()))

    def opinions(self) -> Iterator[Opinion]:
        """Stream the opinions of all blocks, in order."""
        for number in count():
            if not self.has(number):
                return
            with self._path(number).open(encoding="utf-8") as stream:
                next(stream)
                for line in stream:
                    yield self._parse(number, line)

    def _path(self, number: int) -> Path:
        return self.folder / f"{number:08d}.jsonl"

    def _parse(self, number: int, line: str) -> Opinion:
        try:
            return Opinion(*json.loads(line))
        except (ValueError, TypeError):
            found, remedy = f"{line[:60]!r}", f"remove {self.folder} and begin anew"
            raise DataError(f"{self._path(number)}: found {found}: expected an opinion; {remedy}") from None


def is_resumable(folder: Path, identity: str) -> bool:
    """Tell whether a folder holds blocks of this identity."""
    return _read_identity(folder / _MANIFEST) == identity


def remove_blocks(folder: Path) -> None:
    """Remove all blocks, once their result is complete."""
    shutil.rmtree(folder, ignore_errors=True)


def make_blocks(reviews: Iterable[Review], size: int) -> Iterator[Block]:
    """Cut a stream of reviews into blocks, of fewer reviews where these are long.

    >>> blocks = make_blocks([Review(str(k), "Nice.") for k in range(5)], 2)
    >>> [(block.number, len(block.reviews)) for block in blocks]
    [(0, 2), (1, 2), (2, 1)]
    """
    numbers = count()
    taken: list[Review] = []
    chars = 0
    for review in reviews:
        taken.append(review)
        chars += len(review.text)
        if len(taken) >= size or chars >= _MAX_CHARS:
            yield Block(next(numbers), taken)
            taken, chars = [], 0
    if taken:
        yield Block(next(numbers), taken)


def identify(parts: Mapping[str, object]) -> str:
    """Hash what decides the content of blocks."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def write_atomically(path: Path, lines: Iterable[str]) -> None:
    """Write a file under a temporary name and rename it, so that it appears whole or not at all."""
    draft = path.with_name(f"{path.name}.{os.getpid()}{_DRAFT}")
    try:
        with draft.open("w", encoding="utf-8", newline="\n") as stream:
            stream.writelines(f"{line}\n" for line in lines)
            stream.flush()
            os.fsync(stream.fileno())
        draft.replace(path)
    except OSError as error:
        raise DataError(
            f"{path}: cannot be written: {error.strerror}; free some space or change --out"
        ) from None
    finally:
        draft.unlink(missing_ok=True)


def _read_identity(path: Path) -> str | None:
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return manifest.get("identity") if isinstance(manifest, dict) else None


@contextmanager
def lock_directory(folder: Path) -> Iterator[None]:
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
