"""Tallies: the counts of every relation, for a model and for two references."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from aspectlab.data import Example, Quad
from aspectlab.metamorphic.answers import Answer
from aspectlab.metamorphic.cases import Case
from aspectlab.metamorphic.judging import Failure
from aspectlab.metamorphic.rates import rate, summarise
from aspectlab.metamorphic.relations import RELATIONS
from aspectlab.metrics.matching import Match, count_hits

REFERENCES = ("empty", "gold")
"""A model that finds nothing, and one that always finds what is expected."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A case with both answers: whether the target was found, and the failure if that changed."""

    case: Case
    before: Answer
    after: Answer
    was_found: bool
    failure: Failure | None


@dataclass(slots=True)
class Tally:
    """The counts of one relation.

    `found` counts the cases whose target was found in the source, `faulty` those with any fault: a case may
    have several kinds.
    """

    cases: int = 0
    violations: int = 0
    found: int = 0
    lost: int = 0
    faulty: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)

    @property
    def vr(self) -> float | None:
        """The violation rate over all cases."""
        return rate(self.violations, self.cases)

    @property
    def vr_conditional(self) -> float | None:
        """The share of lost targets among those that were found."""
        return rate(self.lost, self.found)

    def add(self, verdict: Verdict) -> None:
        """Count one more case."""
        self.cases += 1
        self.found += verdict.was_found
        if verdict.failure is not None:
            self.violations += 1
            self.lost += verdict.was_found
            self.failures[verdict.failure.value] += 1
        faults = verdict.before.faults | verdict.after.faults
        self.faulty += bool(faults)
        self.faults.update(fault.value for fault in faults)


@dataclass(slots=True)
class Table:
    """The tallies of all relations."""

    tallies: dict[str, Tally] = field(default_factory=lambda: {name: Tally() for name in RELATIONS})

    def add(self, verdict: Verdict) -> None:
        """Count one more case."""
        self.tallies[verdict.case.relation].add(verdict)

    def summarise(self) -> dict[str, float | None]:
        """Average the violation rates by element and over all."""
        return summarise({name: tally.vr for name, tally in self.tallies.items()})

    def summarise_conditional(self) -> dict[str, float | None]:
        """Average the conditional violation rates by element and over all."""
        return summarise({name: tally.vr_conditional for name, tally in self.tallies.items()})


@dataclass(slots=True)
class Findings:
    """What a test has found so far: it grows with the relations, not with the cases."""

    table: Table = field(default_factory=Table)
    references: dict[str, Table] = field(default_factory=lambda: {name: Table() for name in REFERENCES})
    messages: dict[str, str] = field(default_factory=dict)  # by fault: the first text that had it
    hits: list[int] = field(default_factory=lambda: [0, 0, 0])  # in the sources: hit, extra, missed

    @property
    def f1(self) -> float | None:
        """The F1 of exact matches in the sources."""
        hit, extra, missed = self.hits
        return rate(2 * hit, 2 * hit + extra + missed)

    def add_source(self, gold: Sequence[Quad], predicted: Sequence[Quad]) -> None:
        """Count what was found in a source."""
        counts = count_hits(gold, predicted, Match.EXACT)
        self.hits = [old + new for old, new in zip(self.hits, counts, strict=True)]

    def add(self, verdict: Verdict) -> None:
        """Count one more case."""
        self.table.add(verdict)
        self.add_faults(verdict.case.followup, verdict.after)

    def add_references(self, *verdicts: Verdict) -> None:
        """Count what the references do, in their order."""
        for name, verdict in zip(REFERENCES, verdicts, strict=True):
            self.references[name].add(verdict)

    def add_faults(self, example: Example, answer: Answer) -> None:
        """Remember the first text that had a fault."""
        for fault in answer.faults:
            where = f"example {example.id!r}"
            self.messages.setdefault(fault.value, f"{where}: {answer.message}" if answer.message else where)
