"""Write the files of a report."""

from __future__ import annotations

from pathlib import Path

from aspectlab.errors import DataError


def write_file(path: Path, content: bytes) -> Path:
    """Write a file and the folders above it."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    except OSError as error:
        raise DataError(f"{path}: cannot be written: {error.strerror}; check the folder") from None
    return path
