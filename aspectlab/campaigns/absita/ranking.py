"""Rank runs by micro-F1, with their intervals and the chance that a difference from the first is none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from aspectlab.campaigns.absita.scoring import RunScore, Tally, score_totals
from aspectlab.errors import DataError
from aspectlab.stats import approximate_randomisation, holm


@dataclass(frozen=True, slots=True)
class Standing:
    """A run's place; equal F1 shares a place. `p` compares with the first, Holm-adjusted; None for itself."""

    place: int
    run: str
    precision: float
    recall: float
    f1: float
    interval: tuple[float, float]
    p: float | None


def rank_runs(
    scores: Sequence[RunScore], task: str, *, seed: int = 0, resamples: int = 10_000
) -> list[Standing]:
    """Rank the runs that were scored for a task; those without polarity are left out of acp."""
    entries = [(score.run, score.tallies[task]) for score in scores if task in score.tallies]
    if not entries:
        raise DataError(f"found no run with polarities: expected at least one for {task}; rank acd instead")
    entries.sort(key=lambda entry: -entry[1].micro["f1"])
    adjusted = holm([_compare(entries[0][1], tally, seed, resamples) for _, tally in entries[1:]])
    chances = [None, *map(float, adjusted)]
    values = [tally.micro["f1"] for _, tally in entries]
    standings = []
    for (run, tally), p in zip(entries, chances, strict=True):
        rng = np.random.default_rng(seed)
        interval = tally.interval(rng=rng, resamples=resamples)["f1"]
        place = 1 + sum(value > tally.micro["f1"] for value in values)
        standings.append(Standing(place, run, **tally.micro, interval=interval, p=p))
    return standings


def _compare(first: Tally, other: Tally, seed: int, resamples: int) -> float:
    a, b = (tally.counts.sum(axis=1) for tally in (first, other))  # [N, 3] each
    rng = np.random.default_rng(seed)
    return approximate_randomisation(a, b, score_totals, rng=rng, resamples=resamples)["f1"]
