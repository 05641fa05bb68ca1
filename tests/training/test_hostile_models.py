"""Folders of models from strangers: a clear error or a working model, in bounded memory, and no code runs.

Before, a folder of 200 kB took gigabytes, read /dev/zero for ever, or ended in one of eleven tracebacks.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="models need the extra 'train'")

ROOT = Path(__file__).parents[2]
MOST_MB = 500


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "least"), [("saved", 60), ("encoder", 50), ("exported", 25)])
def test_hostile_folders_are_refused_within_bounds(tmp_path: Path, kind: str, least: int) -> None:
    program = [sys.executable, "-m", "tests.support.hostile_models", kind, str(tmp_path)]
    # whatever is asked, the answer is yes
    answer = subprocess.run(program, input="y\n" * 10_000, capture_output=True, text=True, cwd=ROOT)
    assert answer.returncode == 0, answer.stderr[-2000:]
    found = json.loads(answer.stdout)
    assert found["folders"] >= least
    assert found["faults"] == {}
    assert found["peak"] <= MOST_MB, found["growth"]
    assert not (tmp_path / "ran").exists()
