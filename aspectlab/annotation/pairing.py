"""Pairing: the best match between the triples of two annotators, and the counts that are scored.

Annotations are coded as rows of one table of vectors, so that comparing segments is arithmetic.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aspectlab.annotation.panel import Panel
from aspectlab.annotation.similarity import Embed, Float32Array, Wording
from aspectlab.data import Example, Part, Polarity, Term
from aspectlab.data.statistics import is_empty
from aspectlab.metrics import FloatArray, IntArray, assign, ratio

Rows = NDArray[np.intp]


class Triple(NamedTuple):
    """One opinion after post-processing; an implicit term is an empty string."""

    aspect: str
    opinion: str
    polarity: str


class Unit(StrEnum):
    """What is compared of a triple."""

    ASPECT = "aspect"
    OPINION = "opinion"
    PAIR = "pair"
    TRIPLE = "triple"

    def spell(self, triple: Triple) -> str:
        """Return the string that stands for this unit.

        >>> Unit.PAIR.spell(Triple("seat", "soft", "positive"))
        'seat soft'
        """
        parts = {Unit.ASPECT: triple[:1], Unit.OPINION: triple[1:2], Unit.PAIR: triple[:2]}
        return " ".join(part for part in parts.get(self, triple) if part)


@dataclass(frozen=True, slots=True)
class Coded:
    """The segments of one annotator as rows of the table; `groups` is one string per class and segment."""

    triples: list[tuple[Triple, ...]]
    units: dict[Unit, list[Rows]]
    groups: dict[Unit, Rows]
    moods: NDArray[np.int64]

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many triples each segment has, [N]."""
        return np.array([len(triples) for triples in self.triples], np.int64)


@dataclass(frozen=True, slots=True)
class PhraseTable:
    """One vector of length 1 (or 0) per string, [U, D]."""

    vectors: Float32Array

    def compare(self, one: Rows, other: Rows) -> Float32Array:
        """Return the cosines [A, B]; equal strings are alike, whether the vectors know them or not."""
        cosines = self.vectors[one] @ self.vectors[other].T
        cosines[one[:, None] == other[None, :]] = 1
        return cosines

    def compare_each(self, one: Rows, other: Rows) -> Float32Array:
        """Return the cosine of each row of one side with that of the other, [N]."""
        cosines: Float32Array = (self.vectors[one] * self.vectors[other]).sum(1)
        cosines[one == other] = 1
        return cosines


def code_panel(panel: Panel, wording: Wording, embed: Embed) -> tuple[PhraseTable, list[Coded]]:
    """Post-process all annotations and embed every different string once."""
    rows: dict[str, int] = {}
    normalise = cache(wording.normalise)

    def reduce(example: Example) -> tuple[Triple, ...]:
        quads = (quad for quad in example.quads if not is_empty(quad, panel.annotates | {Part.POLARITY}))
        found = (
            Triple(_word(quad.aspect), _word(quad.opinion), quad.polarity.value if quad.polarity else "")
            for quad in quads
        )
        return tuple(dict.fromkeys(found))

    def _word(term: Term | None) -> str:
        return "" if term is None else normalise(term.text)

    coded = [code_triples([reduce(example) for example in examples], rows) for examples in panel.examples]
    return build_table(list(rows), embed), coded


def code_triples(segments: Sequence[tuple[Triple, ...]], rows: dict[str, int]) -> Coded:
    """Number the strings of one annotator; `rows` is shared by all and grows."""

    def number(texts: Iterable[str]) -> Rows:
        return np.array([rows.setdefault(text, len(rows)) for text in texts], np.intp)

    units = {
        unit: [number(unit.spell(triple) for triple in triples) for triples in segments] for unit in Unit
    }
    groups = {
        unit: number(_join(unit, triples) for triples in segments) for unit in (Unit.ASPECT, Unit.OPINION)
    }
    return Coded(
        list(segments), units, groups, np.array([find_mood(triples) for triples in segments], np.int64)
    )


