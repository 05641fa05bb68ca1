"""An executor that needs no torch: a run takes a moment, and its scores follow from its id."""

import os
import signal
import tempfile
import time
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from aspectlab.data import Example, Polarity
from aspectlab.errors import ConfigError
from aspectlab.experiments.assembly import PreparedCorpus
from aspectlab.experiments.engine import Files, Job
from aspectlab.experiments.plan import ModelInfo, ModelRequest
from aspectlab.experiments.record import RunRecord, Timing, write_record
from aspectlab.metrics import evaluate
from aspectlab.progress import Progress, ProgressCallback
from aspectlab.readers import write


def inspect_toys(requests: list[ModelRequest]) -> list[ModelInfo]:
    """Take every model for one that classifies aspects."""
    return [ModelInfo("atsc", "tiny", dict(request.settings), {"epochs": 1}) for request in requests]


class ToyExecutor:
    """Predict with the labels of gold, turned by the seed, so that runs differ."""

    pause_s = float(os.environ.get("TOY_PAUSE_S", "0.05"))

    def __init__(self, device: str, *, threads: int, number: int) -> None:
        self.number = number

    def execute(self, job: Job, material: PreparedCorpus, progress: ProgressCallback[None]) -> Files:
        run, group = job.run, job.run.group
        for share in (0.25, 0.5, 0.75):
            time.sleep(self.pause_s / 3)
            progress(Progress(share, f"share {share}", None))
        MISDEEDS.get(group.label, _behave)(run.seed)
        gold = material.tests["test"]
        predicted = gold.with_examples(_flip(example, run.id) for example in gold)
        # not by `execute.measure`: its module imports torch, which takes each new worker a second
        evaluation = evaluate(gold, predicted, group.task)
        scores = dict(evaluation.scores)
        record = RunRecord(
            *(run.id, job.study, group.label, group.model, group.encoder, dict(group.settings)),
            *(group.corpus, run.split, run.seed, group.task, dict(group.protocol)),
            *({"test": scores}, scores, Timing(self.pause_s, 1, 1), {"worker": str(self.number)}),
            *({"test": str(evaluation.signature)}, job.command),
        )
        with tempfile.TemporaryDirectory() as folder:
            write_record(record, Path(folder))
            write(predicted, Path(folder) / "test.jsonl", "jsonl")
            files = {path.name: path.read_bytes() for path in Path(folder).iterdir()}
        return {"run.json": files["run.json"], "predictions/test.jsonl": files["test.jsonl"]}


class ClosedExecutor(ToyExecutor):
    """One that cannot be set up here, as for want of a GPU."""

    def __init__(self, device: str, *, threads: int, number: int) -> None:
        raise ConfigError(f"device {device!r} is not usable here")


def _flip(example: Example, run_id: str) -> Example:
    """Call an aspect negative where a hash of example and run says so."""
    is_wrong = zlib.crc32(f"{run_id} {example.id}".encode()) % 3 == 0
    quads = (replace(quad, polarity=Polarity.NEGATIVE) if is_wrong else quad for quad in example.quads)
    return replace(example, quads=tuple(quads))


def _behave(seed: int) -> None:
    """Do nothing wrong."""


def _refuse(seed: int) -> None:
    raise ConfigError(f"seed {seed}: this model cannot be trained")


def _crash(seed: int) -> None:
    raise ZeroDivisionError(f"seed {seed}: a bug")


def _die(seed: int) -> None:
    os._exit(3)


def _be_killed(seed: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


MISDEEDS: dict[str, Callable[[int], None]] = {
    "refuses": _refuse,
    "crashes": _crash,
    "dies": _die,
    "is killed": _be_killed,
}
"""What the runs of a model do that bears one of these labels."""
