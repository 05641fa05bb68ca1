"""Fit: train a model on one part, choose the epoch on another; there is no place for a test set."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from aspectlab.data import Example
from aspectlab.errors import AspectlabError, ConfigError
from aspectlab.models import Model, Plan
from aspectlab.training.batching import Rows, training_batches
from aspectlab.training.checkpoint import Checkpoint, read_checkpoint, write_checkpoint
from aspectlab.training.device import choose_device, deterministic
from aspectlab.training.optimizing import Optimizer
from aspectlab.training.selecting import dev_scores, selection_key
from aspectlab.training.stepping import Stepper
from aspectlab.training.store import Store


class TrainingError(AspectlabError):
    """Report a training that went astray; the model holds the weights of its best epoch."""


@dataclass(frozen=True, slots=True)
class Epoch:
    """What one epoch came to."""

    number: int
    loss: float
    dev: dict[str, float]
    seconds: float


@dataclass(slots=True)
class Fitted:
    """A trained model, with the weights of its best epoch, and how it got there."""

    model: Model
    best: Epoch
    history: list[Epoch] = field(default_factory=list)


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
    """Train a model; `resume` names a folder where an interrupted training is kept and continued."""
    target = choose_device(device)
    model.to(target)
    examples = [*train, *dev]
    trainer = Trainer(model, Store(model.encoding, examples, target), plan or model.plan, target)
    parts = list(range(len(train))), list(range(len(train), len(examples)))
    return trainer.fit(*parts, seed=seed, progress=progress, resume=resume)


class Trainer:
    """A model, its optimiser and its captured steps over one store; it can fit again and again."""

    def __init__(self, model: Model, store: Store, plan: Plan, device: torch.device) -> None:
        self.model, self.store, self.plan, self.device = model, store, plan, device
        self.optimizer = Optimizer(model, plan, device)
        self.stepper = Stepper(model, plan, store, self.optimizer)

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
        if set(train) & set(dev):
            raise ConfigError(
                "train and dev share examples: expected two separate parts; split the corpus again"
            )
        rows = self.store.rows_of(train)
        if not len(rows) or not len(self.store.rows_of(dev)):
            raise ConfigError(
                "train or dev has nothing to learn from: expected at least one labelled aspect in each"
            )
        with deterministic():
            self._prepare(rows, seed)
            return self._run(rows, dev, seed, progress, resume)

    def _prepare(self, rows: np.ndarray[tuple[int], np.dtype[np.int64]], seed: int) -> None:
        """Capture the steps that will be needed, then put weights and optimiser back as they were."""
        weights = [tensor.clone() for tensor in _tensors(self.model)]
        self.model.train()
        self.stepper.prepare([batch for number in range(3) for batch in self._batches(rows, seed, number)])
        for tensor, value in zip(_tensors(self.model), weights, strict=True):
            tensor.copy_(value)
        self.optimizer.forget()
        self.stepper.total.zero_()

    def _run(
        self,
        rows: np.ndarray[tuple[int], np.dtype[np.int64]],
        dev: list[int],
        seed: int,
        progress: Progress | None,
        resume: Path | None,
    ) -> Fitted:
        state = read_checkpoint(resume, self.model, self.optimizer) if resume else None
        history = [Epoch(**record) for record in state.history] if state else []
        best_weights = state.best if state else [tensor.clone() for tensor in _tensors(self.model)]
        best = max(history, key=lambda epoch: selection_key(self.model, epoch.dev), default=None)
        for number in range(len(history), self.plan.epochs):
            if best and number - best.number > self.plan.patience:
                break
            epoch = self._epoch(rows, dev, seed, number, progress)
            if not math.isfinite(epoch.loss):
                _restore(self.model, best_weights)
                raise TrainingError(
                    f"epoch {number + 1}: the loss is {epoch.loss}: the training diverged, the model is that "
                    f"of epoch {best.number + 1 if best else 0}; lower learning_rate "
                    f"({self.plan.learning_rate:g}) or clip"
                )
            history.append(epoch)
            if best is None or selection_key(self.model, epoch.dev) > selection_key(self.model, best.dev):
                best = epoch
                for kept, tensor in zip(best_weights, _tensors(self.model), strict=True):
                    kept.copy_(tensor)
            if resume:
                write_checkpoint(resume, self.model, self.optimizer, Checkpoint(history, best_weights))
        _restore(self.model, best_weights)
        assert best is not None
        self.model.eval()
        return Fitted(self.model, best, history)

    def _epoch(
        self,
        rows: np.ndarray[tuple[int], np.dtype[np.int64]],
        dev: list[int],
        seed: int,
        number: int,
        progress: Progress | None,
    ) -> Epoch:
        started = time.perf_counter()
        # every epoch draws from its own seed, so that a resumed training goes on as if never interrupted
        torch.manual_seed(seed * 100_003 + number)
        self.model.train()
        batches = self._batches(rows, seed, number)
        for place, batch in enumerate(batches):
            self.optimizer.set_progress((number + (place + 1) / len(batches)) / self.plan.epochs)
            self.stepper.step(batch)
            if progress and place % 8 == 0:
                progress(number, place / len(batches), None)
        loss = self.stepper.take_loss() / len(batches)
        dev_result = dev_scores(self.model, self.store, dev, precision=self.plan.precision)
        epoch = Epoch(number, loss, dev_result, time.perf_counter() - started)
        if progress:
            progress(number, 1.0, epoch)
        return epoch

    def _batches(
        self, rows: np.ndarray[tuple[int], np.dtype[np.int64]], seed: int, number: int
    ) -> list[Rows]:
        return training_batches(
            rows,
            self.store.lengths,
            self.store.owner,
            batch_size=self.plan.batch_size,
            max_tokens=self.plan.max_tokens,
            rng=np.random.default_rng([seed, number]),
        )


def _tensors(model: Model) -> Iterator[Tensor]:
    return (tensor.data for tensor in chain(model.parameters(), model.buffers()))


def _restore(model: Model, weights: list[Tensor]) -> None:
    for tensor, value in zip(_tensors(model), weights, strict=True):
        tensor.copy_(value)
