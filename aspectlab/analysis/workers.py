"""Workers: process the blocks of an analysis here, one after the other, or on a cluster."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from aspectlab.analysis.opinions import find_opinions
from aspectlab.analysis.resume import Block, BlockCounts, BlockResult
from aspectlab.cluster import Cluster, LostJob
from aspectlab.errors import ConfigError
from aspectlab.runtime import Predictor
from aspectlab.version import VERSION

# an encoder of our own: json.dumps makes a new one for each call that asks for plain characters
_ENCODE = json.JSONEncoder(ensure_ascii=False).encode
_ATTEMPTS = 10


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
    """Do a block, as a worker of a cluster."""
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
    return BlockResult(block.number, counts, lines)
