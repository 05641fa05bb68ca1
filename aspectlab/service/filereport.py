"""Reports of uploaded files: kept in a scratch folder, made in a thread, given up with the client."""

import asyncio
import json
import os
import re
import secrets
import shutil
import sys
import tempfile
import threading
import zipfile
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from aspectlab.analysis import (
    Aggregate,
    Settings,
    aggregate_to_dict,
    analyze,
    join_evidence,
    prepare,
    write_opinion_report,
)
from aspectlab.errors import AspectlabError
from aspectlab.outputs import lock_directory
from aspectlab.readers import OPINIONS_CSV, ReviewOptions
from aspectlab.service.fairness import FairLine
from aspectlab.service.inference import Inference, Stoppable, StoppedError
from aspectlab.service.limits import Limits
from aspectlab.service.problems import Problem, busy, too_large
from aspectlab.service.schemas import ReportQuery

_RETRY_AFTER_S = 15
_ODD = re.compile(r"[^\w .()-]+")
_LONGEST_NAME = 80
_WRITE_BYTES = 64 << 10
_OPTION = re.compile(r"--((?:text|id|date|rating)-column|group-by|encoding|sheet|any-language)\b")


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that was taken, and how it is to be read."""

    folder: Path
    query: ReportQuery

    @property
    def path(self) -> Path:
        """Where the file lies: in a folder of its own, since its name is the client's."""
        return self.folder / "upload" / clean_name(self.query.name)


@dataclass(eq=False, frozen=True, slots=True)
class _Turn:
    """The wait of a client for its report to begin."""

    client: str
    begins: asyncio.Future[None] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class Reports:
    """Makes reports, a few at a time; the others wait in a line that is fair to clients."""

    def __init__(self, inference: Inference, limits: Limits) -> None:
        self._inference = inference
        self._limits = limits
        self._pool = ThreadPoolExecutor(limits.reports, "report")
        self._line = FairLine[_Turn]()
        self._running: set[threading.Event] = set()
        self._busy = Counter[str]()
        self._scratch = ExitStack()
        self._folder = Path()

    @property
    def busy(self) -> int:
        """The reports that are being made."""
        return self._busy.total()

    def open(self) -> None:
        """Make the folder for what clients send."""
        self._folder = self._scratch.enter_context(scratch_folder())

    async def take(self, body: AsyncIterator[bytes], query: ReportQuery) -> Upload:
        """Write a file to disk as it arrives; the caller must make its report.

        A client that sends slowly must not hold a slot meanwhile.
        """
        self._refuse_if_busy()
        upload = Upload(self._folder / secrets.token_hex(8), query)
        try:
            await _save(body, upload.path)
            self._refuse_if_busy()
        except BaseException:
            _remove(upload)
            raise
        return upload

    async def make(self, upload: Upload, client: str) -> tuple[bytes, Aggregate]:
        """Return the page of a report; when nobody waits for it any more, the work on it ends soon."""
        turn = _Turn(client)
        try:
            await self._wait_for(turn, upload.path.stat().st_size)
        except BaseException:
            _remove(upload)
            raise
        stopped = threading.Event()
        self._running.add(stopped)
        work = asyncio.get_running_loop().run_in_executor(self._pool, self._render, upload, stopped)
        work.add_done_callback(lambda _: self._running.discard(stopped))
        work.add_done_callback(lambda _: self._leave(client))
        try:
            async with asyncio.timeout(self._limits.report_s):
                # the thread goes on for a moment after it was given up: only its end frees the slot
                return await asyncio.shield(work)
        except TimeoutError:
            message = f"the report took more than {self._limits.report_s:g} seconds"
            remedy = "send fewer reviews, or use the command `aspectlab analyze`"
            raise Problem(504, "report_timeout", message, remedy) from None
        finally:
            stopped.set()

    def close(self) -> None:
        """Cancel what runs."""
        for stopped in self._running:
            stopped.set()
        self._pool.shutdown(cancel_futures=True)
        self._scratch.close()

    def _refuse_if_busy(self) -> None:
        if len(self._line) >= self._limits.waiting_reports:
            raise busy("other reports are being made", _RETRY_AFTER_S)

    async def _wait_for(self, turn: _Turn, size: int) -> None:
        self._line.add(turn, turn.client, size)
        self._begin_next()
        try:
            async with asyncio.timeout(self._limits.turn_s):
                await turn.begins
        except BaseException as error:
            self._line.remove(turn)
            # it came in the same moment
            if turn.begins.done() and not turn.begins.cancelled():
                self._leave(turn.client)
            if isinstance(error, TimeoutError):
                raise busy("other reports are being made", _RETRY_AFTER_S) from None
            raise

    def _begin_next(self) -> None:
        while self.busy < self._limits.reports and (turn := self._line.pop(self._may_begin)):
            self._busy[turn.client] += 1
            turn.begins.set_result(None)

    def _may_begin(self, client: str) -> bool:
        """Return whether a client may have a report more: of several slots one is left to others."""
        return self._busy[client] < max(1, self._limits.reports - 1)

    def _leave(self, client: str) -> None:
        self._busy[client] -= 1
        # an entry for each client there ever was would fill the memory
        self._busy += Counter()
        self._begin_next()

    def _render(self, upload: Upload, stopped: threading.Event) -> tuple[bytes, Aggregate]:
        folder, path = upload.folder, upload.path
        try:
            _refuse_large_workbook(path, self._limits.unpacked_bytes)
            # one more than allowed tells a file that is too long
            reading = _make_reading(upload.query, self._limits.reviews + 1)
            query = upload.query
            language = None if query.any_language else "en"
            prepared = prepare(
                [path], Settings(reading, min_probability=query.min_probability, language=language)
            )
            if prepared.survey.tally.reviews > self._limits.reviews:
                raise _too_many(self._limits.reviews)
            predictor = Stoppable(self._inference, "reports", stopped)
            aggregate = analyze(prepared, predictor, folder / "out", report=False).aggregate
            notices = tuple(map(_name_parameters, aggregate.notices))
            told = replace(aggregate, notices=notices)
            if query.format == "csv":
                return (folder / "out" / OPINIONS_CSV).read_bytes(), aggregate
            if query.format == "json":
                return json.dumps(aggregate_to_dict(told)).encode(), aggregate
            evidence = join_evidence(prepared.reviews, folder / "out", split=True)
            write_opinion_report(told, folder / "report.html", evidence)
            return (folder / "report.html").read_bytes(), aggregate
        except StoppedError:
            raise Problem(503, "given_up", "the report was given up", "try again") from None
        except AspectlabError as error:
            message = _name_parameters(str(error).replace(f"{path.parent}{os.sep}", ""))
            raise Problem(422, "unreadable_file", message, "see the message, correct the file") from None
        finally:
            _remove(upload)


