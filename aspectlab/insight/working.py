"""Do the blocks of an analysis: here, one after the other, or on a cluster."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from aspectlab.cluster import Cluster, Lost
from aspectlab.errors import ConfigError
from aspectlab.insight.blocks import Block, BlockCounts, Found
from aspectlab.insight.opinions import find_opinions
from aspectlab.insight.predictor import Predictor
from aspectlab.version import VERSION

# an encoder of our own: json.dumps makes a new one for each call that asks for plain characters
_ENCODE = json.JSONEncoder(ensure_ascii=False).encode
_ATTEMPTS = 10

Engine = Callable[[Iterable[Block]], Iterator[Found]]
"""Does blocks, in whatever order, and asks for no more of them than it can work on."""

Load = Callable[[], Predictor]
"""Opens the model; it can be sent to other machines, and equal ones open the same."""


@dataclass(frozen=True, slots=True)
class _Job:
    """A block, and all that a worker needs to do it."""

    block: Block
    split: bool
    load: Load
    identity: str


def work_here(predictor: Predictor, *, split: bool = True) -> Engine:
    """Do blocks in this process."""

    def work(blocks: Iterable[Block]) -> Iterator[Found]:
        return (_find(predictor, block, split) for block in blocks)

    return work


def work_on(cluster: Cluster, load: Load, identity: str, *, split: bool = True) -> Engine:
    """Do blocks on a cluster; the model of each worker must have this identity, that of the one here."""

    def work(blocks: Iterable[Block]) -> Iterator[Found]:
        jobs = (_Job(block, split, load, f"{VERSION} {identity}") for block in blocks)
        for done in cluster.run(_do, jobs, attempts=_ATTEMPTS):
            if isinstance(done.result, Lost):
                raise ConfigError(
                    f"engine 'ray': block {done.job.block.number}: its workers were lost {_ATTEMPTS} times "
                    f"({done.result.reason}): expected nodes that stay; give them more memory, and run the "
                    "same command again to go on"
                )
            yield done.result

    return work


def _do(job: _Job) -> Found:
    """Do a block, as a worker of a cluster."""
    predictor = _keep(job.load)
    found = f"{VERSION} {predictor.identity}"
    if found != job.identity:
        raise ConfigError(
            f"engine 'ray': a node would give other results: found aspectlab {found}: expected "
            f"{job.identity}; use nodes of one kind, with one version of aspectlab and of the model"
        )
    return _find(predictor, job.block, job.split)


@lru_cache(1)
def _keep(load: Load) -> Predictor:
    """Open a model once a process, however many blocks it does."""
    return load()


def _find(predictor: Predictor, block: Block, split: bool) -> Found:
    results = find_opinions(predictor, block.reviews, split=split)
    counts = BlockCounts(
        len(results),
        sum(len(result.sentences) for result in results),
        sum(bool(result.opinions) for result in results),
    )
    lines = [_ENCODE(opinion) for result in results for opinion in result.opinions]
    return Found(block.number, counts, lines)
