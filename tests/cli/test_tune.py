"""`aspectlab tune`: dev chooses, the choice is tested once, and a killed search resumes."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path
from statistics import fmean

import pytest

pytest.importorskip("torch", reason="studies need the extra 'train'")

from aspectlab.experiments.record import read_runs
from tests.support.studies import stamps, write_study

ROOT = Path(__file__).parent.parent.parent
MODELS = """
[[models]]
name = "td-lstm"
encoder = "tiny"
settings = { batch_size = 4, hidden = 32 }
vary = { learning_rate = [1e-6, 1e-2], epochs = [1, 8] }
"""
SETTINGS = 4
RUNS = SETTINGS * 2 * 2 + 2 * 3  # two splits, two of three seeds; then the choice on all three


def start(study: Path, out: Path, *more: str) -> subprocess.Popen[str]:
    words = [str(study), "--engine", "local:1", "--device", "cpu", "--search-seeds", "2", "--out", str(out)]
    return subprocess.Popen(
        [sys.executable, "-m", "aspectlab", "tune", *words, *more],
        env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_study(tmp_path_factory.mktemp("tuning"), seeds=3, models=MODELS)


@pytest.fixture(scope="module")
def whole(study: Path) -> tuple[Path, str, str]:
    """A search from its beginning to its end: its folder, what it printed, and its log."""
    out = study.parent / "whole"
    answer, log = (process := start(study, out)).communicate(timeout=280)
    assert process.returncode == 0, log
    return out, answer, log


def test_choice_is_the_best_on_dev(whole: tuple[Path, str, str]) -> None:
    out, *_ = whole
    dev = defaultdict(list)
    for record in read_runs(out / "search"):
        dev[record.settings["learning_rate"], record.settings["epochs"]].append(record.dev["accuracy"])
    assert {len(values) for values in dev.values()} == {4}
    means = {setting: fmean(values) for setting, values in dev.items()}
    assert len(set(means.values())) > 1  # or any choice would do
    (choice,) = json.loads((out / "tune.json").read_text("utf-8"))["choices"]
    best = choice["chosen"]["learning_rate"], choice["chosen"]["epochs"]
    assert means[best] == max(means.values())
    assert [each["dev"]["mean"] for each in choice["ranking"]] == pytest.approx(
        sorted(means.values(), reverse=True)
    )


def test_search_never_sees_a_test_set(whole: tuple[Path, str, str]) -> None:
    out, *_ = whole
    assert [record.metrics for record in read_runs(out / "search")] == [{}] * SETTINGS * 4
    assert list((out / "search").glob("*/predictions/*")) == []


def test_choice_is_trained_on_all_seeds_and_tested_once(whole: tuple[Path, str, str]) -> None:
    out, answer, log = whole
    records = read_runs(out / "chosen")
    assert sorted((record.split, record.seed) for record in records) == [
        (split, seed) for split in (1, 2) for seed in (1, 2, 3)
    ]
    (choice,) = json.loads((out / "tune.json").read_text("utf-8"))["choices"]
    scores = {each["metric"]: each["score"]["mean"] for each in choice["test"]}
    assert scores["accuracy"] == pytest.approx(fmean(r.metrics["test"]["accuracy"] for r in records))
    assert answer.count("on test") == 1
    assert f"/{RUNS} runs" in log


def test_killed_search_goes_on_to_the_same_result(
    study: Path, whole: tuple[Path, str, str], tmp_path: Path
) -> None:
    process = start(study, tmp_path)
    end = time.monotonic() + 200
    while len(stamps(tmp_path / "search")) < 3 and time.monotonic() < end and process.poll() is None:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=60)
    before = stamps(tmp_path / "search")
    assert 3 <= len(before) < SETTINGS * 4
    answer, log = (process := start(study, tmp_path)).communicate(timeout=280)
    assert process.returncode == 0, log
    assert answer == whole[1]
    assert (tmp_path / "tune.json").read_bytes() == (whole[0] / "tune.json").read_bytes()
    now = stamps(tmp_path / "search")
    assert {name: now[name] for name in before} == before


def test_scores_of_another_choice_do_not_go_unsaid(whole: tuple[Path, str, str], tmp_path: Path) -> None:
    """A second search in the same folder, of other settings, shows the test set a second time."""
    other = write_study(tmp_path, seeds=3, models=MODELS.replace("1e-6, 1e-2", "1e-5, 3e-2"))
    _, log = (process := start(other, whole[0], "--search-seeds", "1")).communicate(timeout=280)
    assert process.returncode == 0, log
    assert "holds runs of other choices" in log


@pytest.mark.parametrize(
    ("change", "words", "reason"),
    [
        (("vary = {", "# vary = {"), [], "found one setting of every model"),
        (("", ""), ["--trials", "3"], "found 4 settings: expected no more than trials in a grid"),
        (("1e-6", "-1.0"), [], "learning_rate = -1.0"),
    ],
    ids=["nothing varies", "larger than its budget", "a mistake"],
)
def test_what_cannot_be_searched_is_refused(
    tmp_path: Path, change: tuple[str, str], words: list[str], reason: str
) -> None:
    study = write_study(tmp_path, models=MODELS.replace(*change) if change[0] else MODELS)
    process = start(study, tmp_path / "out", *words)
    _, log = process.communicate(timeout=120)
    assert process.returncode == 2
    assert reason in log
    assert "Traceback" not in log
