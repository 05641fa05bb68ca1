"""The training loop: train on one part, choose the epoch on another; no test set can get in.

From the outside in: `fit` encodes, `Trainer.fit` captures the steps, `_run` goes through the epochs with
early stopping, `_epoch` through the batches. One step (forward, loss, backward, clipping, update, moving
average) is `Stepper.step` in step.py.
"""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from aspectlab.data import Example
from aspectlab.errors import AspectlabError, ConfigError
from aspectlab.metrics import METRICS, IntArray, default_metric
from aspectlab.models import Model, Plan
from aspectlab.progress import Progress, ProgressCallback
from aspectlab.tasks import TASKS
from aspectlab.training.checkpoint import (
    Checkpoint,
    Epoch,
    live_tensors,
    read_checkpoint,
    run_identity,
    write_checkpoint,
)
from aspectlab.training.dataset import TRAINING_CELLS, BatchRows, EncodedDataset, Rows, training_batches
from aspectlab.training.prediction import predict_store
from aspectlab.training.recipe import check_plan, load_extensions
from aspectlab.training.step import Optimizer, Stepper, check_seed, choose_device, deterministic


class TrainingError(AspectlabError):
    """Report a training that went astray; the model holds the weights of its best epoch."""


@dataclass(slots=True)
class Fitted:
    """A trained model, with the weights of its best epoch, and how it got there."""

    model: Model
    best: Epoch
    history: list[Epoch] = field(default_factory=list)
    rates: dict[str, float] = field(default_factory=dict)  # those that weighed MATO, by element


def encode(
    model: Model, train: Sequence[Example], dev: Sequence[Example], plan: Plan, device: torch.device
) -> EncodedDataset:
    """Encode train, dev and what the extensions of a plan make of train, in this order."""
    more = [made for each in load_extensions(plan) for made in each.more_examples(train, model)]
    return EncodedDataset(model.encoding, [*train, *dev, *more], device)


def fit(
    model: Model,
    train: Sequence[Example],
    dev: Sequence[Example],
    *,
    plan: Plan | None = None,
    seed: int = 1,
    device: str = "auto",
    progress: ProgressCallback[Epoch | None] | None = None,
    resume: Path | None = None,
) -> Fitted:
    """Train a model; `resume` names a folder where an interrupted training is kept and continued.

    Labels of other tasks than the model's are left aside, and a label that stands twice counts once.
    """
    _refuse_shared_texts(train, dev)
    target = choose_device(device)
    model.to(target)
    plan = plan or model.plan
    project = TASKS[model.task].project
    train, dev = ([*map(project, part)] for part in (train, dev))
    trainer = Trainer(model, encode(model, train, dev, plan, target), plan, target)
    parts = list(range(len(train))), list(range(len(train), len(train) + len(dev)))
    return trainer.fit(*parts, seed=seed, progress=progress, resume=resume)


