"""An analysis that is killed at any moment and begun again gives what it would have given at once."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("duckdb")

ROOT = Path(__file__).parents[2]

# the work of one process; it may kill itself when it is about to rename a file, where most could go wrong
DRIVER = """
import os, signal, sys, time
from pathlib import Path
from tests.support.keyword_predictor import KeywordPredictor
from aspectlab.analysis import Settings, analyze, prepare

source, out, fatal, pause = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
rename, renamed = Path.replace, 0

def replace(path, target):
    global renamed
    if renamed == fatal:
        os.kill(os.getpid(), signal.SIGKILL)
    renamed += 1
    return rename(path, target)

class Slow(KeywordPredictor):
    def predict(self, texts):
        time.sleep(pause)
        return super().predict(texts)

Path.replace = replace
analyze(prepare([source], Settings(block=4)), Slow(), out)
"""

RESULTS = ("opinions.csv", "opinions.parquet", "analysis.json")


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    nouns, words = ["food", "staff", "price", "bed", "pasta"], ["good", "bad", "slow", "fair"]
    rng = random.Random(5)
    lines = [
        f"{number},The {rng.choice(nouns)} was {rng.choice(words)}. So {number}!" for number in range(30)
    ]
    path = tmp_path_factory.mktemp("killing") / "reviews.csv"
    path.write_text("\n".join(["id,text", *lines]), encoding="utf-8")
    return path


def start(source: Path, out: Path, *, fatal: int = -1, pause: float = 0.0) -> subprocess.Popen[bytes]:
    program = [sys.executable, "-c", DRIVER, str(source), str(out), str(fatal), str(pause)]
    paths = {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "PATH": ""}
    return subprocess.Popen(program, env=paths)


def results(out: Path) -> list[bytes]:
    return [(out / name).read_bytes() for name in RESULTS]


@pytest.fixture(scope="module")
def whole(source: Path) -> list[bytes]:
    assert start(source, source.parent / "whole").wait() == 0
    return results(source.parent / "whole")


# 30 reviews make 8 blocks: the manifest and they are renamed first, then the two tables and the summary
@pytest.mark.parametrize(
    "fatal", [3, 10, *(pytest.param(k, marks=pytest.mark.slow) for k in (0, 1, 8, 9, 11))]
)
def test_analysis_killed_at_a_rename_is_completed_alike(
    source: Path, whole: list[bytes], tmp_path: Path, fatal: int
) -> None:
    assert start(source, tmp_path / "out", fatal=fatal).wait() == -signal.SIGKILL
    assert start(source, tmp_path / "out").wait() == 0
    assert results(tmp_path / "out") == whole
    assert not (tmp_path / "out" / ".work").exists()


@pytest.mark.slow
def test_analysis_killed_at_random_moments_is_completed_alike(
    source: Path, whole: list[bytes], tmp_path: Path
) -> None:
    rng = random.Random(11)
    for _ in range(15):
        process = start(source, tmp_path / "out", pause=0.05)
        time.sleep(rng.uniform(0.3, 1.0))
        process.kill()
        process.wait()
    assert start(source, tmp_path / "out").wait() == 0
    assert results(tmp_path / "out") == whole


# the benchmark that does the same with 100,000 reviews, the command itself, and nodes that are killed as well
@pytest.mark.slow
@pytest.mark.parametrize("engine", ["local", "ray"])
def test_killed_command_is_completed_alike(engine: str, tmp_path: Path) -> None:
    if engine == "ray":
        pytest.importorskip("ray")
    program = str(ROOT / "benchmarks" / "analyze_resume.py")
    options = ["--reviews", "15000", "--kills", "6", "--stand-in", "--pause", "0.5", "--engine", engine]
    answer = subprocess.run(
        [sys.executable, program, *options, "--folder", str(tmp_path)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert f"{engine}: killed" in answer.stdout
