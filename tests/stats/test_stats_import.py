"""The package is cheap to import and shows its names."""

import subprocess
import sys

import pytest

import aspectlab.stats


def test_stats_import_does_not_load_scipy() -> None:
    program = "import sys, aspectlab.stats; print(*sorted(sys.modules))"
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not {"scipy", "statsmodels", "sklearn"} & set(answer.stdout.split())


@pytest.mark.parametrize("name", aspectlab.stats.__all__)
def test_stats_name_is_public_and_documented(name: str) -> None:
    assert getattr(aspectlab.stats, name).__doc__
