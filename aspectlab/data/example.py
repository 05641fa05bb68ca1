"""Example: a text and the opinions in it, in spans, terms and quads; an edit of the text moves every span
with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import NamedTuple

from aspectlab.errors import DataError


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


@dataclass(frozen=True, slots=True)
class PolarityCounts:
    """Opinions by polarity."""

    positive: int = 0
    negative: int = 0
    neutral: int = 0

    @property
    def total(self) -> int:
        """All opinions."""
        return self.positive + self.negative + self.neutral


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


@dataclass(frozen=True, slots=True)
class Example:
    """A verbatim text with its quads; gold and prediction are the same type.

    `source` and `variant` tie a perturbed text to its origin: the id it was made from, and how.

    >>> from aspectlab.data import Span, Term
    >>> staff = Quad(aspect=Term("staff", Span(4, 9)))
    >>> Example("1", "The staff smiled.", (staff,)).quads[0].aspect.text
    'staff'
    >>> Example("2", "The crew smiled.", (staff,))
    Traceback (most recent call last):
    aspectlab.errors.DataError: example '2': term 'staff' at 4:9: the text has 'crew ' there
    """

    id: str
    text: str
    quads: tuple[Quad, ...] = ()
    source: str | None = None
    variant: str | None = None

    def __post_init__(self) -> None:
        for quad in self.quads:
            # a plain string equals a polarity, and would fail much later, where its value is asked for
            if quad.polarity is not None and not isinstance(quad.polarity, Polarity):
                choices = ", ".join(f"Polarity.{choice.name}" for choice in Polarity)
                raise DataError(f"example {self.id!r}: polarity {quad.polarity!r}: expected one of {choices}")
            for term in quad.terms:
                if term.span is None:
                    continue
                start, end = term.span
                if not 0 <= start < end <= len(self.text) or self.text[start:end] != term.text:
                    where = f"example {self.id!r}: term {term.text!r} at {start}:{end}"
                    found = self.text[max(start, 0) : max(end, 0)]
                    raise DataError(f"{where}: the text has {found!r} there")


def edit(example: Example, replacements: Iterable[tuple[Span, str]]) -> Example:
    """Apply several non-overlapping replacements at once and move every term exactly.

    A replacement inside a term, or of the whole term, changes that term's text. An insertion (an empty span)
    at the edge of a term stays outside it. A replacement that crosses the edge of a term, or that leaves
    nothing of it, is refused: what the term would then be is for the caller to say.

    >>> from aspectlab.data import Quad
    >>> soup = Example("1", "Good soup here", (Quad(aspect=Term("soup", Span(5, 9))),))
    >>> edit(soup, [(Span(0, 4), "Excellent"), (Span(9, 9), " is served")]).quads[0].aspect
    Term(text='soup', span=Span(start=10, end=14))
    """
    edits = sorted(replacements, key=lambda replacement: replacement[0])
    _check_replacements(example, edits)
    pieces: list[str] = []
    cursor = 0
    for (start, end), new in edits:
        pieces += [example.text[cursor:start], new]
        cursor = end
    text = "".join([*pieces, example.text[cursor:]])
    quads = tuple(_move_quad(quad, edits, text, example.id) for quad in example.quads)
    return replace(example, text=text, quads=quads)


def _check_replacements(example: Example, edits: list[tuple[Span, str]]) -> None:
    previous_end = 0
    for (start, end), new in edits:
        if not 0 <= start <= end <= len(example.text):
            raise DataError(
                f"example {example.id!r}: replacement {new!r} at {start}:{end}: "
                f"expected offsets within 0:{len(example.text)}"
            )
        if start < previous_end:
            raise DataError(
                f"example {example.id!r}: replacement {new!r} at {start}:{end} overlaps the one before it: "
                "merge the two into one"
            )
        previous_end = end


def _move_quad(quad: Quad, edits: list[tuple[Span, str]], text: str, where: str) -> Quad:
    aspect = _move_term(quad.aspect, edits, text, where)
    opinion = _move_term(quad.opinion, edits, text, where)
    return replace(quad, aspect=aspect, opinion=opinion)


def _move_term(term: Term | None, edits: list[tuple[Span, str]], text: str, where: str) -> Term | None:
    if term is None or term.span is None:
        return term
    first, last = term.span
    new_first, new_last = first, last
    for (start, end), new in edits:
        change = len(new) - (end - start)
        if end <= first:
            new_first += change
            new_last += change
        elif first <= start and end <= last and start < last:
            new_last += change
        elif start < last:
            raise DataError(
                f"example {where!r}: replacement {new!r} at {start}:{end} crosses the edge of the term "
                f"{term.text!r} at {first}:{last}: replace the whole term or stay outside it"
            )
    if new_first == new_last:
        raise DataError(f"example {where!r}: the replacements leave nothing of the term {term.text!r}")
    return Term(text[new_first:new_last], Span(new_first, new_last))
