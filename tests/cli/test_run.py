"""The commands `aspectlab run` and `aspectlab validate`."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

pytest.importorskip("torch", reason="studies need the extra 'train'")

from aspectlab.cli.main import app
from aspectlab.experiments.assembly import CorpusCache
from aspectlab.experiments.record import read_runs
from aspectlab.experiments.studyfile import read_study

ROOT = Path(__file__).parent.parent.parent
SMALL = sorted((ROOT / "studies").glob("*-small.toml"))

STUDY = f"""
name = "sample"
seeds = 2
[paths]
SAMPLES = "{ROOT / "examples"}"
[corpora.sample]
train = "${{SAMPLES}}/sample_train.jsonl"
dev = "${{SAMPLES}}/sample_dev.jsonl"
tests.test = "${{SAMPLES}}/sample_test.jsonl"
[[models]]
name = "marked"
encoder = "tiny"
settings = {{ epochs = 2, batch_size = 8 }}
"""


@pytest.fixture
def study(tmp_path: Path) -> Path:
    path = tmp_path / "study.toml"
    path.write_text(STUDY, encoding="utf-8")
    return path


def start(*words: str) -> subprocess.Popen[str]:
    program = [sys.executable, "-m", "aspectlab", "run", *words]
    setting = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(
        program,
        env=setting,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def test_run_carries_out_a_study_and_goes_on_with_it(study: Path, tmp_path: Path) -> None:
    words = [str(study), "--engine", "local:1", "--device", "cpu", "--out", str(tmp_path / "out"), "--json"]
    answer, log = (process := start(*words)).communicate(timeout=240)
    assert process.returncode == 0, log
    folder = str(tmp_path / "out")
    assert json.loads(answer) == {"runs": 2, "finished": 2, "made": 2, "failed": 0, "folder": folder}
    records = read_runs(tmp_path / "out")
    assert [(record.label, record.corpus, record.seed) for record in records] == [
        ("marked", "sample", 1),
        ("marked", "sample", 2),
    ]
    assert records[0].command.startswith("aspectlab run")
    assert all((tmp_path / "out" / record.id / "predictions" / "test.jsonl").exists() for record in records)
    again, _ = start(*words).communicate(timeout=240)
    assert json.loads(again)["made"] == 0


@pytest.mark.slow
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
def test_stopped_run_leaves_no_process_and_no_lock(study: Path, tmp_path: Path, sign: int) -> None:
    process = start(str(study), "--engine", "local:2", "--device", "cpu", "--out", str(tmp_path / "out"))
    while not list((tmp_path / "out" / ".locks").glob("*")):
        time.sleep(0.1)
        assert process.poll() is None
    os.kill(process.pid, sign)
    _, log = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "stopped; the same command goes on" in log
    assert list((tmp_path / "out" / ".locks").iterdir()) == []
    wait_for_the_end_of(process.pid)


def wait_for_the_end_of(group: int) -> None:
    """Wait until no process of a group is left; Python's own tracker goes a moment after the others."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    pytest.fail("a process is left")


def test_driver_needs_no_torch() -> None:
    """It would cost the driver seconds at every start."""
    parts = ["runner", "plan", "local_engine", "ray_engine", "store", "studyfile"]
    modules = ", ".join(["aspectlab.cli.main", *(f"aspectlab.experiments.{part}" for part in parts)])
    program = f"import sys, {modules}; print(*{{'torch', 'transformers', 'ray'}} & set(sys.modules))"
    answer = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert answer.stdout.strip() == ""


def test_validate_accepts_a_sound_study(study: Path) -> None:
    answer = CliRunner().invoke(app, ["validate", str(study)])
    assert (answer.exit_code, answer.stdout.rpartition(": 2 runs")[1]) == (0, ": 2 runs")


