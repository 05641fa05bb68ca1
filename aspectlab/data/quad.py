"""The smallest parts of an annotation: spans, terms, polarities and quads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple


class Part(StrEnum):
    """The four parts of a quad, as `Corpus.annotates` names them."""

    ASPECT = "aspect"
    CATEGORY = "category"
    OPINION = "opinion"
    POLARITY = "polarity"


class Polarity(StrEnum):
    """The sentiment towards an aspect."""

    POSITIVE = "positive"
    NEGATIVE = "negative"
    NEUTRAL = "neutral"
    CONFLICT = "conflict"


class Span(NamedTuple):
    """Half-open character offsets into the verbatim text of an example."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Term:
    """A phrase: its text and, where it stands verbatim in the example, its span.

    A term without a span was named by the annotator but does not stand in the text.
    """

    text: str
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Quad:
    """One opinion: what it is about, its category, the words that express it, and its polarity.

    `None` for the aspect or the opinion means implicit. Whether a part is annotated at all is said once,
    by `Corpus.annotates`. A prediction may carry the probability of each polarity; it is not compared.
    """

    aspect: Term | None = None
    category: str | None = None
    opinion: Term | None = None
    polarity: Polarity | None = None
    confidence: Mapping[str, float] | None = field(default=None, compare=False)

    @property
    def terms(self) -> tuple[Term, ...]:
        """The aspect and the opinion, those that are there."""
        return tuple(term for term in (self.aspect, self.opinion) if term is not None)
