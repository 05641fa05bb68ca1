"""LocalEngine: worker processes on this machine, each of which keeps its encoder; a dead one is replaced."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import cast

from aspectlab.errors import ConfigError
from aspectlab.experiments.facts import Facts, Request
from aspectlab.experiments.folder import RunFolder
from aspectlab.experiments.jobs import Advanced, Event, Job, Lost
from aspectlab.experiments.material import Material
from aspectlab.experiments.worker import WORKSHOP, Assignment, Ready, Setting, work

_GRACE_S = 5.0
"""Seconds that a worker has to end before it is killed."""


@dataclass(slots=True, eq=False)
class _Worker:
    """A process, its connection, the run it is at, and the material that it has got."""

    process: SpawnProcess
    connection: Connection
    is_ready: bool = False
    waiting: tuple[Job, Material] | None = None  # taken, but not sent yet
    run_id: str | None = None
    known: set[str] = field(default_factory=set)


class LocalEngine:
    """Carry out runs in some processes of this machine; on a machine with a GPU they share it."""

    def __init__(
        self,
        workers: int,
        folder: RunFolder,
        *,
        device: str = "auto",
        threads: int = 1,
        workshop: str = WORKSHOP,
    ) -> None:
        self._size, self._folder = workers, folder
        self._setting = Setting(device, threads, folder.log_path("workers"), workshop)
        self._context = get_context("spawn")
        self._workers: list[_Worker] = []
        self._started = 0

    def start(self) -> None:
        """Start the first worker: it imports torch while the driver reads the study."""
        if not self._workers:
            self._add()

    def inspect(self, requests: Sequence[Request]) -> Sequence[Facts]:
        """Let the first worker look models up."""
        self.start()
        worker = self._workers[0]
        try:
            if not worker.is_ready:
                worker.is_ready = isinstance(worker.connection.recv(), Ready)
            worker.connection.send(list(requests))
            found = worker.connection.recv()
        except (EOFError, OSError):
            log = self._setting.log
            raise ConfigError(
                f"a worker ended at its start: {log} says why; try `aspectlab doctor`"
            ) from None
        if isinstance(found, str):
            raise ConfigError(found)
        return cast(Sequence[Facts], found)

    def free(self) -> int:
        """Tell how many workers have nothing to do, or could be started."""
        return self._size - sum(worker.run_id is not None for worker in self._workers)

    def submit(self, job: Job, material: Material) -> None:
        """Give a run to a worker, one that is ready if there is one."""
        idle = [worker for worker in self._workers if worker.run_id is None]
        worker = next((w for w in idle if w.is_ready), None) or (idle[0] if idle else self._add())
        worker.run_id, worker.waiting = job.run.id, (job, material)
        if worker.is_ready:
            self._send(worker)

    def wait(self, timeout_s: float) -> list[Event]:
        """Hear the workers, and see whether they live."""
        sources = {worker.connection: worker for worker in self._workers}
        events: list[Event] = []
        for source in wait(list(sources), timeout_s):
            worker = sources[cast(Connection, source)]
            try:
                while worker.connection.poll():
                    self._hear(worker, worker.connection.recv(), events)
            except (EOFError, OSError):
                self._bury(worker, events)
        return events

    def close(self) -> None:
        """End all workers."""
        for worker in self._workers:
            worker.process.terminate()
        for worker in self._workers:
            worker.process.join(_GRACE_S)
            worker.process.kill()
            worker.process.join()
            worker.connection.close()
        self._workers.clear()
        log = self._setting.log
        if log.exists() and not log.stat().st_size:
            log.unlink()

    def _add(self) -> _Worker:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=work, args=(theirs, self._setting, self._started), daemon=True)
        process.start()
        theirs.close()  # so that the death of the worker ends the connection
        self._started += 1
        self._workers.append(_Worker(process, ours))
        return self._workers[-1]

    def _send(self, worker: _Worker) -> None:
        assert worker.waiting is not None
        (job, material), worker.waiting = worker.waiting, None
        missing = None if material.key in worker.known else material
        worker.known.add(material.key)
        with suppress(OSError):  # it has died: the next wait finds out
            worker.connection.send(Assignment(job, self._folder.log_path(job.run.id), missing))

    def _hear(self, worker: _Worker, message: object, events: list[Event]) -> None:
        if isinstance(message, Ready):
            worker.is_ready = True
            if worker.waiting:
                self._send(worker)
            return
        if not isinstance(message, Advanced):
            worker.run_id = None
        events.append(cast(Event, message))

    def _bury(self, worker: _Worker, events: list[Event]) -> None:
        """Take note of a dead worker; another one is started when there is a run for it."""
        self._workers.remove(worker)
        worker.process.join()
        worker.connection.close()
        if worker.run_id is not None:
            events.append(Lost(worker.run_id, _say_end(worker.process.exitcode)))


def _say_end(code: int | None) -> str:
    """Say how a worker ended; a system that runs out of memory kills without a word in any log."""
    if code == -signal.SIGKILL:
        return "the worker was killed, as by a system short of memory (fewer of them: --engine local:N)"
    return f"the worker ended with exit code {code}"