def test_validate_lists_every_mistake(study: Path) -> None:
    text = study.read_text("utf-8").replace('name = "marked"', 'name = "markd"').replace("dev =", "dve =")
    study.write_text("sede = 1\n" + text.replace("tiny", "tinny") + "labell = 'x'\n", "utf-8")
    answer = CliRunner().invoke(app, ["validate", str(study)])
    assert answer.exit_code == 1
    found = answer.stdout.splitlines()
    for name in ("'seeds'", "'marked'", "'dev'", "'tiny'", "'label'"):
        assert any(f"did you mean {name}?" in line for line in found), (name, found)
    assert len(found) == 5


def test_run_refuses_a_study_with_mistakes(study: Path, tmp_path: Path) -> None:
    study.write_text(study.read_text("utf-8").replace("epochs = 2", "epochs = 0"), "utf-8")
    process = start(str(study), "--out", str(tmp_path / "out"))
    _, log = process.communicate(timeout=240)
    assert process.returncode == 2
    assert "epochs = 0: expected a whole number from 1 on" in log
    assert "Traceback" not in log


def test_run_refuses_an_unknown_device_before_any_run(study: Path, tmp_path: Path) -> None:
    process = start(str(study), "--device", "tpu", "--engine", "local:1", "--out", str(tmp_path / "out"))
    _, log = process.communicate(timeout=240)
    assert (process.returncode, log) == (
        2,
        "error: device 'tpu' is unknown: expected 'auto', 'cpu', 'cuda' or 'mps'\n",
    )


@pytest.mark.parametrize("name", ["", "..", "../elsewhere", "/elsewhere"])
def test_run_refuses_a_name_that_would_lead_its_folder_elsewhere(study: Path, name: str) -> None:
    study.write_text(study.read_text("utf-8").replace('"sample"', f'"{name}"', 1), "utf-8")
    answer = CliRunner().invoke(app, ["run", str(study)])
    assert f"name = {name!r}: expected a name that a folder can have; change it, or give --out" in str(
        answer.exception
    )


@pytest.mark.parametrize("engine", ["here", "local:0", "local:x", "ray:"])
def test_unknown_engine_is_named(study: Path, engine: str) -> None:
    answer = CliRunner().invoke(app, ["run", str(study), "--engine", engine])
    assert "is unknown" in str(answer.exception)


@pytest.mark.parametrize("path", SMALL, ids=lambda path: path.stem)
def test_shipped_small_study_is_sound(path: Path) -> None:
    assert CliRunner().invoke(app, ["validate", str(path)]).exit_code == 0


@pytest.mark.slow
@pytest.mark.parametrize("path", SMALL, ids=lambda path: path.stem)
def test_shipped_small_study_can_be_carried_out(path: Path, tmp_path: Path) -> None:
    process = start(str(path), "--engine", "local:2", "--device", "cpu", "--out", str(tmp_path), "--quiet")
    _, log = process.communicate(timeout=900)
    assert process.returncode == 0, log


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "count"),
    # by hand: models x (splits x seeds) summed over corpora
    [("reproducibility", 7 * (25 + 25 + 5)), ("arts", 9 * 5 * 5), ("aste", 11 * 4 * 5), ("muse", 4 * 5 * 3)],
)
def test_shipped_study_is_sound_on_the_published_files(real_data: Path, name: str, count: int) -> None:
    words = ["validate", str(ROOT / "studies" / f"{name}.toml"), "--data", str(real_data)]
    answer = CliRunner().invoke(app, words)
    assert answer.exit_code == 0, answer.stdout
    assert f"{count} runs" in answer.stdout


@pytest.mark.slow
def test_reproducibility_reads_the_corpora_of_the_paper(real_data: Path) -> None:
    """Table 1 of the paper, ARTS without its two repeated records."""
    study, problems = read_study(ROOT / "studies" / "reproducibility.toml", data=real_data)
    assert problems == []
    shelf = CorpusCache()
    found = {name: shelf.collect(plan, study.splitting) for name, plan in study.corpora.items()}
    assert {name: len(material.corpus) for name, material in found.items()} == {
        "rest14": 3038,
        "lap14": 3036,
        "mams": 4297 + 500,
    }
    assert [len(found[name].tests["arts"]) for name in ("rest14", "lap14")] == [3528, 1877]
    assert [len(found[name].splits) for name in found] == [5, 5, 1]
