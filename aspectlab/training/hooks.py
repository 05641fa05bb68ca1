"""Extension: hooks into the training loop. The plan chooses which are loaded; most trainings load none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from aspectlab.data import Example
from aspectlab.models import Model
from aspectlab.training.dataset import EncodedDataset, Rows

if TYPE_CHECKING:
    from aspectlab.training.trainer import Trainer


class Extension:
    """What a training may do beyond the one loop: hooks, each of which does nothing here."""

    first_choice = 0
    """The first epoch that may be chosen."""

    varies = False
    """Whether every epoch trains on items of its own."""

    def find_problem(self, model: str, task: str) -> str | None:
        """Report why a model, given by its name and task, cannot be trained so; None if it can."""

    def more_examples(self, examples: Sequence[Example], model: Model) -> list[Example]:
        """Make further examples, which are encoded beside those of train and dev."""
        return []

    def wrap(self, model: Model, dataset: EncodedDataset) -> Model:
        """Return what is trained: the model, or a module around it."""
        return model

    def plan_rows(self, trainer: Trainer, train: Sequence[int]) -> None:
        """Note the examples of a training; `select` is called after this."""

    def begin(self, trainer: Trainer, train: list[int], dev: list[int], seed: int) -> None:
        """Prepare one training; none may depend on those before it."""

    def select(self, rows: Rows, seed: int, number: int) -> Rows:
        """Choose the items of an epoch."""
        return rows

    def identify(self) -> Rows:
        """Return what, besides plan and items, decides a training that may be resumed."""
        return np.zeros(0, np.int64)

    def notes(self) -> dict[str, float]:
        """Return what a record of the training should hold."""
        return {}
