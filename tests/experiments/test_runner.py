"""Runs that fail do not stop the others; a dead worker's run is tried again, three times and no more."""

from pathlib import Path

import pytest

from aspectlab.experiments.engine import Files
from aspectlab.experiments.local_engine import LocalEngine
from aspectlab.experiments.plan import Run, plan_runs
from aspectlab.experiments.runner import Driver, StudyOutcome
from aspectlab.experiments.store import FolderError, RunFolder, stale_run_notices
from aspectlab.experiments.studyfile import read_study
from tests.support.studies import MODEL, table, write_study
from tests.support.toy_executor import inspect_toys


class Notes:
    """Write down what a driver tells."""

    def __init__(self) -> None:
        self.told: list[tuple[str, str]] = []

    def begin(self, total: int, done: int) -> None:
        self.told.append(("begin", f"{done}/{total}"))

    def started(self, run: Run) -> None:
        self.told.append(("started", run.id))

    def advanced(self, run: Run, share: float, text: str) -> None:
        assert 0 <= share <= 1

    def finished(self, run: Run) -> None:
        self.told.append(("finished", run.id))

    def failed(self, run: Run, reason: str) -> None:
        self.told.append(("failed", reason))

    def lost(self, run: Run, reason: str) -> None:
        self.told.append(("lost", reason))

    def count(self, what: str) -> int:
        return sum(word == what for word, _ in self.told)


def drive(
    study: Path, out: Path, notes: Notes, *, workers: int = 1, executor: str = "ToyExecutor"
) -> StudyOutcome:
    asked, _ = read_study(study)
    folder = RunFolder(out)
    folder.open()
    schedule, problems = plan_runs(asked, inspect_toys)  # type: ignore[arg-type]
    assert problems == []
    engine = LocalEngine(workers, folder, executor=f"tests.support.toy_executor:{executor}")
    return Driver(schedule, folder, engine, notes).drive()


def bad_and_good(label: str) -> str:
    """A model that misbehaves in its own way, and a good one after it."""
    bad = MODEL.replace("epochs = 1", "epochs = 7") + f"label = '{label}'"
    return bad + MODEL


def test_executor_that_cannot_be_set_up_is_not_tried_again(tmp_path: Path) -> None:
    notes = Notes()
    study = write_study(tmp_path, splits=1, seeds=1)
    tally = drive(study, tmp_path / "out", notes, executor="ClosedExecutor")
    assert (tally.made, len(tally.failures), notes.count("lost")) == (0, 1, 0)
    assert "device 'auto' is not usable here; see" in notes.told[-1][1]


def test_finished_study_is_not_done_again(tmp_path: Path) -> None:
    study = write_study(tmp_path, splits=1, seeds=2)
    assert drive(study, tmp_path / "out", Notes()).made == 2
    notes = Notes()
    tally = drive(study, tmp_path / "out", notes)
    assert (tally.made, tally.finished) == (0, 2)
    assert notes.told == [("begin", "2/2")]


@pytest.mark.parametrize(
    ("top", "label", "expected"),
    [
        ("", "", []),
        (
            "",
            "label = 'ours'",
            ["under another name: 1, such as 'marked/tiny on toys' for 'ours/tiny on toys'"],
        ),
        ("keep_models = true", "", ["runs finished without their model: 1"]),
    ],
    ids=["same", "label", "keep"],
)
def test_change_that_finished_runs_do_not_follow_is_told(
    tmp_path: Path, top: str, label: str, expected: list[str]
) -> None:
    drive(write_study(tmp_path, splits=1, seeds=1), tmp_path / "out", Notes())
    asked, _ = read_study(write_study(tmp_path, splits=1, seeds=1, top=top, models=MODEL + label))
    schedule, _ = plan_runs(asked, inspect_toys)  # type: ignore[arg-type]
    told = list(stale_run_notices(schedule, RunFolder(tmp_path / "out")))
    assert [words in text for words, text in zip(expected, told, strict=True)] == [True] * len(expected)


@pytest.mark.parametrize(
    ("label", "losses", "reason", "said"),
    [
        ("refuses", 0, "this model cannot be trained", "this model cannot be trained"),
        ("crashes", 3, "exit code 1, 4 times", "ZeroDivisionError: seed 1: a bug"),
        ("dies", 3, "exit code 3, 4 times", "attempt 4"),
        ("is killed", 3, "a system short of memory (fewer of them: --engine local:N), 4 times", "attempt 4"),
    ],
)
def test_failing_run_is_given_up_and_the_others_go_on(
    tmp_path: Path, label: str, losses: int, reason: str, said: str
) -> None:
    study = write_study(tmp_path, splits=1, seeds=1, models=bad_and_good(label))
    notes = Notes()
    tally = drive(study, tmp_path / "out", notes)
    assert (tally.made, len(tally.failures), notes.count("lost")) == (1, 1, losses)
    failure = next(iter(tally.failures.values()))
    assert reason in failure
    log = Path(failure.rpartition("see ")[2])
    assert said in log.read_text("utf-8")
    assert len(table(tmp_path / "out")) == 1


def test_given_up_run_is_tried_again_by_the_next_command(tmp_path: Path) -> None:
    study = write_study(tmp_path, splits=1, seeds=1, models=bad_and_good("refuses"))
    drive(study, tmp_path / "out", Notes())
    notes = Notes()
    drive(study, tmp_path / "out", notes)
    assert (notes.count("started"), notes.count("failed")) == (1, 1)


def test_broken_record_is_made_anew(tmp_path: Path) -> None:
    study, out = write_study(tmp_path, splits=1, seeds=2), tmp_path / "out"
    drive(study, out, Notes())
    before = table(out)
    path = next(out.glob("[!.]*/run.json"))
    path.write_text(path.read_text("utf-8")[:50], "utf-8")
    assert len(table(out)) == 1
    assert drive(study, out, Notes()).made == 1
    assert table(out) == before


def test_failing_disk_stops_the_study_and_loses_nothing_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study, out = write_study(tmp_path, splits=1, seeds=4), tmp_path / "out"
    commit, done = RunFolder.commit, 0

    def fill_up(folder: RunFolder, run_id: str, files: Files) -> None:
        nonlocal done
        if done == 2:
            raise FolderError("no space left")
        done += 1
        commit(folder, run_id, files)

    with monkeypatch.context() as patch:
        patch.setattr(RunFolder, "commit", fill_up)
        with pytest.raises(FolderError, match="no space left"):
            drive(study, out, Notes())
    assert len(table(out)) == 2
    assert list((out / ".locks").iterdir()) == []
    assert drive(study, out, Notes()).made == 2
