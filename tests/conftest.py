"""Fixtures shared by all tests."""

import os
from pathlib import Path

import pytest
from hypothesis import settings
from published import published_folder

# tests run side by side: a thread pool in each would stand in the others' way (torch reads this once)
os.environ.setdefault("OMP_NUM_THREADS", "1")

# how long an example takes says more about what else the machine does than about the code
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of the published data sets; tests that need them skip where it is absent."""
    folder = published_folder()
    if not folder.is_dir():
        pytest.skip(f"the published data sets are not at {folder}: set ASPECTLAB_DATA to their folder")
    return folder
