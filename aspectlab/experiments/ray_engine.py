"""RayEngine: runs as tasks of a Ray cluster; those of a lost node are retried elsewhere."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack
from typing import cast

from aspectlab import experiments
from aspectlab.cluster import connect, require_ray
from aspectlab.errors import AspectlabError, ConfigError
from aspectlab.experiments import (
    Advanced,
    Event,
    Failed,
    Files,
    Finished,
    Job,
    ModelInfo,
    ModelRequest,
    PreparedCorpus,
    WorkerLost,
)
from aspectlab.progress import Progress, throttle

_RUNS_PER_CARD = 4
"""Runs that share a GPU."""


class RayEngine:
    """Execute runs on a cluster that is joined, or started on this machine."""

    def __init__(self, address: str | None, *, device: str = "auto", threads: int = 1) -> None:
        self._ray = require_ray()
        self._stack = ExitStack()
        self._cluster = self._stack.enter_context(connect(address))
        self._device, self._threads = device, threads
        self._running: dict[object, str] = {}
        self._materials: dict[str, object] = {}
        self._asked: object = None
        self._board = self._ray.remote(ProgressBoard).options(num_cpus=0, max_restarts=-1).remote()
        share = 1 / _RUNS_PER_CARD if self._cards and device != "cpu" else 0
        kind = self._ray.remote(num_cpus=threads, num_gpus=share, max_retries=0)
        self._task = kind(execute_run)

    @property
    def _cards(self) -> int:
        return int(self._ray.cluster_resources().get("GPU", 0))

    def inspect(self, requests: Sequence[ModelRequest]) -> Sequence[ModelInfo]:
        """Look models up on a node."""
        task = self._ray.remote(num_cpus=self._threads)(look_up)
        try:
            return cast(Sequence[ModelInfo], self._ray.get(task.remote(list(requests))))
        except self._ray.exceptions.RayError as error:
            raise ConfigError(f"the cluster cannot look models up: {_first_line(error)}") from None

    def free(self) -> int:
        """Return how many runs the cluster has room for beyond those that it has got."""
        room = self._cluster.cores // self._threads
        if self._cards and self._device != "cpu":
            room = min(room, self._cards * _RUNS_PER_CARD)
        return max(room, 1) - len(self._running)

    def submit(self, job: Job, material: PreparedCorpus) -> None:
        """Hand a run to the cluster; its corpora travel once."""
        if material.key not in self._materials:
            self._materials[material.key] = self._ray.put(material)
        stored = self._materials[material.key]
        reference = self._task.remote(job, stored, self._device, self._threads, self._board)
        self._running[reference] = job.run.id

    def wait(self, timeout_s: float) -> list[Event]:
        """Take what is finished, and read the board."""
        if not self._running:
            time.sleep(timeout_s)
            return []
        done, _ = self._ray.wait(list(self._running), num_returns=1, timeout=timeout_s)
        events = self._read_board()
        return [*events, *(self._take(reference, self._running.pop(reference)) for reference in done)]

    def close(self) -> None:
        """Stop all runs and leave the cluster; one that was started here ends."""
        for reference in self._running:
            self._ray.cancel(reference, force=True)
        self._running.clear()
        self._stack.close()

    def _take(self, reference: object, run_id: str) -> Event:
        errors = self._ray.exceptions
        try:
            return Finished(run_id, cast(Files, self._ray.get(reference)))
        except errors.RayTaskError as error:
            if isinstance(error.cause, AspectlabError):
                return Failed(run_id, str(error.cause))
            return WorkerLost(run_id, str(error).strip())
        except errors.RayError as error:
            return WorkerLost(run_id, f"the worker or its node was lost: {_first_line(error)}")

    def _read_board(self) -> list[Event]:
        """Take what runs have told since the last time; the answer to a question is taken by a later call."""
        if self._asked is None:
            self._asked = self._board.read.remote()
        if not self._ray.wait([self._asked], timeout=0)[0]:
            return []
        asked, self._asked = self._asked, None
        try:
            said = cast(dict[str, tuple[float, str]], self._ray.get(asked))
        except self._ray.exceptions.RayError:
            return []
        busy = set(self._running.values())
        return [Advanced(run_id, *words) for run_id, words in said.items() if run_id in busy]


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


_REPORT_S = 1.0
"""Seconds between two reports of progress."""

_EXECUTORS: dict[tuple[str, int], experiments.RunExecutor] = {}
"""The one of this process; Ray gives a process one run at a time, and then another."""


class ProgressBoard:
    """Where runs write how far they are, for a driver to read."""

    def __init__(self) -> None:
        self._said: dict[str, tuple[float, str]] = {}

    def tell(self, run_id: str, share: float, text: str) -> None:
        """Note a run's progress."""
        self._said[run_id] = share, text

    def read(self) -> dict[str, tuple[float, str]]:
        """Return what is new."""
        said, self._said = self._said, {}
        return said


def look_up(requests: list[ModelRequest]) -> list[ModelInfo]:
    """Look models up."""
    return experiments.inspect_models(requests)


def execute_run(job: Job, material: PreparedCorpus, device: str, threads: int, board: object) -> Files:
    """Execute one run."""
    # by attribute: a driver knows this file too, and needs no torch
    executor = _EXECUTORS.get((device, threads))
    if executor is None:
        executor = _EXECUTORS[device, threads] = experiments.RunExecutor(device, threads=threads)

    def tell(progress: Progress[object]) -> None:
        # nobody waits for the answer: the board may be gone, and the run goes on
        board.tell.remote(job.run.id, progress.share, progress.text)  # type: ignore[attr-defined]

    return executor.execute(job, material, throttle(tell, _REPORT_S))
