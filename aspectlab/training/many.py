"""Fit one model many times, over splits and seeds, at the price of the arithmetic alone.

The corpus is encoded once and stays on the device, and the captured steps of the first run serve the later
ones: each run only puts fresh weights into the same tensors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import torch

from aspectlab.data import Example
from aspectlab.models import Model, Plan
from aspectlab.tasks import TASKS
from aspectlab.training.device import choose_device, seed_everything
from aspectlab.training.fitting import Fitted, Trainer
from aspectlab.training.followups import make_followups
from aspectlab.training.predicting import predict_store
from aspectlab.training.store import Store


@dataclass(frozen=True, slots=True)
class Run:
    """Which examples to train on and to choose on, by their places, and the seed."""

    train: list[int]
    dev: list[int]
    seed: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """A finished run: its place among the runs, how it went, and its predictions for every test set."""

    place: int
    fitted: Fitted
    predictions: dict[str, list[Example]]


def fit_many(
    build: Callable[[], Model],
    examples: Sequence[Example],
    runs: Sequence[Run],
    *,
    plan: Plan | None = None,
    device: str = "auto",
    tests: Mapping[str, Sequence[Example]] | None = None,
) -> Iterator[Outcome]:
    """Carry out the runs one after the other; `build` draws a model's weights from torch's generator.

    Labels of other tasks than the model's are left aside. The model in an outcome is reused by the next run:
    save it first if it is to be kept.
    """
    target = choose_device(device)
    model = build().to(target)
    project = TASKS[model.task].project
    parts = {name: [project(example) for example in part] for name, part in (tests or {}).items()}
    stores = {name: Store(model.encoding, part, target) for name, part in parts.items()}
    examples = [project(example) for example in examples]
    plan = plan or model.plan
    # a follow-up of what is dev in one run may be trained on in another: each run takes its own
    store = Store(model.encoding, [*examples, *make_followups(examples, model, plan)], target)
    trainer = Trainer(model, store, plan, target)
    for place, run in enumerate(runs):
        seed_everything(run.seed)
        refresh(model, build())
        fitted = trainer.fit(run.train, run.dev, seed=run.seed)
        answers = {name: _predict(model, store, trainer.plan.precision) for name, store in stores.items()}
        yield Outcome(place, fitted, answers)


@torch.no_grad()
def refresh(model: Model, fresh: Model) -> None:
    """Put the weights of one model into the tensors of another."""
    old, new = (chain(part.parameters(), part.buffers()) for part in (model, fresh))
    for tensor, value in zip(old, new, strict=True):
        tensor.copy_(value)


def _predict(model: Model, store: Store, precision: str) -> list[Example]:
    quads = predict_store(model, store, range(len(store.examples)), precision=precision)
    return [replace(example, quads=found) for example, found in zip(store.examples, quads, strict=True)]
