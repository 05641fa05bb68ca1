"""Example: a text, the opinions in it as spans, terms and quads, and what it was made from.

`edit` replaces spans of the text and moves all others.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, StrEnum
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


OPPOSITE = {Polarity.POSITIVE: Polarity.NEGATIVE, Polarity.NEGATIVE: Polarity.POSITIVE}
"""What a reversal makes of a polarity; every other stays."""


@dataclass(frozen=True, slots=True)
class Intensity:
    """Valence, from 1 (bad) to 9 (good), and arousal, from 1 (calm) to 9 (excited), of an opinion.

    A value out of this range is kept: files have some, and scorers say what they make of it.

    >>> Intensity(6.75, 5.5).polarity.value, Intensity(5.25, 9.5).in_range
    ('positive', False)
    """

    valence: float
    arousal: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.valence) and math.isfinite(self.arousal)):
            found = f"valence {self.valence!r} and arousal {self.arousal!r}"
            raise DataError(f"{found}: expected two finite numbers, from 1 to 9")

    @property
    def polarity(self) -> Polarity:
        """The polarity of the valence: negative below 5, positive above 5.5, neutral in between.

        With these cuts 85.3 % of the restaurant and 88.9 % of the laptop quads of the English training files
        of DimABSA agree with ACOS, whose quads they annotate anew (2,340 and 3,789 with the same terms and
        category; with cuts at 4 and 6 it would be 77.4 % and 75.8 %).
        """
        if self.valence < NEGATIVE_BELOW:
            return Polarity.NEGATIVE
        return Polarity.POSITIVE if self.valence > POSITIVE_ABOVE else Polarity.NEUTRAL

    @property
    def in_range(self) -> bool:
        """Whether both values are from 1 to 9."""
        return all(LOWEST <= value <= HIGHEST for value in (self.valence, self.arousal))


NEGATIVE_BELOW, POSITIVE_ABOVE = 5.0, 5.5
"""The valences between which an opinion is neutral."""

LOWEST, HIGHEST = 1.0, 9.0
"""The ends of the scale of valence and arousal."""


class Span(NamedTuple):
    """Half-open character offsets into the verbatim text of an example."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Term:
    """A phrase: its text and, where it occurs verbatim in the example, its span.

    A term without a span was named by the annotator but does not occur in the text. Two numbers are a span.

    >>> Term("soup", (4, 8)).span
    Span(start=4, end=8)
    """

    text: str
    span: Span | None = None

    def __post_init__(self) -> None:
        if self.span is not None and type(self.span) is not Span:
            object.__setattr__(self, "span", _as_span(self.text, self.span))


def _as_span(text: str, span: object) -> Span:
    """Take two numbers as a span, or refuse what is no span before it fails somewhere else."""
    if isinstance(span, Sequence) and len(span) == 2 and all(isinstance(offset, int) for offset in span):
        return Span(*span)
    raise DataError(
        f"term {text!r}: found the span {span!r}: expected the offsets of its first character and of the one "
        "behind its last; write Term('soup', (4, 8)), or leave the span out"
    )


@dataclass(frozen=True, slots=True)
class Quad:
    """One opinion: what it is about, its category, the words that express it, and its polarity.

    `None` for the aspect or the opinion means implicit. Whether a part is annotated at all is said once,
    by `Corpus.annotates`. A prediction may carry the probability of each polarity; it is not compared.
    Valence and arousal are, where an opinion has them, but they are no part of their own: a projection onto
    the parts that a task judges leaves them out, so that what differs in them alone is one quad.
    """

    aspect: Term | None = None
    category: str | None = None
    opinion: Term | None = None
    polarity: Polarity | None = None
    confidence: Mapping[str, float] | None = field(default=None, compare=False)
    intensity: Intensity | None = None

    @property
    def terms(self) -> tuple[Term, ...]:
        """The aspect and the opinion, those that are there."""
        return tuple(term for term in (self.aspect, self.opinion) if term is not None)

    def with_polarity(self, polarity: Polarity | None, confidence: Mapping[str, float] | None = None) -> Quad:
        """Return the quad with another polarity, without the confidence and the intensity of the old one.

        >>> praise = Quad(polarity=Polarity.POSITIVE, intensity=Intensity(8, 6))
        >>> praise.with_polarity(Polarity.NEGATIVE).intensity is None
        True
        """
        return replace(self, polarity=polarity, confidence=confidence, intensity=None)