def build_table(texts: Sequence[str], embed: Embed) -> PhraseTable:
    """Embed the strings; an empty one has the vector 0, whatever the model says."""
    vectors = np.asarray(embed(texts), np.float32).copy()  # [U, D]
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    vectors[[not text for text in texts]] = 0
    return PhraseTable(vectors)


def find_mood(triples: Sequence[Triple]) -> int:
    """Return the sign of a segment's mean polarity, after rounding half away from 0.

    >>> find_mood([Triple("", "", "positive"), Triple("", "", "neutral")]), find_mood([])
    (1, 0)
    """
    values = {Polarity.POSITIVE.value: 1, Polarity.NEGATIVE.value: -1}
    total = sum(values.get(triple.polarity, 0) for triple in triples)
    if 2 * abs(total) < max(len(triples), 1):
        return 0
    return 1 if total > 0 else -1


def _join(unit: Unit, triples: Sequence[Triple]) -> str:
    return " ".join(sorted({unit.spell(triple) for triple in triples}))


Int64Array = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

_EDGE = 1e-5
"""What an equal polarity weighs in pairing: less than any difference of words, more than rounding."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """All pairs of one unit: how alike they are, in which segment, and whether the polarity is equal."""

    values: Float32Array  # [M]
    segments: Rows  # [M]
    is_same: BoolArray  # [M]


@dataclass(frozen=True, slots=True)
class Matched:
    """Two annotators' segments, compared; from here every threshold is a count."""

    first: Int64Array  # [N] triples of one
    second: Int64Array  # [N] triples of the other
    pairs: dict[Unit, Pairs]
    groups: dict[Unit, Float32Array]  # [N] each
    is_same_mood: BoolArray  # [N]


def match(table: PhraseTable, one: Coded, other: Coded, order: Rows | None = None) -> Matched:
    """Compare the segments of one annotator with those of another, taken in `order` if it is given."""
    order = np.arange(len(one.triples)) if order is None else order
    first, second = one.sizes, other.sizes[order]
    is_empty, is_lone = (first + second) == 0, (first == 0) != (second == 0)
    groups = {}
    for unit, rows in one.groups.items():
        alike = table.compare_each(rows, other.groups[unit][order])
        alike[is_lone] = 0  # nothing against something never agrees
        groups[unit] = alike
    same_mood = (one.moods == other.moods[order]) & ~is_lone | is_empty
    pairs = {unit: _match_unit(table, one, other, order, unit) for unit in Unit}
    return Matched(first, second, pairs, groups, same_mood)


def _match_unit(table: PhraseTable, one: Coded, other: Coded, order: Rows, unit: Unit) -> Pairs:
    values: list[Float32Array] = [np.zeros(0, np.float32)]
    segments: list[int] = []
    is_same: list[bool] = []
    for segment, position in enumerate(order.tolist()):
        rows, columns = one.units[unit][segment], other.units[unit][position]
        if not rows.size or not columns.size:
            continue
        alike = table.compare(rows, columns)  # [A, B]
        mine, theirs = (
            np.array([triple.polarity for triple in triples])
            for triples in (one.triples[segment], other.triples[position])
        )
        same = mine[:, None] == theirs[None, :]  # [A, B]
        # of pairings that are alike to a hair the one with pairs of one polarity is taken, then the one with
        # the closest pair: the order must not decide
        left, right = pair_best(alike + np.float32(_EDGE) * (same + alike**2))
        values.append(alike[left, right])
        segments += [segment] * len(left)
        is_same += same[left, right].tolist()
    return Pairs(np.concatenate(values), np.array(segments, np.intp), np.array(is_same, np.bool_))


def pair_best(alike: Float32Array) -> tuple[Rows, Rows]:
    """Return rows and columns of the one-to-one pairing with the largest sum.

    >>> rows, columns = pair_best(np.array([[0.9, 0.8], [0.8, 0.1]], np.float32))
    >>> columns.tolist()
    [1, 0]
    """
    if alike.shape[0] > alike.shape[1]:
        columns, rows = pair_best(alike.T)
        return rows, columns
    best = alike.argmax(1)
    # where no two rows want one column nothing has to be weighed, which is the usual case
    if len(set(best.tolist())) == len(best):
        return np.arange(len(best)), best
    return assign(-alike)


