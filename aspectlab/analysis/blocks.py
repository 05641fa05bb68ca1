"""Blocks: work that can be interrupted, resumes where it stopped, and is sealed when it is complete.

The opinions of some hundred reviews make a block; its file is compressed and written atomically. A manifest
says what the blocks belong to; blocks of other work are removed. They stay when the analysis is complete, so
that other categories need no model. `analysis.json` is written last, with the size and hash of both tables.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
import os
import shutil
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any

from aspectlab.analysis.survey import ReviewDigest
from aspectlab.errors import ConfigError, DataError
from aspectlab.outputs import atomic_write, remove_drafts, sync_path
from aspectlab.readers import FOLDER, OPINIONS_CSV, OPINIONS_PARQUET, SUMMARY, Opinion, Review
from aspectlab.readers.tables import read_footer
from aspectlab.untrusted import parse_count, parse_json, read_json

BLOCK_FORMAT = 7
"""Raised when a block holds something else, so that an old one is thrown away."""

_MANIFEST = "manifest.json"
_COUNTS = 3
_SUFFIX, _LEVEL = ".jsonl.gz", 5
_MAX_CHARS = 2_000_000
_FIRST_REVIEWS = 8


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
    """Some reviews that are analysed together, and their number in the work.

    The digest is that of all reviews from the first one of the work to the last one of the block.
    """

    number: int
    reviews: list[Review]
    digest: str = ""


@dataclass(frozen=True, slots=True)
class BlockResult:
    """What was found in a block: its opinions, each as a line of JSON.

    `likeliest` holds the highest probability in each review with opinions, to count those reviews again where
    improbable opinions are left out; 1 where the model states none.
    """

    number: int
    counts: BlockCounts
    lines: list[str]
    digest: str = ""
    likeliest: list[float] = field(default_factory=list)


class BlockStore:
    """The folder of blocks of one analysis."""

    def __init__(self, folder: Path, identity: str) -> None:
        """Resume with the blocks in this folder if they are of the same identity, or begin anew."""
        self.folder = folder
        if not is_resumable(folder, identity):
            remove_blocks(folder)
            folder.mkdir(parents=True)
            write_lines(folder / _MANIFEST, [json.dumps({"identity": identity})])
        remove_drafts(folder)

    def holds(self, block: Block) -> bool:
        """Return whether a block is as it was written, and was made from these very reviews."""
        try:
            with gzip.open(self._path(block.number), "rb") as stream:
                head = parse_json(stream.readline().decode())
                lines = hashlib.file_digest(stream, "sha256").hexdigest()
        # a file that a crash of the machine or of a disk left empty, or cut
        except (OSError, ValueError, EOFError, zlib.error):
            return False
        if not isinstance(head, list) or len(head) != _COUNTS + 3:
            return False
        *described, seal = head
        return bool(described[_COUNTS] == block.digest and seal == _seal_block(described, lines))

    def write(self, found: BlockResult) -> None:
        """Write a block atomically."""
        described = [*astuple(found.counts), found.digest, found.likeliest]
        lines = hashlib.sha256("".join(f"{line}\n" for line in found.lines).encode()).hexdigest()
        head = json.dumps([*described, _seal_block(described, lines)])
        content = "".join(f"{line}\n" for line in (head, *found.lines)).encode()
        # without a time of its own, equal blocks are equal bytes
        _write_durably(self._path(found.number), [gzip.compress(content, _LEVEL, mtime=0)])

    def counts(self, number: int, least: float = 0.0) -> BlockCounts:
        """Read what a block holds; only opinions of at least this probability count."""
        *counts, _, likeliest, _ = self._head(number)
        return replace(BlockCounts(*counts), reviews_with_opinions=sum(each >= least for each in likeliest))

    def cut(self, count: int) -> None:
        """Remove the blocks behind so many: they come from a time when the files were longer."""
        for path in self.folder.glob(f"*{_SUFFIX}"):
            number = parse_count(path.name.removesuffix(_SUFFIX))
            if number is not None and number >= count:
                path.unlink()

    def opinions(self) -> Iterator[Opinion]:
        """Stream the opinions of all blocks, in order."""
        for number in count():
            if not self._path(number).exists():
                return
            with gzip.open(self._path(number), "rt", encoding="utf-8") as stream:
                next(stream)
                for line in stream:
                    yield self._parse(number, line)

    def _head(self, number: int) -> list[Any]:
        """Return the counts of a block, its digest, the highest probability of each review, and its seal."""
        with gzip.open(self._path(number), "rt", encoding="utf-8") as stream:
            head: list[Any] = json.loads(stream.readline())
        return head

    def _path(self, number: int) -> Path:
        return self.folder / f"{number:08d}{_SUFFIX}"

    def _parse(self, number: int, line: str) -> Opinion:
        try:
            return Opinion(*json.loads(line))
        except (ValueError, TypeError):
            found, remedy = f"{line[:60]!r}", f"remove {self.folder} and begin again"
            raise DataError(f"{self._path(number)}: found {found}: expected an opinion; {remedy}") from None


def _seal_block(described: list[Any], lines: str) -> str:
    """Hash what the head of a block says, and the hash of its lines."""
    return hashlib.sha256(f"{json.dumps(described)} {lines}".encode()).hexdigest()


def is_resumable(folder: Path, identity: str) -> bool:
    """Return whether a folder holds blocks of this identity."""
    return _read_identity(folder / _MANIFEST) == identity


def remove_blocks(folder: Path) -> None:
    """Remove all blocks, once their result is complete."""
    shutil.rmtree(folder, ignore_errors=True)


def make_blocks(reviews: Iterable[Review], size: int) -> Iterator[Block]:
    """Cut a stream of reviews into blocks, of fewer reviews where these are long.

    The first blocks are small, so that the time that is left can be told after a second.

    >>> blocks = make_blocks([Review(str(k), "Nice.") for k in range(5)], 2)
    >>> [(block.number, len(block.reviews)) for block in blocks]
    [(0, 2), (1, 2), (2, 1)]
    """
    numbers = count()
    taken: list[Review] = []
    chars, most = 0, _FIRST_REVIEWS
    digest = ReviewDigest()
    for review in reviews:
        digest.add(review)
        taken.append(review)
        chars += len(review.text)
        if len(taken) >= min(size, most) or chars >= _MAX_CHARS:
            yield Block(next(numbers), taken, digest.hex())
            taken, chars, most = [], 0, 2 * most
    if taken:
        yield Block(next(numbers), taken, digest.hex())


def identify(parts: Mapping[str, object]) -> str:
    """Hash what decides the content of blocks."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write a file of lines atomically, so that it survives a crash of the machine."""
    _write_durably(path, (f"{line}\n".encode() for line in lines))


