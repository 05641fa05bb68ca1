"""JsonRecord: one JSON object of a file, whose values are checked as they are taken."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from aspectlab.data import Polarity, Span, Term
from aspectlab.errors import DataError
from aspectlab.readers import find_term, locate_term
from aspectlab.readers.source import Source


@dataclass(frozen=True, slots=True)
class JsonRecord:
    """A JSON object and where it is in the file, for the error that names it.

    >>> from pathlib import Path
    >>> JsonRecord(Source(Path("a.json")), "record '7'", {"term": 3}).string("term")
    Traceback (most recent call last):
    aspectlab.errors.DataError: a.json: record '7': found 'term' 3: expected a string
    """

    source: Source
    where: int | str
    values: Mapping[str, object]

    def string(self, key: str) -> str:
        """Return a string that must be there."""
        value = self.values.get(key)
        if not isinstance(value, str):
            raise self._error(key, value, "a string")
        return value

    def items(self, key: str) -> list[object]:
        """Return a list; an absent one is empty."""
        value = self.values.get(key, [])
        if not isinstance(value, list):
            raise self._error(key, value, "a list")
        return value

    def records(self, key: str) -> Iterator[JsonRecord]:
        """Return the objects in the object under a key; an absent one is empty."""
        value = self.values.get(key, {})
        if not isinstance(value, dict):
            raise self._error(key, value, "an object")
        return records_of(self.source, value)

    def polarity(self) -> Polarity | None:
        """Return the polarity; an absent one or null is unknown."""
        value = self.values.get("polarity")
        if value is None:
            return None
        if not isinstance(value, str) or value not in list(Polarity):
            raise self._error("polarity", value, f"one of {', '.join(Polarity)}")
        return Polarity(value)

    def term(self, text: str) -> Term:
        """Return the term that the keys term, from and to locate in the text.

        Null offsets mean that the term does not occur in the text; without offsets it is looked for.
        """
        surface = self.string("term")
        if not {"from", "to"} & self.values.keys():
            return find_term(text, surface)
        position = [self.values.get("from"), self.values.get("to")]
        return Term(surface) if position == [None, None] else self.placed(text, surface, position)

    def placed(self, text: str, surface: object, position: object) -> Term:
        """Return the term with this surface form at a position [from, to]."""
        if not isinstance(surface, str):
            raise self._error("term", surface, "a string")
        span = as_span(position)
        if span is None:
            raise self._error("position", position, "two whole numbers: from and to")
        return locate_term(self.source, self.where, text, surface, span.start, span.end)

    def _error(self, key: str, value: object, expected: str) -> DataError:
        return self.source.error(self.where, f"{key!r} {value!r:.80}", expected)


def records_of(source: Source, values: Mapping[str, object]) -> Iterator[JsonRecord]:
    """Return the records of an object by key, or refuse one that is not a record."""
    for key, value in values.items():
        where = f"record {key!r:.80}"
        if not isinstance(value, dict):
            raise source.error(where, f"{value!r:.80}", "an object", "correct or remove it")
        yield JsonRecord(source, where, value)


def as_span(value: object) -> Span | None:
    """Take a JSON list of two whole numbers as a span, anything else as none.

    >>> as_span([3, 7])
    Span(start=3, end=7)
    >>> as_span([3, True]), as_span("37")
    (None, None)
    """
    # bool is an int to Python, but true is not an offset
    if not isinstance(value, list) or len(value) != 2 or not all(type(offset) is int for offset in value):
        return None
    return Span(value[0], value[1])
