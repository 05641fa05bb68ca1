"""Fixtures shared by all tests."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of the published data sets; tests that need them skip where it is absent."""
    folder = Path(os.environ.get("ASPECTLAB_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"the published data sets are not at {folder}: set ASPECTLAB_DATA to their folder")
    return folder
