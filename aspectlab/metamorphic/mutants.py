"""Mutants (MATO): whether relations tell a model from versions that were trained with a fault.

The runs are saved as JSON.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from itertools import count
from pathlib import Path
from typing import get_origin, get_type_hints

import numpy as np

from aspectlab.data import Example
from aspectlab.errors import ConfigError, DataError
from aspectlab.metamorphic.cases import Group
from aspectlab.metamorphic.model_answers import ModelAnswer, Predict
from aspectlab.metamorphic.relations import RELATIONS
from aspectlab.metamorphic.violations import CaseVerdict, ask_groups, judge, rate
from aspectlab.metrics import Match, count_hits
from aspectlab.registry import suggest
from aspectlab.stats import holm, wilcoxon
from aspectlab.tasks import Task
from aspectlab.untrusted import read_json

ALPHA = 0.05


class MutantStanding(StrEnum):
    """How a relation compares with the plain test."""

    BETTER = "better"
    SIMILAR = "similar"
    WORSE = "worse"


class PassCriterion(StrEnum):
    """Which cases a model passes; the paper can be read in both ways."""

    SATISFIED = "satisfied"  # the target is found in both texts, or in neither
    FOUND = "found"  # the expected triplet is found in the follow-up


def find_criterion(name: str) -> PassCriterion:
    """Return a reading by its name, or say which there are.

    >>> find_criterion("found")
    <PassCriterion.FOUND: 'found'>
    """
    if name not in set(PassCriterion):
        raise ConfigError(f"--cases {name!r} is unknown: {suggest(name, [*PassCriterion])}")
    return PassCriterion(name)


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
class MutantComparison:
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
    def standing(self) -> MutantStanding:
        """The verdict of one test, as the paper has it."""
        return decide(self.p, self.p_greater)

    @property
    def standing_holm(self) -> MutantStanding:
        """The verdict with p corrected for the number of tests."""
        return decide(self.p_holm, self.p_greater)


def decide(p: float, p_greater: float) -> MutantStanding:
    """Turn a two-sided and a one-sided p into a verdict; the two-sided one comes first.

    >>> [str(decide(*pair)) for pair in ((0.064, 0.032), (0.002, 0.001), (0.002, 0.999))]
    ['similar', 'better', 'worse']
    """
    if p >= ALPHA:
        return MutantStanding.SIMILAR
    return MutantStanding.BETTER if p_greater < ALPHA else MutantStanding.WORSE


def needed_mutants(tests: int) -> int:
    """Return how many mutants it takes for so many tests: with fewer, no p can stand Holm's correction.

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
    reading: PassCriterion = PassCriterion.SATISFIED,
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


def _passes(verdict: CaseVerdict, reading: PassCriterion) -> bool:
    is_satisfied = verdict.failure is None
    # what was found and has not changed is there, and so is what was not found and has changed
    return is_satisfied if reading is PassCriterion.SATISFIED else verdict.was_found == is_satisfied


def compare_outcomes(whole: Outcomes, mutant: Outcomes) -> Rates:
    """Return the shares of what the whole model had right that a mutant loses.

    >>> whole = Outcomes(frozenset("ab"), {"MR1-1": frozenset("cdef")})
    >>> compare_outcomes(whole, Outcomes(frozenset("a"), {"MR1-1": frozenset("cx")}))
    Rates(reference=0.5, relations={'MR1-1': 0.75})
    """
    lost = {name: rate(len(ids - mutant.satisfied[name]), len(ids)) for name, ids in whole.satisfied.items()}
    return Rates(rate(len(whole.right - mutant.right), len(whole.right)), lost)


def compare_relations(mutants: Mapping[str, Sequence[Rates]]) -> list[MutantComparison]:
    """Test every relation against the plain test, by operator; those without cases are left out."""
    found: list[MutantComparison] = []
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


def correct(comparisons: Sequence[MutantComparison]) -> list[MutantComparison]:
    """Correct all p for the number of tests by Holm's method, whatever they were corrected for before."""
    corrected = holm([each.p for each in comparisons]).tolist()
    return [replace(each, p_holm=p) for each, p in zip(comparisons, corrected, strict=True)]


def _compare(relation: str, operator: str, pairs: Sequence[tuple[float, float]]) -> MutantComparison:
    values, references = zip(*pairs, strict=True)
    p = wilcoxon(values, references).p
    greater = wilcoxon(values, references, alternative="greater").p
    means = sum(values) / len(values), sum(references) / len(references)
    return MutantComparison(relation, operator, *means, p, greater, p, values, references)


def _count(source: Example, answer: ModelAnswer, task: Task) -> tuple[int, int, int]:
    """Count what is hit, extra and missed in a source."""
    found = task.for_predictions.select(answer.quads)
    return count_hits(task.select(source.quads), found, Match.EXACT)


