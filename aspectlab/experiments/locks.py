"""Lock a run, so that two drivers never do it twice; the lock of a driver that dies is free at once."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path


class Lock:
    """A lock on a file; the system holds it for this process, whatever happens to the file's folder."""

    def __init__(self, path: Path, handle: int) -> None:
        self._path, self._handle = path, handle

    def release(self) -> None:
        """Remove the file and give the lock back."""
        # removed while it is held: whoever opened the file before finds that it is not the one on disk
        self._path.unlink(missing_ok=True)
        os.close(self._handle)


def try_lock(path: Path) -> Lock | None:
    """Lock a file that is made for this; None if another process holds it."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if _is_on_disk(path, handle):
            return Lock(path, handle)
    except BlockingIOError:
        pass
    os.close(handle)
    return None


def _is_on_disk(path: Path, handle: int) -> bool:
    try:
        return path.stat().st_ino == os.fstat(handle).st_ino
    except FileNotFoundError:
        return False
