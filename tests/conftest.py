"""Fixtures shared by all tests."""

from pathlib import Path

import pytest
from published import published_folder


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of the published data sets; tests that need them skip where it is absent."""
    folder = published_folder()
    if not folder.is_dir():
        pytest.skip(f"the published data sets are not at {folder}: set ASPECTLAB_DATA to their folder")
    return folder
