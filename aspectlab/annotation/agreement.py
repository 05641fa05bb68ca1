"""Agreement: everything that is measured of a panel, with chance and uncertainty beside it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations

import numpy as np

from aspectlab.annotation.coding import Coded, PhraseTable, Rows, Triple, Unit, code_panel
from aspectlab.annotation.coefficients import Coefficients, measure_labels
from aspectlab.annotation.pairing import COLUMNS, Matched, count, match, score, segment_tpa
from aspectlab.annotation.panel import Panel
from aspectlab.annotation.similarity import Similarity, Wording
from aspectlab.errors import ConfigError
from aspectlab.metrics import FloatArray, IntArray, TupleF1
from aspectlab.stats import draw_totals
from aspectlab.tasks import TASKS

Scores = dict[str, float]
Intervals = dict[str, tuple[float, float]]

_EXACT_TASKS = ("ate", "ote", "aste")


@dataclass(frozen=True, slots=True)
class AgreementPlan:
    """How agreement is measured; `share` is the part of a segment's triples that SGA asks for."""

    thresholds: tuple[float, ...] = (0.6, 0.65, 0.7)
    share: float = 0.6
    permutations: int = 3
    resamples: int = 1_000
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.thresholds:
            raise ConfigError("thresholds: found none: expected at least one, such as 0.6")
        for name, value in [*(("threshold", value) for value in self.thresholds), ("share", self.share)]:
            if not 0 < value <= 1:
                raise ConfigError(f"{name} = {value!r}: expected a number above 0 and up to 1, such as 0.6")
        for name, number in (("permutations", self.permutations), ("resamples", self.resamples)):
            if number < 0:
                raise ConfigError(f"{name} = {number!r}: expected 0 or more; 0 leaves them out")


@dataclass(frozen=True, slots=True)
class Level:
    """The scores at one threshold, their intervals, and what segments paired at random give.

    A score that is undefined is not a number, and has no interval.
    """

    threshold: float
    scores: Scores
    mean_segment_tpa: float
    matched: int
    intervals: Intervals
    chance: Scores | None


@dataclass(frozen=True, slots=True)
class Worst:
    """A segment on which the annotators agree least, with what each of them found."""

    segment: str
    tpa: float
    triples: tuple[tuple[Triple, ...], ...]


@dataclass(frozen=True, slots=True)
class Agreement:
    """What was found; counts of several annotators are summed over their pairs."""

    annotators: tuple[str, ...]
    segments: int
    triples: tuple[int, ...]
    levels: tuple[Level, ...]
    between: dict[str, Scores]
    exact: dict[str, Scores]
    labels: dict[str, Coefficients]
    worst: tuple[Worst, ...]


def measure_agreement(
    panel: Panel, similarity: Similarity, wording: Wording, plan: AgreementPlan | None = None
) -> Agreement:
    """Compare every two annotators segment by segment.

    >>> from pathlib import Path
    >>> from aspectlab.annotation import load_similarity, read_panel
    >>> panel = read_panel([Path("examples/sample_test.jsonl"), Path("examples/predictions.jsonl")])
    >>> found = measure_agreement(panel, load_similarity("letters"), Wording(lemmas=False))
    >>> found.segments, [level.threshold for level in found.levels]
    (24, [0.6, 0.65, 0.7])
    """
    plan = plan or AgreementPlan()
    table, coded = code_panel(panel, wording, similarity.embed)
    couples = list(combinations(range(len(coded)), 2))
    matched = [match(table, coded[a], coded[b]) for a, b in couples]
    chance = list(_match_at_random(table, coded, plan))
    names = [" – ".join(panel.annotators[position] for position in couple) for couple in couples]
    least = plan.thresholds[0]
    between = {
        name: _score(count(found, least, plan.share).sum(0))
        for name, found in zip(names, matched, strict=True)
    }
    return Agreement(
        annotators=panel.annotators,
        segments=panel.segments,
        triples=tuple(int(annotator.sizes.sum()) for annotator in coded),
        levels=tuple(_measure_level(matched, chance, threshold, plan) for threshold in plan.thresholds),
        between=between,
        exact=_measure_exact(panel, plan),
        labels=measure_labels(panel, coded),
        worst=tuple(_rank_segments(panel, coded, matched, least)),
    )


