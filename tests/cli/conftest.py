"""Fixtures of the command-line tests."""

from pathlib import Path

import pytest

from tests.support.runs import write_published_runs


@pytest.fixture(scope="session")
def published_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of CSV files with the runs that a paper's split means and deviations describe."""
    found = tmp_path_factory.mktemp("published")
    write_published_runs(found)
    return found
