"""The input files of an analysis: they are read again and again, and must hold the same every time."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from aspectlab.errors import DataError
from aspectlab.readers import Review, Source

_FileState = tuple[int, ...]
"""Size, time of the last change, and identity: what differs after a change, unless someone hides it."""


class ReviewDigest:
    """A hash of all reviews so far: two readings of a file that gave the same reviews have the same.

    >>> one, other = ReviewDigest(), ReviewDigest()
    >>> one.add(Review("1", "Nice.")), other.add(Review("1", "Nice"))
    (None, None)
    >>> one.hex() == other.hex()
    False
    """

    def __init__(self) -> None:
        self._hash = hashlib.sha256()

    def add(self, review: Review) -> None:
        """Add a review."""
        cells = review.id, review.text, review.group, review.date, review.rating, ""
        # half a surrogate pair is no UTF-8, but may stand in JSON
        self._hash.update("\0".join(cells).encode("utf-8", "surrogatepass"))

    def hex(self) -> str:
        """Return the hash, to which more can be added."""
        return self._hash.hexdigest()


class InputFiles:
    """Files whose state is noted before they are opened, that are hashed once read, and checked again."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self.paths = tuple(paths)
        self.hashes: tuple[str, ...] = ()
        self._states = [_read_state(path) for path in self.paths]

    def fix(self, paths: Sequence[Path]) -> None:
        """Hash the files, which were just read for the first time; refuse those that are being written."""
        if list(paths) != list(self.paths):
            raise _changed(self.paths[0].parent, "other files")
        self.hashes = tuple(Source(path).sha256 for path in self.paths)
        for path, state in zip(self.paths, self._states, strict=True):
            if _read_state(path) != state:
                raise _changed(path, "other content")

    def compare(self, first: str, later: str) -> None:
        """Refuse files whose reviews, by their digests, were others when they were read again."""
        if first != later:
            self.refuse_change()
            # changed, and changed back again
            raise _changed(self.paths[0], "other reviews")

    def refuse_change(self, number: int | None = None) -> None:
        """Refuse files, or the one of this number, that changed since; a mere new date is no change."""
        for index in range(len(self.paths)) if number is None else [number % len(self.paths)]:
            path, state = self.paths[index], _read_state(self.paths[index])
            if state == self._states[index]:
                continue
            if Source(path).sha256 != self.hashes[index]:
                raise _changed(path, "other content")
            self._states[index] = state


def _read_state(path: Path) -> _FileState:
    try:
        status = path.stat()
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}; check the path") from None
    return status.st_size, status.st_mtime_ns, status.st_ino


def _changed(path: Path, found: str) -> DataError:
    return DataError(
        f"{path}: found {found} than when this analysis began: expected files that stay as they are until "
        "they are analysed; run the same command again when nothing writes to them"
    )
