"""Inference: one predictor for all requests, and the requests that wait for it."""

import asyncio
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from aspectlab.data import Quad
from aspectlab.runtime import Predictor
from aspectlab.service.limits import Limits
from aspectlab.service.problems import Problem, busy
from aspectlab.service.schemas import Analysis, Work, analyze_works

PIECE_TEXTS, PIECE_CHARS = 256, 4_000
"""Long work is done in pieces of at most so many sentences and characters: others come in between."""


class StoppedError(Exception):
    """Raised in a thread when nobody waits for its work any more."""


class Inference:
    """A predictor whose calls run one after the other."""

    def __init__(self, predictor: Predictor) -> None:
        self._predictor = predictor
        self._pool = ThreadPoolExecutor(1, "inference")
        self.identity = predictor.identity

    def predict(self, texts: Sequence[str], stopped: threading.Event | None = None) -> list[tuple[Quad, ...]]:
        """Return the opinions of each text; call it from a thread that may block."""
        found: list[tuple[Quad, ...]] = []
        for piece in _cut(texts, stopped):
            predicted = self._pool.submit(self._predictor.predict, piece).result()
            found += (quads[: _most_opinions(text)] for text, quads in zip(piece, predicted, strict=True))
        return found

    def embed(self, texts: Sequence[str], stopped: threading.Event | None = None) -> NDArray[np.float32]:
        """Return one vector per text, [N, D]."""
        pieces = [self._pool.submit(self._predictor.embed, piece).result() for piece in _cut(texts, stopped)]
        return np.concatenate(pieces) if pieces else self._predictor.embed([])

    def close(self) -> None:
        """Finish what runs and drop what waits."""
        self._pool.shutdown(cancel_futures=True)


class Stoppable:
    """The shared predictor for work that may be given up."""

    def __init__(self, inference: Inference, stopped: threading.Event) -> None:
        self._inference = inference
        self._stopped = stopped
        self.identity = inference.identity

    def predict(self, texts: Sequence[str]) -> list[tuple[Quad, ...]]:
        """Return the opinions of each text, unless the work was cancelled."""
        return self._inference.predict(texts, self._stopped)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one vector per text, [N, D], unless the work was cancelled."""
        return self._inference.embed(texts, self._stopped)


def _most_opinions(text: str) -> int:
    """Bound what is kept: a model may find tens of thousands of opinions in a row of dots."""
    return 10 + len(text) // 10


def _cut(texts: Sequence[str], stopped: threading.Event | None) -> Iterator[Sequence[str]]:
    start = 0
    while start < len(texts):
        if stopped is not None and stopped.is_set():
            raise StoppedError
        end, chars = start + 1, len(texts[start])
        while end < min(len(texts), start + PIECE_TEXTS) and chars + len(texts[end]) <= PIECE_CHARS:
            chars += len(texts[end])
            end += 1
        yield texts[start:end]
        start = end


_BATCH_CHARS = 20_000
"""About 250 sentences: enough to keep the model busy, and done in well under a second."""


@dataclass(eq=False, slots=True)
class _Job:
    work: Work
    is_alone: bool = False
    """To be tried by itself: it was in a batch that failed."""

    answer: asyncio.Future[list[Analysis]] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )


class Queue:
    """Requests that wait, first come, first served; those that arrive meanwhile share the next batch."""

    def __init__(self, inference: Inference, limits: Limits) -> None:
        self._inference = inference
        self._limits = limits
        self._jobs: deque[_Job] = deque()
        self._arrived = asyncio.Event()
        self._pool = ThreadPoolExecutor(1, "analysis")
        self._running: list[_Job] = []
        self._stopped = threading.Event()
        self.chars = 0

    @property
    def is_full(self) -> bool:
        """Return whether the next request may find no room."""
        return self.chars + self._limits.request_chars > self._limits.waiting_chars

    async def analyze(self, work: Work) -> list[Analysis]:
        """Wait for the turn and the result of some texts."""
        if self.chars + work.chars > self._limits.waiting_chars:
            raise busy("too many texts wait for the model")
        job = _Job(work)
        self._jobs.append(job)
        self.chars += work.chars
        self._arrived.set()
        try:
            async with asyncio.timeout(self._limits.analyze_s):
                return await job.answer
        except TimeoutError:
            message = f"the analysis took more than {self._limits.analyze_s:g} seconds"
            raise Problem(504, "analysis_timeout", message, "send fewer texts, or try again later") from None
        finally:
            self.chars -= work.chars
            # a request that was given up must not be worked on, nor kept
            with suppress(ValueError):
                self._jobs.remove(job)
            if all(running.answer.done() for running in self._running):
                self._stopped.set()

    async def run(self) -> None:
        """Serve the queue until the task is cancelled."""
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
        return analyze_works(Stoppable(self._inference, stopped), works)

    def _fail(self, jobs: list[_Job], error: Exception) -> None:
        """Report a failure to its request; retry several one by one, since one may have spoilt all."""
        waiting = [job for job in jobs if not job.answer.done()]
        if len(jobs) == 1:
            for job in waiting:
                job.answer.set_exception(error)
            return
        for job in reversed(waiting):
            job.is_alone = True
            self._jobs.appendleft(job)
        self._arrived.set()

    def _take(self) -> list[_Job]:
        """Take the next requests, as many as make a good batch."""
        jobs: list[_Job] = []
        chars = 0
        while self._jobs and chars < _BATCH_CHARS:
            if jobs and (jobs[0].is_alone or self._jobs[0].is_alone):
                break
            jobs.append(self._jobs.popleft())
            chars += jobs[-1].work.chars
        if not self._jobs:
            self._arrived.clear()
        return jobs


def _settle(jobs: list[_Job], results: list[list[Analysis]]) -> None:
    for job, result in zip(jobs, results, strict=True):
        if not job.answer.done():
            job.answer.set_result(result)
