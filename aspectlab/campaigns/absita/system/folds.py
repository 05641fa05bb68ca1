"""Cross-validate the system inside its training file: no choice ever sees the part that is scored."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from aspectlab.campaigns.absita.filename import TASKS
from aspectlab.campaigns.absita.system.system import train_system
from aspectlab.data import Corpus
from aspectlab.errors import ConfigError
from aspectlab.metrics import evaluate


def cross_validate(corpus: Corpus, *, folds: int, seed: int) -> Iterator[dict[str, float]]:
    """Train on all folds but one, and give the micro-F1 of each task on that one, with `other`."""
    if not 2 <= folds <= len(corpus):
        raise ConfigError(f"folds = {folds}: expected 2 to {len(corpus)}; 5 is usual")
    fold = np.random.default_rng(seed).permutation(len(corpus)) % folds  # [N]
    for number in range(folds):
        parts = (
            [e for e, chosen in zip(corpus, fold == number, strict=True) if chosen == held]
            for held in (False, True)
        )
        train, test = (corpus.with_examples(part) for part in parts)
        system = train_system(train)
        yield {task: evaluate(test, system.predict(test, task), task).scores["f1"] for task in TASKS}
