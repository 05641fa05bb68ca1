"""Evaluation: what every campaign looks at in a submission, how bad a finding is, and how runs rank."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Protocol

import numpy as np

from aspectlab.errors import DataError
from aspectlab.metrics import FloatArray, IntArray
from aspectlab.stats import approximate_randomisation, bootstrap, holm

_SHOWN = 5
"""How many findings, or ids in one of them, a message shows."""


class Severity(IntEnum):
    """How bad a finding is: worth a look, against the rules, or no score can be trusted."""

    WARNING = 0
    ERROR = 1
    BLOCKER = 2


@dataclass(frozen=True, slots=True)
class RunFinding:
    """One thing that is wrong with a file; `line` is None where it concerns more than one line.

    >>> print(RunFinding(Severity.ERROR, 3, "'2' in staff_presence", "0 or 1", "correct the cell"))
    line 3: found '2' in staff_presence: expected 0 or 1; correct the cell
    """

    severity: Severity
    line: int | None
    found: str
    expected: str
    remedy: str
    position: str = "whole file"

    def __str__(self) -> str:
        position = self.position if self.line is None else f"line {self.line}"
        return f"{position}: found {self.found}: expected {self.expected}; {self.remedy}"


def grade(findings: Iterable[RunFinding], *, at_least: Severity, as_: Severity) -> list[RunFinding]:
    """Return findings that are as bad as `at_least` another severity, and leave the others."""
    return [replace(found, severity=as_) if found.severity >= at_least else found for found in findings]


def refuse_blockers(path: str, findings: Iterable[RunFinding], *, campaign: str, use: str = "scored") -> None:
    """Raise one error that names every reason (up to five) why a file cannot be put to its use."""
    blockers = [finding for finding in findings if finding.severity is Severity.BLOCKER]
    if not blockers:
        return
    shown = "\n".join(f"  {finding}" for finding in blockers[:_SHOWN])
    rest = len(blockers) - _SHOWN
    more = f"\n  and {rest} more; `aspectlab {campaign} validate` lists all of them" if rest > 0 else ""
    raise DataError(f"{path}: cannot be {use}:\n{shown}{more}")


def show_names(names: Sequence[str]) -> str:
    """List some names, the first few of many.

    >>> show_names(["1", "2"])
    "'1', '2'"
    """
    return ", ".join(f"{name!r:.40}" for name in names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")


class Row(Protocol):
    """A row of a submission or of its gold, in whatever format."""

    @property
    def number(self) -> int:
        """The number of its line."""

    @property
    def id(self) -> str:
        """The id of its text."""

    @property
    def text(self) -> str:
        """The text; empty where the row does not repeat it."""


def check_repeated(rows: Iterable[Row], *, key: str) -> Iterator[RunFinding]:
    """Find ids that stand in more than one row; `key` is what the format calls an id."""
    seen: set[str] = set()
    for row in rows:
        if row.id and row.id in seen:
            found = f"the {key} {row.id!r:.40} again"
            yield RunFinding(Severity.BLOCKER, row.number, found, "every id once", "remove one of the rows")
        seen.add(row.id)


def check_ids(
    gold: Iterable[Row], run: Iterable[Row], *, key: str, surplus: str = "remove the row: it is passed over"
) -> Iterator[RunFinding]:
    """Compare the ids of a run with those of the test file; `surplus` says what to do about one too many."""
    wanted, found = ({row.id: row.number for row in rows} for rows in (gold, run))
    if missing := [name for name in wanted if name not in found]:
        shown = f"{len(missing)} {key}(s) missing ({show_names(missing)})"
        remedy = f"add a row for each, also if it has no aspect; the first is line {wanted[missing[0]]} there"
        yield RunFinding(Severity.BLOCKER, None, shown, "every id of the test file", remedy)
    for name, number in found.items():
        if name and name not in wanted:
            shown = f"the {key} {name!r:.40}"
            yield RunFinding(Severity.ERROR, number, shown, "an id of the test file", surplus)


def check_texts(gold: Iterable[Row], run: Iterable[Row]) -> Iterator[RunFinding]:
    """Compare the texts of a run, where it has any, with those of the test file."""
    texts = {row.id: row.text for row in gold}
    for row in run:
        if row.text and texts.get(row.id, row.text) != row.text:
            found, remedy = f"another text for {row.id!r:.40}", "check that ids and rows belong together"
            yield RunFinding(Severity.WARNING, row.number, found, "that of the test file, or none", remedy)


def refuse_unread(path: str, rows: Sequence[Row], findings: Iterable[RunFinding], target: str) -> None:
    """Refuse to write a run again of which rows could not be read: they would be missing from the copy."""
    blocked = {found.line for found in findings if found.severity is Severity.BLOCKER and found.line}
    if unread := sorted(blocked.difference(row.number for row in rows)):
        shown = ", ".join(map(str, unread[:_SHOWN])) + (", …" if len(unread) > _SHOWN else "")
        found = f"{path}: found rows that cannot be read at line {shown}: expected all of them"
        raise DataError(f"{found}; correct these first: they would be missing from {target}")


Score = Callable[[IntArray], dict[str, FloatArray]]
"""Turns summed counts [..., K] into scores of shape [...]."""


@dataclass(frozen=True, slots=True)
class RankedRun:
    """A run's place; equal scores share a place. `p` compares with the first, Holm-adjusted; None for itself.

    `interval` is that of the score that decides.
    """

    place: int
    run: str
    scores: Mapping[str, float]
    interval: tuple[float, float]
    p: float | None

    def to_dict(self) -> dict[str, object]:
        """Return the JSON object: the scores stand beside the run.

        >>> RankedRun(1, "mine", {"f1": 0.5}, (0.25, 0.75), None).to_dict()
        {'place': 1, 'run': 'mine', 'f1': 0.5, 'interval': (0.25, 0.75), 'p': None}
        """
        said = {"place": self.place, "run": self.run}
        return {**said, **self.scores, "interval": self.interval, "p": self.p}


def rank(
    entries: Sequence[tuple[str, IntArray]],
    score: Score,
    by: str,
    *,
    ascending: bool = False,
    seed: int = 0,
    resamples: int = 10_000,
) -> list[RankedRun]:
    """Rank runs by their counts [N, K] on the same texts; `ascending` puts the least score first.

    >>> def accuracy(total):
    ...     return {"accuracy": total[..., 0] / total[..., 1]}
    >>> half, all_right = np.array([[1, 1], [0, 1]]), np.array([[1, 1], [1, 1]])
    >>> [each.run for each in rank([("half", half), ("all", all_right)], accuracy, "accuracy", resamples=9)]
    ['all', 'half']
    """
    sign = 1 if ascending else -1
    scored = [(run, counts, evaluate_total(counts, score)) for run, counts in entries]
    scored.sort(key=lambda entry: sign * entry[2][by])
    chances = [_compare(scored[0][1], counts, score, by, seed, resamples) for _, counts, _ in scored[1:]]
    adjusted: list[float | None] = [None, *map(float, holm(chances))]
    values = [sign * scores[by] for _, _, scores in scored]
    return [
        RankedRun(
            place=1 + sum(value < sign * scores[by] for value in values),
            run=run,
            scores=scores,
            interval=find_intervals(counts, score, seed=seed, resamples=resamples)[by],
            p=p,
        )
        for (run, counts, scores), p in zip(scored, adjusted, strict=True)
    ]


def evaluate_total(counts: IntArray, score: Score) -> dict[str, float]:
    """Score the sum of counts [N, K]."""
    return {name: float(value) for name, value in score(counts.sum(axis=0)).items()}


def find_intervals(
    counts: IntArray, score: Score, *, seed: int, resamples: int
) -> dict[str, tuple[float, float]]:
    """Return the 95 % bootstrap confidence interval over texts of every score; none without resamples."""
    if not resamples:
        return {}
    return bootstrap(counts, score, rng=np.random.default_rng(seed), resamples=resamples)


def _compare(first: IntArray, other: IntArray, score: Score, by: str, seed: int, resamples: int) -> float:
    rng = np.random.default_rng(seed)
    return approximate_randomisation(first, other, score, rng=rng, resamples=resamples)[by]