@dataclass(frozen=True, slots=True)
class MutantRun:
    """What the mutants of one model did on one corpus, and the signature of that."""

    model: str
    corpus: str
    signature: str
    comparisons: tuple[MutantComparison, ...]
    reading: PassCriterion = PassCriterion.SATISFIED

    @property
    def name(self) -> str:
        """What a table or a picture calls it."""
        way = ", by what is found" if self.reading is PassCriterion.FOUND else ""
        return f"{self.model} on {self.corpus}{way}"


def join_runs(runs: Sequence[MutantRun]) -> list[MutantRun]:
    """Join runs: p is corrected for the tests of all of them together.

    >>> one = MutantRun("a", "c", "", (MutantComparison("MR1-1", "GF", 0.2, 0.1, 0.02, 0.01, 0.02),))
    >>> [run.comparisons[0].p_holm for run in join_runs([one, replace(one, model="b")])]
    [0.04, 0.04]
    """
    names = [run.name for run in runs]
    for name in names:
        if names.count(name) > 1:
            raise ConfigError(f"mutants of {name!r}: found {names.count(name)} results: expected one of each")
    corrected = iter(correct([each for run in runs for each in run.comparisons]))
    return [replace(run, comparisons=tuple(next(corrected) for _ in run.comparisons)) for run in runs]


def warn_of_weakness(runs: Sequence[MutantRun]) -> str | None:
    """Warn that there are too few mutants for the number of tests; None if there are enough.

    >>> row = MutantComparison("MR1-1", "GF", 0.2, 0.1, 0.02, 0.01, 0.02, (0.2,) * 10, (0.1,) * 10)
    >>> warn_of_weakness([MutantRun("a", "c", "", (row,))]) is None
    True
    >>> print(warn_of_weakness([MutantRun("a", "c", "", (row,) * 32)]))
    with 10 mutants and 32 tests no corrected p can be below 0.05: it takes 11 mutants of each operator
    """
    rows = [each for run in runs for each in run.comparisons]
    most, needed = max(len(each.values) for each in rows), needed_mutants(len(rows))
    if most >= needed:
        return None
    return (
        f"with {most} mutants and {len(rows)} tests no corrected p can be below {ALPHA}: "
        f"it takes {needed} mutants of each operator"
    )


def run_to_dict(run: MutantRun) -> dict[str, object]:
    """Return a run as JSON has it: fractions, with the verdicts in words."""
    rows = [
        {**asdict(each), "verdict": each.standing.value, "verdict_holm": each.standing_holm.value}
        for each in run.comparisons
    ]
    return {
        "model": run.model,
        "corpus": run.corpus,
        "cases": run.reading.value,
        "signature": run.signature,
        "comparisons": rows,
    }


def read_mutant_runs(path: Path) -> list[MutantRun]:
    """Read what `aspectlab metamorphic mutants --json` printed: one run, or a list of them."""
    try:
        found = read_json(path)
        records = found if isinstance(found, list) else [found]
        if not records:
            raise DataError(f"found no result: {_WANTED}")
        return [_read_run(record) for record in records]
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}; check the path") from None
    except DataError as error:
        raise DataError(f"{path}: {error}") from None
    except ValueError as error:
        raise DataError(f"{path}: found no JSON ({error}): {_WANTED}") from None


_WANTED = "expected what `aspectlab metamorphic mutants --json` prints"


def _read_run(record: object) -> MutantRun:
    rows = record.get("comparisons") if isinstance(record, dict) else None
    if not isinstance(record, dict) or not isinstance(rows, list) or not rows:
        raise DataError(f"found {record!r:.80}: {_WANTED}")
    names = [record.get(key) for key in ("model", "corpus", "signature", "cases")]
    if not all(isinstance(name, str) for name in names) or names[-1] not in set(PassCriterion):
        raise DataError(f"found the model, corpus, signature and cases {names!r:.80}: {_WANTED}")
    model, corpus, signature, cases = map(str, names)
    return MutantRun(model, corpus, signature, tuple(_read_row(row) for row in rows), PassCriterion(cases))


def _read_row(row: object) -> MutantComparison:
    """Read one comparison; verdicts are not read, they follow from its p."""
    if not isinstance(row, Mapping):
        raise DataError(f"found the comparison {row!r:.80}: {_WANTED}")
    values = [_read_value(row.get(name), kind) for name, kind in get_type_hints(MutantComparison).items()]
    return MutantComparison(*values)  # type: ignore[arg-type]


def _read_value(value: object, kind: object) -> str | float | tuple[float, ...]:
    if kind is str and isinstance(value, str):
        return value
    if kind is float and _is_share(value):
        return float(value)  # type: ignore[arg-type]
    if get_origin(kind) is tuple and isinstance(value, list) and all(map(_is_share, value)):
        return tuple(map(float, value))
    raise DataError(
        f"found {value!r:.80} in a comparison, expected {getattr(kind, '__name__', kind)}: {_WANTED}"
    )


def _is_share(value: object) -> bool:
    """Return whether a value is a fraction: rates and p both are."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
