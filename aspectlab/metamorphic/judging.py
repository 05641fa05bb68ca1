"""Judge: whether a triplet was found, and what became of one that was lost."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from aspectlab.data import Part, Quad, Term


class Failure(StrEnum):
    """What a violation looks like in the follow-up."""

    ASPECT = "lost aspect"
    OPINION = "lost opinion"
    POLARITY = "wrong polarity"
    TRIPLET = "lost triplet"
    GAINED = "gained triplet"  # found in the follow-up only


def is_found(wanted: Quad, answer: Sequence[Quad], parts: frozenset[Part]) -> bool:
    """Tell whether a quad is among those of an answer, by the parts that the model is asked for.

    >>> is_found(Quad(Term("Tea")), [Quad(Term("tea"))], frozenset({Part.ASPECT}))
    True
    """
    return any(_agreement(wanted, quad, parts) == parts for quad in answer)


def name_failure(wanted: Quad, answer: Sequence[Quad], parts: frozenset[Part]) -> Failure:
    """Say which part of a quad was lost, by the predicted quad that comes nearest.

    >>> answer = [Quad(Term("tea"), None, Term("so good"))]
    >>> name_failure(Quad(Term("tea"), None, Term("good")), answer, frozenset({Part.ASPECT, Part.OPINION}))
    <Failure.OPINION: 'lost opinion'>
    """
    kept = [_agreement(wanted, quad, parts) for quad in answer]
    terms = parts - {Part.POLARITY}
    if any(terms <= found for found in kept):
        return Failure.POLARITY
    if any(Part.ASPECT in found for found in kept):
        return Failure.OPINION
    if any(Part.OPINION in found for found in kept):
        return Failure.ASPECT
    return Failure.TRIPLET


def _agreement(one: Quad, other: Quad, parts: frozenset[Part]) -> frozenset[Part]:
    """Give the parts in which two quads agree."""
    same = {
        Part.ASPECT: _is_same(one.aspect, other.aspect),
        Part.OPINION: _is_same(one.opinion, other.opinion),
        Part.POLARITY: one.polarity == other.polarity,
    }
    return frozenset(part for part in parts if same[part])


def _is_same(one: Term | None, other: Term | None) -> bool:
    """Compare terms by place; a model that writes strings is judged by them, whatever their capitals."""
    if one is None or other is None:
        return one is other
    if one.span is not None and other.span is not None:
        return one.span == other.span
    return one.text.lower() == other.text.lower()
