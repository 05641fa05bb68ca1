"""Test a model by the relations: ask for sources and follow-ups block by block, and count."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from aspectlab.data import Example, Part, Quad
from aspectlab.metamorphic.answers import Answer, Patience, Predict, ask
from aspectlab.metamorphic.cases import Case, Group
from aspectlab.metamorphic.judging import Failure, is_found, name_failure
from aspectlab.metamorphic.tallies import Findings, Verdict
from aspectlab.tasks import Task

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
    watch: Callable[[Verdict], None] | None = None,
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
                judge(case, Answer(), Answer(), task),
                judge(case, Answer(source.quads), Answer(case.followup.quads), task),
            )
            if watch is not None:
                watch(verdict)
    return findings


def judge(case: Case, before: Answer, after: Answer, task: Task) -> Verdict:
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
    return Verdict(case, before, after, was_found, failure)


def ask_groups(
    groups: Iterable[Group], predict: Predict, task: Task, timeout_s: float
) -> Iterator[tuple[Group, list[Answer]]]:
    """Give each group with the answers for its source and then its follow-ups."""
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
    return replace(example, quads=tuple(dict.fromkeys(given)), source=None, variant=None)
