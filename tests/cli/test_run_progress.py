"""What a person sees of a study: a line for each running model, how many are done, and the time left."""

import io
from collections.abc import Iterator

import pytest
from rich.console import Console

from aspectlab.cli import run as run_command
from aspectlab.cli.run import LiveWatch, LogWatch, Pace
from aspectlab.experiments.plan import Group, Run

GROUP = Group("bert [big]", "bert", "tiny", "tiny", {}, {}, "atsc", (), (), "toys", "", {})
RUNS = [Run(f"id{seed}", GROUP, 1, seed) for seed in (1, 2)]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A clock that a test moves."""
    now = [100.0]
    monkeypatch.setattr(run_command.time, "monotonic", lambda: now[0])
    return now


@pytest.fixture
def screen() -> Iterator[tuple[LiveWatch, io.StringIO]]:
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, width=160, color_system=None)
    with LiveWatch(console) as watch:
        yield watch, stream


def test_pace_foresees_the_end_from_what_was_done_since_the_start(clock: list[float]) -> None:
    pace = Pace()
    pace.begin(10, 4)
    clock[0] += 60
    pace.end(RUNS[0])
    pace.shares["id2"] = 0.5
    # by hand: 1.5 runs in 60 s, 4.5 of 6 are left: 180 s
    assert pace.standing == "5/10 runs, 3:00 left"


def test_live_view_shows_a_line_for_each_running_model(screen: tuple[LiveWatch, io.StringIO]) -> None:
    watch, stream = screen
    watch.begin(2, 0)
    for run in RUNS:
        watch.started(run)
    watch.advanced(RUNS[0], 0.5, "epoch 5/10 · dev accuracy 71.2")
    watch._progress.refresh()
    text = stream.getvalue()
    assert "bert [big] · tiny · toys · split 1 · seed 1" in text
    assert "epoch 5/10 · dev accuracy 71.2" in text
    assert "0/2 runs" in text


def test_live_view_says_what_was_lost_and_what_failed(screen: tuple[LiveWatch, io.StringIO]) -> None:
    watch, stream = screen
    watch.begin(2, 0)
    watch.started(RUNS[0])
    watch.lost(RUNS[0], "the worker ended")
    watch.started(RUNS[0])
    watch.failed(RUNS[0], "bert: it cannot be trained; see x.log")
    watch.finished(RUNS[1])
    watch._progress.refresh()
    text = stream.getvalue()
    assert "the worker ended; it is tried again" in text
    assert "failed: bert: it cannot be trained; see x.log" in text
    assert "2/2 runs" in text


def test_log_has_a_line_for_each_event(capsys: pytest.CaptureFixture[str]) -> None:
    watch = LogWatch()
    watch.begin(2, 0)
    watch.started(RUNS[0])
    watch.advanced(RUNS[0], 0.5, "epoch 5/10")
    watch.lost(RUNS[0], "the worker ended")
    watch.finished(RUNS[0])
    watch.failed(RUNS[1], "why")
    lines = capsys.readouterr().err.splitlines()
    words = ["2", "started", "lost", "finished", "failed"]
    assert [line.split()[1] for line in lines] == words
