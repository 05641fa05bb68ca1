"""LocalEngine: worker processes on this machine, each of which keeps its encoder; a dead one is replaced."""

import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, partial
from importlib import import_module
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Protocol, cast

from aspectlab import experiments, training
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
    RunFolder,
    WorkerLost,
)
from aspectlab.progress import Progress, ProgressCallback, throttle

EXECUTOR = "aspectlab.experiments.execute:RunExecutor"
"""Where runs are carried out; by name, since importing it imports torch."""

_REPORT_S = 0.2
"""Seconds between two reports of progress."""


class Executor(Protocol):
    """What executes runs in a worker: a RunExecutor, or what stands for it in tests."""

    def execute(self, job: Job, material: PreparedCorpus, progress: ProgressCallback[object]) -> Files:
        """Execute a run and return its files."""
        ...


@dataclass(frozen=True, slots=True)
class Ready:
    """What a worker says once it can work."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """A job, the file for what is said meanwhile, and the material if the worker has not got it yet."""

    job: Job
    log: Path
    material: PreparedCorpus | None


@dataclass(frozen=True, slots=True)
class WorkerConfig:
    """What every worker of an engine is told at its start."""

    device: str
    threads: int
    log: Path
    executor: str = EXECUTOR


def work(connection: Connection, setting: WorkerConfig, number: int) -> None:
    """Process what comes through the connection until it is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the driver, which stops its workers
    threading.Thread(target=_die_with_parent, daemon=True).start()
    _redirect_output(setting.log)
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = str(setting.threads)  # read once, when torch is imported
    module, _, name = setting.executor.partition(":")
    build = getattr(import_module(module), name)  # imports torch
    find_executor = cache(partial(build, setting.device, threads=setting.threads, number=number))
    connection.send(Ready())
    materials: dict[str, PreparedCorpus] = {}
    while (message := _receive(connection)) is not None:
        if isinstance(message, list):
            _look_up(connection, message, setting.device)
        elif isinstance(message, Assignment):
            if message.material is not None:
                materials[message.material.key] = message.material
            _redirect_output(message.log)
            _execute(connection, find_executor, message.job, materials[message.job.run.group.material])


def _look_up(connection: Connection, requests: list[ModelRequest], device: str) -> None:
    """Send what there is to know of models, or why no run can be done here."""
    try:
        training.choose_device(device)
    except AspectlabError as error:
        connection.send(str(error))
    else:
        connection.send(experiments.inspect_models(requests))


def _execute(
    connection: Connection, find_executor: Callable[[], Executor], job: Job, material: PreparedCorpus
) -> None:
    """Execute a run and send its files, or why it cannot be done; any other error ends the process."""

    def send(progress: Progress[object]) -> None:
        connection.send(Advanced(job.run.id, progress.share, progress.text))

    report = throttle(send, _REPORT_S)
    report(Progress(0.0, "starting", None))
    try:
        files = find_executor().execute(job, material, report)
    except AspectlabError as error:
        connection.send(Failed(job.run.id, str(error)))
    else:
        connection.send(Finished(job.run.id, files))


def _receive(connection: Connection) -> object:
    try:
        return connection.recv()
    except EOFError:
        return None


def _die_with_parent() -> None:
    """End this process when the driver is no more: what it computes would be for nobody."""
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _redirect_output(path: Path) -> None:
    """Redirect what this process and its libraries print to a file."""
    sys.stdout.flush()
    sys.stderr.flush()
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    os.dup2(handle, 1)
    os.dup2(handle, 2)
    os.close(handle)


_GRACE_S = 5.0
"""Seconds that a worker has to end before it is killed."""


@dataclass(slots=True, eq=False)
class _Worker:
    """A process, its connection, the run it is at, and the material that it has got."""

    process: SpawnProcess
    connection: Connection
    is_ready: bool = False
    waiting: tuple[Job, PreparedCorpus] | None = None  # taken, but not sent yet
    run_id: str | None = None
    known: set[str] = field(default_factory=set)


class LocalEngine:
    """Execute runs in some processes of this machine; on a machine with a GPU they share it."""

    def __init__(
        self,
        workers: int,
        folder: RunFolder,
        *,
        device: str = "auto",
        threads: int = 1,
        executor: str = EXECUTOR,
    ) -> None:
        self._size, self._folder = workers, folder
        self._setting = WorkerConfig(device, threads, folder.log_path("workers"), executor)
        self._context = get_context("spawn")
        self._workers: list[_Worker] = []
        self._started = 0

    def start(self) -> None:
        """Start the first worker: it imports torch while the driver reads the study."""
        if not self._workers:
            self._add()

    def inspect(self, requests: Sequence[ModelRequest]) -> Sequence[ModelInfo]:
        """Look models up in the first worker."""
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
        return cast(Sequence[ModelInfo], found)

    def free(self) -> int:
        """Return how many workers have nothing to do, or could be started."""
        return self._size - sum(worker.run_id is not None for worker in self._workers)

    def submit(self, job: Job, material: PreparedCorpus) -> None:
        """Hand a run to a worker, one that is ready if there is one."""
        idle = [worker for worker in self._workers if worker.run_id is None]
        worker = next((w for w in idle if w.is_ready), None) or (idle[0] if idle else self._add())
        worker.run_id, worker.waiting = job.run.id, (job, material)
        if worker.is_ready:
            self._send(worker)

    def wait(self, timeout_s: float) -> list[Event]:
        """Handle the messages of the workers, and see whether they live."""
        sources = {worker.connection: worker for worker in self._workers}
        events: list[Event] = []
        for source in wait(list(sources), timeout_s):
            worker = sources[cast(Connection, source)]
            try:
                while worker.connection.poll():
                    self._handle_message(worker, worker.connection.recv(), events)
            except (EOFError, OSError):
                self._reap(worker, events)
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

    def _handle_message(self, worker: _Worker, message: object, events: list[Event]) -> None:
        if isinstance(message, Ready):
            worker.is_ready = True
            if worker.waiting:
                self._send(worker)
            return
        if not isinstance(message, Advanced):
            worker.run_id = None
        events.append(cast(Event, message))

    def _reap(self, worker: _Worker, events: list[Event]) -> None:
        """Note a dead worker; another one is started when there is a run for it."""
        self._workers.remove(worker)
        worker.process.join()
        worker.connection.close()
        if worker.run_id is not None:
            events.append(WorkerLost(worker.run_id, _describe_exit(worker.process.exitcode)))


def start_engine(workers: int, folder: RunFolder, *, device: str, threads: int) -> LocalEngine:
    """Open an engine whose first worker imports torch while the driver reads the study."""
    engine = LocalEngine(workers, folder, device=device, threads=threads)
    engine.start()
    return engine


def _describe_exit(code: int | None) -> str:
    """Describe how a worker ended; a system that runs out of memory kills without a word in any log."""
    if code == -signal.SIGKILL:
        return "the worker was killed, as by a system short of memory (fewer of them: --engine local:N)"
    return f"the worker ended with exit code {code}"
