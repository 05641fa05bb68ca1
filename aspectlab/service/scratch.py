"""Scratch: a folder for what clients send, which is removed with the service, or by the next one."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from aspectlab.locking import lock_directory

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
