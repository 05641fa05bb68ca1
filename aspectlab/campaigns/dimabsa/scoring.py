"""Score and rank runs as the organisers' script does, and put them beside the campaign's public board."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np

from aspectlab.campaigns.dimabsa.runfile import CAMPAIGN, RunFile, RunLine, validate
from aspectlab.campaigns.evaluation import (
    RankedRun,
    RunFinding,
    evaluate_total,
    find_intervals,
    rank,
    refuse_blockers,
)
from aspectlab.data import Quad
from aspectlab.errors import ConfigError
from aspectlab.metrics import ContinuousF1, IntArray, Metric, ValenceArousal
from aspectlab.tasks import TASKS


@cache
def find_metric(subtask: int) -> Metric:
    """Return what a subtask is judged by: values of given aspects, triplets, or quads."""
    if subtask == 1:
        return ValenceArousal(TASKS["atsc"])
    return ContinuousF1(TASKS["aste-all" if subtask == 2 else "asqp"])


@dataclass(frozen=True, eq=False, slots=True)
class DimabsaScore:
    """What a run reaches; `counts` are those of the metric of its subtask, for each id of gold or run."""

    run: str
    subtask: int
    ids: tuple[str, ...]
    counts: IntArray  # [N, K]
    findings: tuple[RunFinding, ...]

    @property
    def metric(self) -> Metric:
        """What the subtask is judged by."""
        return find_metric(self.subtask)

    @property
    def headline(self) -> str:
        """The score that ranks: continuous F1, or the error of subtask 1, of which less is better."""
        return "rmse" if self.subtask == 1 else self.metric.headline

    @property
    def scores(self) -> dict[str, float]:
        """Every score of the metric, pooled over all ids."""
        return evaluate_total(self.counts, self.metric.score)

    @property
    def sizes(self) -> dict[str, int]:
        """How many aspects were compared, or how many tuples were hit, predicted and in gold."""
        total = self.counts.sum(axis=0)
        if self.subtask == 1:
            return {"aspects": int(total[0])}
        hit, extra, missed = (int(count) for count in total[1:])
        return {"hits": hit, "predicted": hit + extra, "gold": hit + missed}

    def intervals(self, *, seed: int, resamples: int) -> dict[str, tuple[float, float]]:
        """Return the 95 % bootstrap confidence interval over texts of every score."""
        return find_intervals(self.counts, self.metric.score, seed=seed, resamples=resamples)


def score_run(gold: RunFile, run: RunFile) -> DimabsaScore:
    """Score a run, or refuse it with the lines that would end the organisers' script, or make it doubtful."""
    findings = validate(run, gold)
    refuse_blockers(str(run.path), findings, campaign=CAMPAIGN)
    wanted, found = ({line.id: line for line in file.lines} for file in (gold, run))
    # what is predicted for an id that gold does not have is wrong; in subtask 1 there is nothing to compare
    names = wanted if run.subtask == 1 else wanted | found
    metric = find_metric(run.subtask)
    counts = [metric.count(_quads(wanted.get(name)), _quads(found.get(name))) for name in names]
    return DimabsaScore(run.path.stem, run.subtask, tuple(names), np.stack(counts), findings)


def _quads(line: RunLine | None) -> list[Quad]:
    return [] if line is None else [each.quad for each in line.tuples]


def rank_runs(scores: Sequence[DimabsaScore], *, seed: int = 0, resamples: int = 10_000) -> list[RankedRun]:
    """Rank runs of one subtask on the same gold: by continuous F1, in subtask 1 by the least error."""
    first = scores[0]
    names = list(dict.fromkeys(name for score in scores for name in score.ids))
    return rank(
        [(score.run, _align(score, names)) for score in scores],
        first.metric.score,
        first.headline,
        ascending=first.headline in first.metric.errors,
        seed=seed,
        resamples=resamples,
    )


def _align(score: DimabsaScore, names: Sequence[str]) -> IntArray:
    """Return the counts [N, K] of these ids; the run says nothing of one that only others have."""
    rows = dict(zip(score.ids, score.counts, strict=True))
    nothing = np.zeros(score.counts.shape[1], dtype=np.int64)
    return np.stack([rows.get(name, nothing) for name in names])


@dataclass(frozen=True, slots=True)
class BoardRow:
    """One team on the public board: its place and its continuous F1 on the test file."""

    place: int
    team: str
    cf1: float


@cache
def _boards() -> dict[tuple[int, str], tuple[BoardRow, ...]]:
    table = files("aspectlab.campaigns.dimabsa").joinpath("board.tsv").read_text(encoding="utf-8")
    boards: dict[tuple[int, str], list[BoardRow]] = {}
    for row in csv.DictReader(table.splitlines(), delimiter="\t"):
        key = int(row["subtask"]), row["board"]
        boards.setdefault(key, []).append(BoardRow(int(row["place"]), row["team"], float(row["cf1"])))
    return {key: tuple(rows) for key, rows in boards.items()}


def list_boards(subtask: int) -> list[str]:
    """Name the test files of a subtask that have a board; subtask 1 has none.

    >>> list_boards(1), "eng_laptop" in list_boards(2)
    ([], True)
    """
    return sorted(name for own, name in _boards() if own == subtask)


def read_board(subtask: int, name: str) -> tuple[BoardRow, ...]:
    """Return the public board of a test file, best first.

    >>> read_board(2, "eng_restaurant")[0].cf1
    0.7021
    """
    if (subtask, name) not in _boards():
        known = ", ".join(list_boards(subtask)) or "no board"
        raise ConfigError(f"board {name!r} of subtask {subtask}: expected one of {known}; choose one of them")
    return _boards()[subtask, name]
