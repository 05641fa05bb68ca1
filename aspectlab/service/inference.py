"""Inference: one predictor for all requests, and the requests that wait for it."""

import asyncio
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from aspectlab.data import Quad
from aspectlab.runtime import Predictor
from aspectlab.service.fairness import FairLine, Room
from aspectlab.service.limits import Limits
from aspectlab.service.problems import Problem, busy
from aspectlab.service.schemas import Analysis, Work, analyze_works

PIECE_TEXTS, PIECE_CHARS, SHARED_PIECE_CHARS = 256, 4_000, 300
"""Long work is done in pieces of so many sentences and characters, shorter ones while others come too: who
asks for one sentence waits for the piece before it, of which 800 characters took five times as long."""

_SHARED_S = 10.0
"""Others count as there for so long after their last piece."""


class StoppedError(Exception):
    """Raised in a thread when nobody waits for its work any more."""


class Turns:
    """A lock for threads that goes to the kind of work that had the least of it."""

    def __init__(self) -> None:
        self._line = FairLine[object]()
        self._condition = threading.Condition()
        self._is_held = False
        self._seen: dict[str, float] = {}

    def is_shared(self, kind: str) -> bool:
        """Return whether other kinds of work take turns with this one."""
        since = time.monotonic() - _SHARED_S
        return any(seen > since for other, seen in self._seen.copy().items() if other != kind)

    @contextmanager
    def hold(self, kind: str, size: int) -> Iterator[None]:
        """Wait for the turn of a piece of work, and hold it."""
        piece = object()
        with self._condition:
            self._line.add(piece, kind, size)
            self._condition.wait_for(lambda: not self._is_held and self._line.peek() is piece)
            self._line.pop()
            self._is_held = True
            self._seen[kind] = time.monotonic()
        try:
            yield
        finally:
            with self._condition:
                self._is_held = False
                self._condition.notify_all()


class Inference:
    """A predictor whose calls run one after the other."""

    def __init__(self, predictor: Predictor) -> None:
        self._predictor = predictor
        self._turns = Turns()
        self.identity = predictor.identity

    def predict(self, texts: Sequence[str], kind: str, stopped: threading.Event) -> list[tuple[Quad, ...]]:
        """Return the opinions of each text; call it from a thread that may block."""
        found: list[tuple[Quad, ...]] = []
        for piece in self._cut(texts, kind, stopped):
            with self._turns.hold(kind, sum(map(len, piece))):
                predicted = self._predictor.predict(piece)
            found += (quads[: _most_opinions(text)] for text, quads in zip(piece, predicted, strict=True))
        return found

    def embed(self, texts: Sequence[str], kind: str, stopped: threading.Event) -> NDArray[np.float32]:
        """Return one vector per text, [N, D]."""
        vectors = []
        for piece in self._cut(texts, kind, stopped):
            with self._turns.hold(kind, sum(map(len, piece))):
                vectors.append(self._predictor.embed(piece))
        return np.concatenate(vectors) if vectors else self._predictor.embed([])

    def _cut(self, texts: Sequence[str], kind: str, stopped: threading.Event) -> Iterator[Sequence[str]]:
        start = 0
        while start < len(texts):
            if stopped.is_set():
                raise StoppedError
            most = SHARED_PIECE_CHARS if self._turns.is_shared(kind) else PIECE_CHARS
            end, chars = start + 1, len(texts[start])
            while end < min(len(texts), start + PIECE_TEXTS) and chars + len(texts[end]) <= most:
                chars += len(texts[end])
                end += 1
            yield texts[start:end]
            start = end


