"""Predict segments of any length: sentence by sentence, with places in the whole text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from aspectlab.data import Quad, Span, Term
from aspectlab.insight.predictor import Predictor
from aspectlab.insight.sentences import split_sentences


def predict_segments(predictor: Predictor, texts: Sequence[str]) -> list[tuple[Quad, ...]]:
    """Give the opinions of each text; all sentences are predicted together, since that is fast."""
    places = [(row, span) for row, text in enumerate(texts) for span in split_sentences(text)]
    answers = predictor.predict([texts[row][span.start : span.end] for row, span in places])
    found: list[list[Quad]] = [[] for _ in texts]
    for (row, span), quads in zip(places, answers, strict=True):
        found[row].extend(_shift(quads, span.start))
    return [tuple(quads) for quads in found]


def _shift(quads: Sequence[Quad], by: int) -> Iterator[Quad]:
    for quad in quads:
        yield replace(quad, aspect=_shift_term(quad.aspect, by), opinion=_shift_term(quad.opinion, by))


def _shift_term(term: Term | None, by: int) -> Term | None:
    if term is None or term.span is None:
        return term
    return replace(term, span=Span(term.span.start + by, term.span.end + by))
