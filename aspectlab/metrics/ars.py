"""Aspect Robustness Score: right is a unit whose original and variants all are (Xing et al., 2020)."""

import re
from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from aspectlab.data import Example
from aspectlab.metrics.metric import METRICS, IntArray, Metric, default_metric
from aspectlab.tasks import TASKS

Unit = Literal["aspect", "sentence"]
"""Right or wrong together: an original (sentence, aspect) with its variants, as the ARTS paper has it,
or an original sentence with all its aspects and all their variants, as the reproducibility paper has it."""

UNITS: tuple[Unit, ...] = get_args(Unit)

BoolArray = NDArray[np.bool_]

_NUMBERED = re.compile(r"_\d+$")
"""How the id of one aspect of a sentence ends in ARTS."""


def unit_of(example: Example, unit: Unit) -> str:
    """Name the unit that an example belongs to.

    >>> variant = Example("7:1_0_adv1", "Not nice.", source="7:1_0", variant="revtgt")
    >>> unit_of(variant, "aspect"), unit_of(variant, "sentence")
    ('7:1_0', '7:1')
    """
    origin = example.source or example.id
    return origin if unit == "aspect" else origin.rpartition("_")[0] or origin


def number_units(examples: Sequence[Example], unit: Unit) -> IntArray:
    """Number the units in order of appearance and give the number of each example's unit: [N].

    Ids such as `review_1` and `review_2` look like two aspects of one sentence. They are that only if their
    originals have the same text. Ids of another form tell nothing of sentences, so that the text alone does.

    >>> number_units([Example("review_1", "Nice."), Example("review_2", "Loud.")], "sentence")
    array([0, 1])
    >>> number_units([Example("1.a", "Nice."), Example("1.b", "Nice.")], "sentence")
    array([0, 0])
    """
    texts = {example.id: example.text for example in examples if example.source is None}
    keys = []
    for example in examples:
        origin = example.source or example.id
        # of variants whose original is not there only the id is known
        is_told = unit == "aspect" or origin not in texts or _NUMBERED.search(origin)
        keys.append((unit_of(example, unit) if is_told else "", texts.get(origin, "")))
    numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    return np.array([numbers[key] for key in keys], np.int64)


def find_right(gold: Sequence[Example], metric: Metric, counts: IntArray) -> BoolArray:
    """Find the examples that are right, from their counts [N, K]: those whose gold tuples are all found.

    Surplus predictions do not count against an example: a variant is annotated for its target only.
    """
    scores = metric.score(counts)
    found = scores["accuracy" if "accuracy" in scores else "recall"]  # [N]
    empty = np.array([not metric.task.select(example.quads) for example in gold], np.bool_)
    return np.equal(found, 1.0) | empty


def robustness_counts(
    gold: Sequence[Example], predicted: Sequence[Example], *, task: str = "atsc", unit: Unit = "aspect"
) -> IntArray:
    """Return for every unit whether all its examples are right: [units, 2] with right and 1."""
    if not gold:
        return np.zeros((0, 2), np.int64)
    metric = METRICS[default_metric(task)](TASKS[task])
    pairs = zip(gold, predicted, strict=True)
    counts = np.stack([metric.count(example.quads, answer.quads) for example, answer in pairs])
    return count_units(find_right(gold, metric, counts), number_units(gold, unit))


def count_units(right: BoolArray, units: IntArray) -> IntArray:
    """Return for every unit whether all its examples are right: [units, 2] with right and 1.

    >>> count_units(np.array([True, False, True]), np.array([0, 0, 1])).tolist()
    [[0, 1], [1, 1]]
    """
    wrong = np.bincount(units, weights=~right)
    return np.stack([wrong == 0, np.ones(len(wrong))], axis=1).astype(np.int64)
