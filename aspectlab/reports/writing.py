"""Write the files of a report."""

from __future__ import annotations

from pathlib import Path

from aspectlab.data.drafting import drafted
from aspectlab.errors import DataError


def write_file(path: Path, content: bytes) -> Path:
    """Write a file, whole or not at all, and the folders above it."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with drafted(path) as draft:
            draft.write_bytes(content)
    except OSError as error:
        raise DataError(f"{path}: cannot be written: {error.strerror}; check the folder") from None
    return path
