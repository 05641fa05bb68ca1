"""The system: kernel ridge regression over terms and meaning, decided by leave-one-out scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from aspectlab.campaigns.absita.filename import TASKS
from aspectlab.campaigns.absita.system.features import Features, relate
from aspectlab.campaigns.absita.system.parts import Float32Array
from aspectlab.campaigns.absita.system.ridge import fit_ridge
from aspectlab.campaigns.absita.system.terms import KINDS, Vocabulary, learn_vocabulary
from aspectlab.campaigns.absita.system.thresholds import choose_slack, choose_thresholds, decide
from aspectlab.data import Corpus, Example, Polarity, Quad
from aspectlab.errors import ConfigError, DataError
from aspectlab.metrics import BoolArray
from aspectlab.readers.absita import CATEGORIES

LABELS = {
    "acd": tuple(Quad(category=category) for category in CATEGORIES),
    "acp": tuple(
        Quad(category=category, polarity=polarity)
        for category in CATEGORIES
        for polarity in (Polarity.POSITIVE, Polarity.NEGATIVE)
    ),
}
"""What each task decides, one by one: a mixed aspect is two labels of acp."""

PENALTIES = (0.7,)
_FEWEST = 20
_BLOCK = 4096


@dataclass(frozen=True, eq=False, slots=True)
class Decider:
    """What was learnt for one task; `f1` is the leave-one-out score by which it was chosen."""

    penalty: float
    slack: float
    f1: float
    coefficients: Float32Array  # [N, L]
    thresholds: Float32Array  # [L]


@dataclass(frozen=True, eq=False, slots=True)
class System:
    """A trained system: the features of the training texts, and a decider per task."""

    vocabularies: tuple[Vocabulary, ...]
    known: Features
    deciders: dict[str, Decider]

    def predict(self, corpus: Corpus, task: str) -> Corpus:
        """Give every example the labels of a task; what the corpus was labelled with is not looked at."""
        if task not in self.deciders:
            raise ConfigError(f"task {task!r} is unknown: expected one of {', '.join(TASKS)}")
        examples: list[Example] = []
        for start in range(0, len(corpus), _BLOCK):
            examples += self._predict(corpus.examples[start : start + _BLOCK], task)
        return corpus.with_examples(examples)

    def _predict(self, examples: Sequence[Example], task: str) -> list[Example]:
        decider, labels = self.deciders[task], LABELS[task]
        _, kernel = relate(self.vocabularies, [example.text for example in examples], self.known)
        scores = kernel @ decider.coefficients  # [N, L]
        chosen = decide(scores, decider.thresholds, decider.slack)
        return [
            Example(example.id, example.text, tuple(labels[label] for label in np.flatnonzero(row)))
            for example, row in zip(examples, chosen, strict=True)
        ]


def train_system(corpus: Corpus, penalties: Sequence[float] = PENALTIES) -> System:
    """Learn both tasks from a training file; all choices are made by leave-one-out scores."""
    if len(corpus) < _FEWEST:
        raise DataError(
            f"corpus {corpus.name!r}: found {len(corpus)} examples: expected at least {_FEWEST}; "
            "name the training file"
        )
    texts = [example.text for example in corpus]
    vocabularies = tuple(learn_vocabulary(kind, texts) for kind in KINDS)
    known, kernel = relate(vocabularies, texts)
    return System(vocabularies, known, learn(corpus, kernel, penalties))


def learn(corpus: Corpus, kernel: Float32Array, penalties: Sequence[float]) -> dict[str, Decider]:
    """Learn every task with every penalty, and keep the penalty with the best leave-one-out micro-F1."""
    gold = {task: _gold(corpus, task) for task in TASKS}
    targets = np.hstack([np.where(gold[task], 1, -1) for task in TASKS]).astype(np.float32)  # [N, 24]
    width = len(LABELS["acd"])
    columns = {"acd": slice(0, width), "acp": slice(width, None)}
    best: dict[str, Decider] = {}
    for penalty in penalties:
        coefficients, left_out = fit_ridge(kernel, targets, penalty)
        for task, part in columns.items():
            thresholds, _ = choose_thresholds(left_out[:, part], gold[task])
            slack, f1 = choose_slack(left_out[:, part], thresholds, gold[task])
            if task not in best or f1 > best[task].f1:
                best[task] = Decider(penalty, slack, f1, coefficients[:, part].copy(), thresholds)
    return best


def _gold(corpus: Corpus, task: str) -> BoolArray:
    """Mark the labels of each example [N, L]; presence is what any polarity says."""
    rows = []
    for example in corpus:
        said = {(quad.category, quad.polarity if task == "acp" else None) for quad in example.quads}
        rows.append([(label.category, label.polarity) in said for label in LABELS[task]])
    gold = np.array(rows, dtype=np.bool_)
    if not gold.any():
        raise DataError(
            f"corpus {corpus.name!r}: found no label for {task}: expected annotated sentences; "
            "name the training file"
        )
    return gold
