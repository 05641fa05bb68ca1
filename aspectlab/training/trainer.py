"""The training loop: train on one part, choose the epoch on another; no test set can get in.

From the outside in: `fit` encodes, `Trainer.fit` captures the steps, `_run` goes through the epochs with
early stopping, `_epoch` through the batches. One step (forward, loss, backward, clipping, update, moving
average) is `Stepper.step` in step.py.
"""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, distributed

from aspectlab.data import Corpus, Example, Part, remove_conflict
from aspectlab.errors import AspectlabError, ConfigError
from aspectlab.metrics import METRICS, IntArray, default_metric
from aspectlab.models import Model, Plan, build_model, draw_weights
from aspectlab.progress import Progress, ProgressCallback, tracking
from aspectlab.readers import read
from aspectlab.tasks import TASKS, Task
from aspectlab.training.checkpoint import (
    Checkpoint,
    Epoch,
    live_tensors,
    read_checkpoint,
    run_identity,
    write_checkpoint,
)
from aspectlab.training.dataset import TRAINING_CELLS, BatchRows, EncodedDataset, Rows, training_batches
from aspectlab.training.modelcard import make_record
from aspectlab.training.prediction import predict_store
from aspectlab.training.recipe import check_plan, choose_settings, load_extensions, plan_to_dict
from aspectlab.training.step import (
    ALONE,
    Optimizer,
    Processes,
    Stepper,
    check_seed,
    choose_device,
    deterministic,
    join_processes,
    seed_everything,
)


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


Examples = Corpus | Sequence[Example] | str | Path
"""What can be learnt from: a corpus, its file, or bare examples."""


def fit(
    model: Model | str,
    train: Examples,
    dev: Examples,
    *,
    plan: Plan | None = None,
    recipe: str | None = None,
    encoder: str | None = None,
    seed: int = 1,
    device: str = "auto",
    progress: ProgressCallback[Epoch | None] | None = None,
    callbacks: Sequence[Callable[[Epoch], None]] = (),
    resume: Path | None = None,
    **settings: object,
) -> Fitted:
    """Train a model, or build one by name and train it; the best epoch on dev is kept.

    Settings of the plan that are not given, by `plan` or as keywords (`epochs=2`), are those of the model's
    recipe. For a model by name, `encoder`, `recipe` and further keywords say how it is built. All weights
    that are not pre-trained are drawn from the seed, unless the model was trained or loaded before.
    Labels of other tasks than the model's are left aside, and a label that stands twice counts once.
    `callbacks`, such as trackers, get every epoch; `resume` names a folder where a training is kept to go on.
    """
    parts = {"train": _as_corpus(train, "train"), "dev": _as_corpus(dev, "dev")}
    if isinstance(model, str):
        own, settings = choose_settings(model, settings)
        model = build_model(model, encoder, own, recipe=recipe or "ours", train=parts["train"])
    elif not isinstance(model, Model):
        raise TypeError(f"fit: found the model {model!r:.60}: expected its name, or what build_model returns")
    elif encoder or recipe:
        raise ConfigError("fit: found encoder or recipe beside a built model; give them to build_model")
    own, planned = choose_settings(model.name, settings)
    if own:
        raise ConfigError(f"fit: {next(iter(own))!r} is a setting of the model; give it to build_model")
    plan = (plan or Plan()).completed(model.plan).replace(**planned)
    task = TASKS[model.task]
    parts = {name: _judge(parts[name], given, task) for name, given in (("train", train), ("dev", dev))}
    learnt, chosen = ([*map(task.project, parts[name])] for name in ("train", "dev"))
    _refuse_shared_texts(learnt, chosen)
    seed_everything(seed)
    draw_weights(model)
    dataset = encode(model.to(target := choose_device(device)), learnt, chosen, plan, target)
    trainer = Trainer(model, dataset, plan, target, join_processes(target))
    indices = list(range(len(learnt))), list(range(len(learnt), len(learnt) + len(chosen)))
    progress, callbacks = (progress, callbacks) if is_first_process() else (None, ())
    watch = _with_callbacks(progress, callbacks)
    with tracking(callbacks, {"model": model.name, "seed": seed, **model.settings, **plan_to_dict(plan)}):
        fitted = trainer.fit(*indices, seed=seed, progress=watch, resume=resume)
    model.training_record = make_record(fitted, plan, seed, parts)
    return fitted


