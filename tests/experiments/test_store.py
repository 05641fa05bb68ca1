"""Runs on disk: whole or not at all, locked while made, and clear words where nothing can be written."""

import errno
import os
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from aspectlab.errors import DataError
from aspectlab.experiments.record import RunRecord, Timing, read_record, read_runs, write_record
from aspectlab.experiments.store import FolderError, RunFolder


def make_record(run_id: str, **changes: object) -> RunRecord:
    scores = {"test": {"accuracy": 0.5}}
    values: dict[str, object] = {
        "id": run_id,
        "study": "toy",
        "label": "m",
        "model": "m",
        "encoder": "tiny",
        "settings": {},
        "corpus": "toys",
        "split": 1,
        "seed": 1,
        "task": "atsc",
        "protocol": {},
        "metrics": scores,
        "dev": {"accuracy": 1.0},
        "timing": Timing(2.5, 3, 2),
        "environment": {},
        "signatures": {},
        "command": "aspectlab run",
        **changes,
    }
    return RunRecord(**values)  # type: ignore[arg-type]


def files_of(run_id: str, tmp_path: Path, size: int = 10) -> dict[str, bytes]:
    write_record(make_record(run_id), tmp_path)
    record = (tmp_path / "run.json").read_bytes()
    (tmp_path / "run.json").unlink()
    return {"run.json": record, "predictions/test.jsonl": b"x" * size}


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    made = RunFolder(tmp_path / "runs")
    made.open()
    return made


def test_committed_run_is_read_back(folder: RunFolder, tmp_path: Path) -> None:
    folder.commit("abc", files_of("abc", tmp_path))
    assert read_runs(folder.path) == [make_record("abc")]
    assert folder.finished(["abc", "other"]) == {"abc"}
    assert (folder.path / "abc" / "predictions" / "test.jsonl").read_bytes() == b"x" * 10


@pytest.mark.parametrize("name", ["run.json", "predictions/test.jsonl", "files.json"])
@pytest.mark.parametrize("keep", [0, 5])
def test_run_of_which_a_crash_cut_a_file_was_finished(
    folder: RunFolder, tmp_path: Path, name: str, keep: int
) -> None:
    folder.commit("abc", files_of("abc", tmp_path))
    path = folder.path / "abc" / name
    path.write_bytes(path.read_bytes()[:keep])
    assert folder.finished(["abc"]) == set()
    folder.commit("abc", files_of("abc", tmp_path))
    assert folder.finished(["abc"]) == {"abc"}


def test_run_of_an_earlier_version_is_finished(folder: RunFolder, tmp_path: Path) -> None:
    folder.commit("abc", files_of("abc", tmp_path))
    (folder.path / "abc" / "files.json").unlink()
    assert folder.finished(["abc"]) == {"abc"}


def test_record_survives_a_round_trip(tmp_path: Path) -> None:
    record = make_record("abc", settings={"a": None, "b": 1.5, "c": "x"}, timing=Timing(2, 3, 1))
    write_record(record, tmp_path)
    assert read_record(tmp_path) == record


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("half", '{"format": 1, "id": "half", '),
        ("empty", ""),
        ("list", "[]"),
        ("bare", '{"format": 1, "id": "bare"}'),
        ("future", '{"format": 2, "id": "future"}'),
        (".draft", None),
        ("other", None),
    ],
)
def test_folder_that_is_no_finished_run_is_passed_over(
    folder: RunFolder, tmp_path: Path, name: str, text: str | None
) -> None:
    folder.commit("abc", files_of("abc", tmp_path))
    (folder.path / name).mkdir()
    # a copy of a good run under another name is not that run
    good = (folder.path / "abc" / "run.json").read_text("utf-8")
    (folder.path / name / "run.json").write_text(good if text is None else text, "utf-8")
    assert [record.id for record in read_runs(folder.path)] == ["abc"]
    assert folder.finished([name]) == set()


def test_folder_without_runs_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="found no such folder"):
        read_runs(tmp_path / "absent")


def test_run_is_locked_once(folder: RunFolder) -> None:
    lock = folder.lock("abc")
    assert lock is not None
    assert RunFolder(folder.path).lock("abc") is None
    lock.release()
    again = folder.lock("abc")
    assert again is not None
    again.release()


def test_lock_on_a_removed_file_is_no_lock(folder: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another driver removes the file between our opening and our locking it."""
    path = folder.path / ".locks" / "abc"
    real = os.open

    def open_then_remove(name: Path, flags: int, mode: int) -> int:
        handle = real(name, flags, mode)
        path.unlink()
        return handle

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", open_then_remove)
        assert folder.lock("abc") is None


def test_drafts_of_dead_processes_are_cleared(tmp_path: Path) -> None:
    drafts = tmp_path / "runs" / ".drafts"
    dead = subprocess.Popen(["true"])
    dead.wait()
    host = socket.gethostname()
    names = [f"a.{host}.{dead.pid}", f"b.{host}.{os.getppid()}", f"c.elsewhere.{dead.pid}"]
    for name in names:
        (drafts / name).mkdir(parents=True)
    RunFolder(tmp_path / "runs").open()
    assert sorted(path.name for path in drafts.iterdir()) == sorted(names[1:])


def test_full_disk_is_explained_and_leaves_no_draft(
    folder: RunFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.commit("abc", files_of("abc", tmp_path))

    def refuse(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", refuse)
        with pytest.raises(FolderError, match=r"No space left on device.*no finished run is lost"):
            folder.commit("def", files_of("def", tmp_path))
    assert [record.id for record in read_runs(folder.path)] == ["abc"]
    assert list((folder.path / ".drafts").iterdir()) == []


def mount(path: Path, options: str) -> None:
    answer = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(path)], capture_output=True)
    if answer.returncode:
        pytest.skip("only the superuser may mount a small disk")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 64 kB."""
    path = tmp_path / "disk"
    path.mkdir()
    mount(path, "size=64k")
    yield path
    subprocess.run(["umount", str(path)], check=True)


def test_real_full_disk_loses_nothing_finished(disk: Path, tmp_path: Path) -> None:
    folder = RunFolder(disk / "runs")
    folder.open()
    folder.commit("abc", files_of("abc", tmp_path, size=20_000))
    with pytest.raises(FolderError, match="No space left on device"):
        folder.commit("def", files_of("def", tmp_path, size=60_000))
    assert [record.id for record in read_runs(folder.path)] == ["abc"]
    folder.commit("ghi", files_of("ghi", tmp_path, size=8_000))
    assert [record.id for record in read_runs(folder.path)] == ["abc", "ghi"]


def test_read_only_disk_is_explained(disk: Path, tmp_path: Path) -> None:
    folder = RunFolder(disk / "runs")
    folder.open()
    folder.commit("abc", files_of("abc", tmp_path))
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    with pytest.raises(FolderError, match="Read-only file system"):
        RunFolder(disk / "runs").open()
    with pytest.raises(FolderError, match="Read-only file system"):
        folder.commit("def", files_of("def", tmp_path))
    assert [record.id for record in read_runs(folder.path)] == ["abc"]


def test_folder_that_is_a_file_is_explained(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("x", "utf-8")
    with pytest.raises(FolderError, match="cannot be written"):
        RunFolder(tmp_path / "runs").open()