_VARIANT = re.compile(r"(?P<strategy>[\w.+-]+) of (?P<target>[0-9]{1,9}): (?P<edits>.*)", re.DOTALL)
_OFFSETS = re.compile(r"(?P<start>[0-9]{1,9}):(?P<end>[0-9]{1,9}) ")
_NEW = re.compile(r" > (?P<new>.*?) \((?P<kind>[a-z]+)(?: of (?P<source>.*))?\)(?:; |$)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Edit:
    """A replacement in the text that an example was made from; an empty span is an insertion.

    `kind` says where the new words come from ("antonym"), `source` from which example, if from any.
    """

    span: Span
    old: str
    new: str
    kind: str
    source: str | None = None

    def __str__(self) -> str:
        kind = self.kind if self.source is None else f"{self.kind} of {self.source}"
        return f"{self.span.start}:{self.span.end} {self.old} > {self.new.strip()} ({kind})"


@dataclass(frozen=True, slots=True)
class Origin:
    """What an example was made from, and how: the id of its source, the strategy, and the edits of the text.

    `target` is the index of the quad of the source that a metamorphic relation aims at. In files all but the
    source is one string, the variant; `note` keeps what such a string says of edits in other words.

    >>> edits = (Edit(Span(0, 4), "Good", "Weak", "antonym"),)
    >>> Origin("1", "MR2-4", edits, target=0).variant
    'MR2-4 of 0: 0:4 Good > Weak (antonym)'
    >>> Origin.parse("1", "MR2-4 of 0: 0:4 Good > Weak (antonym)", "Weak tea").edits == edits
    True
    """

    source: str | None
    strategy: str | None = None
    edits: tuple[Edit, ...] = ()
    target: int | None = None
    note: str = ""

    @property
    def variant(self) -> str | None:
        """The strategy, the target and the edits as files hold them."""
        if self.target is None:
            return self.strategy
        return f"{self.strategy} of {self.target}: {self.description}"

    @property
    def description(self) -> str:
        """What was replaced by what, edit by edit."""
        return self.note or "; ".join(map(str, self.edits))

    @classmethod
    def parse(cls, source: str | None, variant: str | None, text: str) -> Origin:
        """Read the variant of an example with this text."""
        found = _VARIANT.fullmatch(variant or "")
        # int reads "007" and other digits too, which would be written in another form
        if found is None or str(int(found["target"])) != found["target"]:
            return cls(source, variant)
        read = list(_parse_edits(found["edits"]))
        edits = tuple(each if each.old else _restore_whitespace(each, read, text) for each in read)
        parsed = cls(source, found["strategy"], edits, int(found["target"]))
        return parsed if parsed.variant == variant else replace(parsed, edits=(), note=found["edits"])


def _parse_edits(described: str) -> Iterator[Edit]:
    """Read edits from the string that describes them, as far as it does."""
    while offsets := _OFFSETS.match(described):
        span = Span(int(offsets["start"]), int(offsets["end"]))
        end = offsets.end() + span.end - span.start
        found = _NEW.match(described, end)
        if found is None:
            return
        yield Edit(span, described[offsets.end() : end], *found.group("new", "kind", "source"))
        described = described[found.end() :]


def _restore_whitespace(inserted: Edit, edits: Iterable[Edit], text: str) -> Edit:
    """Return an insertion with the whitespace before its words, which only the text that it made has."""
    start = inserted.span.start
    start += sum(len(other.new) - len(other.old) for other in edits if other.span.end <= start and other.old)
    first = len(text) - len(text[start:].lstrip())
    end = first + len(inserted.new)
    return replace(inserted, new=text[start:end]) if text[first:end] == inserted.new else inserted


class _Unset(Enum):
    """Stands for an argument that is left out, where None has a meaning."""

    UNSET = "unset"


@dataclass(frozen=True, slots=True, init=False)
class Example:
    """A verbatim text with its quads; gold and prediction are the same type.

    `style` names the annotation guidelines that the quads follow, where examples of several are mixed.
    `origin` ties a perturbed text to what it was made from. `source` and `variant` are the same as files hold
    it, and may be given in its place: the id of the source, and how the text was made.

    >>> from aspectlab.data import Span, Term
    >>> staff = Quad(aspect=Term("staff", Span(4, 9)))
    >>> Example("1", "The staff smiled.", (staff,)).quads[0].aspect.text
    'staff'
    >>> Example("1_adv1", "The staff frowned.", source="1", variant="revtgt").origin.strategy
    'revtgt'
    >>> Example("2", "The crew smiled.", (staff,))
    Traceback (most recent call last):
    aspectlab.errors.DataError: example '2': term 'staff' at 4:9: the text has 'crew ' there
    """

    id: str
    text: str
    quads: tuple[Quad, ...]
    origin: Origin | None
    style: str | None

    def __init__(
        self,
        id: str,
        text: str,
        quads: Iterable[Quad] = (),
        source: str | _Unset | None = _Unset.UNSET,
        variant: str | _Unset | None = _Unset.UNSET,
        *,
        origin: Origin | None = None,
        style: str | None = None,
    ) -> None:
        # dataclasses.replace gives the origin always, and with it whichever of its two strings is to be new
        if source is not _Unset.UNSET:
            origin = replace(origin or Origin(None), source=source)
        if variant is not _Unset.UNSET:
            origin = Origin.parse(origin.source if origin else None, variant, text)
        values = (id, text, tuple(quads), origin if origin != Origin(None) else None, style)
        for name, value in zip(self.__slots__, values, strict=True):
            object.__setattr__(self, name, value)
        self._check()

    @property
    def source(self) -> str | None:
        """The id of the example that this one was made from."""
        return self.origin.source if self.origin else None

    @property
    def variant(self) -> str | None:
        """How it was made: the strategy, and the edits of a metamorphic follow-up."""
        return self.origin.variant if self.origin else None

    def with_source(self, source: str | None) -> Example:
        """Return the same example, made from another one."""
        return replace(self, origin=replace(self.origin or Origin(None), source=source))

    def _check(self) -> None:
        if not isinstance(self.id, str) or not isinstance(self.text, str):
            raise DataError(
                f"example {self.id!r}: found the text {self.text!r:.60}: expected strings for both"
            )
        for quad in self.quads:
            # a word where a term or a quad belongs would fail much later, in the words of Python
            if not isinstance(quad, Quad) or not all(isinstance(term, Term) for term in quad.terms):
                raise DataError(
                    f"example {self.id!r}: found {quad!r:.80}: expected a Quad of terms; write "
                    "Quad(aspect=Term('soup', (4, 8)), polarity=Polarity.POSITIVE)"
                )
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
                f"example {example.id!r}: replacement {new!r} at {start}:{end} overlaps the one before it; "
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
                f"{term.text!r} at {first}:{last}; replace the whole term or stay outside it"
            )
    if new_first == new_last:
        raise DataError(f"example {where!r}: the replacements leave nothing of the term {term.text!r}")
    return Term(text[new_first:new_last], Span(new_first, new_last))