class Trainer:
    """A model, its optimizer and its captured steps over one dataset; it can fit again and again."""

    def __init__(self, model: Model, dataset: EncodedDataset, plan: Plan, device: torch.device) -> None:
        check_plan(plan)
        if plan.precision == "auto" and not model.encoder.is_deep:
            plan = replace(plan, precision="fp32")
        self.model, self.dataset, self.plan, self.device = model, dataset, plan, device
        self.extensions = load_extensions(plan)
        self.learner = model  # what is trained: the model, or more than that
        for extension in self.extensions:
            self.learner = extension.wrap(self.learner, dataset)
        self.optimizer = Optimizer(self.learner, plan, device)
        self.stepper = Stepper(self.learner, plan, dataset, self.optimizer)
        self.progress: ProgressCallback[Epoch | None] | None = None
        self._headline = METRICS[default_metric(model.task)].headline
        self._scores = ""  # of the last epoch, as they are shown

    def fit(
        self,
        train: list[int],
        dev: list[int],
        *,
        seed: int,
        progress: ProgressCallback[Epoch | None] | None = None,
        resume: Path | None = None,
    ) -> Fitted:
        """Train on some examples of the dataset and choose on others, given by their index."""
        check_seed(seed)
        self.progress, self._scores = progress, ""
        rows = self._rows_to_learn(train, dev)
        for extension in self.extensions:
            extension.plan_rows(self, train)
            extension.begin(self, train, dev, seed)
        with deterministic():
            self._prepare(rows, seed)
            return self._run(rows, dev, seed, resume)

    def capture(self, train: list[int], *, seed: int) -> None:
        """Capture the steps that a training would take, without doing it."""
        for extension in self.extensions:
            extension.plan_rows(self, train)
        with deterministic():
            self._prepare(self.labelled_rows(train), seed)

    def labelled_rows(self, examples: Sequence[int]) -> Rows:
        """Find the items of some examples that have a gold label; there is no loss for the others."""
        rows = self.dataset.rows_of(examples)
        labelled = np.array([item.is_labelled for item in self.dataset.items], np.bool_)
        return rows[labelled[rows]]

    def _rows_to_learn(self, train: list[int], dev: list[int]) -> Rows:
        if set(train) & set(dev):
            raise ConfigError(
                "train and dev share examples: expected two separate parts; split the corpus again"
            )
        parts = {"train": self.labelled_rows(train), "dev": self.labelled_rows(dev)}
        for name, rows in parts.items():
            if not len(rows):
                raise ConfigError(
                    f"{name} has nothing to learn from: expected at least one labelled example in train and "
                    "in dev (an aspect that does not stand in the text does not count, nor a label that only "
                    f"dev has); choose another file for {name}, or label some of its examples"
                )
        return parts["train"]

    def _prepare(self, rows: Rows, seed: int) -> None:
        """Capture the steps that will be needed, then put weights and optimizer back as they were."""
        weights = [tensor.clone() for tensor in live_tensors(self.learner)]
        self.learner.train()
        # where epochs differ in their rows, each may have shapes of its own; otherwise a few have seen all
        numbers = range(self.plan.epochs if any(each.varies for each in self.extensions) else 3)
        self.stepper.prepare([batch for number in numbers for batch in self._batches(rows, seed, number)])
        restore(self.learner, weights)
        self.optimizer.forget()
        self.stepper.average.restart()
        self.stepper.total.zero_()

    def _run(self, rows: Rows, dev: list[int], seed: int, resume: Path | None) -> Fitted:
        """Train epoch after epoch; early stopping ends it, and the best epoch on dev is kept."""
        identity, state = self._read(rows, dev, seed, resume) if resume else ("", None)
        history = state.history if state else []
        best_weights = state.best if state else [tensor.clone() for tensor in live_tensors(self.learner)]
        first = max((each.first_choice for each in self.extensions), default=0)
        best = max((e for e in history if e.number >= first), key=self._selection_key, default=None)
        for number in range(len(history), self.plan.epochs):
            if best and number - best.number > self.plan.patience:
                break
            epoch = self._epoch(rows, dev, seed, number)
            if epoch is None:
                restore(self.learner, best_weights)
                raise self._diverged(number, best)
            history.append(epoch)
            if number >= first and (best is None or self._selection_key(epoch) > self._selection_key(best)):
                best = epoch
                with self.stepper.average.in_place():
                    for kept, tensor in zip(best_weights, live_tensors(self.learner), strict=True):
                        kept.copy_(tensor)
            if resume:
                checkpoint = Checkpoint(identity, history, best_weights, self.stepper.average.means)
                write_checkpoint(resume, self.learner, self.optimizer, checkpoint)
            self._report(number, 1.0, epoch)  # what is announced is kept
        restore(self.learner, best_weights)
        assert best is not None
        self.learner.eval()
        notes = {name: value for each in self.extensions for name, value in each.notes().items()}
        return Fitted(self.model, best, history, notes)

    def _epoch(self, rows: Rows, dev: list[int], seed: int, number: int) -> Epoch | None:
        """Train one epoch and score it on dev; None if the training diverged."""
        started = time.perf_counter()
        # every epoch draws from its own seed, so that a resumed training goes on as if never interrupted
        torch.manual_seed(seed * 100_003 + number)
        self.learner.train()
        batches = self._batches(rows, seed, number)
        # the rate is 0 at the very end, where a training of a single step would take it
        step = 0.5 if len(batches) * self.plan.epochs == 1 else 1
        for index, batch in enumerate(batches):
            self.optimizer.set_progress((number + (index + step) / len(batches)) / self.plan.epochs)
            self.stepper.step(batch)
            if index % 8 == 0:
                self._report(number, index / len(batches))
        loss = self.stepper.take_loss() / len(batches)
        if not math.isfinite(loss) or not _is_finite(self.learner):
            return None
        with self.stepper.average.in_place():
            dev_result = dev_scores(self.model, self.dataset, dev, precision=self.plan.precision)
        return Epoch(number, loss, dev_result, time.perf_counter() - started)

    def _report(self, number: int, share: float, epoch: Epoch | None = None) -> None:
        """Report the share of an epoch that is done, with the scores of the last one that ended."""
        if self.progress is None:
            return
        if epoch:
            self._scores = (
                f":  loss {epoch.loss:.4f}  dev {self._headline} {100 * epoch.dev[self._headline]:.2f}"
            )
        epochs = self.plan.epochs
        text = f"epoch {number + 1}/{epochs}{self._scores}"
        self.progress(Progress((number + share) / epochs, text, epoch))

    def _batches(self, rows: Rows, seed: int, number: int) -> list[BatchRows]:
        for extension in self.extensions:
            rows = extension.select(rows, seed, number)
        return training_batches(
            rows,
            self.dataset.lengths,
            self.dataset.owner,
            batch_size=self.plan.batch_size,
            max_tokens=self.plan.max_tokens,
            max_cells=TRAINING_CELLS if self.dataset.is_square else None,
            rng=np.random.default_rng([seed, number]),
        )

    def _read(self, rows: Rows, dev: list[int], seed: int, folder: Path) -> tuple[str, Checkpoint | None]:
        """Resume an unfinished training, if the folder holds one."""
        decisive = np.concatenate([rows, *(each.identify() for each in self.extensions)])
        identity = run_identity(self.learner, self.dataset, self.plan, decisive, dev, seed)
        state = read_checkpoint(folder, self.learner, self.optimizer, identity)
        if state:
            self.stepper.average.load(state.average)
        return identity, state

    def _selection_key(self, epoch: Epoch) -> tuple[float, float]:
        """Order epochs by the headline score of the task on dev, ties by macro-F1."""
        return epoch.dev[self._headline], epoch.dev.get("macro_f1", 0.0)

    def _diverged(self, number: int, best: Epoch | None) -> TrainingError:
        return TrainingError(
            f"epoch {number + 1}: the loss or a weight is not a number any more: the training "
            f"diverged, the model is that of epoch {best.number + 1 if best else 0}; lower "
            f"learning_rate ({self.plan.learning_rate:g}) or clip ({self.plan.clip:g})"
        )


