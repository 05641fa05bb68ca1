"""The quality of relations: do follow-ups notice small damage to a model more often than gold labels do?

A relation is compared with the plain test of a sentence, whose triplets are all right or not. For every
mutant of a model, two rates are taken: of the sentences that the whole model had right, the share that the
mutant gets wrong; and of the cases that the whole model satisfied, the share that the mutant violates.
"Better" says only that the verdicts of follow-ups change more often, not that a relation is valid.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import count

import numpy as np

from aspectlab.data import Example
from aspectlab.errors import ConfigError
from aspectlab.metamorphic.answers import Answer, Predict
from aspectlab.metamorphic.cases import Group
from aspectlab.metamorphic.rates import rate
from aspectlab.metamorphic.relations import RELATIONS
from aspectlab.metamorphic.tallies import Verdict
from aspectlab.metamorphic.testing import ask_groups, judge
from aspectlab.metrics.matching import Match, count_hits
from aspectlab.registry import suggest
from aspectlab.stats import holm, wilcoxon
from aspectlab.tasks import Task

ALPHA = 0.05


class Standing(StrEnum):
    """How a relation compares with the plain test."""

    BETTER = "better"
    SIMILAR = "similar"
    WORSE = "worse"


class Reading(StrEnum):
    """Which cases a model passes; the paper can be read in both ways."""

    SATISFIED = "satisfied"  # the target is found in both texts, or in neither
    FOUND = "found"  # the expected triplet is found in the follow-up


def find_reading(name: str) -> Reading:
    """Give a reading by its name, or say which there are.

    >>> find_reading("found")
    <Reading.FOUND: 'found'>
    """
    if name not in set(Reading):
        raise ConfigError(f"--cases {name!r} is unknown: {suggest(name, [*Reading])}")
    return Reading(name)


@dataclass(frozen=True, slots=True)
class Outcomes:
    """The ids of the sources that are wholly right, and by relation those of the cases that are passed."""

    right: frozenset[str]
    satisfied: Mapping[str, frozenset[str]]
    f1: float = 0.0  # of the sources


@dataclass(frozen=True, slots=True)
class Rates:
    """What one mutant does: the share of right sources that it loses, and of satisfied cases by relation."""

    reference: float | None
    relations: Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class Comparison:
    """One relation and one kind of mutant: the mean rates, the tests, and the rates of every mutant."""

    relation: str
    operator: str
    vr: float
    reference: float
    p: float
    p_greater: float
    p_holm: float
    values: tuple[float, ...] = ()
    references: tuple[float, ...] = ()

    @property
    def standing(self) -> Standing:
        """The verdict of one test, as the paper has it."""
        return decide(self.p, self.p_greater)

    @property
    def standing_holm(self) -> Standing:
        """The verdict with p corrected for the number of tests."""
        return decide(self.p_holm, self.p_greater)


def decide(p: float, p_greater: float) -> Standing:
    """Turn a two-sided and a one-sided p into a verdict; the two-sided one comes first.

    >>> [str(decide(*pair)) for pair in ((0.064, 0.032), (0.002, 0.001), (0.002, 0.999))]
    ['similar', 'better', 'worse']
    """
    if p >= ALPHA:
        return Standing.SIMILAR
    return Standing.BETTER if p_greater < ALPHA else Standing.WORSE


def needed_mutants(tests: int) -> int:
    """Give how many mutants it takes for so many tests: with fewer, no p can stand Holm's correction.

    The smallest p of n signed ranks is 2 / 2**n.

    >>> needed_mutants(1), needed_mutants(32), needed_mutants(224)
    (6, 11, 14)
    """
    return next(n for n in count(1) if tests * 2 / 2**n < ALPHA)


def find_outcomes(
    groups: Iterable[Group],
    predict: Predict,
    task: Task,
    *,
    timeout_s: float,
    reading: Reading = Reading.SATISFIED,
) -> Outcomes:
    """Ask a model for everything and note what is right.

    A mutant that finds nothing at all satisfies every case: read by what is found, it loses all.
    """
    right: set[str] = set()
    hits = np.zeros(3, dtype=np.int64)
    satisfied: dict[str, set[str]] = {name: set() for name in RELATIONS}
    for (source, cases), (before, *after) in ask_groups(groups, predict, task, timeout_s):
        counts = _count(source, before, task)
        hits += counts
        # a sentence without opinions is right for a model that finds none anywhere, and cannot be lost
        if counts[0] and counts[1] == counts[2] == 0:
            right.add(source.id)
        for case, answer in zip(cases, after, strict=True):
            if _passes(judge(case, before, answer, task), reading):
                satisfied[case.relation].add(case.followup.id)
    hit, extra, missed = hits.tolist()
    f1 = rate(2 * hit, 2 * hit + extra + missed) or 0.0
    return Outcomes(frozenset(right), {name: frozenset(ids) for name, ids in satisfied.items()}, f1)


def _passes(verdict: Verdict, reading: Reading) -> bool:
    is_satisfied = verdict.failure is None
    # what was found and has not changed is there, and so is what was not found and has changed
    return is_satisfied if reading is Reading.SATISFIED else verdict.was_found == is_satisfied


def compare_outcomes(whole: Outcomes, mutant: Outcomes) -> Rates:
    """Give the shares of what the whole model had right that a mutant loses.

    >>> whole = Outcomes(frozenset("ab"), {"MR1-1": frozenset("cdef")})
    >>> compare_outcomes(whole, Outcomes(frozenset("a"), {"MR1-1": frozenset("cx")}))
    Rates(reference=0.5, relations={'MR1-1': 0.75})
    """
    lost = {name: rate(len(ids - mutant.satisfied[name]), len(ids)) for name, ids in whole.satisfied.items()}
    return Rates(rate(len(whole.right - mutant.right), len(whole.right)), lost)


def compare_relations(mutants: Mapping[str, Sequence[Rates]]) -> list[Comparison]:
    """Test every relation against the plain test, by operator; those without cases are left out."""
    found: list[Comparison] = []
    for operator, rates in mutants.items():
        references = [each.reference for each in rates]
        for name in RELATIONS:
            values = [each.relations.get(name) for each in rates]
            pairs = [
                (v, r) for v, r in zip(values, references, strict=True) if v is not None and r is not None
            ]
            if pairs:
                found.append(_compare(name, operator, pairs))
    return correct(found)


def correct(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """Correct all p for the number of tests by Holm's method, whatever they were corrected for before."""
    corrected = holm([each.p for each in comparisons]).tolist()
    return [replace(each, p_holm=p) for each, p in zip(comparisons, corrected, strict=True)]


def _compare(relation: str, operator: str, pairs: Sequence[tuple[float, float]]) -> Comparison:
    values, references = zip(*pairs, strict=True)
    p = wilcoxon(values, references).p
    greater = wilcoxon(values, references, alternative="greater").p
    means = sum(values) / len(values), sum(references) / len(references)
    return Comparison(relation, operator, *means, p, greater, p, values, references)


def _count(source: Example, answer: Answer, task: Task) -> tuple[int, int, int]:
    """Count what is hit, extra and missed in a source."""
    found = task.for_predictions.select(answer.quads)
    return count_hits(task.select(source.quads), found, Match.EXACT)
