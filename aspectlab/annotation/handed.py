"""Handed: what annotators handed in with the file of an annotation tool, one corpus each.

Nothing is merged or mended: what is wrong is a finding, and is left out only on request.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from aspectlab.annotation.findings import Fault, Finding, count_faults
from aspectlab.data import Corpus, Example, Provenance, annotated_parts
from aspectlab.data.statistics.counting import is_empty
from aspectlab.errors import ConfigError, DataError
from aspectlab.readers import Source, doccano, labelstudio, sniff
from aspectlab.readers.answers import TRIPLET, Answer, State
from aspectlab.readers.faults import FaultError
from aspectlab.readers.source import Description
from aspectlab.registry import suggest

TOOLS = {"label-studio": labelstudio, "doccano": doccano}
"""The formats that annotation tools hand back."""


@dataclass(frozen=True, slots=True)
class Handed:
    """One corpus per annotator, by name, and what was left out.

    `unmarked` counts the segments of each annotator where nothing was marked, not even that nothing is there.
    """

    corpora: Mapping[str, Corpus]
    unmarked: Mapping[str, int]
    left_out: Mapping[State, int]
    findings: tuple[Finding, ...]


def read_handed(
    path: Path, *, format: str | None = None, annotator: str | None = None, skip_bad: bool = False
) -> Handed:
    """Read the export of an annotation tool; `annotator` takes one of them, or names that of a doccano file.

    Without `skip_bad` any finding is refused, with all of them counted.
    """
    source = Source(path)
    chosen = format or sniff(source)
    if chosen not in TOOLS:
        raise ConfigError(f"{path}: format {chosen!r} is of no annotation tool: {suggest(chosen, TOOLS)}")
    answers = _choose(path, list(TOOLS[chosen].read_answers(source)), annotator)
    done: dict[str, list[Answer]] = defaultdict(list)
    for answer in answers:
        if answer.state is State.ANNOTATED:
            done[answer.annotator].append(answer)
    findings = [finding for name, group in done.items() for finding in _find_faults(path, name, group)]
    if findings and not skip_bad:
        raise DataError(_refuse(path, findings))
    kept = {name: list(_keep(group)) for name, group in done.items()}
    return Handed(
        corpora={name: _make_corpus(source, chosen, name, group) for name, group in kept.items()},
        unmarked={name: sum(map(_is_unmarked, group)) for name, group in kept.items()},
        left_out=Counter(answer.state for answer in answers if answer.state is not State.ANNOTATED),
        findings=tuple(findings),
    )


def _choose(path: Path, answers: list[Answer], annotator: str | None) -> list[Answer]:
    """Give the answers of one annotator; a file of a tool that does not say who it was takes the name."""
    names = list(dict.fromkeys(answer.annotator for answer in answers if answer.state is State.ANNOTATED))
    if names == [""]:
        return [replace(answer, annotator=annotator or path.stem) for answer in answers]
    if annotator is None:
        return answers
    if annotator not in names:
        raise ConfigError(f"{path}: annotator {annotator!r} has no annotation: {suggest(annotator, names)}")
    return [answer for answer in answers if answer.annotator in ("", annotator)]


def _find_faults(path: Path, annotator: str, answers: Iterable[Answer]) -> Iterator[Finding]:
    by_segment: dict[str, list[Answer]] = defaultdict(list)
    for answer in answers:
        by_segment[answer.segment].append(answer)
    for segment, given in by_segment.items():
        where = f"{path.name}, {given[0].where}, annotator {annotator}"
        if len(given) > 1:
            places = ", ".join(answer.where for answer in given)
            yield Finding(Fault.TWICE, segment, f"{where}: {len(given)} annotations ({places})")
        elif isinstance(given[0].outcome, FaultError):
            yield Finding(given[0].outcome.fault, segment, f"{where}: {given[0].outcome}")


def _keep(answers: list[Answer]) -> Iterator[Answer]:
    """Give the answers without a fault; of two to one segment neither is better, so both go."""
    counts = Counter(answer.segment for answer in answers)
    for answer in answers:
        if counts[answer.segment] == 1 and isinstance(answer.outcome, Example):
            yield answer


def _refuse(path: Path, findings: list[Finding]) -> str:
    counted = ", ".join(f"{count} {fault}" for fault, count in count_faults(findings).items())
    return (
        f"{path}: {len(findings)} finding(s): {counted}; first: {findings[0]}: expected none; mend them in "
        "the tool, or leave them out with --skip-bad"
    )


def _is_unmarked(answer: Answer) -> bool:
    quads = answer.outcome.quads if isinstance(answer.outcome, Example) else ()
    return not answer.is_marked_empty and all(is_empty(quad, TRIPLET) for quad in quads)


def _make_corpus(source: Source, format: str, annotator: str, answers: Iterable[Answer]) -> Corpus:
    examples = tuple(answer.outcome for answer in answers if isinstance(answer.outcome, Example))
    said = source.description or Description(source.path.stem, "und", TRIPLET)
    return Corpus(
        name=f"{said.name}-{annotator}",
        language=said.language,
        annotates=said.annotates | annotated_parts(examples),
        examples=examples,
        provenance=Provenance(str(source.path), format, source.sha256),
    )
