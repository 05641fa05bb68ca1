"""Trackers: every epoch is written, and the run is closed whatever happens."""

import sys
from pathlib import Path
from types import ModuleType

import pytest

pytest.importorskip("torch", reason="training needs the extra 'train'")

import aspectlab
from aspectlab.errors import ConfigError, MissingPartError
from aspectlab.progress import TRACKERS, Tracker, open_tracker
from aspectlab.training import Epoch, fit, trainer
from tests.support.training import PLAN, make_examples, make_model

TRAIN, DEV = make_examples("Today"), make_examples("Yesterday")


class Notes(Tracker):
    """Keep what is written."""

    def begin(self, settings: object) -> None:
        self.lines: list[object] = [settings]

    def log(self, number: int, values: object) -> None:
        self.lines.append((number, values))

    def finish(self) -> None:
        self.lines.append("closed")


def run(*callbacks: object, epochs: int = 2) -> list[Epoch]:
    found = fit(make_model(), TRAIN, DEV, plan=PLAN, epochs=epochs, callbacks=callbacks, device="cpu")  # type: ignore[arg-type]
    return found.history


def test_tracker_gets_the_settings_and_every_epoch() -> None:
    notes, seen = Notes(), []
    history = run(notes, seen.append)
    settings, *epochs, end = notes.lines
    assert isinstance(settings, dict)
    assert (settings["model"], settings["epochs"], settings["dropout"], end) == ("marked", 2, 0.1, "closed")
    assert epochs == [
        (n + 1, {"loss": e.loss, "seconds": e.seconds, **{f"dev/{k}": v for k, v in e.dev.items()}})
        for n, e in enumerate(history)
    ]
    assert seen == history


def test_tracker_is_closed_after_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(trainer, "dev_scores", fail)
    notes = Notes()
    with pytest.raises(KeyboardInterrupt):
        run(notes)
    assert notes.lines[-1] == "closed"


class Recorder(ModuleType):
    """Stand in for a library: note every call, and return itself."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.calls: list[tuple[str, tuple[object, ...], dict[str, object]]] = []

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)

        def call(*values: object, **options: object) -> "Recorder":
            self.calls.append((name, values, options))
            return self

        return call


def names(recorder: Recorder) -> list[str]:
    return [name for name, *_ in recorder.calls]


def test_mlflow_gets_an_experiment_parameters_and_metrics(monkeypatch: pytest.MonkeyPatch) -> None:
    library = Recorder("mlflow")
    monkeypatch.setitem(sys.modules, "mlflow", library)
    run(open_tracker("mlflow:menus"))
    assert names(library) == ["set_experiment", "start_run", "log_params", *["log_metrics"] * 2, "end_run"]
    assert library.calls[0][1] == ("menus",)
    assert [options for name, _, options in library.calls if name == "log_metrics"] == [
        {"step": 1},
        {"step": 2},
    ]


@pytest.mark.parametrize(("offline", "mode"), [("1", "offline"), ("", None)])
def test_wandb_gets_a_project_and_stays_offline(
    monkeypatch: pytest.MonkeyPatch, offline: str, mode: str | None
) -> None:
    library = Recorder("wandb")
    monkeypatch.setitem(sys.modules, "wandb", library)
    monkeypatch.setenv("ASPECTLAB_OFFLINE", offline)
    run(aspectlab.WandB("menus"))
    assert names(library) == ["init", "log", "log", "finish"]
    options = library.calls[0][2]
    assert (options["project"], options["mode"]) == ("menus", mode)


def test_tensorboard_reads_what_was_written(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    history = run(open_tracker(f"tensorboard:{tmp_path}"))
    events = EventAccumulator(str(tmp_path))
    events.Reload()
    losses = [(event.step, event.value) for event in events.Scalars("loss")]
    assert losses == [(n + 1, pytest.approx(epoch.loss)) for n, epoch in enumerate(history)]
    assert "dev/accuracy" in events.Tags()["scalars"]


@pytest.mark.parametrize("name", TRACKERS)
def test_library_that_is_missing_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingPartError, match=rf"pip install 'aspectlab\[{name}\]'"):
        run(open_tracker(name))


def test_tracker_that_does_not_exist_is_named() -> None:
    with pytest.raises(ConfigError, match="tracker 'wandbb' is unknown: did you mean 'wandb'"):
        open_tracker("wandbb:x")
