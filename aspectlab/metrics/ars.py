"""Aspect Robustness Score: right is a unit whose original and variants all are (Xing et al., 2020)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from aspectlab.data import Example
from aspectlab.metrics.metric import IntArray
from aspectlab.metrics.tuplef1 import TupleF1
from aspectlab.tasks import TASKS

Unit = Literal["aspect", "sentence"]
"""What stands or falls together: an original (sentence, aspect) with its variants, as the ARTS paper has it,
or an original sentence with all its aspects and all their variants, as the reproducibility paper has it."""


def unit_of(example: Example, unit: Unit) -> str:
    """Name the unit that an example belongs to.

    >>> variant = Example("7:1_0_adv1", "Not nice.", source="7:1_0", variant="revtgt")
    >>> unit_of(variant, "aspect"), unit_of(variant, "sentence")
    ('7:1_0', '7:1')
    """
    origin = example.source or example.id
    return origin if unit == "aspect" else origin.rpartition("_")[0] or origin


def robustness_counts(
    gold: Sequence[Example], predicted: Sequence[Example], *, task: str = "atsc", unit: Unit = "aspect"
) -> IntArray:
    """Tell for every unit whether all its examples are right: [units, 2] with right and 1.

    An example is right if every gold tuple of it is found; surplus predictions do not count against it.
    """
    metric = TupleF1(TASKS[task])
    right: dict[str, bool] = {}
    for example, answer in zip(gold, predicted, strict=True):
        missed = metric.count(example.quads, answer.quads)[2]
        name = unit_of(example, unit)
        right[name] = right.get(name, True) and missed == 0
    return np.array([[int(value), 1] for value in right.values()], np.int64).reshape(-1, 2)
