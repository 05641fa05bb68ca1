"""Which epoch is the best: the dev score, and nothing else."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aspectlab.metrics import METRICS, default_metric
from aspectlab.models import Model
from aspectlab.tasks import TASKS
from aspectlab.training.predicting import predict_store
from aspectlab.training.store import Store


def dev_scores(model: Model, store: Store, examples: list[int], *, precision: str) -> dict[str, float]:
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
