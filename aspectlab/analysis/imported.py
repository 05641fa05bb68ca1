"""Imported predictions: what another program found in reviews, in the place of a model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from aspectlab.data import Corpus, Example, Quad, Span, Term
from aspectlab.errors import DataError
from aspectlab.language import split_sentences
from aspectlab.runtime import Predictor


class ImportedPredictor:
    """Looks the opinions of a text up; vectors, which categories need, come from a model.

    Predictions may be of whole reviews or of their sentences, as the analysis cuts them.
    """

    def __init__(self, predicted: Corpus, vectors: Predictor) -> None:
        """Take predictions, with spans where the same words occur several times."""
        self._vectors = vectors
        self._name = predicted.provenance.path
        self._found: dict[str, tuple[Quad, ...]] = {}
        # what was predicted for a sentence by itself wins over what was for the review around it
        for example in predicted:
            self._found.setdefault(example.text, example.quads)
        for example in predicted:
            for text, quads in _cut(example):
                self._found.setdefault(text, quads)
        self._is_known = False
        self.identity = f"predictions {predicted.provenance.sha256}, vectors of {vectors.identity}"

    def predict(self, texts: Sequence[str]) -> list[tuple[Quad, ...]]:
        """Return the opinions of each text; refuse predictions that are of other reviews."""
        self._is_known = self._is_known or any(text in self._found for text in texts)
        if texts and not self._is_known:
            found = f"no prediction for {texts[0][:60]!r}, nor for {len(texts) - 1:,} other sentences"
            raise DataError(
                f"{self._name}: found {found}: expected predictions for these reviews; predict them first"
            )
        return [self._found.get(text, ()) for text in texts]

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one vector a text, [N, D]."""
        return self._vectors.embed(texts)


def _cut(example: Example) -> Iterator[tuple[str, tuple[Quad, ...]]]:
    """Return the sentences of a review, each with its quads."""
    for start, end in split_sentences(example.text):
        yield example.text[start:end], tuple(_move(example, start, end))


def _move(example: Example, start: int, end: int) -> Iterator[Quad]:
    """Return the quads of a part of a text, with the offsets that they have in it."""
    for quad in example.quads:
        spans = [term.span for term in (quad.aspect, quad.opinion) if term is not None and term.span]
        # what names nothing that stands in the text belongs to its beginning
        first = min((span.start for span in spans), default=0)
        if start <= first < end or (not spans and start == 0):
            yield replace(
                quad, aspect=_shift(quad.aspect, start, end), opinion=_shift(quad.opinion, start, end)
            )


def _shift(term: Term | None, start: int, end: int) -> Term | None:
    if term is None or term.span is None or not start <= term.span.start < term.span.end <= end:
        return term and Term(term.text)
    return Term(term.text, Span(term.span.start - start, term.span.end - start))
