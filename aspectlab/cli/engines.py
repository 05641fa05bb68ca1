"""Where an analysis works: what the word of `--engine` means, and the engine that it opens."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aspectlab.cli.console import notice
from aspectlab.cluster import find_address, is_cluster
from aspectlab.errors import ConfigError
from aspectlab.registry import suggest

if TYPE_CHECKING:
    from aspectlab.analysis import BlockEngine, PredictorLoader
    from aspectlab.cluster import Cluster


@dataclass(frozen=True, slots=True)
class Place:
    """Where blocks are done: in this process, or on a cluster, at an address or started here."""

    is_cluster: bool
    address: str | None = None
    cores: int | None = None

    def open(self, load: PredictorLoader) -> BlockEngine | None:
        """Return the engine there, with one model a core; None stands for this process."""
        if not self.is_cluster:
            return None
        from aspectlab.analysis import cluster_engine

        return cluster_engine(self._connect, load)

    @contextmanager
    def _connect(self) -> Iterator[Cluster]:
        from aspectlab.cluster import connect

        with connect(self.address, cores=self.cores) as cluster:
            notice(f"a Ray cluster of {cluster.cores} cores")
            yield cluster


def parse_engine(engine: str, cores: int | None = None) -> Place:
    """Read `local`, `ray` or `ray:ADDRESS`; a cluster that is started here has so many cores.

    >>> parse_engine("local")
    Place(is_cluster=False, address=None, cores=None)
    """
    if is_cluster(engine):
        return Place(True, find_address(engine), cores)
    if engine == "local":
        return Place(False)
    if engine in {"auto", "openvino", "torch"}:
        raise ConfigError(f"--engine {engine!r}: expected local, ray or ray:ADDRESS; use --runtime {engine}")
    raise ConfigError(f"--engine {engine!r} is unknown: {suggest(engine, ['local', 'ray', 'ray:ADDRESS'])}")


def check_runtime(runtime: str) -> None:
    """Refuse a name of `--runtime` that nothing has, before any work is done.

    >>> check_runtime("auto")
    """
    from aspectlab.runtime import ENGINES

    if runtime not in (known := ["auto", *ENGINES]):
        raise ConfigError(f"--runtime {runtime!r} is unknown: {suggest(runtime, known)}")
