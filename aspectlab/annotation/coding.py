"""Code annotations as rows of one table of vectors, so that comparing segments is arithmetic."""

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
