"""A study that is killed at any moment and begun again gives what it would have given at once."""

import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest

from aspectlab.experiments.store import RunFolder
from tests.support.studies import predictions, stamps, table, write_study

ROOT = Path(__file__).parents[2]
REAL = "aspectlab.experiments.execute:RunExecutor"


def start(study: Path, out: Path, *extra: str, workers: int = 2) -> subprocess.Popen[bytes]:
    program = [
        sys.executable,
        "-m",
        "tests.support.study_process",
        str(study),
        str(out),
        str(workers),
        *extra,
    ]
    paths = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(program, env=paths, stderr=subprocess.PIPE)


def finish(study: Path, out: Path, *extra: str) -> None:
    process = start(study, out, *extra)
    _, log = process.communicate(timeout=400)
    assert process.returncode == 0, log


def await_runs(process: subprocess.Popen[bytes], count: int) -> bytes:
    """Wait until so many runs are on disk, none: until the first was handed to a worker; or until the end.

    It returns what the driver said meanwhile.
    """
    assert process.stderr is not None
    said, word = b"", b"  finished " if count else b"  started  "
    for line in process.stderr:
        said += line
        count -= word in line
        if count <= 0 and word in line:
            break
    return said


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Thirty runs: five splits with six seeds."""
    return write_study(tmp_path_factory.mktemp("killing"), splits=5, seeds=6)


@pytest.fixture(scope="module")
def whole(study: Path) -> Path:
    out = study.parent / "whole"
    finish(study, out)
    return out


def workers_of(process: subprocess.Popen[bytes]) -> list[int]:
    """Find the worker processes of a driver."""
    try:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text("ascii").split()
        lines = {int(pid): Path(f"/proc/{pid}/cmdline").read_bytes() for pid in children}
    except (FileNotFoundError, ProcessLookupError):
        return []
    return [pid for pid, line in lines.items() if b"spawn_main" in line]


def check(out: Path, whole: Path, before: dict[str, tuple[int, int]]) -> dict[str, tuple[int, int]]:
    """See that all runs there are whole and none was made anew; gives the stamps for the next time."""
    expected, found = predictions(whole), predictions(out)
    assert set(table(out)) <= set(table(whole))
    assert found == {name: expected[name] for name in found}
    now = stamps(out)
    assert {name: now[name] for name in before} == before
    return now


def kill_drivers(
    study: Path, out: Path, whole: Path, *extra: str, kills: int, span: tuple[float, float]
) -> None:
    rng, before = random.Random(11), {}
    for _ in range(kills):
        process = start(study, out, *extra, workers=1)
        await_runs(process, rng.randrange(4))
        time.sleep(rng.uniform(*span))
        process.kill()
        process.communicate()
        before = check(out, whole, before)
    finish(study, out, *extra)
    check(out, whole, before)
    assert table(out) == table(whole)


def kill_workers(
    study: Path, out: Path, whole: Path, *extra: str, kills: int, span: tuple[float, float]
) -> None:
    rng, done, before = random.Random(7), 0, {}
    process = start(study, out, *extra)
    await_runs(process, 0)
    while done < kills:
        time.sleep(rng.uniform(*span))
        if process.poll() is not None:
            process.communicate()
            process = start(study, out, *extra)
            await_runs(process, 0)
        for pid in rng.sample(living := workers_of(process), min(1, len(living))):
            os.kill(pid, signal.SIGKILL)
            done += 1
        before = check(out, whole, before)
    process.communicate(timeout=400)
    # a run that was killed four times was given up: begun again, it is done
    finish(study, out, *extra)
    check(out, whole, before)
    assert table(out) == table(whole)


def test_whole_study_has_all_its_runs(whole: Path) -> None:
    assert len(table(whole)) == 30
    assert sorted(path.name for path in whole.glob(".*/*")) == []


# a run writes two files and is renamed: the steps lie before, between and after
@pytest.mark.parametrize("step", [2, 4, *(pytest.param(k, marks=pytest.mark.slow) for k in (1, 3, 5, 6, 7))])
def test_study_killed_at_a_write_is_completed_alike(
    study: Path, whole: Path, tmp_path: Path, step: int
) -> None:
    process = start(study, tmp_path, "tests.support.toy_executor:ToyExecutor", str(step))
    process.communicate(timeout=240)
    assert process.returncode == -signal.SIGKILL
    before = check(tmp_path, whole, {})
    finish(study, tmp_path)
    check(tmp_path, whole, before)
    assert table(tmp_path) == table(whole)
    assert list((tmp_path / ".drafts").iterdir()) == []


def test_study_killed_at_random_moments_is_completed_alike(study: Path, whole: Path, tmp_path: Path) -> None:
    kill_drivers(study, tmp_path, whole, kills=4, span=(0.0, 0.1))


def test_study_with_dying_workers_is_completed_alike(study: Path, whole: Path, tmp_path: Path) -> None:
    kill_workers(study, tmp_path, whole, kills=4, span=(0.2, 0.8))


@pytest.mark.slow
def test_study_killed_twenty_times_is_completed_alike(study: Path, whole: Path, tmp_path: Path) -> None:
    kill_drivers(study, tmp_path, whole, kills=20, span=(0.0, 0.1))


@pytest.mark.slow
def test_study_with_twenty_dead_workers_is_completed_alike(study: Path, whole: Path, tmp_path: Path) -> None:
    kill_workers(study, tmp_path, whole, kills=20, span=(0.05, 0.6))


def kill_at_a_moment(process: subprocess.Popen[bytes], rng: random.Random) -> bytes:
    """Kill a driver while it starts or between two runs, unless it ends before; return what it said."""
    heard = b""
    if rng.random() < 0.5:
        time.sleep(rng.uniform(0.0, 0.8))
    else:
        heard = await_runs(process, rng.randrange(5))
        time.sleep(rng.uniform(0.0, 0.1))
    process.kill()
    return heard + process.communicate()[1]


def spoil(out: Path, rng: random.Random) -> None:
    """Cut a file, or leave nothing of it."""
    found = [path for path in out.rglob("*") if path.is_file()]
    kind = rng.choice(["cut", "empty", "none"])
    if found and kind != "none":
        path = rng.choice(found)
        content = path.read_bytes()
        path.write_bytes(content[: rng.randrange(len(content) + 1)] if kind == "cut" else b"")


def fill_disk(process: subprocess.Popen[bytes], rng: random.Random) -> None:
    """Let no file of a driver grow beyond some bytes, which fails amid a file as a full disk does."""
    most = rng.choice([0, 100, 1_000])
    with suppress(ProcessLookupError):
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (most, most))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="other systems limit no process that runs")
def test_study_killed_a_hundred_times_among_mishaps_is_completed_alike(tmp_path: Path) -> None:
    """Each time it is killed, refuses, or has all runs; those that count as finished are whole."""
    mine = write_study(tmp_path, splits=3, seeds=4)
    out, whole, train = tmp_path / "out", tmp_path / "whole", tmp_path / "train.jsonl"
    finish(mine, whole)
    rng, expected, ends, content = random.Random(23), predictions(whole), Counter[int](), train.read_bytes()
    names = {name.partition("/")[0] for name in expected}
    while ends[-signal.SIGKILL] < 100:
        out.mkdir(exist_ok=True)
        spoil(out, rng)
        is_changed, is_full, has_company = (rng.random() < share for share in (0.25, 0.2, 0.2))
        other = start(mine, out, workers=1) if has_company else None
        process = start(mine, out, workers=1)
        if is_full:
            fill_disk(process, rng)
        if is_changed:
            time.sleep(rng.uniform(0.0, 0.6))
            train.write_bytes(content.partition(b"\n")[2])
        said = kill_at_a_moment(process, rng)
        if other:
            kill_at_a_moment(other, rng)
        train.write_bytes(content)
        ends[process.returncode] += 1
        done = RunFolder(out).finished(names)
        found = {name: content for name, content in predictions(out).items() if name.split("/")[0] in done}
        assert found == {name: expected[name] for name in found}
        assert process.returncode or is_changed or done == names, "a false end"
        assert process.returncode != 1 or b"\naspectlab." in said or b"  failed  " in said, said
        if done == names:
            shutil.rmtree(out)
    out.mkdir(exist_ok=True)
    finish(mine, out)
    found = predictions(out)
    assert {name: found[name] for name in expected} == expected
    assert set(table(whole)) <= set(table(out))
    assert set(ends) == {0, 1, -signal.SIGKILL}


@pytest.fixture(scope="module")
def trained(study: Path) -> Path:
    pytest.importorskip("torch", reason="training needs the extra 'train'")
    out = study.parent / "trained"
    finish(study, out, REAL)
    return out


@pytest.mark.slow
def test_training_killed_twenty_times_is_completed_alike(study: Path, trained: Path, tmp_path: Path) -> None:
    kill_drivers(study, tmp_path, trained, REAL, kills=20, span=(0.0, 1.0))


@pytest.mark.slow
def test_training_with_twenty_dead_workers_is_completed_alike(
    study: Path, trained: Path, tmp_path: Path
) -> None:
    kill_workers(study, tmp_path, trained, REAL, kills=20, span=(0.5, 4.0))


def test_two_drivers_of_one_study_share_its_runs(study: Path, whole: Path, tmp_path: Path) -> None:
    drivers = [start(study, tmp_path, workers=1) for _ in range(2)]
    logs = [driver.communicate(timeout=240)[1] for driver in drivers]
    assert [driver.returncode for driver in drivers] == [0, 0]
    # each run was made by one of the two
    assert sum(log.count(b"  started  ") for log in logs) == 30
    check(tmp_path, whole, {})
    assert table(tmp_path) == table(whole)
