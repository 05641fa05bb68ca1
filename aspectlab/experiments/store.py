"""RunFolder: runs on disk. A run's folder appears by a rename when it is complete, or not at all.

RUNS/ID/            a finished run: run.json, predictions/TEST.jsonl, model/ if asked for, and files.json
RUNS/.drafts/       runs that are being written, by id, host and process
RUNS/.locks/        runs that some driver is at
RUNS/.logs/         what the workers of failed runs said
"""

import json
import os
import shutil
import socket
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from aspectlab.errors import AspectlabError, DataError
from aspectlab.experiments.engine import MODEL_FOLDER, Files
from aspectlab.experiments.plan import Group, Schedule
from aspectlab.experiments.record import RunRecord, read_record
from aspectlab.outputs import FileLock, atomic_directory, try_lock
from aspectlab.untrusted import parse_count, read_json

_SIZES = "files.json"
"""The bytes of each file of a run: what a crash of the machine or of a disk has cut is made anew."""


class FolderError(AspectlabError):
    """Report a folder of runs that cannot be written; every finished run in it is whole."""


class RunFolder:
    """The folder that `aspectlab run` writes to; several drivers may share it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._drafts, self._locks, self._logs = (path / name for name in (".drafts", ".locks", ".logs"))
        self._owner = f"{socket.gethostname()}.{os.getpid()}"

    def open(self) -> None:
        """Make the folder, see that it can be written, and clear what dead drivers left."""
        with _explain_os_error(self.path):
            for folder in (self._drafts, self._locks, self._logs):
                folder.mkdir(parents=True, exist_ok=True)
            probe = self._drafts / f"probe.{self._owner}"
            probe.write_text("can this be written?", encoding="utf-8")
            probe.unlink()
            for draft in self._drafts.iterdir():
                if _is_abandoned(draft.name):
                    _remove(draft)

    def finished(self, ids: Iterable[str]) -> set[str]:
        """Return which runs are finished."""
        present = {entry.name for entry in os.scandir(self.path)} if self.path.is_dir() else set()
        return {name for name in ids if name in present and self.is_finished(name)}

    def is_finished(self, run_id: str) -> bool:
        """Return whether a run is complete and says so itself."""
        return self.find(run_id) is not None

    def find(self, run_id: str) -> RunRecord | None:
        """Return the record of a finished run; None if it is not finished, or a file of it was cut."""
        try:
            record = read_record(self.path / run_id)
        except DataError:
            return None
        return record if record.id == run_id and _is_whole(self.path / run_id) else None

    def has_model(self, run_id: str) -> bool:
        """Return whether a run has kept its trained model."""
        return (self.path / run_id / MODEL_FOLDER).is_dir()

    def lock(self, run_id: str) -> FileLock | None:
        """Lock a run; None if another driver is at it."""
        with _explain_os_error(self.path):
            return try_lock(self._locks / run_id)

    def commit(self, run_id: str, files: Files) -> None:
        """Write a finished run atomically."""
        draft = self._drafts / f"{run_id}.{self._owner}"
        target = self.path / run_id
        with _explain_os_error(self.path):
            _remove(target)  # what lies there under this name is no finished run: its lock is ours
            with atomic_directory(target, draft=draft, durable=True):
                for name, content in files.items():
                    _write(draft / name, content)
                sizes = {name: len(content) for name, content in files.items()}
                _write(draft / _SIZES, json.dumps(sizes, indent=1).encode())
        log = self.log_path(run_id)
        if log.exists() and not log.stat().st_size:
            log.unlink()

    def log_path(self, run_id: str) -> Path:
        """Name the file for what a run's workers say."""
        return self._logs / f"{run_id}.log"

    def note(self, run_id: str, text: str) -> None:
        """Add a line to the log of a run; a full disk must not stop the study for it."""
        try:
            self._logs.mkdir(parents=True, exist_ok=True)
            with self.log_path(run_id).open("a", encoding="utf-8") as stream:
                stream.write(text + "\n")
        except OSError:
            pass


@contextmanager
def _explain_os_error(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise FolderError(
            f"{folder}: cannot be written: {error.strerror or error}: expected a folder with room; make "
            "room or choose another --out, and run the same command again: no finished run is lost"
        ) from error


def _is_whole(folder: Path) -> bool:
    """Return whether all files of a run have their sizes; runs of earlier versions did not say these."""
    try:
        sizes = read_json(folder / _SIZES)
    except FileNotFoundError:
        return True
    except (OSError, ValueError):
        return False
    return isinstance(sizes, dict) and all(_has_size(folder / name, size) for name, size in sizes.items())


def _has_size(path: Path, size: object) -> bool:
    return path.is_file() and path.stat().st_size == size


def _is_abandoned(name: str) -> bool:
    """Return whether a draft belongs to a process of this machine that is no more: NAME.HOST.PID."""
    _, _, owner = name.partition(".")
    host, _, number = owner.rpartition(".")
    process = parse_count(number)
    if host != socket.gethostname() or process is None:
        return False
    if process == os.getpid():
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        pass  # it lives, and is another user's
    return False


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def stale_run_notices(schedule: Schedule, folder: RunFolder) -> Iterator[str]:
    """List which finished runs are kept although the study would now name them otherwise, or keep more."""
    records = [(run, record) for run in schedule.runs if (record := folder.find(run.id))]
    renamed = [(run, record) for run, record in records if _row_name(record) != _row_name(run.group)]
    if renamed:
        run, record = renamed[0]
        yield (
            f"{folder.path}: runs finished under another name: {len(renamed):,}, such as "
            f"{_row_name(record)!r} for {_row_name(run.group)!r}: a report shows the name they have; "
            "to execute them again under the new one, choose another --out"
        )
    bare = sum(not folder.has_model(run.id) for run, _ in records)
    if schedule.study.keep_models and bare:
        yield (
            f"{folder.path}: runs finished without their model: {bare:,}: keep_models is for those made from "
            "now on; to have all models, choose another --out"
        )


def _row_name(runs: RunRecord | Group) -> str:
    return f"{runs.label}/{runs.encoder} on {runs.corpus}"
