"""Drafts: what a relation does to a sentence, and what it then expects of the target triplet."""

from __future__ import annotations

from dataclasses import dataclass

from aspectlab.data import Example, Polarity, Quad, Span, Term
from aspectlab.language.tagging import TaggedWord


@dataclass(frozen=True, slots=True)
class Sentence:
    """An example with its tagged words."""

    example: Example
    words: tuple[TaggedWord, ...]


@dataclass(frozen=True, slots=True)
class Triplet:
    """A triplet whose terms stand in the text; relations aim at such triplets only."""

    aspect: Span
    opinion: Span
    polarity: Polarity

    @property
    def spans(self) -> tuple[Span, Span]:
        """Where its terms stand."""
        return self.aspect, self.opinion


@dataclass(frozen=True, slots=True)
class Edit:
    """A span of the text, what takes its place, and where that comes from; an empty span is an insertion."""

    span: Span
    new: str
    origin: str


@dataclass(frozen=True, slots=True)
class Draft:
    """The edits that make one follow-up, and the polarity that the target has after them."""

    edits: tuple[Edit, ...]
    polarity: Polarity


def find_triplets(example: Example) -> dict[int, Triplet]:
    """Give the triplets of an example by the places of their quads, each triplet once.

    >>> tea = Quad(Term("tea", Span(5, 8)), None, Term("Good", Span(0, 4)), Polarity.POSITIVE)
    >>> find_triplets(Example("1", "Good tea", (Quad(Term("tea")), tea, tea)))[1].aspect
    Span(start=5, end=8)
    """
    places: dict[Triplet, int] = {}
    for place, quad in enumerate(example.quads):
        triplet = as_triplet(quad)
        if triplet is not None:
            places.setdefault(triplet, place)
    return {place: triplet for triplet, place in places.items()}


def as_triplet(quad: Quad) -> Triplet | None:
    """Give a quad as a triplet; None if a term is implicit or not verbatim, or the polarity is no label.

    >>> as_triplet(Quad(Term("tea"), None, None, Polarity.POSITIVE)) is None
    True
    """
    aspect, opinion = _place(quad.aspect), _place(quad.opinion)
    if aspect is None or opinion is None or quad.polarity in (None, Polarity.CONFLICT):
        return None
    assert quad.polarity is not None
    return Triplet(aspect, opinion, quad.polarity)


def is_apart(span: Span, *others: Span) -> bool:
    """Tell whether a span shares no character with any of the others.

    >>> is_apart(Span(0, 4), Span(4, 6)), is_apart(Span(0, 4), Span(3, 6))
    (True, False)
    """
    return all(span.end <= other.start or other.end <= span.start for other in others)


def _place(term: Term | None) -> Span | None:
    return term.span if term is not None else None