def _as_corpus(given: Examples, name: str) -> Corpus:
    """Take a corpus, read one, or make one of bare examples."""
    if isinstance(given, str | Path):
        return read(given)
    if isinstance(given, Corpus):
        return given
    examples = [each for each in given if isinstance(each, Example)] if isinstance(given, Sequence) else []
    if len(examples) < (len(given) if isinstance(given, Sequence) else 1):
        raise TypeError(
            f"fit: {name}: found {given!r:.60}: expected a corpus, its path, or a list of examples; "
            "aspectlab.read reads a file"
        )
    return Corpus(name, examples=examples)


def _judge(corpus: Corpus, given: Examples, task: Task) -> Corpus:
    """Refuse a corpus that does not annotate what a task needs; of bare examples nobody knows.

    Conflict of terms, which no model predicts, is left out; among categories it is a class like any other.
    """
    if isinstance(given, Sequence) and not isinstance(given, str):
        return corpus
    task.check(corpus)
    return corpus if Part.CATEGORY in task.parts else remove_conflict(corpus)[0]


def _with_callbacks(
    progress: ProgressCallback[Epoch | None] | None, callbacks: Sequence[Callable[[Epoch], None]]
) -> ProgressCallback[Epoch | None]:
    """Return a report of progress that also calls some functions with every epoch."""

    def report(found: Progress[Epoch | None]) -> None:
        if found.detail is not None:
            for callback in callbacks:
                callback(found.detail)
        if progress:
            progress(found)

    return report


def is_first_process() -> bool:
    """Return whether this process is to write what a training made: of several, only one."""
    return not distributed.is_initialized() or distributed.get_rank() == 0


class Trainer:
    """A model, its optimizer and its captured steps over one dataset; it can fit again and again."""

    def __init__(
        self,
        model: Model,
        dataset: EncodedDataset,
        plan: Plan,
        device: torch.device,
        processes: Processes = ALONE,
    ) -> None:
        check_plan(plan)
        if plan.precision == "auto" and not model.encoder.is_deep:
            plan = replace(plan, precision="fp32")
        self.model, self.dataset, self.plan, self.device = model, dataset, plan, device
        self.extensions = load_extensions(plan)
        self.learner = model  # what is trained: the model, or more than that
        for extension in self.extensions:
            self.learner = extension.wrap(self.learner, dataset)
        if processes.count > 1 and self.learner is not model:
            raise ConfigError("MATO is trained in one process: start it without torchrun")
        self.optimizer = Optimizer(self.learner, plan, device)
        self.stepper = Stepper(self.learner, plan, dataset, self.optimizer, processes)
        self.processes = processes
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
            if resume and self.processes.rank == 0:
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
        torch.manual_seed(seed * 100_003 + number + 50_021 * self.processes.rank)
        self.learner.train()
        batches, size = self._batches(rows, seed, number), self.plan.accumulate
        groups = [batches[start : start + size] for start in range(0, len(batches), size)]
        # the rate is 0 at the very end, where a training of a single step would take it
        step = 0.5 if len(groups) * self.plan.epochs == 1 else 1
        for index, group in enumerate(groups):
            self.optimizer.set_progress((number + (index + step) / len(groups)) / self.plan.epochs)
            self.stepper.step(*group)
            if index % 8 == 0:
                self._report(number, index / len(groups))
        loss = self.stepper.take_loss() / len(groups)
        if not math.isfinite(loss) or not _is_finite(self.learner):
            return None
        with self.stepper.average.in_place():
            dev_result = self.processes.share(
                lambda: dev_scores(self.model, self.dataset, dev, precision=self.plan.precision)
            )
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