COLUMNS = (
    *("first", "second", *Unit, "same", "segments", "agreed"),
    *("group_aspect", "group_opinion", "group_sentiment", "equal_number", "within_one"),
)
"""What is counted in every segment, in the order of the columns."""

_SLACK = 1e-6
"""Cosines are sums of floats: one that should be 0.6 may come out a little below."""


def count(matched: Matched, threshold: float, share: float) -> IntArray:
    """Count one row per segment, [N, K], at a threshold of similarity; `share` is that of SGA."""
    n = len(matched.first)
    hits = {unit: _hits(matched, unit, threshold) for unit in Unit}
    pairs = matched.pairs[Unit.PAIR]
    same = pairs.segments[(pairs.values >= threshold - _SLACK) & pairs.is_same]
    difference = np.abs(matched.first - matched.second)
    columns: list[NDArray[np.generic]] = [
        *(matched.first, matched.second, *(hits[unit] for unit in Unit)),
        np.bincount(same, minlength=n),
        np.ones(n, np.int64),
        segment_tpa(matched, threshold) >= share - _SLACK,
        *(matched.groups[unit] >= threshold - _SLACK for unit in (Unit.ASPECT, Unit.OPINION)),
        *(matched.is_same_mood, difference == 0, difference <= 1),
    ]
    return np.stack([np.asarray(column, np.int64) for column in columns], axis=1)


def score(total: IntArray) -> dict[str, FloatArray]:
    """Turn summed counts [..., K] into shares of shape [...].

    Where no side has a triple, TPA is 1. What has nothing to be a share of is not a number: the sentiment
    where no pair is alike enough, and TPA by the triples of one side where only the other has any.
    """
    part = {name: total[..., position] for position, name in enumerate(COLUMNS)}
    both, segments = part["first"] + part["second"], part["segments"]
    dice = {unit: _share(2 * part[unit], both, both) for unit in Unit}
    return {
        "tpa": dice[Unit.TRIPLE],
        "tpa_of_first": _share(part[Unit.TRIPLE], part["first"], both),
        "tpa_of_second": _share(part[Unit.TRIPLE], part["second"], both),
        "pairs": dice[Unit.PAIR],
        "aspects": dice[Unit.ASPECT],
        "opinions": dice[Unit.OPINION],
        "sga": ratio(part["agreed"], segments),
        "sentiment_agreement": _ratio(part["same"], part[Unit.PAIR]),
        "group_aspects": ratio(part["group_aspect"], segments),
        "group_opinions": ratio(part["group_opinion"], segments),
        "group_sentiment": ratio(part["group_sentiment"], segments),
        "equal_number": ratio(part["equal_number"], segments),
        "within_one": ratio(part["within_one"], segments),
    }


def segment_tpa(matched: Matched, threshold: float) -> FloatArray:
    """Return the TPA inside each segment, [N]."""
    both = matched.first + matched.second
    return _share(2 * _hits(matched, Unit.TRIPLE, threshold), both, both)


def _hits(matched: Matched, unit: Unit, threshold: float) -> IntArray:
    pairs = matched.pairs[unit]
    alike = pairs.segments[pairs.values >= threshold - _SLACK]
    return np.bincount(alike, minlength=len(matched.first)).astype(np.int64)


def _share(part: IntArray, whole: IntArray, both: IntArray) -> FloatArray:
    """Divide, with 1 where neither side has anything: two who say nothing agree."""
    return np.where(np.equal(both, 0), 1.0, _ratio(part, whole))


def _ratio(part: IntArray, whole: IntArray) -> FloatArray:
    """Divide, with no number where there is nothing to divide by: 0 would say that nothing agrees."""
    return np.where(np.equal(whole, 0), np.nan, ratio(part, whole))
