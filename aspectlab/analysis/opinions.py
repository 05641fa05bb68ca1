"""Opinions: what a review says of one aspect, with its offsets in the review; one row of the result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from aspectlab.data import Quad, Span, Term
from aspectlab.language import MAX_SENTENCE_CHARS, split_sentences
from aspectlab.readers import Cell, Opinion, Review
from aspectlab.runtime import Predictor

_DIGITS = 4


@dataclass(frozen=True, slots=True)
class Result:
    """One review with its sentences and what they say, in the order of the text."""

    text: str
    sentences: tuple[Span, ...]
    opinions: tuple[Opinion, ...]

    def to_rows(self) -> list[dict[str, Cell]]:
        """Return one row an opinion, with the columns of `opinions.csv`."""
        return [opinion._asdict() for opinion in self.opinions]


def find_opinions(predictor: Predictor, reviews: Sequence[Review], *, split: bool = True) -> list[Result]:
    """Find the opinions of each review; all sentences are predicted together, since that is fast."""
    spans = [split_sentences(review.text) if split else _whole(review.text) for review in reviews]
    texts = [
        review.text[start:end]
        for review, sentences in zip(reviews, spans, strict=True)
        for start, end in sentences
    ]
    quads = predictor.predict(texts)
    assert len(quads) == len(texts), f"a predictor gave {len(quads)} results for {len(texts)} texts"
    ends = list(accumulate(map(len, spans)))
    found = [quads[end - len(sentences) : end] for end, sentences in zip(ends, spans, strict=True)]
    return [
        Result(review.text, tuple(sentences), tuple(_locate_opinions(review, sentences, predicted)))
        for review, sentences, predicted in zip(reviews, spans, found, strict=True)
    ]


def _whole(text: str) -> list[Span]:
    """Take a review as one sentence, unless it is far too long for one."""
    if len(text) > MAX_SENTENCE_CHARS:
        return split_sentences(text)
    start = len(text) - len(text.lstrip())
    end = len(text.rstrip())
    return [Span(start, end)] if start < end else []


def _locate_opinions(
    review: Review, sentences: Sequence[Span], predicted: Sequence[tuple[Quad, ...]]
) -> Iterator[Opinion]:
    for number, (span, quads) in enumerate(zip(sentences, predicted, strict=True)):
        for quad in quads:
            aspect, aspect_start, aspect_end = _locate_term(quad.aspect, span.start)
            opinion, opinion_start, opinion_end = _locate_term(quad.opinion, span.start)
            yield Opinion(
                review=review.id,
                group=review.group,
                date=review.date,
                rating=review.rating,
                sentence=number,
                sentence_start=span.start,
                aspect=aspect,
                aspect_start=aspect_start,
                aspect_end=aspect_end,
                opinion=opinion,
                opinion_start=opinion_start,
                opinion_end=opinion_end,
                polarity=quad.polarity.value if quad.polarity else "",
                probability=_probability(quad),
                category=quad.category or "",
                text=review.text[span.start : span.end],
            )


def _locate_term(term: Term | None, start: int) -> tuple[str, int | None, int | None]:
    if term is None:
        return "", None, None
    return term.text, *(
        (None, None) if term.span is None else (start + term.span.start, start + term.span.end)
    )


def _probability(quad: Quad) -> float | None:
    if quad.confidence is None or quad.polarity is None:
        return None
    return round(float(quad.confidence.get(quad.polarity.value, 0.0)), _DIGITS)