def _write_durably(path: Path, parts: Iterable[bytes]) -> None:
    remedy = "free some space or change --out"
    with atomic_write(path, remedy=remedy, durable=True) as draft, draft.open("wb") as stream:
        stream.writelines(parts)


def _read_identity(path: Path) -> str | None:
    try:
        manifest = read_json(path)
    except (OSError, ValueError):
        return None
    return manifest.get("identity") if isinstance(manifest, dict) else None


Seal = dict[str, int | str]
"""Size and hash of a table, as JSON holds them."""


def refuse_foreign_folder(out: Path, paths: Sequence[Path]) -> None:
    """Refuse a folder that holds anything but an earlier analysis of the same files."""
    if not out.exists():
        return
    if not out.is_dir():
        raise ConfigError(f"{out}: is a file: expected a folder; choose another --out")
    if (out / SUMMARY).exists():
        record = read_summary(out)
        if record is None or record.get("files") != _hash_paths(paths):
            raise ConfigError(f"{out}: holds the analysis of other files; choose another --out")
    elif not (out / FOLDER).is_dir() and any(out.iterdir()):
        raise ConfigError(f"{out}: holds files that no analysis wrote; choose another --out")


def write_summary(
    out: Path,
    identity: str,
    paths: Sequence[Path],
    aggregate: Mapping[str, object],
    tables: Mapping[str, Seal],
) -> None:
    """Write `analysis.json`, with which an analysis is complete."""
    record = {"identity": identity, "files": _hash_paths(paths), "aggregate": aggregate, "tables": tables}
    # ASCII only: the name of a column may hold the mark of bytes that are no text
    write_lines(out / SUMMARY, [json.dumps(record)])
    sync_path(out)


def read_summary(out: Path) -> dict[str, object] | None:
    """Read `analysis.json`; None where it is absent or broken."""
    try:
        record = read_json(out / SUMMARY)
    except (OSError, ValueError):
        return None
    return record if isinstance(record, dict) else None


def seal_tables(out: Path) -> dict[str, Seal]:
    """Return the seals of both tables."""
    return {name: _seal(out / name) for name in (OPINIONS_CSV, OPINIONS_PARQUET)}


def find_broken_table(out: Path, seals: object, opinions: int) -> str | None:
    """Return the name of a table that is not as it was written; None if both are.

    Summaries of earlier versions have no seals: there the tables must at least hold all opinions.
    """
    for name, count_rows in _COUNT_ROWS.items():
        path = out / name
        try:
            if seals is None:
                is_whole = count_rows(path) == opinions
            else:
                is_whole = isinstance(seals, dict) and _fits(path, seals.get(name))
        except (OSError, ValueError, LookupError, csv.Error):
            is_whole = False
        if not is_whole:
            return name
    return None


def _hash_paths(paths: Sequence[Path]) -> list[str]:
    """Name where files lie by a hash, so that a result can be passed on without telling folders."""
    return [hashlib.sha256(os.fsencode(path.resolve())).hexdigest() for path in paths]


def _seal(path: Path) -> Seal:
    with path.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    return {"bytes": path.stat().st_size, "sha256": digest}


def _fits(path: Path, seal: object) -> bool:
    """Return whether a table has its seal; one of another size need not be read."""
    return isinstance(seal, dict) and path.stat().st_size == seal.get("bytes") and _seal(path) == seal


def _count_csv_rows(path: Path) -> int:
    with path.open(encoding="utf-8", newline="") as stream:
        return sum(1 for _ in csv.reader(stream)) - 1


def _count_parquet_rows(path: Path) -> int:
    return read_footer(path).rows


_COUNT_ROWS: dict[str, Callable[[Path], int]] = {
    OPINIONS_CSV: _count_csv_rows,
    OPINIONS_PARQUET: _count_parquet_rows,
}
