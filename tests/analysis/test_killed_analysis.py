"""An analysis that is killed at any moment and begun again gives what it would have given at once."""

import gzip
import os
import random
import shutil
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
from aspectlab.analysis import Settings, analyze, parse_taxonomy, prepare

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
taxonomy = parse_taxonomy(sys.argv[5], "mine") if sys.argv[5] else None
analyze(prepare([source], Settings(block=4, taxonomy=taxonomy)), Slow(), out)
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


def start(
    source: Path, out: Path, *, fatal: int = -1, pause: float = 0.0, limit: str = "", taxonomy: str = ""
) -> subprocess.Popen[bytes]:
    program = [sys.executable, "-c", limit + DRIVER, str(source), str(out), str(fatal), str(pause), taxonomy]
    paths = {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "PATH": ""}
    # a pipe: a file would have the same limit
    return subprocess.Popen(program, env=paths, stderr=subprocess.PIPE)


def end(process: subprocess.Popen[bytes], timeout_s: float | None = None) -> str:
    """Wait for the end of a process, or kill it; return its last line, which says why it ended."""
    try:
        _, log = process.communicate(timeout=timeout_s)
    except subprocess.TimeoutExpired:
        process.kill()
        _, log = process.communicate()
    return (log.decode().splitlines() or [""])[-1]


def complete(source: Path, out: Path, **options: float | str) -> int:
    """Run to the end; return the exit code."""
    process = start(source, out, **options)  # type: ignore[arg-type]
    end(process)
    return int(process.returncode)


def results(out: Path) -> list[bytes]:
    return [(out / name).read_bytes() for name in RESULTS]


@pytest.fixture(scope="module")
def whole(source: Path) -> list[bytes]:
    assert complete(source, source.parent / "whole") == 0
    return results(source.parent / "whole")


# 30 reviews make 8 blocks: the manifest and they are renamed first, then the two tables and the summary
@pytest.mark.parametrize(
    "fatal", [3, 10, *(pytest.param(k, marks=pytest.mark.slow) for k in (0, 1, 8, 9, 11))]
)
def test_analysis_killed_at_a_rename_is_completed_alike(
    source: Path, whole: list[bytes], tmp_path: Path, fatal: int
) -> None:
    assert complete(source, tmp_path / "out", fatal=fatal) == -signal.SIGKILL
    assert complete(source, tmp_path / "out") == 0
    assert results(tmp_path / "out") == whole


MEALS = "discover = false\n[categories.meals]\nsynonyms = ['food', 'pasta']"


# the two tables and the summary are renamed; no block is written again
@pytest.mark.parametrize("fatal", [1, *(pytest.param(k, marks=pytest.mark.slow) for k in (0, 2))])
def test_change_of_categories_killed_at_a_rename_is_completed_alike(
    source: Path, whole: list[bytes], tmp_path: Path, fatal: int
) -> None:
    out = tmp_path / "out"
    assert complete(source, out) == 0
    assert complete(source, out, taxonomy=MEALS, fatal=fatal) == -signal.SIGKILL
    assert complete(source, out, taxonomy=MEALS) == 0
    assert complete(source, tmp_path / "anew", taxonomy=MEALS) == 0
    assert results(out) == results(tmp_path / "anew") != whole
    # and back, over a change that was killed half-way
    assert complete(source, out, taxonomy=MEALS.replace("meals", "food"), fatal=fatal) == -signal.SIGKILL
    assert complete(source, out) == 0
    assert results(out) == whole


@pytest.mark.slow
def test_analysis_killed_at_random_moments_is_completed_alike(
    source: Path, whole: list[bytes], tmp_path: Path
) -> None:
    rng = random.Random(11)
    for _ in range(15):
        end(start(source, tmp_path / "out", pause=0.05), rng.uniform(0.3, 1.0))
    assert complete(source, tmp_path / "out") == 0
    assert results(tmp_path / "out") == whole


@pytest.mark.parametrize("keep", [0.0, 0.4, 0.999])
@pytest.mark.parametrize("at_a_line", [True, False])
def test_block_that_a_crash_cut_was_taken_for_whole(
    source: Path, whole: list[bytes], tmp_path: Path, keep: float, at_a_line: bool
) -> None:
    """Cut between two lines, its last opinions were lost without a word; empty, it was a traceback."""
    assert complete(source, tmp_path / "out", fatal=6) == -signal.SIGKILL
    path = tmp_path / "out" / ".work" / "00000001.jsonl.gz"
    content = gzip.decompress(path.read_bytes()) if at_a_line else path.read_bytes()
    kept = content[: int(keep * len(content))]
    path.write_bytes(gzip.compress(kept[: kept.rfind(b"\n") + 1]) if at_a_line else kept)
    assert complete(source, tmp_path / "out") == 0
    assert results(tmp_path / "out") == whole


LIMITED = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({most}, {most}))\n"
"""No file may grow beyond this, which fails in the middle of a file as a full disk does."""


def mishap(source: Path, out: Path, rng: random.Random) -> None:
    """Let one thing go wrong that may: files that are cut or empty, a changed input, or another process."""
    found = [path for path in out.rglob("*") if path.is_file()] if out.exists() else []
    kind = rng.choice(["none", "cut", "empty", "changed", "two"])
    if kind in ("cut", "empty") and found:
        path = rng.choice(found)
        content = path.read_bytes()
        path.write_bytes(content[: rng.randrange(len(content) + 1)] if kind == "cut" else b"")
    if kind == "changed":
        before = source.read_bytes()
        source.write_bytes(before[: rng.randrange(len(before))])
        process = start(source, out, pause=0.02)
        time.sleep(rng.uniform(0.2, 1.5))
        source.write_bytes(before)
        end(process, 0.0)
    if kind == "two":
        process = start(source, out, pause=0.02)
        end(start(source, out, pause=0.02), rng.uniform(0.0, 2.0))
        end(process, 0.0)


@pytest.mark.slow
def test_analysis_killed_a_hundred_times_among_mishaps_is_completed_alike(
    source: Path, whole: list[bytes], tmp_path: Path
) -> None:
    """Each time it is killed, refuses with an error of ours, or gives the same bytes: never a false end."""
    rng, out, kills, ends, refusals = random.Random(17), tmp_path / "out", 0, 0, 0
    mine = tmp_path / source.name
    mine.write_bytes(source.read_bytes())
    assert complete(mine, tmp_path / "mine") == 0
    expected = results(tmp_path / "mine")
    while kills < 100:
        mishap(mine, out, rng)
        most = rng.choice([0, 0, 300, 2_000, 20_000])
        process = start(mine, out, pause=0.02, limit=LIMITED.format(most=most) if most else "")
        said = end(process, rng.uniform(0.2, 2.0))
        kills += process.returncode == -signal.SIGKILL
        if process.returncode == 0:
            assert results(out) == expected
            ends += 1
            shutil.rmtree(out)
        elif process.returncode != -signal.SIGKILL:
            assert said.startswith("aspectlab.errors."), said
            refusals += 1
            if out.exists() and "cannot be written" not in said:
                shutil.rmtree(out)  # as it says, where files are not as they were written
    if complete(mine, out):  # the last mishap
        shutil.rmtree(out)
        assert complete(mine, out) == 0
    assert results(out) == expected
    # all three kinds of ends were seen
    assert min(kills, ends, refusals) > 0


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
