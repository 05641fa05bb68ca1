"""Run a study: hand runs to an engine, write what is finished, retry what was lost, stop cleanly."""

import os
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol

from aspectlab.cluster import EngineChoice
from aspectlab.experiments.engine import Advanced, Engine, Event, Failed, Finished, Job, WorkerLost
from aspectlab.experiments.plan import Run, Schedule
from aspectlab.experiments.store import RunFolder
from aspectlab.outputs import FileLock
from aspectlab.registry import Registry

RETRIES = 3
"""How often a run is tried again whose worker has died."""

_WAIT_S = 0.5
"""Seconds between two looks at the clock, and at the runs that another driver is at."""


class Watch(Protocol):
    """Someone who wants to know how a study goes."""

    def begin(self, total: int, done: int) -> None:
        """Note how many runs there are, and how many were finished before."""

    def started(self, run: Run) -> None:
        """Note a run that was handed to a worker."""

    def advanced(self, run: Run, share: float, text: str) -> None:
        """Note a run's progress."""

    def finished(self, run: Run) -> None:
        """Note a run that is on disk."""

    def failed(self, run: Run, reason: str) -> None:
        """Note a run that is given up."""

    def lost(self, run: Run, reason: str) -> None:
        """Note a run whose worker died, and that will be tried again."""


@dataclass(slots=True)
class StudyOutcome:
    """How a study ended: runs that were there before, runs that were made now, and failures with reasons."""

    total: int
    before: int
    made: int = 0
    failures: dict[str, str] = field(default_factory=dict)

    @property
    def finished(self) -> int:
        """How many runs are on disk."""
        return self.before + self.made


class Driver:
    """Work through a schedule; every run is locked from the moment it is handed out until it is on disk.

    With `closes=False` the engine stays open for the next schedule, unless something goes wrong.
    """

    def __init__(
        self,
        schedule: Schedule,
        folder: RunFolder,
        engine: Engine,
        watch: Watch,
        *,
        command: str = "",
        closes: bool = True,
    ) -> None:
        self._schedule, self._folder, self._engine, self._watch = schedule, folder, engine, watch
        self._command, self._closes = command, closes
        self._running: dict[str, tuple[Run, FileLock]] = {}
        self._losses: Counter[str] = Counter()
        done = folder.finished(run.id for run in schedule.runs)
        self._queue = deque(run for run in schedule.runs if run.id not in done)
        self._elsewhere: list[Run] = []  # another driver is at them
        self._looked = time.monotonic()
        self.tally = StudyOutcome(len(schedule.runs), len(done))

    def drive(self) -> StudyOutcome:
        """Execute what is missing; whatever happens, no worker and no lock is left behind."""
        self._watch.begin(self.tally.total, self.tally.before)
        with self._clearing():
            while self._queue or self._running or self._elsewhere:
                self._hand_out()
                for event in self._engine.wait(_WAIT_S):
                    self._take(event)
        return self.tally

    def _hand_out(self) -> None:
        self._look_elsewhere()
        for _ in range(self._engine.free()):
            while self._queue:
                if self._try_start(self._queue.popleft()):
                    break

    def _try_start(self, run: Run) -> bool:
        """Start a run unless another driver is at it, or has just finished it."""
        lock = self._folder.lock(run.id)
        if lock is None:
            self._elsewhere.append(run)
            return False
        if self._folder.is_finished(run.id):
            lock.release()
            self.tally.before += 1
            self._watch.finished(run)
            return False
        self._running[run.id] = run, lock
        study = self._schedule.study
        job = Job(run, study.name, self._command, study.keep_models, self._schedule.earlier(run))
        self._engine.submit(job, self._schedule.materials[run.group.material])
        self._watch.started(run)
        return True

    def _look_elsewhere(self) -> None:
        """Try the runs of other drivers again from time to time: they may be finished, or the driver dead."""
        if self._elsewhere and not self._queue and time.monotonic() - self._looked > _WAIT_S:
            self._looked = time.monotonic()
            self._queue.extend(self._elsewhere)
            self._elsewhere.clear()

    def _take(self, event: Event) -> None:
        run, lock = self._running[event.run_id]
        if isinstance(event, Advanced):
            self._watch.advanced(run, event.share, event.text)
            return
        if isinstance(event, Finished):
            self._folder.commit(run.id, event.files)
            self.tally.made += 1
            self._watch.finished(run)
        elif isinstance(event, Failed):
            self._give_up(run, event.reason)
        else:
            self._retry(run, event)
        del self._running[run.id]
        lock.release()

    def _retry(self, run: Run, event: WorkerLost) -> None:
        self._losses[run.id] += 1
        self._folder.note(run.id, f"attempt {self._losses[run.id]}: {event.reason}")
        if self._losses[run.id] > RETRIES:
            self._give_up(run, f"{event.reason}, {self._losses[run.id]} times")
            return
        self._queue.appendleft(run)
        self._watch.lost(run, event.reason)

    def _give_up(self, run: Run, reason: str) -> None:
        self._folder.note(run.id, reason)
        self.tally.failures[run.id] = f"{run.title}: {reason}; see {self._folder.log_path(run.id)}"
        self._watch.failed(run, self.tally.failures[run.id])

    @contextmanager
    def _clearing(self) -> Iterator[None]:
        is_done = False
        try:
            yield
            is_done = True
        finally:
            if self._closes or not is_done:
                self._engine.close()
            for _, lock in self._running.values():
                lock.release()


_MOST_WORKERS = 4
"""How many workers `local` means at most: each holds a model, and on a GPU they share its memory."""


ENGINES = Registry[Callable[..., Engine]](
    "engine",
    {
        "local": "aspectlab.experiments.local_engine:start_engine",
        "ray": "aspectlab.experiments.ray_engine:RayEngine",
    },
)


def open_engine(choice: EngineChoice, folder: RunFolder, *, device: str, threads: int) -> Engine:
    """Start the engine that executes runs."""
    if choice.is_cluster:
        return ENGINES["ray"](choice.address, device=device, threads=threads)
    fitting = min(_MOST_WORKERS, (os.cpu_count() or 1) // threads)
    return ENGINES["local"](choice.workers or max(fitting, 1), folder, device=device, threads=threads)
