"""A Ray cluster: started on this machine or joined, with jobs that survive the loss of workers and nodes."""

import os
import socket
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from itertools import islice
from types import ModuleType
from typing import Generic, TypeVar, cast

from aspectlab.errors import AspectlabError, ConfigError, MissingPartError
from aspectlab.registry import suggest
from aspectlab.untrusted import parse_count

Job = TypeVar("Job")
Result = TypeVar("Result")

_LOOK_AGAIN_S = 5.0
_KNOCK_S = 10.0
_CANNOT_IMPORT = "failed to import"


@dataclass(frozen=True, slots=True)
class LostJob:
    """Stands for the result of a job whose worker was lost time and again."""

    reason: str


@dataclass(frozen=True, slots=True)
class FinishedJob(Generic[Job, Result]):
    """A job and what came of it."""

    job: Job
    result: Result | LostJob


class Cluster:
    """A cluster that this process is connected to."""

    def __init__(self, ray: ModuleType) -> None:
        self._ray = ray
        self._looked = -_LOOK_AGAIN_S
        self._cores = 1

    @property
    def cores(self) -> int:
        """The cores of all nodes together, at most some seconds ago: nodes come and go."""
        now = time.monotonic()
        if now - self._looked >= _LOOK_AGAIN_S:
            self._looked = now
            self._cores = max(int(self._ray.cluster_resources().get("CPU", 0)), 1)
        return self._cores

    def run(
        self,
        work: Callable[[Job], Result],
        jobs: Iterable[Job],
        *,
        attempts: int = 4,
        cores: float = 1,
        gpus: float = 0,
    ) -> Iterator[FinishedJob[Job, Result]]:
        """Do jobs on the cluster and give each as it is finished; not more are asked for than can be busy.

        `work` is a function of a module that the nodes have as well. What it raises is raised here. A job
        whose worker or node is lost is tried again, so many attempts in all.
        """
        remote = self._ray.remote(num_cpus=cores, num_gpus=gpus, max_retries=attempts - 1)(work)
        waiting = iter(jobs)
        running: dict[object, Job] = {}
        try:
            while True:
                # twice as many as can run: who is done finds the next one at hand
                room = 2 * max(int(self.cores / max(cores, 0.01)), 1) - len(running)
                running |= {remote.remote(job): job for job in islice(waiting, max(room, 0))}
                if not running:
                    return
                done, _ = self._ray.wait(list(running), num_returns=1, timeout=_LOOK_AGAIN_S)
                for reference in done:
                    yield FinishedJob(running.pop(reference), cast("Result | LostJob", self._get(reference)))
        finally:
            # who was interrupted does not want the rest
            for reference in running:
                self._ray.cancel(reference, force=True)

    def _get(self, reference: object) -> object:
        kinds = self._ray.exceptions
        try:
            return self._ray.get(reference)
        except kinds.RayTaskError as error:
            if isinstance(error.cause, AspectlabError):
                raise error.cause from None
            if _CANNOT_IMPORT in str(error.cause):
                raise ConfigError(
                    f"engine 'ray': a node lacks a package ({str(error.cause).strip().splitlines()[-1]}): "
                    "expected the same ones as here; install aspectlab on every node"
                ) from None
            raise
        # all other errors of Ray's own mean that workers, nodes or what they held are gone
        except kinds.RayError as error:
            return LostJob(str(error).strip().splitlines()[0])


@contextmanager
def connect(address: str | None = None, *, cores: int | None = None) -> Iterator[Cluster]:
    """Join the cluster at an address (`host:port`, or `auto` for the one of this machine), or start one here.

    A cluster that is started here has so many `cores`, all of the machine if not given, and ends with the
    block, or with this process however it ends. One that this process has joined before is used as it is.
    """
    # a cluster tells its makers about itself unless told not to
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    ray = require_ray()
    if ray.is_initialized():
        yield Cluster(ray)
        return
    _start(ray, address, cores)
    try:
        yield Cluster(ray)
    finally:
        ray.shutdown()


@dataclass(frozen=True, slots=True)
class EngineChoice:
    """Where work is done: by some workers here (None: as many as fit), or on a cluster."""

    is_cluster: bool = False
    workers: int | None = None
    address: str | None = None
    """That of the cluster; None for one that is to be started here."""


def parse_engine(text: str, *, takes_workers: bool = False) -> EngineChoice:
    """Read `local`, `ray` or `ray:ADDRESS`, and `local:N` where that `takes_workers`; Ray must be installed.

    >>> parse_engine("local:2", takes_workers=True)
    EngineChoice(is_cluster=False, workers=2, address=None)
    """
    # most work is done here
    if text == "local":
        return EngineChoice()
    name, colon, rest = text.partition(":")
    if name == "ray" and (rest or not colon):
        require_ray()
        return EngineChoice(True, address=rest or None)
    if takes_workers and name == "local" and (workers := parse_count(rest)):
        return EngineChoice(workers=workers)
    forms = ["local", *(["local:N"] if takes_workers else []), "ray", "ray:ADDRESS"]
    raise ConfigError(f"--engine {text!r} is unknown: {suggest(text, forms)}")


def require_ray() -> ModuleType:
    """Import Ray, or raise an error that names the command that installs it."""
    try:
        return import_module("ray")
    except ImportError:
        raise MissingPartError(
            "engine 'ray': the package ray is not installed; get it with: pip install 'aspectlab[ray]'"
        ) from None


def _start(ray: ModuleType, address: str | None, cores: int | None) -> None:
    quiet = {"log_to_driver": False, "logging_level": "ERROR"}
    try:
        if address:
            _knock(address)
            ray.init(address=address, **quiet)
        else:
            ray.init(address="local", num_cpus=cores, include_dashboard=False, **quiet)
    # Ray reports all that keeps it from a cluster by one of these
    except (OSError, RuntimeError, ValueError) as error:
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        engine = f"engine 'ray:{address}'" if address else "engine 'ray'"
        remedy = "start one there with: ray start --head; and run this on one of its nodes"
        raise ConfigError(
            f"{engine}: no cluster can be reached ({reason}): expected the address of one; "
            f"{remedy if address else 'free some memory'}"
        ) from None


def _knock(address: str) -> None:
    """Refuse an address where nobody listens: Ray would wait for many minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if address == "auto":
        return
    number = parse_count(port)
    if number is None or number >= 1 << 16:
        raise ValueError("it has no port")
    with socket.create_connection((host, number), timeout=_KNOCK_S):
        pass