class Stoppable:
    """The shared predictor for one kind of work, which may be given up."""

    def __init__(self, inference: Inference, kind: str, stopped: threading.Event) -> None:
        self._inference = inference
        self._kind = kind
        self._stopped = stopped
        self.identity = inference.identity

    def predict(self, texts: Sequence[str]) -> list[tuple[Quad, ...]]:
        """Return the opinions of each text, unless the work was cancelled."""
        return self._inference.predict(texts, self._kind, self._stopped)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one vector per text, [N, D], unless the work was cancelled."""
        return self._inference.embed(texts, self._kind, self._stopped)


def _most_opinions(text: str) -> int:
    """Bound what is kept: a model may find tens of thousands of opinions in a row of dots."""
    return 10 + len(text) // 10


_BATCH_CHARS = 4_000
"""About 50 sentences: enough to keep the model busy, and done in a tenth of a second."""


@dataclass(eq=False, slots=True)
class _Job:
    work: Work
    client: str
    answer: asyncio.Future[list[Analysis]] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )


class _Lane:
    """Requests of one size that wait; those that arrive meanwhile share the next batch."""

    def __init__(self, inference: Inference, kind: str) -> None:
        self._inference = inference
        self._kind = kind
        self._line = FairLine[_Job]()
        self._retried: list[_Job] = []
        self._arrived = asyncio.Event()
        self._pool = ThreadPoolExecutor(1, kind)
        self._running: list[_Job] = []
        self._stopped = threading.Event()

    def add(self, job: _Job) -> None:
        """Wait for the turn of a request."""
        self._line.add(job, job.client, job.work.chars)
        self._arrived.set()

    def drop(self, job: _Job) -> None:
        """Forget a request that was given up or answered: it must not be worked on, nor kept."""
        self._line.remove(job)
        if all(running.answer.done() for running in self._running):
            self._stopped.set()

    async def run(self) -> None:
        """Serve the lane until the task is cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            await self._arrived.wait()
            if not (jobs := self._take()):
                continue
            self._running, self._stopped = jobs, threading.Event()
            try:
                results = await loop.run_in_executor(self._pool, self._analyze, jobs, self._stopped)
            # whatever goes wrong belongs to one of these requests: all others must be served
            except Exception as error:  # noqa: BLE001
                self._fail(jobs, error)
            else:
                _settle(jobs, results)

    def close(self) -> None:
        """Finish what runs and drop what waits."""
        self._pool.shutdown(cancel_futures=True)

    def _analyze(self, jobs: list[_Job], stopped: threading.Event) -> list[list[Analysis]]:
        works = [job.work for job in jobs]
        return analyze_works(Stoppable(self._inference, self._kind, stopped), works)

    def _fail(self, jobs: list[_Job], error: Exception) -> None:
        """Report a failure to its request; retry several one by one, since one may have spoilt all."""
        waiting = [job for job in jobs if not job.answer.done()]
        if len(jobs) == 1:
            for job in waiting:
                job.answer.set_exception(error)
            return
        self._retried += waiting
        self._arrived.set()

    def _take(self) -> list[_Job]:
        """Take the next requests, as many as make a good batch."""
        jobs: list[_Job] = []
        chars = 0
        if self._retried:
            jobs.append(self._retried.pop(0))
        else:
            while chars < _BATCH_CHARS and (job := self._line.pop()):
                jobs.append(job)
                chars += job.work.chars
        if not self._line and not self._retried:
            self._arrived.clear()
        # a request that was given up while it waited to be tried again
        return [job for job in jobs if not job.answer.done()]


class Queue:
    """Requests that wait for the model: short ones in one lane, long ones in another."""

    def __init__(self, inference: Inference, limits: Limits) -> None:
        self._limits = limits
        self._room = Room(limits.waiting_chars)
        self._short, self._long = _Lane(inference, "short texts"), _Lane(inference, "long texts")

    @property
    def chars(self) -> int:
        """The characters that wait."""
        return self._room.held

    @property
    def is_full(self) -> bool:
        """Return whether the next request may find no room."""
        return not self._room.fits(min(self._limits.request_chars, self._room.limit))

    async def analyze(self, work: Work, client: str) -> list[Analysis]:
        """Wait for the turn and the result of some texts."""
        if not self._room.fits(work.chars):
            raise busy("too many texts wait for the model")
        job = _Job(work, client)
        lane = self._short if work.chars <= _BATCH_CHARS else self._long
        self._room.held += work.chars
        lane.add(job)
        try:
            async with asyncio.timeout(self._limits.analyze_s):
                return await job.answer
        except TimeoutError:
            message = f"the analysis took more than {self._limits.analyze_s:g} seconds"
            raise Problem(504, "analysis_timeout", message, "send fewer texts, or try again later") from None
        finally:
            self._room.held -= work.chars
            lane.drop(job)

    async def run(self) -> None:
        """Serve both lanes until the task is cancelled."""
        await asyncio.gather(self._short.run(), self._long.run())

    def close(self) -> None:
        """Finish what runs and drop what waits."""
        self._short.close()
        self._long.close()


def _settle(jobs: list[_Job], results: list[list[Analysis]]) -> None:
    for job, result in zip(jobs, results, strict=True):
        if not job.answer.done():
            job.answer.set_result(result)
