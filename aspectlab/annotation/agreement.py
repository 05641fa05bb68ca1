"""Agreement: everything that is measured of a panel, with chance and uncertainty beside it.

Coefficients are Cohen's and Fleiss' kappa and Krippendorff's alpha, of words and of segments.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aspectlab.annotation.pairing import (
    COLUMNS,
    Coded,
    Matched,
    PhraseTable,
    Rows,
    Triple,
    Unit,
    code_panel,
    count,
    match,
    score,
    segment_tpa,
)
from aspectlab.annotation.panel import Panel
from aspectlab.annotation.similarity import Similarity, Wording
from aspectlab.data import Example
from aspectlab.errors import ConfigError
from aspectlab.language import word_spans
from aspectlab.metrics import FloatArray, IntArray, TupleF1
from aspectlab.stats import draw_totals
from aspectlab.tasks import TASKS

MISSING = -1
"""The label of what an annotator did not judge."""


def cohen_kappa(one: ArrayLike, other: ArrayLike) -> float | None:
    """Compare two annotators' labels, whole numbers from 0, item by item.

    >>> cohen_kappa([0, 0, 1, 1], [0, 1, 1, 1])    # (3/4 - 1/2) / (1 - 1/2)
    0.5
    """
    a, b = np.asarray(one, np.int64), np.asarray(other, np.int64)
    assert a.shape == b.shape
    if not a.size:
        return None
    n_labels = int(max(a.max(), b.max())) + 1
    shares = (np.bincount(labels, minlength=n_labels) / a.size for labels in (a, b))
    first, second = shares  # [L] both
    return _beyond(float(np.mean(a == b)), float(first @ second))


def fleiss_kappa(labels: ArrayLike) -> float | None:
    """Compare two or more annotators, [annotators, items], who labelled every item.

    >>> fleiss_kappa([[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 1, 1]])
    1.0
    """
    counts = _count_labels(np.asarray(labels, np.int64))  # [items, L]
    if not counts.size:
        return None
    raters = int(counts[0].sum())
    agreeing = (counts * (counts - 1)).sum(1) / (raters * (raters - 1))  # [items]
    shares = counts.sum(0) / counts.sum()  # [L]
    return _beyond(float(agreeing.mean()), float(shares @ shares))


def krippendorff_alpha(labels: ArrayLike) -> float | None:
    """Compare annotators, [annotators, items], on nominal labels; -1 is a missing one.

    >>> krippendorff_alpha([[0, 1, 1, -1], [0, 1, 0, 1]])    # 1 - 2 * 5 / 18, counted by hand
    0.4444444444444444
    """
    counts = _count_labels(np.asarray(labels, np.int64))  # [items, L]
    counts = counts[counts.sum(1) > 1]  # an item with one label has nothing to be compared with
    if not counts.size:
        return None
    raters = counts.sum(1)
    differing = (raters**2 - (counts**2).sum(1)) / (raters - 1)  # [items]
    totals, n = counts.sum(0), int(counts.sum())
    expected = (n**2 - int((totals**2).sum())) / (n - 1)
    return 1 - float(differing.sum()) / expected if expected else None


def mean_cohen_kappa(labels: Sequence[ArrayLike]) -> float | None:
    """Average Cohen's kappa over all pairs of annotators; pairs where it is undefined are left out.

    >>> mean_cohen_kappa([[0, 0, 1, 1], [0, 1, 1, 1]])
    0.5
    """
    pairs = [(one, other) for position, one in enumerate(labels) for other in labels[position + 1 :]]
    found = [value for pair in pairs if (value := cohen_kappa(*pair)) is not None]
    return sum(found) / len(found) if found else None


def _count_labels(labels: IntArray) -> IntArray:
    """Count for every item how many annotators gave it each label, [items, L]."""
    n_labels = int(labels.max(initial=MISSING)) + 1
    counts = np.stack([(labels == label).sum(0) for label in range(n_labels)], axis=1) if n_labels else None
    return np.zeros((0, 0), np.int64) if counts is None else counts


def _beyond(observed: float, expected: float) -> float | None:
    return None if expected >= 1 else (observed - expected) / (1 - expected)


Labels = NDArray[np.int64]
Coefficients = dict[str, float | int | None]


def measure_labels(panel: Panel, coded: list[Coded]) -> dict[str, Coefficients]:
    """Return the coefficients of three kinds of items.

    opinionated   segments: do they hold an opinion?
    sentiment     segments: none, or the sign of the mean polarity
    words         words of the texts: outside, aspect, opinion, or both; terms that are placed only
    """
    opinionated = np.stack([annotator.sizes > 0 for annotator in coded]).astype(np.int64)  # [A, N]
    moods = np.stack([annotator.moods + 2 for annotator in coded])
    kinds = {"opinionated": opinionated, "sentiment": np.where(opinionated > 0, moods, 0)}
    kinds["words"] = label_words(panel)
    return {kind: _coefficients(labels) for kind, labels in kinds.items()}


def label_words(panel: Panel) -> Labels:
    """Label every word of every segment: 0 outside, 1 aspect, 2 opinion, 3 both; [annotators, words]."""
    segments = list(_label_segments(panel))
    return np.concatenate(segments, axis=1) if segments else np.zeros((len(panel.annotators), 0), np.int64)


def _label_segments(panel: Panel) -> Iterator[Labels]:
    for examples in zip(*panel.examples, strict=True):
        if len({example.text for example in examples}) > 1:  # a sheet without texts has no words to label
            continue
        words = np.array(word_spans(examples[0].text), np.int64).reshape(-1, 2)  # [W, 2]
        yield np.stack([_label(example, words) for example in examples])


def _label(example: Example, words: Labels) -> Labels:
    labels = np.zeros(len(words), np.int64)
    for quad in example.quads:
        for bit, term in ((1, quad.aspect), (2, quad.opinion)):
            if term is not None and term.span is not None:
                # a word belongs to a term if they share a character
                labels[(words[:, 1] > term.span.start) & (words[:, 0] < term.span.end)] |= bit
    return labels


def _coefficients(labels: Labels) -> Coefficients:
    return {
        "items": labels.shape[1],
        "observed": float(np.mean(labels.min(0) == labels.max(0))) if labels.size else None,
        "cohen_kappa": mean_cohen_kappa(list(labels)),
        "fleiss_kappa": fleiss_kappa(labels),
        "krippendorff_alpha": krippendorff_alpha(labels),
    }


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
