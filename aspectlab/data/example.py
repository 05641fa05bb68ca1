"""Example: a text and the opinions in it, the waist that everything passes through."""

from __future__ import annotations

from dataclasses import dataclass

from aspectlab.data.quad import Polarity, Quad
from aspectlab.errors import DataError


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