def clean_name(name: str) -> str:
    r"""Return a name that leads nowhere, with the ending that says what the file is.

    >>> clean_name("../../etc/my reviews.CSV"), clean_name("C:\\a\\b.xlsx"), clean_name("..")
    ('my reviews.csv', 'b.xlsx', 'upload.txt')
    """
    last = PurePosixPath(name.replace("\\", "/")).name
    stem, dot, ending = last.rpartition(".")
    plain = _ODD.sub("_", stem if dot else last).strip(" ._")[:_LONGEST_NAME] or "upload"
    suffix = re.sub(r"\W", "", ending.lower())[:10] if dot else ""
    return f"{plain}.{suffix or 'txt'}"


def _make_reading(query: ReportQuery, limit: int) -> ReviewOptions:
    return ReviewOptions(
        text=query.text_column,
        id=query.id_column,
        group=query.group_by,
        date=query.date_column,
        rating=query.rating_column,
        encoding=query.encoding,
        limit=limit,
        sheet=query.sheet,
    )


def _too_many(limit: int) -> Problem:
    return Problem(
        413,
        "too_many_reviews",
        f"the file has more than {limit:,} reviews",
        "send it in parts, or use the command `aspectlab analyze`, which has no limit",
    )


def _refuse_large_workbook(path: Path, limit: int) -> None:
    if not zipfile.is_zipfile(path):
        return
    # a broken archive is told better by who reads it; unknown features are a RuntimeError
    with suppress(zipfile.BadZipFile, OSError, RuntimeError, ValueError), zipfile.ZipFile(path) as archive:
        # no part can be unpacked to more than it says
        if sum(part.file_size for part in archive.infolist()) > limit:
            raise too_large(limit, "the workbook unpacks to")


def _name_parameters(message: str) -> str:
    """Name what a client can set as it stands in a query, not as on the command line.

    >>> _name_parameters("a.csv: --group-by = 'x': no such column")
    "a.csv: group_by = 'x': no such column"
    """
    return _OPTION.sub(lambda found: found[1].replace("-", "_"), message)


def _remove(upload: Upload) -> None:
    shutil.rmtree(upload.folder, ignore_errors=True)


async def _save(body: AsyncIterator[bytes], path: Path) -> None:
    """Write a file as it arrives, in pieces that are worth a thread: a disk may keep its writer waiting."""
    held = bytearray()
    async for piece in body:
        held += piece
        if len(held) >= _WRITE_BYTES:
            await asyncio.to_thread(_append, path, held)
            held = bytearray()
    await asyncio.to_thread(_append, path, held)


def _append(path: Path, content: bytearray) -> None:
    # only now: of a client that sends next to nothing there is nothing on disk
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as stream:
        stream.write(content)


_PREFIX = "aspectlab-serve-"


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Make a folder that only this user can read; what services left that were killed is removed first."""
    remove_abandoned()
    # locked under another name first: a service that starts meanwhile must not take it for an abandoned one
    draft = Path(tempfile.mkdtemp(prefix=f".{_PREFIX}"))
    with lock_directory(draft):
        folder = draft.rename(draft.with_name(draft.name.removeprefix(".")))
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def remove_abandoned() -> None:
    """Remove the folders of services that live no more: the system gave back their locks."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        # another user's folder cannot be opened, and what is no folder is none of ours
        with suppress(OSError):
            _remove_if_unlocked(folder)


def _remove_if_unlocked(folder: Path) -> None:
    if sys.platform == "win32":  # opens no folders, so that locks are unknown
        return
    import fcntl

    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        if os.fstat(handle).st_uid == os.getuid():
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(handle)
