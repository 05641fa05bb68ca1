"""Labels: all triplets of a follow-up, where the relations expect only one.

A relation says what becomes of its target. What it did is on record, and so is what the other triplets of the
source were: together they tell all triplets of the follow-up, which can then be trained on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from aspectlab.data import Example, Polarity, Quad, Span, Term, edit
from aspectlab.errors import DataError
from aspectlab.metamorphic.cases import Case
from aspectlab.metamorphic.drafts import Edit, is_apart
from aspectlab.robustness.sentences import OPPOSITE

_PLACE = re.compile(r"(?P<start>\d+):(?P<end>\d+) ")
_NEW = re.compile(
    r" > (?P<new>.*?) \((?P<origin>synonym|antonym|hypernym|mask|article|phrase of .*)\)(; |$)", re.S
)
_PHRASE = re.compile(r"[ .]*(?P<aspect>.+) (is|are) (?P<opinion>.+?) ?\.")


def label_fully(case: Case) -> Example | None:
    """Give a follow-up with all its triplets; None if one of them cannot be told.

    A term whose word was replaced holds the new word. An antonym turns the polarity of all triplets with that
    opinion; of a neutral one it is not known what it would be. Triplets with a masked word are gone, and the
    triplet of an appended phrase is there.

    >>> tea = Quad(Term("tea", Span(5, 8)), None, Term("Good", Span(0, 4)), Polarity.POSITIVE)
    >>> weak = Example("2", "Weak tea", (), "1", "MR2-4 of 0: 0:4 Good > Weak (antonym)")
    >>> label_fully(Case("MR2-4", Example("1", "Good tea", (tea,)), tea, weak)).quads[0].polarity
    <Polarity.NEGATIVE: 'negative'>
    """
    edits = read_edits(case)
    quads = [_turn(quad, edits) for quad in case.source.quads if not _touches(quad, edits, "mask")]
    told = [quad for quad in quads if quad is not None]
    try:
        changed = edit(
            replace(case.source, quads=tuple(told)), [(change.span, change.new) for change in edits]
        )
    except DataError:
        return None  # it crosses the edge of another term
    if changed.text != case.followup.text:
        raise DataError(
            f"example {case.followup.id!r}: found the text {case.followup.text!r:.60}: expected what its "
            f"variant says, {changed.text!r:.60}; make the file again with: aspectlab metamorphic generate"
        )
    more = _phrase_quads(case, edits)
    if more is None or len(told) < len(quads):
        return None
    return replace(case.followup, quads=tuple(dict.fromkeys([*changed.quads, *more])))


def read_edits(case: Case) -> list[Edit]:
    """Read what was replaced by what from the variant of a follow-up."""
    text = case.source.text
    _, _, rest = (case.followup.variant or "").partition(": ")
    edits = []
    while place := _PLACE.match(rest):
        span = Span(int(place["start"]), int(place["end"]))
        found = _NEW.match(rest, place.end() + span.end - span.start)
        if found is None:
            break  # what it describes will not be the text of the follow-up
        new = found["new"] if span.start < span.end else _inserted(text, case.followup.text)
        edits.append(Edit(span, new, found["origin"]))
        rest = rest[found.end() :]
    return edits


def _inserted(old: str, new: str) -> str:
    """Give what was appended, with its blanks, which are not told."""
    kept = len(old.rstrip())
    return new[kept : len(new) - len(old) + kept]


def _touches(quad: Quad, edits: Iterable[Edit], origin: str) -> bool:
    """Tell whether an edit of some origin fell on a term of a quad."""
    spans = [term.span for term in quad.terms if term.span is not None]
    return any(change.origin == origin and not is_apart(change.span, *spans) for change in edits)


def _turn(quad: Quad, edits: Sequence[Edit]) -> Quad | None:
    """Give a quad the polarity that it has after the edits; None if that is not known."""
    if not _touches(replace(quad, aspect=None), edits, "antonym"):
        return quad
    turned: Polarity | None = OPPOSITE.get(quad.polarity) if quad.polarity is not None else None
    return None if turned is None else replace(quad, polarity=turned, confidence=None)


def _phrase_quads(case: Case, edits: Sequence[Edit]) -> list[Quad] | None:
    """List the triplets of appended phrases; None if their categories would be needed."""
    phrases = [change for change in edits if change.origin.startswith("phrase")]
    if not phrases:
        return []
    if case.target.category is not None or case.target.polarity not in OPPOSITE:
        return None
    found = _PHRASE.fullmatch(phrases[0].new)
    if found is None:
        return None
    offset = phrases[0].span.start
    aspect, opinion = (
        Term(found[name], Span(offset + found.start(name), offset + found.end(name)))
        for name in ("aspect", "opinion")
    )
    return [Quad(aspect, None, opinion, OPPOSITE[case.target.polarity])]
