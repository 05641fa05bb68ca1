"""Blocks: work that is done here or on a cluster, can be interrupted, and resumes where it stopped.

The opinions of some hundred reviews make a block; its file is written atomically. A manifest says what the
blocks belong to; blocks of other work are removed.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import astuple, dataclass
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import Any, Protocol

from aspectlab.analysis.inputs import ReviewDigest
from aspectlab.analysis.opinions import find_opinions
from aspectlab.atomic import atomic_write, remove_drafts
from aspectlab.cluster import Cluster, LostJob
from aspectlab.errors import ConfigError, DataError
from aspectlab.readers import Opinion, Review
from aspectlab.runtime import Predictor
from aspectlab.version import VERSION

BLOCK_FORMAT = 3
"""Raised when a block holds something else, so that an old one is thrown away."""

_MANIFEST = "manifest.json"
_COUNTS = 3
_MAX_CHARS = 2_000_000
# an encoder of our own: json.dumps makes a new one for each call that asks for plain characters
_ENCODE = json.JSONEncoder(ensure_ascii=False).encode
_ATTEMPTS = 10


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
    """What was found in a block: its opinions, each as a line of JSON."""

    number: int
    counts: BlockCounts
    lines: list[str]
    digest: str = ""


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
        """Return whether a block is complete, and was made from these very reviews."""
        return self._path(block.number).exists() and self._head(block.number)[_COUNTS:] == [block.digest]

    def write(self, found: BlockResult) -> None:
        """Write a block atomically."""
        head = json.dumps([*astuple(found.counts), found.digest])
        write_lines(self._path(found.number), [head, *found.lines])

    def counts(self, number: int) -> BlockCounts:
        """Read what a block holds."""
        return BlockCounts(*self._head(number)[:_COUNTS])

    def cut(self, count: int) -> None:
        """Remove the blocks behind so many: they come from a time when the files were longer."""
        for path in self.folder.glob("*.jsonl"):
            if path.stem.isdigit() and int(path.stem) >= count:
                path.unlink()

    def opinions(self) -> Iterator[Opinion]:
        """Stream the opinions of all blocks, in order."""
        for number in count():
            if not self._path(number).exists():
                return
            with self._path(number).open(encoding="utf-8") as stream:
                next(stream)
                for line in stream:
                    yield self._parse(number, line)

    def _head(self, number: int) -> list[Any]:
        """Return the counts and the digest of a block; earlier versions wrote the counts alone."""
        with self._path(number).open(encoding="utf-8") as stream:
            head: list[Any] = json.loads(stream.readline())
        return head

    def _path(self, number: int) -> Path:
        return self.folder / f"{number:08d}.jsonl"

    def _parse(self, number: int, line: str) -> Opinion:
        try:
            return Opinion(*json.loads(line))
        except (ValueError, TypeError):
            found, remedy = f"{line[:60]!r}", f"remove {self.folder} and begin anew"
            raise DataError(f"{self._path(number)}: found {found}: expected an opinion; {remedy}") from None


def is_resumable(folder: Path, identity: str) -> bool:
    """Return whether a folder holds blocks of this identity."""
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
    digest = ReviewDigest()
    for review in reviews:
        digest.add(review)
        taken.append(review)
        chars += len(review.text)
        if len(taken) >= size or chars >= _MAX_CHARS:
            yield Block(next(numbers), taken, digest.hex())
            taken, chars = [], 0
    if taken:
        yield Block(next(numbers), taken, digest.hex())


def identify(parts: Mapping[str, object]) -> str:
    """Hash what decides the content of blocks."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write a file of lines atomically, so that it survives a crash of the machine."""
    remedy = "free some space or change --out"
    with (
        atomic_write(path, remedy=remedy, durable=True) as draft,
        draft.open("w", encoding="utf-8", newline="\n") as stream,
    ):
        stream.writelines(f"{line}\n" for line in lines)


def _read_identity(path: Path) -> str | None:
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return manifest.get("identity") if isinstance(manifest, dict) else None


class BlockEngine(Protocol):
    """Processes blocks, in whatever order, and asks for no more of them than it can work on."""

    def __call__(
        self, blocks: Iterable[Block], *, identity: str, split: bool
    ) -> Generator[BlockResult, None, None]:
        """Return the results of blocks, found by a model of this identity."""


PredictorLoader = Callable[[], Predictor]
"""Opens the model; it can be sent to other machines, and equal ones open the same."""


def local_engine(predictor: Predictor) -> BlockEngine:
    """Process blocks in this process."""

    def process(blocks: Iterable[Block], *, identity: str, split: bool) -> Generator[BlockResult, None, None]:
        for block in blocks:
            yield _process_block(predictor, block, split)

    return process


def cluster_engine(
    connect: Callable[[], AbstractContextManager[Cluster]], load: PredictorLoader
) -> BlockEngine:
    """Process blocks on a cluster, which is connected to when there is work and left when it is done."""

    def process(blocks: Iterable[Block], *, identity: str, split: bool) -> Generator[BlockResult, None, None]:
        with connect() as cluster:
            jobs = (_Job(block, split, load, f"{VERSION} {identity}") for block in blocks)
            for done in cluster.run(_run_job, jobs, attempts=_ATTEMPTS):
                if isinstance(done.result, LostJob):
                    raise ConfigError(
                        f"engine 'ray': block {done.job.block.number}: its workers were lost {_ATTEMPTS} "
                        f"times ({done.result.reason}): expected nodes that stay; give them more memory, "
                        "and run the same command again to go on"
                    )
                yield done.result

    return process


@dataclass(frozen=True, slots=True)
class _Job:
    """A block, and all that a worker needs to do it."""

    block: Block
    split: bool
    load: PredictorLoader
    identity: str


def _run_job(job: _Job) -> BlockResult:
    """Process a block, as a worker of a cluster."""
    predictor = _load_once(job.load)
    found = f"{VERSION} {predictor.identity}"
    if found != job.identity:
        raise ConfigError(
            f"engine 'ray': a node would give other results: found aspectlab {found}: expected "
            f"{job.identity}; use nodes of one kind, with one version of aspectlab and of the model"
        )
    return _process_block(predictor, job.block, job.split)


@lru_cache(1)
def _load_once(load: PredictorLoader) -> Predictor:
    """Open a model once a process, however many blocks it does."""
    return load()


def _process_block(predictor: Predictor, block: Block, split: bool) -> BlockResult:
    results = find_opinions(predictor, block.reviews, split=split)
    counts = BlockCounts(
        len(results),
        sum(len(result.sentences) for result in results),
        sum(bool(result.opinions) for result in results),
    )
    lines = [_ENCODE(opinion) for result in results for opinion in result.opinions]
    return BlockResult(block.number, counts, lines, block.digest)
