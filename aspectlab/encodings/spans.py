"""Span encoding: every run of words is a cell, and says what it is: an aspect, an opinion, a snippet.

A snippet is the stretch from the first to the last word of a triplet; it carries the polarity. A class is
three answers in one number: 8 for an aspect, 4 for an opinion, and 0 to 3 for no snippet, negative, neutral
and positive.

Senseless text (a row of full stops, one letter again and again) makes scores wild. So, whatever gives the
scores, a span without a letter or digit is nothing, and an item has at most one triplet a word that has one,
the likeliest ones. Sense loses nothing by that: of the 15,432 terms in the training and dev parts of ASTE-V2
one has neither, a comma; and no sentence there has more than three triplets for four such words.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from aspectlab.data import Example, Quad
from aspectlab.encodings.base import (
    POLARITIES,
    A,
    Array,
    Batch,
    Item,
    Scores,
    TextItem,
    WordQuad,
    WordSpan,
    encode_texts,
    frame_arrays,
    polarity_shares,
    quad_at,
)
from aspectlab.encodings.vocabulary import Vocabulary, has_alphanumeric

ASPECT_BIT, OPINION_BIT = 8, 4
N_SPAN_CLASSES = 16

Triplet = tuple[WordSpan, WordSpan, WordSpan]
"""Aspect, opinion and snippet."""


@dataclass(frozen=True, slots=True)
class SpanBatch(Batch[A]):
    """Texts as arrays; the label of a span is that of the cell (first word, last word), [B, T, T]."""

    axes: ClassVar[dict[str, str]] = {**Batch.axes, "labels": "BTT"}


@dataclass(frozen=True, slots=True)
class SpanEncoding:
    """Turn a text into one token sequence, and classes of spans back into triplets."""

    vocabulary: Vocabulary

    def encode(self, examples: Sequence[Example]) -> list[TextItem]:
        """Make an item of every text, or of overlapping windows where it is too long."""
        return encode_texts(self.vocabulary, examples, with_opinions=True)

    def collate(self, items: Sequence[Item], length: int | None = None) -> SpanBatch[Array]:
        """Pad items to one length: that of the longest, or the one given."""
        frame = frame_arrays(items, self.vocabulary.pad, length)
        size = frame["tokens"].shape[1]
        labels = np.zeros((len(items), size, size), np.int8)
        for row, item in enumerate(items):
            assert isinstance(item, TextItem)
            for (first, last), kind in span_classes(item.quads).items():
                labels[row, first, last] = kind
        return SpanBatch(**frame, labels=labels)

    def decode(
        self, scores: Scores, items: Sequence[Item], examples: Sequence[Example]
    ) -> list[tuple[Quad, ...]]:
        """Read triplets off the classes of the spans, [B, T, T, 16], from the left to the right."""
        rows = [item for item in items if isinstance(item, TextItem)]
        named = [_are_named(item, examples[item.example]) for item in rows]
        cells = _read_cells(scores, named)
        return [
            _decode_item(cells[row], scores[row], item, examples[item.example], most=sum(named[row]))
            for row, item in enumerate(rows)
        ]


def _are_named(item: TextItem, example: Example) -> list[bool]:
    """Return which words of an item have a letter or digit."""
    text = example.text
    # nearly every word begins with one, which is told at once
    return [text[start].isalnum() or has_alphanumeric(text[start + 1 : end]) for start, end in item.offsets]


def _read_cells(scores: Scores, named: Sequence[Sequence[bool]]) -> list[dict[WordSpan, int]]:
    """Find the spans of each item that are something, and what, [B, T, T, 16]."""
    best = np.triu(scores.argmax(-1))  # [B, T, T]
    rows, firsts, lasts = np.nonzero(best)
    counts = np.array([len(words) for words in named], np.int64)
    # how many words with a letter or digit stand before each word
    before = np.zeros((len(named), best.shape[1] + 1), np.int64)  # [B, T + 1]
    for row, words in enumerate(named):
        before[row, 1 : len(words) + 1] = np.cumsum(words)
    inside = (lasts < counts[rows]) & (before[rows, lasts + 1] > before[rows, firsts])
    kept = rows[inside], firsts[inside], lasts[inside]
    cells: list[dict[WordSpan, int]] = [{} for _ in named]
    for row, first, last, kind in zip(*(part.tolist() for part in (*kept, best[kept])), strict=True):
        cells[row][first, last] = kind
    return cells


def _decode_item(
    cells: dict[WordSpan, int], scores: Scores, item: TextItem, example: Example, *, most: int
) -> tuple[Quad, ...]:
    return tuple(
        quad_at(
            example, item, aspect, opinion, POLARITIES[cells[snippet] % 4 - 1], _confidence(scores[snippet])
        )
        for aspect, opinion, snippet in _keep_likely(read_triplets(cells), scores, most)
    )


def _keep_likely(triplets: list[Triplet], scores: Scores, most: int) -> list[Triplet]:
    """Keep so many triplets, those with the likeliest snippets, in their order; the first of equals."""
    if len(triplets) <= most:
        return triplets
    firsts, lasts = np.array([snippet for _, _, snippet in triplets]).T
    rows = scores[firsts, lasts]  # [K, 16]
    weights = np.exp(rows - rows.max(-1, keepdims=True)).reshape(-1, 4, 4).sum(1)  # [K, 4] by polarity
    likely = weights[:, 1:].max(-1) / weights.sum(-1)  # [K]
    chosen = np.sort(np.argsort(-likely, kind="stable")[:most])
    return [triplets[index] for index in chosen.tolist()]


def read_triplets(cells: dict[WordSpan, int]) -> list[Triplet]:
    """Find the aspect and the opinion at the two ends of each snippet, whichever comes first.

    At each end the longest fitting term is taken, unless it is the whole snippet and there is another.

    >>> read_triplets({(0, 0): 4, (1, 1): 8, (0, 1): 3})
    [((1, 1), (0, 0), (0, 1))]
    """
    aspects, opinions = (
        _Terms(span for span, kind in cells.items() if kind & bit) for bit in (ASPECT_BIT, OPINION_BIT)
    )
    found: dict[tuple[WordSpan, WordSpan], WordSpan] = {}
    for snippet in sorted((span for span, kind in cells.items() if kind % 4), key=lambda s: (sum(s), s[0])):
        for aspect, opinion in (
            (aspects.at_start(snippet), opinions.at_end(snippet)),
            (aspects.at_end(snippet), opinions.at_start(snippet)),
        ):
            if aspect and opinion:
                found.setdefault((aspect, opinion), snippet)
    return [(aspect, opinion, snippet) for (aspect, opinion), snippet in found.items()]


class _Terms:
    """Spans by first and by last word, so that a wild prediction is read as fast as a tame one."""

    def __init__(self, spans: Iterable[WordSpan]) -> None:
        self.ends: dict[int, list[int]] = {}
        self.starts: dict[int, list[int]] = {}
        for first, last in sorted(spans):
            self.ends.setdefault(first, []).append(last)
            self.starts.setdefault(last, []).append(first)

    def at_start(self, snippet: WordSpan) -> WordSpan | None:
        """Return the longest term that begins the snippet."""
        ends = self.ends.get(snippet[0], [])
        index = bisect_right(ends, snippet[1]) - 1
        if index > 0 and ends[index] == snippet[1]:
            index -= 1
        return (snippet[0], ends[index]) if index >= 0 else None

    def at_end(self, snippet: WordSpan) -> WordSpan | None:
        """Return the longest term that ends the snippet."""
        starts = self.starts.get(snippet[1], [])
        index = bisect_left(starts, snippet[0])
        if index + 1 < len(starts) and starts[index] == snippet[0]:
            index += 1
        return (starts[index], snippet[1]) if index < len(starts) else None


def span_classes(quads: Sequence[WordQuad]) -> dict[WordSpan, int]:
    """Return the class of every span that a triplet makes something; of two polarities the last one stays."""
    cells: dict[WordSpan, int] = {}
    triplets = [(quad.aspect, quad.opinion, quad.polarity) for quad in quads if quad.opinion]
    for aspect, opinion, _ in triplets:
        cells[aspect] = cells.get(aspect, 0) | ASPECT_BIT
        cells[opinion] = cells.get(opinion, 0) | OPINION_BIT
    for aspect, opinion, polarity in sorted(triplets, key=lambda triplet: (triplet[0][0], triplet[1][1])):
        snippet = min(aspect[0], opinion[0]), max(aspect[1], opinion[1])
        cells[snippet] = cells.get(snippet, 0) & ~3 | POLARITIES.index(polarity) + 1
    return cells


def _confidence(scores: Scores) -> dict[str, float]:
    """Return the share of each polarity among the snippets, whatever else the span is, [16] -> 3 numbers."""
    return polarity_shares(np.exp(scores - scores.max()).reshape(4, 4).sum(0)[1:].tolist())
