"""An opinion as one line of cells, as annotators type it: `aspect | opinion | polarity | category`.

A dash stands for nothing. A cell that would be misread is a JSON string; `@4:8` after a term is its place.
"""

from __future__ import annotations

import json
import re

from aspectlab.data import Quad, Span, Term
from aspectlab.readers.faults import Fault, FaultError
from aspectlab.readers.marking import find_polarity

_NOTHING = "-"
_SPECIAL = set('|@"\\')
_PLACE = re.compile(r"@(\d{1,9}):(\d{1,9})", re.ASCII)


def to_cells(quad: Quad) -> str:
    """Write an opinion as a line.

    >>> to_cells(Quad(Term("height"), None, Term("low", Span(7, 10))))
    'height | low @7:10 | -'
    """
    cells = [_write_term(quad.aspect), _write_term(quad.opinion), quad.polarity or _NOTHING]
    return " | ".join([*cells, _quote(quad.category)] if quad.category is not None else cells)


def from_cells(row: object) -> Quad:
    """Read a line that `to_cells` or a person wrote.

    >>> from_cells("height|low|neutral").aspect
    Term(text='height', span=None)
    """
    where = f"opinion {row!r:.80}"
    if not isinstance(row, str):
        raise FaultError(Fault.RECORD, f"{where}: expected a text")
    cells = _split(row, where)
    if len(cells) not in (3, 4):
        raise FaultError(
            Fault.RECORD, f"{where}: found {len(cells)} cells: expected aspect | opinion | polarity"
        )
    polarity = find_polarity([cells[2].text] if cells[2] else [], where)
    category = cells[3].text if len(cells) == 4 and cells[3] else None
    return Quad(cells[0], category, cells[1], polarity)


def _write_term(term: Term | None) -> str:
    if term is None:
        return _NOTHING
    return _quote(term.text) + (f" @{term.span.start}:{term.span.end}" if term.span else "")


def _quote(text: str) -> str:
    is_plain = text == text.strip() and text not in ("", _NOTHING) and not _SPECIAL & set(text)
    return text if is_plain else json.dumps(text, ensure_ascii=False)


def _split(row: str, where: str) -> list[Term | None]:
    cells: list[Term | None] = []
    rest: str | None = row
    while rest is not None:
        text, rest = _take(rest.lstrip(), where)
        cells.append(text)
    return cells


def _take(row: str, where: str) -> tuple[Term | None, str | None]:
    """Take the first cell of a line, and what follows the bar after it."""
    if row.startswith('"'):
        try:
            text, end = json.JSONDecoder().raw_decode(row)
        except ValueError:
            raise FaultError(Fault.RECORD, f"{where}: found an open quote: expected a closing one") from None
        place, bar, rest = row[end:].partition("|")
        if place.strip() and _read_place(place) is None:
            raise FaultError(Fault.RECORD, f"{where}: found {place!r:.40} after a quote: expected a bar")
        return Term(text, _read_place(place)), rest if bar else None
    cell, bar, rest = row.partition("|")
    text, at, place = cell.rpartition("@")
    span = _read_place(at + place)
    text = (text if span else cell).strip()
    return Term(text, span) if text not in ("", _NOTHING) else None, rest if bar else None


def _read_place(cell: str) -> Span | None:
    found = _PLACE.fullmatch(cell.strip())
    return Span(int(found[1]), int(found[2])) if found else None