def dev_scores(model: Model, dataset: EncodedDataset, dev: list[int], *, precision: str) -> dict[str, float]:
    """Predict some examples of a dataset and score them by the task's own metric."""
    metric = METRICS[default_metric(model.task)](TASKS[model.task])
    predicted = predict_store(model, dataset, dev, precision=precision)
    gold = (dataset.examples[index].quads for index in dev)
    counts: IntArray = np.stack([metric.count(*pair) for pair in zip(gold, predicted, strict=True)])
    return {name: float(value) for name, value in metric.score(counts.sum(0)).items()}


def restore(model: Model, weights: Sequence[Tensor]) -> None:
    """Copy weights back into a model, in place."""
    for tensor, value in zip(live_tensors(model), weights, strict=True):
        tensor.copy_(value)


def _is_finite(model: Model) -> bool:
    """Return whether all weights are numbers; the last step can spoil them behind a finite loss."""
    return bool(torch.stack([tensor.isfinite().all() for tensor in live_tensors(model)]).all())


def _refuse_shared_texts(train: Sequence[Example], dev: Sequence[Example]) -> None:
    known = {example.text for example in train}
    shared = [example.id for example in dev if example.text in known]
    if shared:
        raise ConfigError(
            f"train and dev share {len(shared)} text(s), first dev id {shared[0]!r}: expected two separate "
            "parts; remove them from train, or split the corpus again"
        )
