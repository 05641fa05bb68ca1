"""Progress: the one form in which long work reports how far it is, and the trackers that keep it."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Generic, Protocol, TypeVar

from aspectlab.errors import MissingPartError
from aspectlab.registry import Registry

Detail = TypeVar("Detail")
Detail_co = TypeVar("Detail_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Progress(Generic[Detail_co]):
    """How far some work is, the words to show for it, and what only this kind of work knows.

    Training tells in `detail` which epoch has just ended, an analysis what it has counted.
    """

    share: float  # done of the whole, from 0 to 1
    text: str
    detail: Detail_co


ProgressCallback = Callable[[Progress[Detail]], None]
"""What a caller gives to work that takes long: it is called again and again until the work is done."""


def throttle(callback: ProgressCallback[Detail], seconds: float) -> ProgressCallback[Detail]:
    """Pass on the first report, and then at most one in so many seconds.

    >>> seen = []
    >>> report = throttle(lambda progress: seen.append(progress.share), 3600)
    >>> report(Progress(0.0, "starting", None))
    >>> report(Progress(0.1, "reading", None))
    >>> seen
    [0.0]
    """
    last = -math.inf

    def report(progress: Progress[Detail]) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= seconds:
            last = now
            callback(progress)

    return report


class EpochReport(Protocol):
    """What a training says of an epoch."""

    @property
    def number(self) -> int:
        """Its number, from 0."""

    @property
    def loss(self) -> float:
        """The mean loss of its steps."""

    @property
    def dev(self) -> dict[str, float]:
        """The scores on dev after it."""

    @property
    def seconds(self) -> float:
        """How long it took."""


class Tracker:
    """Where the epochs of a training are written; a callback of `fit` that knows its begin and its end."""

    def __init__(self, place: str = "") -> None:
        self.place = place

    def begin(self, settings: Mapping[str, object]) -> None:
        """Open the run, with all that decides it."""

    def log(self, number: int, values: Mapping[str, float]) -> None:
        """Write the values of an epoch, counted from 1."""
        raise NotImplementedError

    def finish(self) -> None:
        """Close the run."""

    def __call__(self, epoch: EpochReport) -> None:
        """Write an epoch: loss, seconds and the scores on dev."""
        scores = {f"dev/{name}": value for name, value in epoch.dev.items()}
        self.log(epoch.number + 1, {"loss": epoch.loss, "seconds": epoch.seconds, **scores})


def _import_tracker(module: str, name: str, package: str) -> Any:  # noqa: ANN401
    try:
        return import_module(module)
    except ImportError:
        raise MissingPartError(
            f"tracker {name!r}: the package {package} is not installed; get it with: "
            f"pip install 'aspectlab[{name}]'"
        ) from None


class TensorBoard(Tracker):
    """Write event files into a folder that TensorBoard shows."""

    def begin(self, settings: Mapping[str, object]) -> None:
        """Open an event file, with the settings as a text."""
        _import_tracker("tensorboard", "tensorboard", "tensorboard")
        self._writer = import_module("torch.utils.tensorboard").SummaryWriter(self.place or "runs")
        rows = "\n".join(f"    {name} = {value}" for name, value in settings.items())
        self._writer.add_text("settings", rows)

    def log(self, number: int, values: Mapping[str, float]) -> None:
        """Write one scalar for each value."""
        for name, value in values.items():
            self._writer.add_scalar(name, value, number)

    def finish(self) -> None:
        """Close the event file."""
        self._writer.close()


class MLflow(Tracker):
    """Write a run of an MLflow experiment; its own variables say on which server."""

    def begin(self, settings: Mapping[str, object]) -> None:
        """Start a run with the settings as parameters."""
        self._mlflow = _import_tracker("mlflow", "mlflow", "mlflow")
        if self.place:
            self._mlflow.set_experiment(self.place)
        self._mlflow.start_run()
        self._mlflow.log_params({name: str(value)[:500] for name, value in settings.items()})

    def log(self, number: int, values: Mapping[str, float]) -> None:
        """Write the metrics of an epoch."""
        self._mlflow.log_metrics(dict(values), step=number)

    def finish(self) -> None:
        """End the run."""
        self._mlflow.end_run()


class WandB(Tracker):
    """Write a run of a Weights & Biases project; nothing is sent where ASPECTLAB_OFFLINE is set."""

    def begin(self, settings: Mapping[str, object]) -> None:
        """Start a run with the settings as its configuration."""
        wandb = _import_tracker("wandb", "wandb", "wandb")
        mode = "offline" if os.environ.get("ASPECTLAB_OFFLINE") == "1" else None
        self._run = wandb.init(project=self.place or "aspectlab", config=dict(settings), mode=mode)

    def log(self, number: int, values: Mapping[str, float]) -> None:
        """Write the values of an epoch."""
        self._run.log(dict(values), step=number)

    def finish(self) -> None:
        """Finish the run."""
        self._run.finish()


TRACKERS = Registry[type[Tracker]](
    "tracker",
    {
        "tensorboard": "aspectlab.progress:TensorBoard",
        "mlflow": "aspectlab.progress:MLflow",
        "wandb": "aspectlab.progress:WandB",
    },
)


@contextmanager
def tracking(callbacks: Iterable[object], settings: Mapping[str, object]) -> Iterator[None]:
    """Open the trackers among some callbacks, and close them whatever happens."""
    opened: list[Tracker] = []
    try:
        for callback in callbacks:
            if isinstance(callback, Tracker):
                callback.begin(settings)
                opened.append(callback)
        yield
    finally:
        for tracker in opened:
            tracker.finish()


def open_tracker(text: str) -> Tracker:
    """Return a tracker by its name and its place: a folder, an experiment or a project.

    >>> open_tracker("tensorboard:my-runs").place
    'my-runs'
    """
    name, _, place = text.partition(":")
    return TRACKERS[name](place)
