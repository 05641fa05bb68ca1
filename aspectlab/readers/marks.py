"""Marks: opinions as annotation tools show them: marks in the text, links between them, lines of cells."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from aspectlab.data import Part, Polarity, Quad, Span, Term
from aspectlab.readers.annotations import Fault, FaultError

T = TypeVar("T")


class TextMark(NamedTuple):
    """A marked term. What it says besides holds of the opinions whose other term is implicit.

    The category also holds of links. `implied` names the other terms that do not occur in the text.
    """

    key: str
    part: Part
    term: Term
    polarity: Polarity | None = None
    category: str | None = None
    implied: tuple[str, ...] = ()
    score: float | None = None


class MarkLink(NamedTuple):
    """Two marks, by key, that are one opinion."""

    aspect: str
    opinion: str
    polarity: Polarity | None = None
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Marking:
    """All that was marked in one text, and the opinions of which nothing can be marked."""

    marks: tuple[TextMark, ...] = ()
    links: tuple[MarkLink, ...] = ()
    unplaced: tuple[Quad, ...] = ()


def draw(quads: Iterable[Quad]) -> Marking:
    """Turn opinions into marks and links; opinions about one term share its mark.

    >>> seat, soft, wide = Term("seat", Span(4, 8)), Term("soft", Span(12, 16)), Term("wide", Span(21, 25))
    >>> found = draw([Quad(seat, None, soft), Quad(seat, None, wide), Quad(None, None, soft)])
    >>> [(mark.key, mark.term.text) for mark in found.marks], len(found.links)
    ([('1', 'seat'), ('2', 'soft'), ('3', 'wide'), ('4', 'soft')], 2)
    """
    desk = _Desk()
    for quad in quads:
        desk.add(quad)
    return Marking(tuple(desk.marks), tuple(desk.links.values()), tuple(desk.unplaced))


class _Desk:
    """Where marks are made: it knows which of them may be shared."""

    def __init__(self) -> None:
        self.marks: list[TextMark] = []
        self.links: dict[tuple[str, str], MarkLink] = {}
        self.unplaced: list[Quad] = []
        self._shared: dict[tuple[Part, Term, str | None], list[str]] = {}

    def add(self, quad: Quad) -> None:
        aspect, opinion = (term if term and term.span else None for term in (quad.aspect, quad.opinion))
        if aspect and opinion:
            self._link(quad, aspect, opinion)
        elif aspect:
            self._mark_alone(quad, Part.ASPECT, aspect, quad.opinion)
        elif opinion:
            self._mark_alone(quad, Part.OPINION, opinion, quad.aspect)
        else:
            self.unplaced.append(quad)

    def _link(self, quad: Quad, aspect: Term, opinion: Term) -> None:
        first = self._share(Part.ASPECT, aspect, quad.category)[0]
        # a tool keeps one link between two marks: a second opinion of the same terms gets a mark of its own
        free = (key for key in self._share(Part.OPINION, opinion, None) if (first, key) not in self.links)
        second = next(free, None) or self._put(Part.OPINION, opinion, None)
        self.links[first, second] = MarkLink(first, second, quad.polarity, _score(quad))

    def _share(self, part: Part, term: Term, category: str | None) -> list[str]:
        keys = self._shared.setdefault((part, term, category), [])
        if not keys:
            self._put(part, term, category)
        return keys

    def _put(self, part: Part, term: Term, category: str | None) -> str:
        key = str(len(self.marks) + 1)
        self.marks.append(TextMark(key, part, term, None, category))
        self._shared.setdefault((part, term, category), []).append(key)
        return key

    def _mark_alone(self, quad: Quad, part: Part, term: Term, partner: Term | None) -> None:
        key, implied = str(len(self.marks) + 1), () if partner is None else (partner.text,)
        self.marks.append(TextMark(key, part, term, quad.polarity, quad.category, implied, _score(quad)))


def gather(marking: Marking) -> tuple[Quad, ...]:
    """Turn marks and links into opinions, in the order of the text; what contradicts itself is refused.

    A link without polarity has that of its marks.

    >>> seat, soft = TextMark("a", Part.ASPECT, Term("seat", Span(4, 8))), Term("soft", Span(12, 16))
    >>> marks = seat, TextMark("b", Part.OPINION, soft, Polarity.POSITIVE)
    >>> [(quad.aspect.text, quad.polarity.value) for quad in gather(Marking(marks, (MarkLink("a", "b"),)))]
    [('seat', 'positive')]
    """
    marks = {mark.key: mark for mark in marking.marks}
    linked = {key for link in marking.links for key in link[:2]}
    quads = [_quad_of_link(link, marks) for link in marking.links]
    for mark in marking.marks:
        partners = [Term(name) for name in mark.implied]
        if mark.key not in linked and not partners:
            quads.append(_quad_of_mark(mark, None))
        quads += [_quad_of_mark(mark, partner) for partner in partners]
    return order([*quads, *marking.unplaced])


def order(quads: Iterable[Quad]) -> tuple[Quad, ...]:
    """Order opinions by the offsets of their terms, those without a span last; equal spans keep their order.

    >>> [quad.category for quad in order([Quad(category="none"), Quad(Term("a", Span(0, 1)), "first")])]
    ['first', 'none']
    """
    return tuple(sorted(quads, key=_position))


def _position(quad: Quad) -> tuple[bool, list[Span]]:
    spans = [term.span for term in quad.terms if term.span]
    return not spans, sorted(spans)


def _quad_of_link(link: MarkLink, marks: Mapping[str, TextMark]) -> Quad:
    aspect, opinion = marks[link.aspect], marks[link.opinion]
    where = f"{aspect.term.text!r} – {opinion.term.text!r}"
    # a mark with implied terms has a polarity for these
    said = [mark.polarity for mark in (opinion, aspect) if not mark.implied]
    polarity = _agree(where, "polarities", [link.polarity, *said])
    category = _agree(where, "categories", [aspect.category, opinion.category])
    return Quad(aspect.term, category, opinion.term, polarity, _confidence(polarity, link.score))


def _agree(where: str, what: str, values: Iterable[T | None]) -> T | None:
    found = list(dict.fromkeys(value for value in values if value is not None))
    if len(found) > 1:
        listed = " and ".join(map(str, found))
        raise FaultError(Fault.CLASH, f"{where}: found the {what} {listed}: expected one")
    return found[0] if found else None


def _quad_of_mark(mark: TextMark, partner: Term | None) -> Quad:
    aspect, opinion = (mark.term, partner) if mark.part is Part.ASPECT else (partner, mark.term)
    return Quad(aspect, mark.category, opinion, mark.polarity, _confidence(mark.polarity, mark.score))


def _score(quad: Quad) -> float | None:
    if quad.confidence is None or quad.polarity is None:
        return None
    return quad.confidence.get(quad.polarity.value)


def _confidence(polarity: Polarity | None, score: float | None) -> dict[str, float] | None:
    return None if polarity is None or score is None else {polarity.value: score}


def pair(marks: Mapping[str, TextMark], first: object, second: object) -> tuple[str, str]:
    """Return the keys of the aspect and the opinion that a relation joins, whichever way it points."""
    ends = [marks.get(str(key)) for key in (first, second)]
    joined = f"relation {first!r:.40} – {second!r:.40}"
    keys = {mark.part: mark.key for mark in ends if mark is not None}
    if None in ends:
        raise FaultError(Fault.RELATION, f"{joined}: found no such mark: expected two marks of the segment")
    if keys.keys() != {Part.ASPECT, Part.OPINION}:
        parts = " and ".join(str(mark.part) for mark in ends if mark)
        raise FaultError(Fault.RELATION, f"{joined}: found {parts}: expected an aspect and an opinion")
    return keys[Part.ASPECT], keys[Part.OPINION]


def find_polarity(labels: Iterable[object], where: str) -> Polarity | None:
    """Return the one polarity that labels name, or none; anything else is refused."""
    found = list(labels)
    for label in found:
        if label not in list(Polarity):
            expected = f"expected one of {', '.join(Polarity)}"
            raise FaultError(Fault.LABEL, f"{where}: found the label {label!r:.60}: {expected}")
    return _agree(where, "polarities", (Polarity(str(label)) for label in found))


def locate_mark(
    text: str, start: object, end: object, surface: object = None, *, units: bool = False
) -> Term:
    r"""Return the term at start:end, if the text there is what the tool says.

    Offsets count characters; those of a tool that counts UTF-16 units are told by the surface form. Where it
    fits both ways, `units` says which to take.

    >>> locate_mark("Soft seat", 5, 9, "seat")
    Term(text='seat', span=Span(start=5, end=9))
    >>> locate_mark("\N{GRINNING FACE} seat", 3, 7, "seat").span
    Span(start=2, end=6)
    """
    # bool is an int to Python, but true is not an offset
    if type(start) is not int or type(end) is not int:
        found = f"found the offsets {start!r:.40}:{end!r:.40}"
        raise FaultError(Fault.OFFSET, f"{found}: expected two whole numbers")
    fitting = _find_spans(text, start, end, surface)
    if fitting:
        span = fitting[-1 if units else 0]
        return Term(text[span.start : span.end], span)
    here = (
        f"{text[start:end]!r:.60}" if 0 <= start < end <= len(text) else f"a text of {len(text)} characters"
    )
    raise FaultError(
        Fault.OFFSET, f"found {here} at {start}:{end}: expected {surface!r:.60}; was the text edited?"
    )


def counts_units(text: str, candidates: Iterable[tuple[object, object, object]]) -> bool:
    r"""Return whether a tool counts UTF-16 units: start, end and surface of one mark fit no other way.

    >>> counts_units("\N{GRINNING FACE} seat", [(3, 7, "seat")])
    True
    """
    return any(
        (found := _find_spans(text, start, end, surface)) and Span(start, end) not in found
        for start, end, surface in candidates
        if type(start) is int and type(end) is int
    )


def _find_spans(text: str, start: int, end: int, surface: object) -> list[Span]:
    """Return the spans that offsets may mean and that hold the surface form: at most two."""
    found = [(text[span.start : span.end], span) for span in _spans(text, start, end)]
    return [span for here, span in found if surface is None or surface in (here, here.replace("\n", "\\n"))]


def _spans(text: str, start: int, end: int) -> Iterator[Span]:
    """Return the span that offsets mean in characters and, where that differs, in UTF-16 units."""
    if not 0 <= start < end:
        return
    if end <= len(text):
        yield Span(start, end)
    if not text.isascii():
        units = text.encode("utf-16-le", "surrogatepass")
        if 2 * end <= len(units):
            yield Span(*(len(units[: 2 * unit].decode("utf-16-le", "replace")) for unit in (start, end)))


def read_category(value: object, where: str) -> str:
    """Return a category, which must be a string."""
    if not isinstance(value, str):
        raise FaultError(Fault.LABEL, f"{where}: found the category {value!r:.60}: expected a string")
    return value


_NOTHING = "-"
_SPECIAL = set('|@"\\')
_CELL_SPAN = re.compile(r"@(\d{1,9}):(\d{1,9})", re.ASCII)


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
        offsets, bar, rest = row[end:].partition("|")
        if offsets.strip() and _read_cell_span(offsets) is None:
            raise FaultError(Fault.RECORD, f"{where}: found {offsets!r:.40} after a quote: expected a bar")
        return Term(text, _read_cell_span(offsets)), rest if bar else None
    cell, bar, rest = row.partition("|")
    text, at, offsets = cell.rpartition("@")
    span = _read_cell_span(at + offsets)
    text = (text if span else cell).strip()
    return Term(text, span) if text not in ("", _NOTHING) else None, rest if bar else None


def _read_cell_span(cell: str) -> Span | None:
    found = _CELL_SPAN.fullmatch(cell.strip())
    return Span(int(found[1]), int(found[2])) if found else None
