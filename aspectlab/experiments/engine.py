"""What a driver hands to a worker and what comes back; nothing here needs torch."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from aspectlab.experiments.assembly import PreparedCorpus
from aspectlab.experiments.plan import ModelInfo, ModelRequest, Run

Files = dict[str, bytes]
"""The files of a finished run, by their path in its folder."""

MODEL_FOLDER = "model"
"""Where a run keeps its trained model, if it is asked to."""


@dataclass(frozen=True, slots=True)
class Job:
    """A run, and what its record must say of the study."""

    run: Run
    study: str
    command: str
    keep_model: bool = False
    earlier: tuple[tuple[int, int], ...] = ()  # split and seed of the runs before it in its group


@dataclass(frozen=True, slots=True)
class Advanced:
    """A run is under way: the share that is done, and a few words."""

    run_id: str
    share: float
    text: str


@dataclass(frozen=True, slots=True)
class Finished:
    """A run is complete."""

    run_id: str
    files: Files


@dataclass(frozen=True, slots=True)
class Failed:
    """A run cannot be done: trying again would end the same way."""

    run_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class WorkerLost:
    """The worker of a run has died; another one may do it."""

    run_id: str
    reason: str


Event = Advanced | Finished | Failed | WorkerLost


class Engine(Protocol):
    """Where runs are carried out."""

    def inspect(self, requests: Sequence[ModelRequest]) -> Sequence[ModelInfo]:
        """Look models up in a process that has torch."""
        ...

    def free(self) -> int:
        """Return how many more runs can be taken now."""
        ...

    def submit(self, job: Job, material: PreparedCorpus) -> None:
        """Take a run."""
        ...

    def wait(self, timeout_s: float) -> list[Event]:
        """Return what has happened; wait for something if need be."""
        ...

    def close(self) -> None:
        """Stop all runs and all processes."""
        ...