def _measure_level(
    matched: Sequence[Matched], chance: Sequence[Matched], threshold: float, plan: AgreementPlan
) -> Level:
    counts = sum_counts([count(found, threshold, plan.share) for found in matched])  # [N, K]
    random = [count(found, threshold, plan.share).sum(0) for found in chance]
    return Level(
        threshold=threshold,
        scores=_score(counts.sum(0)),
        mean_segment_tpa=float(np.mean([segment_tpa(found, threshold) for found in matched])),
        matched=int(counts[:, COLUMNS.index(Unit.PAIR)].sum()),
        intervals=_find_intervals(counts, score, plan),
        chance=_score(sum_counts(random)) if random else None,
    )


def sum_counts(counts: Sequence[IntArray]) -> IntArray:
    """Add up the counts of several pairs of annotators, shape by shape.

    >>> sum_counts([np.array([1, 2]), np.array([3, 4])]).tolist()
    [4, 6]
    """
    total: IntArray = np.sum(np.stack(counts), axis=0)
    return total


def _match_at_random(table: PhraseTable, coded: Sequence[Coded], plan: AgreementPlan) -> Iterator[Matched]:
    """Match segments of one with other segments of another: never a segment with itself."""
    n = len(coded[0].triples)
    if n < 2:
        return
    rng = np.random.default_rng(plan.seed)
    for _ in range(plan.permutations):
        for one, other in combinations(coded, 2):
            yield match(table, one, other, draw_derangement(n, rng))


def draw_derangement(n: int, rng: np.random.Generator) -> Rows:
    """Return another index for each: each takes the next in a ring of random order.

    >>> bool((draw_derangement(5, np.random.default_rng(0)) == np.arange(5)).any())
    False
    """
    ring = rng.permutation(n)
    order = np.empty(n, np.intp)
    order[ring] = np.roll(ring, -1)
    return order


def _measure_exact(panel: Panel, plan: AgreementPlan) -> dict[str, Scores]:
    """Return F1 of exact terms, offsets and polarities, without any post-processing, summed over pairs."""
    found: dict[str, Scores] = {}
    for name in _EXACT_TASKS:
        if not TASKS[name].parts <= panel.annotates:
            continue
        # neither side is gold: what does not stand in the text counts on both
        metric = TupleF1(TASKS[name].for_predictions)
        counts = sum_counts(
            [
                np.array([metric.count(a.quads, b.quads) for a, b in zip(one, other, strict=True)])
                for one, other in combinations(panel.examples, 2)
            ]
        )
        if not counts.any():  # nobody has named anything, so there is nothing to agree on
            continue
        f1 = partial(_find_f1, metric)
        found[name] = {"f1": float(f1(counts.sum(0))["f1"])}
        for low, high in _find_intervals(counts, f1, plan).values():
            found[name] |= {"low": low, "high": high}
    return found


def _find_f1(metric: TupleF1, total: IntArray) -> dict[str, FloatArray]:
    """Return F1, and no number where neither side has named anything."""
    return {"f1": np.where(total.any(axis=-1), metric.score(total)["f1"], np.nan)}


def _find_intervals(
    counts: IntArray, score: Callable[[IntArray], dict[str, FloatArray]], plan: AgreementPlan
) -> Intervals:
    """Return the bootstrap interval of every score; a resample where one is undefined says nothing of it."""
    if not plan.resamples:
        return {}
    totals = draw_totals(counts, np.random.default_rng(plan.seed), plan.resamples)
    whole, found = score(counts.sum(0)), Intervals()
    for name, values in score(totals).items():
        if np.isfinite(whole[name]):
            low, high = np.quantile(values[np.isfinite(values)], [0.025, 0.975])
            found[name] = float(low), float(high)
    return found


def _rank_segments(
    panel: Panel, coded: Sequence[Coded], matched: Sequence[Matched], threshold: float
) -> Iterator[Worst]:
    """List segments from the least agreement on; of equal ones those with more triples come first."""
    tpa = np.mean([segment_tpa(found, threshold) for found in matched], axis=0)  # [N]
    sizes = sum(annotator.sizes for annotator in coded)  # [N]
    for position in np.lexsort((-np.asarray(sizes), tpa)).tolist():
        if tpa[position] < 1:
            triples = tuple(annotator.triples[position] for annotator in coded)
            yield Worst(panel.examples[0][position].id, float(tpa[position]), triples)


def _score(total: IntArray) -> Scores:
    return {name: float(value) for name, value in score(total).items()}
