"""Fixtures shared by all tests."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def published_folder() -> Path:
    """Where the published data sets would be."""
    return Path(os.environ.get("ASPECTLAB_DATA", ROOT.parent / "shared" / "data"))


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of the published data sets; tests that need them skip where it is absent."""
    folder = published_folder()
    if not folder.is_dir():
        pytest.skip(f"the published data sets are not at {folder}: set ASPECTLAB_DATA to their folder")
    return folder
