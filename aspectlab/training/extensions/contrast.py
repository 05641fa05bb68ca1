"""Contrast: train on follow-ups that the metamorphic relations make of the training texts.

A test by the relations asks whether a model still finds a triplet when words change or others come beside it.
Here it learns just that: each epoch draws follow-ups of the training texts and adds them as further examples.
No text of dev or test is ever changed for this, and the epoch is chosen on dev as it stands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import TYPE_CHECKING

import numpy as np

from aspectlab.data import Corpus, Example, Origin
from aspectlab.errors import ConfigError
from aspectlab.metamorphic import Case, Group, generate, is_followup, label_fully, put_mask
from aspectlab.models import Model, Plan
from aspectlab.tasks import TASKS
from aspectlab.training import Extension, MatoSettings, Rows, settings_of
from aspectlab.training.extensions.violation_rates import unknown_word

if TYPE_CHECKING:
    from aspectlab.training.trainer import Trainer

LABELLED = ("aste", "asqp")
"""The tasks whose models can learn from follow-ups: all their triplets are known."""

_KEPT = 3
"""Follow-ups of one relation that are kept of a text: each takes memory, and an epoch draws only few."""


class ContrastExtension(Extension):
    """Add follow-ups of the training texts to every epoch."""

    varies = True

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._trainer: Trainer
        self._pool: FollowupPool

    def find_problem(self, model: str, task: str) -> str | None:
        """Report a model that cannot learn from follow-ups: not all its labels would be known."""
        if task in LABELLED:
            return None
        return f"mato_variant = 'contrast': found a model for {task!r}: expected 'aste'"

    def more_examples(self, examples: Sequence[Example], model: Model) -> list[Example]:
        """Make follow-ups of some examples; this asks WordNet."""
        return make_followups(examples, model)

    def plan_rows(self, trainer: Trainer, train: Sequence[int]) -> None:
        """Find the follow-ups of train: what is dev in one run may be train in another."""
        self._trainer = trainer
        self._pool = FollowupPool(trainer.dataset.examples, train, self._plan)

    def select(self, rows: Rows, seed: int, number: int) -> Rows:
        """Add the follow-ups that an epoch draws."""
        return np.concatenate([rows, self._trainer.labelled_rows(self._pool.draw(seed, number))])


def make_followups(examples: Sequence[Example], model: Model) -> list[Example]:
    """Make follow-ups of some examples with all their triplets."""
    if model.task not in LABELLED:
        raise ConfigError(
            f"mato_variant = 'contrast': found a model for {model.task}: expected one that finds triplets"
        )
    corpus = Corpus("train", "und", TASKS["aste"].parts, tuple(examples))
    return list(choose_followups(generate(corpus), model))


def choose_followups(groups: Iterable[Group], model: Model) -> Iterator[Example]:
    """Keep some follow-ups of every relation and text, each text once, with all their triplets.

    Sources that share an id are left out: which of them a follow-up is of could not be told.
    """
    known = list(groups)
    counts = Counter(source.id for source, _ in known)
    mask = unknown_word(model.encoder.vocabulary)
    for source, cases in known:
        if counts[source.id] == 1:
            yield from (put_mask(example, mask) for example in _choose(source, cases))


def _choose(source: Example, cases: Sequence[Case]) -> Iterator[Example]:
    rng = Random(source.id)  # noqa: S311 (not for secrets)
    kept: Counter[str] = Counter()
    seen: set[str] = set()
    for case in rng.sample(cases, len(cases)):
        if kept[case.relation] == _KEPT or case.followup.text in seen:
            continue
        example = label_fully(case)
        if example is not None:
            kept[case.relation] += 1
            seen.add(example.text)
            yield example


class FollowupPool:
    """The follow-ups that a training may draw, by text and relation."""

    def __init__(self, examples: Sequence[Example], train: Sequence[int], plan: Plan) -> None:
        """Find those of the examples that are follow-ups of train; others are not for this training."""
        self.count = settings_of(plan, MatoSettings).mato_followups
        self._texts: dict[str, dict[str, list[int]]] = {}
        known = {examples[index].id for index in train}
        for index, example in enumerate(examples):
            if is_followup(example) and _origins(example) <= known:
                origin = example.origin or Origin(None)
                relations = self._texts.setdefault(origin.source or "", {})
                relations.setdefault(origin.strategy or "", []).append(index)
        if not self._texts:
            raise ConfigError(
                "mato_variant = 'contrast': found no follow-ups of the training texts: expected texts with "
                "triplets to which a relation applies; leave mato out"
            )

    def draw(self, seed: int, number: int) -> list[int]:
        """Draw the follow-ups of an epoch: for every text some relations, and one follow-up of each."""
        rng = np.random.default_rng([seed, number, 1])
        drawn = []
        for relations in self._texts.values():
            count = int(self.count + rng.random())
            # a relation with few candidates must be seen as often as one with many
            for relation in rng.permutation(list(relations))[:count]:
                drawn.append(relations[relation][rng.integers(len(relations[relation]))])
        return drawn


def _origins(followup: Example) -> set[str]:
    """Name the examples that a follow-up was made of: its source, and that of an appended phrase."""
    origin = followup.origin or Origin(None)
    phrases = (edit.source for edit in origin.edits)
    return {origin.source or "", *(source for source in phrases if source is not None)}
