"""A file appears whole or not at all; what stood there before stays if writing fails."""

import errno
import os
import stat
from pathlib import Path

import pytest

from aspectlab.errors import DataError
from aspectlab.outputs import atomic_directory, atomic_write, remove_drafts


def test_atomic_file_appears_when_all_is_written(tmp_path: Path) -> None:
    path = tmp_path / "tea.txt"
    with atomic_write(path) as draft:
        draft.write_text("Good tea.", encoding="utf-8")
        assert not path.exists()
    assert [entry.name for entry in tmp_path.iterdir()] == ["tea.txt"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o644


def test_atomic_file_on_a_full_disk_leaves_the_earlier_one(tmp_path: Path) -> None:
    path = tmp_path / "tea.txt"
    path.write_text("Old tea.", encoding="utf-8")
    with (  # noqa: PT012 (the draft must have begun)
        pytest.raises(DataError, match=r"tea\.txt: cannot be written: No space left .*; make room"),
        atomic_write(path, remedy="make room") as draft,
    ):
        draft.write_text("Good", encoding="utf-8")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert [entry.read_text(encoding="utf-8") for entry in tmp_path.iterdir()] == ["Old tea."]


def test_atomic_file_follows_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "tea.txt")
    with atomic_write(tmp_path / "link") as draft:
        draft.write_text("Good tea.", encoding="utf-8")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "tea.txt").read_text(encoding="utf-8") == "Good tea."


def test_atomic_pipe_is_written_to_and_stays(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with atomic_write(path) as draft:
        draft.write_text("Good tea.", encoding="utf-8")
    assert os.read(handle, 100) == b"Good tea."
    os.close(handle)
    assert path.is_fifo()


def test_atomic_file_is_as_private_as_new_files_of_its_user(tmp_path: Path) -> None:
    path, before = tmp_path / "tea.txt", os.umask(0o077)
    try:
        with atomic_write(path) as draft:
            draft.write_text("Good tea.", encoding="utf-8")
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_atomic_file_is_as_private_as_the_earlier_one(tmp_path: Path) -> None:
    path = tmp_path / "tea.txt"
    path.touch(0o600)
    with atomic_write(path) as draft:
        draft.write_text("Good tea.", encoding="utf-8")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_durable_folder_replaces_the_earlier_one(tmp_path: Path) -> None:
    (tmp_path / "tea" / "old").mkdir(parents=True)
    with atomic_directory(tmp_path / "tea", draft=tmp_path / "draft", durable=True) as draft:
        (draft / "in").mkdir()
        (draft / "in" / "notes.txt").write_text("Good tea.", encoding="utf-8")
    assert [path.name for path in sorted(tmp_path.rglob("*"))] == ["tea", "in", "notes.txt"]


def test_atomic_folder_is_gone_after_a_failure(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), atomic_directory(tmp_path / "tea"):
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_file_of_a_user_that_ends_as_drafts_do_stays(tmp_path: Path) -> None:
    (tmp_path / "film.part").touch()
    (tmp_path / ".film.part").touch()
    remove_drafts(tmp_path)
    assert len(list(tmp_path.iterdir())) == 2


def test_drafts_of_a_killed_process_are_removed(tmp_path: Path) -> None:
    with atomic_write(tmp_path / "tea.txt", durable=True) as draft:
        draft.write_text("Good tea.", encoding="utf-8")
        (tmp_path / draft.name.replace("tea", "cup")).touch()
    remove_drafts(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["tea.txt"]
