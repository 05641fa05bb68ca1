"""The training loop: train on one part, choose the epoch on another; no test set can get in."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Literal, get_args, get_origin, get_type_hints

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from aspectlab.data import Example
from aspectlab.errors import AspectlabError, ConfigError
from aspectlab.metrics import METRICS, default_metric
from aspectlab.models import Model, Plan, find_range_problem
from aspectlab.tasks import TASKS
from aspectlab.training.checkpoint import (
    Checkpoint,
    Epoch,
    live_tensors,
    read_checkpoint,
    run_identity,
    write_checkpoint,
)
from aspectlab.training.dataset import TRAINING_CELLS, BatchRows, EncodedDataset, training_batches
from aspectlab.training.device import check_seed, choose_device, deterministic
from aspectlab.training.extensions.contrast import FollowupPool, make_followups
from aspectlab.training.extensions.curriculum import Curriculum, plan_curriculum
from aspectlab.training.extensions.mato import Mato, name_rates, put_discerners
from aspectlab.training.extensions.violation_rates import find_rates, measure_rates
from aspectlab.training.prediction import predict_store
from aspectlab.training.step import Optimizer, Stepper


class TrainingError(AspectlabError):
    """Report a training that went astray; the model holds the weights of its best epoch."""


@dataclass(slots=True)
class Fitted:
    """A trained model, with the weights of its best epoch, and how it got there."""

    model: Model
    best: Epoch
    history: list[Epoch] = field(default_factory=list)
    rates: dict[str, float] = field(default_factory=dict)  # those that weighed MATO, by element


Progress = Callable[[int, float, "Epoch | None"], None]
"""Called during training with the epoch, its share done, and the finished epoch at its end."""


def fit(
    model: Model,
    train: Sequence[Example],
    dev: Sequence[Example],
    *,
    plan: Plan | None = None,
    seed: int = 1,
    device: str = "auto",
    progress: Progress | None = None,
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
    examples = [*train, *dev, *make_followups(train, model, plan)]
    trainer = Trainer(model, EncodedDataset(model.encoding, examples, target), plan, target)
    parts = list(range(len(train))), list(range(len(train), len(train) + len(dev)))
    return trainer.fit(*parts, seed=seed, progress=progress, resume=resume)


class Trainer:
    """A model, its optimiser and its captured steps over one store; it can fit again and again."""

    def __init__(self, model: Model, store: EncodedDataset, plan: Plan, device: torch.device) -> None:
        _check_plan(plan)
        if plan.precision == "auto" and not model.encoder.is_deep:
            plan = replace(plan, precision="fp32")
        self.model, self.store, self.plan, self.device = model, store, plan, device
        self.learner = put_discerners(model, plan, store)  # what is trained: the model, or more than that
        self.optimizer = Optimizer(self.learner, plan, device)
        self.stepper = Stepper(self.learner, plan, store, self.optimizer)
        self._pool: FollowupPool  # each fit has its own

    def fit(
        self,
        train: list[int],
        dev: list[int],
        *,
        seed: int,
        progress: Progress | None = None,
        resume: Path | None = None,
    ) -> Fitted:
        """Train on some examples of the store and choose on others, given by their places in it."""
        check_seed(seed)
        if set(train) & set(dev):
            raise ConfigError(
                "train and dev share examples: expected two separate parts; split the corpus again"
            )
        rows = self._labelled_rows(train)
        for name, count in {"train": len(rows), "dev": len(self._labelled_rows(dev))}.items():
            if not count:
                raise ConfigError(
                    f"{name} has nothing to learn from: expected at least one labelled example in train and "
                    "in dev (an aspect that does not stand in the text does not count, nor a label that only "
                    f"dev has); choose another file for {name}, or label some of its examples"
                )
        lessons = plan_curriculum(self.plan, self.store.examples, self.store.owner, rows)
        self._pool = FollowupPool(self.store.examples, train, self.plan)
        self._restart(train, dev, seed, progress)
        with deterministic():
            self._prepare(lessons, seed)
            return self._run(lessons, dev, seed, progress, resume)

    def _restart(self, train: list[int], dev: list[int], seed: int, progress: Progress | None) -> None:
        """Draw discerners anew; rates that are not given are measured after a training without them."""
        if not isinstance(self.learner, Mato):
            return
        rates = find_rates(self.plan)
        if rates is None:
            weights = [tensor.clone() for tensor in live_tensors(self.model)]
            plain = Trainer(self.model, self.store, replace(self.plan, mato=False), self.device)
            plain.fit(train, dev, seed=seed, progress=progress)
            parts = ([self.store.examples[place] for place in part] for part in (train, dev))
            rates = measure_rates(self.model, *parts)
            _restore(self.model, weights)
        self.learner.restart(seed, rates)

    def _labelled_rows(self, examples: list[int]) -> NDArray[np.int64]:
        """Find the items of some examples that have a gold label; there is no loss for the others."""
        rows = self.store.rows_of(examples)
        labelled = np.array([item.is_labelled for item in self.store.items], np.bool_)
        return rows[labelled[rows]]

    def _prepare(self, lessons: Curriculum, seed: int) -> None:
        """Capture the steps that will be needed, then put weights and optimiser back as they were."""
        weights = [tensor.clone() for tensor in live_tensors(self.learner)]
        self.learner.train()
        # where epochs differ in their rows, each may have shapes of its own; otherwise a few have seen all
        numbers = range(3 if lessons.is_plain and self._pool.is_empty else self.plan.epochs)
        self.stepper.prepare([batch for number in numbers for batch in self._batches(lessons, seed, number)])
        for tensor, value in zip(live_tensors(self.learner), weights, strict=True):
            tensor.copy_(value)
        self.optimizer.forget()
        self.stepper.average.restart()
        self.stepper.total.zero_()

    def _run(
        self,
        lessons: Curriculum,
        dev: list[int],
        seed: int,
        progress: Progress | None,
        resume: Path | None,
    ) -> Fitted:
        decisive = np.stack([lessons.rows, lessons.stages])  # [2, N]
        identity = run_identity(self.learner, self.store, self.plan, decisive, dev, seed) if resume else ""
        state = read_checkpoint(resume, self.learner, self.optimizer, identity) if resume else None
        if state:
            self.stepper.average.load(state.average)
        history = state.history if state else []
        best_weights = state.best if state else [tensor.clone() for tensor in live_tensors(self.learner)]
        # an epoch without all variants cannot be chosen: it would give a model that never saw them
        complete = (epoch for epoch in history if epoch.number >= lessons.opened)
        best = max(complete, key=lambda epoch: selection_key(self.model, epoch.dev), default=None)
        for number in range(len(history), self.plan.epochs):
            if best and number - best.number > self.plan.patience:
                break
            epoch = self._epoch(lessons, dev, seed, number, progress)
            if epoch is None:
                _restore(self.learner, best_weights)
                raise TrainingError(
                    f"epoch {number + 1}: the loss or a weight is not a number any more: the training "
                    f"diverged, the model is that of epoch {best.number + 1 if best else 0}; lower "
                    f"learning_rate ({self.plan.learning_rate:g}) or clip ({self.plan.clip:g})"
                )
            history.append(epoch)
            if number >= lessons.opened and self._is_better(epoch, best):
                best = epoch
                with self.stepper.average.in_place():
                    for kept, tensor in zip(best_weights, live_tensors(self.learner), strict=True):
                        kept.copy_(tensor)
            if resume:
                checkpoint = Checkpoint(identity, history, best_weights, self.stepper.average.means)
                write_checkpoint(resume, self.learner, self.optimizer, checkpoint)
            if progress:
                progress(number, 1.0, epoch)  # what is announced is kept
        _restore(self.learner, best_weights)
        assert best is not None
        self.learner.eval()
        return Fitted(self.model, best, history, name_rates(self.learner))

    def _is_better(self, epoch: Epoch, best: Epoch | None) -> bool:
        return best is None or selection_key(self.model, epoch.dev) > selection_key(self.model, best.dev)

    def _epoch(
        self,
        lessons: Curriculum,
        dev: list[int],
        seed: int,
        number: int,
        progress: Progress | None,
    ) -> Epoch | None:
        """Train one epoch and score it; None if the training diverged."""
        started = time.perf_counter()
        # every epoch draws from its own seed, so that a resumed training goes on as if never interrupted
        torch.manual_seed(seed * 100_003 + number)
        self.learner.train()
        batches = self._batches(lessons, seed, number)
        # the rate is 0 at the very end, where a training of a single step would take it
        step = 0.5 if len(batches) * self.plan.epochs == 1 else 1
        for place, batch in enumerate(batches):
            self.optimizer.set_progress((number + (place + step) / len(batches)) / self.plan.epochs)
            self.stepper.step(batch)
            if progress and place % 8 == 0:
                progress(number, place / len(batches), None)
        loss = self.stepper.take_loss() / len(batches)
        if not math.isfinite(loss) or not _is_finite(self.learner):
            return None
        with self.stepper.average.in_place():
            dev_result = dev_scores(self.model, self.store, dev, precision=self.plan.precision)
        return Epoch(number, loss, dev_result, time.perf_counter() - started)

    def _batches(self, lessons: Curriculum, seed: int, number: int) -> list[BatchRows]:
        followups = self._labelled_rows(self._pool.draw(seed, number))
        return training_batches(
            np.concatenate([lessons.select(seed, number), followups]),
            self.store.lengths,
            self.store.owner,
            batch_size=self.plan.batch_size,
            max_tokens=self.plan.max_tokens,
            max_cells=TRAINING_CELLS if self.store.is_square else None,
            rng=np.random.default_rng([seed, number]),
        )


def _restore(model: Model, weights: list[Tensor]) -> None:
    for tensor, value in zip(live_tensors(model), weights, strict=True):
        tensor.copy_(value)


def _is_finite(model: Model) -> bool:
    """Tell whether all weights are numbers; the last step of an epoch can spoil them behind a finite loss."""
    return bool(torch.stack([tensor.isfinite().all() for tensor in live_tensors(model)]).all())


def _refuse_shared_texts(train: Sequence[Example], dev: Sequence[Example]) -> None:
    known = {example.text for example in train}
    shared = [example.id for example in dev if example.text in known]
    if shared:
        raise ConfigError(
            f"train and dev share {len(shared)} text(s), first dev id {shared[0]!r}: expected two separate "
            "parts; remove them from train, or split the corpus again"
        )


def _check_plan(plan: Plan) -> None:
    hints = get_type_hints(type(plan))
    for name, value in asdict(plan).items():
        # a word that is none of the choices would be taken for one of them further on
        if get_origin(hints[name]) is Literal and value not in get_args(hints[name]):
            raise ConfigError(f"plan: {name} = {value!r}: expected one of {', '.join(get_args(hints[name]))}")
        if problem := find_range_problem(type(plan), name, value):
            raise ConfigError(f"plan: {problem}")


def dev_scores(
    model: Model, store: EncodedDataset, examples: list[int], *, precision: str
) -> dict[str, float]:
    """Predict some examples of a store and score them by the task's own metric."""
    metric = METRICS[default_metric(model.task)](TASKS[model.task])
    predicted = predict_store(model, store, examples, precision=precision)
    gold = (store.examples[place].quads for place in examples)
    counts: NDArray[np.int64] = np.stack([metric.count(*pair) for pair in zip(gold, predicted, strict=True)])
    return {name: float(value) for name, value in metric.score(counts.sum(0)).items()}


def selection_key(model: Model, scores: dict[str, float]) -> tuple[float, float]:
    """Order epochs by the headline score of the task, ties by macro-F1."""
    headline = METRICS[default_metric(model.task)].headline
    return scores[headline], scores.get("macro_f1", 0.0)
