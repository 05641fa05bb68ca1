"""The package is cheap to import, needs numpy only, and shows its names."""

import subprocess
import sys

import pytest

import aspectlab.stats

CALLS = [
    "welch([1, 2, 3], [2, 3, 5])",
    "mcnemar([1] * 9, [0] * 9)",
    "mcnemar([1] * 40, [0] * 40)",
    "wilcoxon([1, 2, 3], [0, 0, 1])",
    "wilcoxon(range(60), range(1, 61))",
]


@pytest.mark.parametrize("call", CALLS)
def test_stats_do_not_need_scipy(call: str) -> None:
    program = f"import sys; sys.modules['scipy'] = None; from aspectlab.stats import *; print({call}.p)"
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert 0 < float(answer.stdout) < 1


def test_stats_import_loads_no_oracle() -> None:
    program = "import sys, aspectlab.stats; print(*sorted(sys.modules))"
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not {"scipy", "statsmodels", "sklearn"} & set(answer.stdout.split())


@pytest.mark.parametrize("name", aspectlab.stats.__all__)
def test_stats_name_is_public_and_documented(name: str) -> None:
    assert getattr(aspectlab.stats, name).__doc__
