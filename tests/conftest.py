"""Fixtures shared by all tests."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

from tests.support.published_data import published_folder

# tests run side by side: a thread pool in each would stand in the others' way (torch reads this once)
os.environ.setdefault("OMP_NUM_THREADS", "1")

# how long an example takes says more about what else the machine does than about the code
settings.register_profile("exploring", deadline=None)
# the same examples every time: a change is judged by them, not by luck
settings.register_profile("steady", deadline=None, derandomize=True)
settings.load_profile("steady")


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of the published data sets; tests that need them skip where it is absent."""
    folder = published_folder()
    if not folder.is_dir():
        pytest.skip(f"the published data sets are not at {folder}: set ASPECTLAB_DATA to their folder")
    return folder
