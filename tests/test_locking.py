"""A locked folder or file is nobody else's until its process releases it or dies."""

from pathlib import Path

import pytest

from aspectlab.errors import ConfigError
from aspectlab.outputs import lock_directory, try_lock


def test_folder_is_refused_while_another_has_it(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with lock_directory(out), pytest.raises(ConfigError, match="a twin is writing to it: wait"):  # noqa: SIM117
        with lock_directory(out, holder="a twin"):
            pass


def test_file_is_free_after_its_release_and_gone(tmp_path: Path) -> None:
    lock = try_lock(tmp_path / "run")
    assert lock is not None
    assert try_lock(tmp_path / "run") is None
    lock.release()
    assert not (tmp_path / "run").exists()
    again = try_lock(tmp_path / "run")
    assert again is not None
    again.release()


def test_folder_is_free_after_a_failure(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), lock_directory(tmp_path / "out"):
        raise KeyboardInterrupt
    with lock_directory(tmp_path / "out"):
        pass
    assert not (tmp_path / "out").exists()


def test_folder_that_was_there_stays(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with lock_directory(tmp_path / "out"):
        pass
    assert (tmp_path / "out").is_dir()
