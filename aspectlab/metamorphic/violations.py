"""Violations: test a model by the relations, judge every case, and count rates by relation and element."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from aspectlab.data import Example, Part, Quad, Term
from aspectlab.metamorphic.cases import Case, Group
from aspectlab.metamorphic.model_answers import ModelAnswer, Patience, Predict, ask
from aspectlab.metamorphic.relations import ELEMENTS, RELATIONS, elements_of
from aspectlab.metrics import Match, count_hits
from aspectlab.tasks import Task


class Failure(StrEnum):
    """What a violation looks like in the follow-up."""

    ASPECT = "lost aspect"
    OPINION = "lost opinion"
    POLARITY = "wrong polarity"
    TRIPLET = "lost triplet"
    GAINED = "gained triplet"  # found in the follow-up only


def is_found(wanted: Quad, answer: Sequence[Quad], parts: frozenset[Part]) -> bool:
    """Return whether a quad is among those of an answer, by the parts that the model is asked for.

    >>> is_found(Quad(Term("Tea")), [Quad(Term("tea"))], frozenset({Part.ASPECT}))
    True
    """
    return any(_agreement(wanted, quad, parts) == parts for quad in answer)


def name_failure(wanted: Quad, answer: Sequence[Quad], parts: frozenset[Part]) -> Failure:
    """Return which part of a quad was lost, by the predicted quad that comes nearest.

    >>> answer = [Quad(Term("tea"), None, Term("so good"))]
    >>> name_failure(Quad(Term("tea"), None, Term("good")), answer, frozenset({Part.ASPECT, Part.OPINION}))
    <Failure.OPINION: 'lost opinion'>
    """
    kept = [_agreement(wanted, quad, parts) for quad in answer]
    terms = parts - {Part.POLARITY}
    if any(terms <= found for found in kept):
        return Failure.POLARITY
    if any(Part.ASPECT in found for found in kept):
        return Failure.OPINION
    if any(Part.OPINION in found for found in kept):
        return Failure.ASPECT
    return Failure.TRIPLET


def _agreement(one: Quad, other: Quad, parts: frozenset[Part]) -> frozenset[Part]:
    """Return the parts in which two quads agree."""
    same = {
        Part.ASPECT: _is_same(one.aspect, other.aspect),
        Part.OPINION: _is_same(one.opinion, other.opinion),
        Part.POLARITY: one.polarity == other.polarity,
    }
    return frozenset(part for part in parts if same[part])


def _is_same(one: Term | None, other: Term | None) -> bool:
    """Compare terms by span; a model that writes strings is judged by them, whatever their capitals."""
    if one is None or other is None:
        return one is other
    if one.span is not None and other.span is not None:
        return one.span == other.span
    return one.text.lower() == other.text.lower()


def rate(violations: int, cases: int) -> float | None:
    """Return the share of violations; None where there is no case.

    >>> rate(1, 4), rate(0, 0)
    (0.25, None)
    """
    return violations / cases if cases else None


def summarise(rates: Mapping[str, float | None]) -> dict[str, float | None]:
    """Average the rates of all relations, and of those that concern each element.

    Relations without cases are left out.

    >>> summarise({"MR1-3": 0.5, "MR2-1": 0.25, "MR2-4": None})["aspect"]
    0.375
    """
    concerned = {
        element: [value for name, value in rates.items() if element in elements_of(name)]
        for element in ELEMENTS
    }
    means = {element: _mean(values) for element, values in concerned.items()}
    return {**means, "average": _mean(rates.values())}


def _mean(rates: Iterable[float | None]) -> float | None:
    known = [value for value in rates if value is not None]
    return sum(known) / len(known) if known else None


REFERENCES = ("empty", "gold")
"""A model that finds nothing, and one that always finds what is expected."""


@dataclass(frozen=True, slots=True)
class CaseVerdict:
    """A case with both answers: whether the target was found, and the failure if that changed."""

    case: Case
    before: ModelAnswer
    after: ModelAnswer
    was_found: bool
    failure: Failure | None


@dataclass(slots=True)
class RelationCounts:
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

    def add(self, verdict: CaseVerdict) -> None:
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
class ViolationTable:
    """The tallies of all relations."""

    tallies: dict[str, RelationCounts] = field(
        default_factory=lambda: {name: RelationCounts() for name in RELATIONS}
    )

    def add(self, verdict: CaseVerdict) -> None:
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

    table: ViolationTable = field(default_factory=ViolationTable)
    references: dict[str, ViolationTable] = field(
        default_factory=lambda: {name: ViolationTable() for name in REFERENCES}
    )
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

    def add(self, verdict: CaseVerdict) -> None:
        """Count one more case."""
        self.table.add(verdict)
        self.add_faults(verdict.case.followup, verdict.after)

    def add_references(self, *verdicts: CaseVerdict) -> None:
        """Count what the references do, in their order."""
        for name, verdict in zip(REFERENCES, verdicts, strict=True):
            self.references[name].add(verdict)

    def add_faults(self, example: Example, answer: ModelAnswer) -> None:
        """Remember the first text that had a fault."""
        for fault in answer.faults:
            where = f"example {example.id!r}"
            self.messages.setdefault(fault.value, f"{where}: {answer.message}" if answer.message else where)


TESTED = ("aste", "asqp", "e2e", "atsc")
"""The tasks whose models can be tested."""

_BLOCK = 1024
"""Texts that are asked for at a time, at least; a source stays with its follow-ups. Batches of texts of one
length are found more easily among many."""


def measure_violations(
    groups: Iterable[Group],
    predict: Predict,
    task: Task,
    *,
    timeout_s: float = 120.0,
    watch: Callable[[CaseVerdict], None] | None = None,
) -> Findings:
    """Ask a model for all sources and follow-ups and count its violations; `watch` sees every case.

    A model that gives one label an aspect is tested on aspects that have one triplet: only there the label
    follows from it. The model sees no gold but the aspects that its task gives.
    """
    findings = Findings()
    for group, answers in ask_groups(groups, predict, task, timeout_s):
        source, cases = group
        findings.add_source(task.select(source.quads), task.for_predictions.select(answers[0].quads))
        findings.add_faults(source, answers[0])
        for case, after in zip(cases, answers[1:], strict=True):
            verdict = judge(case, answers[0], after, task)
            findings.add(verdict)
            findings.add_references(
                judge(case, ModelAnswer(), ModelAnswer(), task),
                judge(case, ModelAnswer(source.quads), ModelAnswer(case.followup.quads), task),
            )
            if watch is not None:
                watch(verdict)
    return findings


def judge(case: Case, before: ModelAnswer, after: ModelAnswer, task: Task) -> CaseVerdict:
    """Compare what was found in the source and in the follow-up with what the relation expects.

    The target may be missing in both: then nothing has changed.
    """
    parts = task.parts - {Part.CATEGORY}
    was_found = is_found(case.target, before.quads, parts)
    stays_found = is_found(case.expected, after.quads, parts)
    failure = None
    if was_found and not stays_found:
        failure = name_failure(case.expected, after.quads, parts)
    elif stays_found and not was_found:
        failure = Failure.GAINED
    return CaseVerdict(case, before, after, was_found, failure)


def ask_groups(
    groups: Iterable[Group], predict: Predict, task: Task, timeout_s: float
) -> Iterator[tuple[Group, list[ModelAnswer]]]:
    """Return each group with the answers for its source and then its follow-ups."""
    patience = Patience()
    for block in _blocks(_choose(groups, task)):
        examples = [
            _hide(example, task)
            for source, cases in block
            for example in (source, *(case.followup for case in cases))
        ]
        answers = iter(ask(predict, examples, timeout_s, patience))
        yield from ((group, [next(answers) for _ in range(1 + len(group[1]))]) for group in block)


def _blocks(groups: Iterable[Group]) -> Iterator[list[Group]]:
    block: list[Group] = []
    texts = 0
    for group in groups:
        block.append(group)
        texts += 1 + len(group[1])
        if texts >= _BLOCK:
            yield block
            block, texts = [], 0
    if block:
        yield block


def _choose(groups: Iterable[Group], task: Task) -> Iterator[Group]:
    """Leave out cases that say nothing about a task."""
    for source, cases in groups:
        yield source, [case for case in cases if Part.OPINION in task.parts or _is_alone(source, case.target)]


def _is_alone(source: Example, target: Quad) -> bool:
    return len({quad for quad in source.quads if quad.aspect == target.aspect}) == 1


def _hide(example: Example, task: Task) -> Example:
    """Take from an example what its task does not give."""
    given: Sequence[Quad] = [Quad(quad.aspect) for quad in example.quads if Part.ASPECT in task.given]
    return replace(example, quads=tuple(dict.fromkeys(given)), origin=None)
