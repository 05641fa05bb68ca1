"""Score and rank runs as the campaign did, beside its baselines."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import SupportsFloat

import numpy as np

from aspectlab.campaigns.absita.sheet import COLUMNS, ID, Line, RunSheet
from aspectlab.campaigns.absita.submission import check_flags
from aspectlab.campaigns.evaluation import (
    RankedRun,
    RunFinding,
    Severity,
    check_ids,
    check_repeated,
    grade,
    rank,
    refuse_blockers,
)
from aspectlab.data import Corpus, Polarity, Quad
from aspectlab.errors import DataError
from aspectlab.metrics import BoolArray, FloatArray, IntArray, precision_recall_f1
from aspectlab.readers import CATEGORIES
from aspectlab.stats import bootstrap

_ORDER = {
    (category, polarity): rank
    for rank, (category, polarity) in enumerate(
        (category, polarity)
        for category in CATEGORIES
        for polarity in (None, Polarity.POSITIVE, Polarity.NEGATIVE)
    )
}
"""Of equally frequent ones the first column wins, and positive before negative."""


def most_frequent(train: Corpus, task: str, *, with_other: bool = True) -> Quad:
    """Find the most frequent aspect (acd) or pair of aspect and polarity (acp) of a training file.

    >>> from aspectlab.data import Example
    >>> wifi, staff = Quad(category="wifi"), Quad(category="staff")
    >>> examples = Example("1", "", (wifi, staff)), Example("2", "", (wifi,))
    >>> train = Corpus("mine", "it", frozenset(), examples)
    >>> most_frequent(train, "acd").category
    'wifi'
    """
    counts = Counter(label for example in train for label in _labels(example.quads, task))
    if not with_other:
        counts = Counter({label: count for label, count in counts.items() if label[0] != "other"})
    if not counts:
        raise DataError(
            f"corpus {train.name!r}: found no label for {task}: expected annotated sentences; "
            "name the training file"
        )
    category, polarity = min(counts, key=lambda label: (-counts[label], _ORDER[label]))
    return Quad(category=category, polarity=polarity)


def apply_baseline(test: Corpus, quad: Quad) -> Corpus:
    """Return every sentence the same prediction."""
    return test.with_examples(type(example)(example.id, example.text, (quad,)) for example in test)


def _labels(quads: tuple[Quad, ...], task: str) -> set[tuple[str, Polarity | None]]:
    """List the labels of a sentence, each once: a mixed aspect is one aspect and two pairs."""
    if task == "acd":
        return {(quad.category, None) for quad in quads if quad.category in CATEGORIES}
    return {(q.category, q.polarity) for q in quads if q.category in CATEGORIES and q.polarity is not None}


ASPECTS = tuple(category for category in CATEGORIES if category != "other")


@dataclass(frozen=True, eq=False, slots=True)
class RunCounts:
    """The hits, extras and misses of one task: [N, A, 3], for each sentence and category."""

    counts: IntArray
    categories: tuple[str, ...]

    @property
    def micro(self) -> dict[str, float]:
        """Precision, recall and F1 over all sentences, which the ranking goes by."""
        return _name(*precision_recall_f1(self.counts.sum(axis=(0, 1))))

    @property
    def macro(self) -> dict[str, float]:
        """What the organisers' script prints as macro: means over sentences, and their harmonic mean.

        A sentence without predictions adds 0 to the precision, one without gold 0 to the recall.
        """
        by_sentence = self.counts.sum(axis=1)  # [N, 3]
        precision, recall, _ = (float(values.mean()) for values in precision_recall_f1(by_sentence))
        total = precision + recall
        return _name(precision, recall, 2 * precision * recall / total if total else 0.0)

    @property
    def by_category(self) -> dict[str, dict[str, float]]:
        """The same for each category by itself."""
        totals = self.counts.sum(axis=0)  # [A, 3]
        rows = zip(self.categories, totals, strict=True)
        return {name: _name(*precision_recall_f1(total)) for name, total in rows}

    def interval(self, *, rng: np.random.Generator, resamples: int) -> dict[str, tuple[float, float]]:
        """Return the 95 % bootstrap interval over sentences of each micro score."""
        return bootstrap(self.counts.sum(axis=1), score_totals, rng=rng, resamples=resamples)


@dataclass(frozen=True, eq=False, slots=True)
class RunScore:
    """What a run reaches; `acp` is None where the run gives no polarity at all."""

    run: str
    acd: RunCounts
    acp: RunCounts | None
    with_other: bool
    findings: tuple[RunFinding, ...]
    official: bool = False
    missing: int = 0  # sentences of gold that the run does not have, where they are allowed

    @property
    def tallies(self) -> dict[str, RunCounts]:
        """The tasks that were scored, by name."""
        return {"acd": self.acd} if self.acp is None else {"acd": self.acd, "acp": self.acp}


def score_totals(total: IntArray) -> dict[str, FloatArray]:
    """Turn sums of hit, extra and missed [..., 3] into precision, recall and F1."""
    precision, recall, f1 = precision_recall_f1(total)
    return {"precision": precision, "recall": recall, "f1": f1}


def score_run(
    gold: RunSheet,
    run: RunSheet,
    *,
    with_other: bool = True,
    official: bool = False,
    allow_missing: bool = False,
) -> RunScore:
    """Score a run, or refuse it with the lines that make a score doubtful.

    `official` takes what the organisers' script takes: of rows with one id the last, and a blank presence as
    0. `allow_missing` counts an absent sentence as one without predictions.
    """
    lines = _check_gold(gold)
    findings = _check_run(gold, run, official=official, allow_missing=allow_missing)
    refuse_blockers(str(run.path), findings, campaign="absita")
    found = {line.id: line for line in run.lines}  # the last row of an id stands
    wanted = _flags(lines, with_other)  # [N, A, 3]
    given = _flags([found.get(line.id) for line in lines], with_other)  # [N, A, 3]
    categories = CATEGORIES if with_other else ASPECTS
    acd = RunCounts(_count(wanted[:, :, :1], given[:, :, :1]), categories)
    acp = RunCounts(_count(wanted[:, :, 1:], given[:, :, 1:]), categories) if run.has_polarity else None
    missing = sum(line.id not in found for line in lines)
    return RunScore(run.path.stem, acd, acp, with_other, findings, official, missing)


def _check_gold(gold: RunSheet) -> tuple[Line, ...]:
    """Refuse gold that is not sound: blank flags, a polarity without presence, repeated ids, no rows."""
    findings = [*gold.findings, *check_repeated(gold.lines, key=ID)]
    wrong = [finding for line in gold.lines for finding in check_flags(line, with_polarity=True)]
    findings += grade(wrong, at_least=Severity.ERROR, as_=Severity.BLOCKER)
    if not gold.lines and not findings:
        found, remedy = "no rows below the header", "check the path"
        findings.append(RunFinding(Severity.BLOCKER, None, found, "the gold of the test file", remedy))
    refuse_blockers(str(gold.path), findings, campaign="absita")
    return gold.lines


def _check_run(
    gold: RunSheet, run: RunSheet, *, official: bool, allow_missing: bool
) -> tuple[RunFinding, ...]:
    doubts, ids = list(check_repeated(run.lines, key=ID)), list(check_ids(gold.lines, run.lines, key=ID))
    for line in run.lines:
        doubts += check_flags(line, with_polarity=run.has_polarity)
    if official:
        doubts = grade(doubts, at_least=Severity.BLOCKER, as_=Severity.WARNING)
    if allow_missing:
        ids = grade(ids, at_least=Severity.BLOCKER, as_=Severity.WARNING)
    return (*run.findings, *doubts, *ids)


def _flags(lines: list[Line | None] | tuple[Line, ...], with_other: bool) -> BoolArray:
    """Stack the flags of the lines [N, A, 3]; an absent line has none set."""
    blank = ("",) * len(COLUMNS)
    cells = [[flag == "1" for flag in (line.flags if line else blank)] for line in lines]
    flags = np.array(cells, dtype=np.bool_).reshape(len(cells), len(CATEGORIES), 3)
    return flags if with_other else flags[:, : len(ASPECTS)]


def _count(wanted: BoolArray, given: BoolArray) -> IntArray:
    """Count hits, extras and misses [N, A, 3] of flags [N, A, L]."""
    cells = (wanted & given, given & ~wanted, wanted & ~given)
    return np.stack([cell.sum(axis=2, dtype=np.int64) for cell in cells], axis=2)


def _name(precision: SupportsFloat, recall: SupportsFloat, f1: SupportsFloat) -> dict[str, float]:
    return {"precision": float(precision), "recall": float(recall), "f1": float(f1)}


def rank_runs(
    scores: Sequence[RunScore], task: str, *, seed: int = 0, resamples: int = 10_000
) -> list[RankedRun]:
    """Rank the runs that were scored for a task; those without polarity are left out of acp."""
    tallies = [(score.run, score.tallies[task]) for score in scores if task in score.tallies]
    if not tallies:
        raise DataError(f"found no run with polarities: expected at least one for {task}; rank acd instead")
    entries = [(run, tally.counts.sum(axis=1)) for run, tally in tallies]  # [N, 3] each
    return rank(entries, score_totals, "f1", seed=seed, resamples=resamples)
