"""Span encoding: every run of words is a cell, and says what it is: an aspect, an opinion, a snippet.

A snippet is the stretch from the first to the last word of a triplet; it carries the polarity. A class is
three answers in one number: 8 for an aspect, 4 for an opinion, and 0 to 3 for no snippet, negative, neutral
and positive.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from aspectlab.data import Example, Polarity, Quad, Span, Term
from aspectlab.encodings.batch import A, Batch, Item
from aspectlab.encodings.padding import frame_arrays
from aspectlab.encodings.vocabulary import Tokens, Vocabulary
from aspectlab.errors import TaskError
from aspectlab.language import word_spans

ASPECT, OPINION = 8, 4
CLASSES = 16
SNIPPETS = (None, Polarity.NEGATIVE, Polarity.NEUTRAL, Polarity.POSITIVE)

WordSpan = tuple[int, int]
"""First and last word of a span, both included, counted from the first word of the item."""


@dataclass(frozen=True, slots=True)
class SpanItem(Item):
    """A text, or a window of a long one, with where its words stand and which spans are what."""

    places: list[Span]  # the characters of each word
    cells: dict[WordSpan, int]  # the class of each span that is not nothing


@dataclass(frozen=True, slots=True)
class SpanBatch(Batch[A]):
    """Texts as arrays; the label of a span is that of the cell (first word, last word), [B, T, T]."""

    axes: ClassVar[dict[str, str]] = {**Batch.axes, "labels": "BTT"}


@dataclass(frozen=True, slots=True)
class SpanEncoding:
    """Turn a text into one token sequence, and classes of spans back into triplets."""

    vocabulary: Vocabulary

    def encode(self, examples: Sequence[Example]) -> list[SpanItem]:
        """Make an item of every text, or of overlapping windows where it is too long."""
        tokenized = self.vocabulary.tokenize([example.text for example in examples])
        return [
            item
            for index, (example, tokens) in enumerate(zip(examples, tokenized, strict=True))
            for item in self._encode_example(index, example, tokens)
        ]

    def collate(self, items: Sequence[Item], length: int | None = None) -> SpanBatch[NDArray[np.generic]]:
        """Pad items to one length: that of the longest, or the one given."""
        frame = frame_arrays(items, self.vocabulary.pad, length)
        size = frame["tokens"].shape[1]
        labels = np.zeros((len(items), size, size), np.int8)
        for row, item in enumerate(items):
            assert isinstance(item, SpanItem)
            for (first, last), kind in item.cells.items():
                labels[row, first, last] = kind
        return SpanBatch(**frame, labels=labels)

    def decode(
        self, scores: NDArray[np.float32], items: Sequence[Item], examples: Sequence[Example]
    ) -> list[tuple[Quad, ...]]:
        """Read triplets off the classes of the spans, [B, T, T, 16], from the left to the right."""
        best = scores.argmax(-1)  # [B, T, T]
        return [
            self._decode_item(best[row], scores[row], item, examples[item.example])
            for row, item in enumerate(items)
            if isinstance(item, SpanItem)
        ]

    def _decode_item(
        self, best: NDArray[np.int64], scores: NDArray[np.float32], item: SpanItem, example: Example
    ) -> tuple[Quad, ...]:
        count = len(item.places)
        cells = {
            (first, last): int(best[first, last])
            for first, last in np.argwhere(np.triu(best[:count, :count])).tolist()
        }
        quads = []
        for aspect, opinion, snippet in read_triplets(cells):
            quads.append(
                Quad(
                    aspect=_term(example.text, item.places, aspect),
                    opinion=_term(example.text, item.places, opinion),
                    polarity=SNIPPETS[cells[snippet] % 4],
                    confidence=_confidence(scores[snippet]),
                )
            )
        return tuple(quads)

    def _encode_example(self, index: int, example: Example, tokens: Tokens) -> Iterator[SpanItem]:
        places = word_spans(example.text)
        owners = (
            np.searchsorted([span.start for span in places], [s.start for s in tokens.spans], "right") - 1
        )
        kept = [place for place, owner in enumerate(owners) if owner >= 0]
        frame = self.vocabulary
        room = frame.max_length - len(frame.first) - len(frame.last)
        for part in _windows(kept, owners.tolist(), room):
            words = owners[part]
            first, last = (int(words[0]), int(words[-1])) if len(part) else (0, -1)
            ids = [tokens.ids[place] for place in part]
            row = [*frame.first, *ids, *frame.last]
            none = [-1] * len(frame.first), [-1] * len(frame.last)
            yield SpanItem(
                example=index,
                tokens=row,
                segments=[0] * len(row),
                words=[*none[0], *(int(word) - first for word in words), *none[1]],
                is_cut=False,
                places=places[first : last + 1],
                cells=_cells(example, places[first : last + 1]),
            )


def read_triplets(cells: dict[WordSpan, int]) -> list[tuple[WordSpan, WordSpan, WordSpan]]:
    """Find the aspect and the opinion at the two ends of each snippet, whichever comes first.

    At each end the longest fitting term is taken, unless it is the whole snippet and there is another.

    >>> read_triplets({(0, 0): 4, (1, 1): 8, (0, 1): 3})
    [((1, 1), (0, 0), (0, 1))]
    """
    aspects, opinions = (
        _Terms(span for span, kind in cells.items() if kind & bit) for bit in (ASPECT, OPINION)
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
        """Give the longest term that begins the snippet."""
        ends = self.ends.get(snippet[0], [])
        place = bisect_right(ends, snippet[1]) - 1
        if place > 0 and ends[place] == snippet[1]:
            place -= 1
        return (snippet[0], ends[place]) if place >= 0 else None

    def at_end(self, snippet: WordSpan) -> WordSpan | None:
        """Give the longest term that ends the snippet."""
        starts = self.starts.get(snippet[1], [])
        place = bisect_left(starts, snippet[0])
        if place + 1 < len(starts) and starts[place] == snippet[0]:
            place += 1
        return (starts[place], snippet[1]) if place < len(starts) else None


def _cells(example: Example, places: Sequence[Span]) -> dict[WordSpan, int]:
    """Give the class of every span that a triplet makes something; of two polarities the last one stays."""
    cells: dict[WordSpan, int] = {}
    ends = []
    for quad in example.quads:
        aspect, opinion = _words(quad.aspect, places), _words(quad.opinion, places)
        if aspect is None or opinion is None or quad.polarity is None:
            continue
        if quad.polarity not in SNIPPETS:
            raise TaskError(
                f"example {example.id!r}: found polarity {quad.polarity.value!r}: expected positive, "
                "negative or neutral; remove it with `aspectlab data clean`"
            )
        cells[aspect] = cells.get(aspect, 0) | ASPECT
        cells[opinion] = cells.get(opinion, 0) | OPINION
        ends.append((aspect, opinion, SNIPPETS.index(quad.polarity)))
    for aspect, opinion, kind in sorted(ends, key=lambda end: (end[0][0], end[1][1])):
        snippet = min(aspect[0], opinion[0]), max(aspect[1], opinion[1])
        cells[snippet] = cells.get(snippet, 0) & ~3 | kind
    return cells


def _words(term: Term | None, places: Sequence[Span]) -> WordSpan | None:
    """Find the words that a term covers; None if it is implicit, or not wholly within these words."""
    if term is None or term.span is None:
        return None
    start, end = term.span
    inside = [n for n, place in enumerate(places) if place.start < end and start < place.end]
    if not inside or places[inside[0]].start > start or places[inside[-1]].end < end:
        return None
    return inside[0], inside[-1]


def _term(text: str, places: Sequence[Span], span: WordSpan) -> Term:
    start, end = places[span[0]].start, places[span[1]].end
    return Term(text[start:end], Span(start, end))


def _confidence(scores: NDArray[np.float32]) -> dict[str, float]:
    """Give each polarity its share among the snippets, whatever else the span is, [16] -> 3 numbers."""
    shares = np.exp(scores - scores.max()).reshape(4, 4).sum(0)[1:]
    shares = shares / shares.sum()
    return {str(label): round(float(p), 6) for label, p in zip(SNIPPETS[1:], shares, strict=True)}


def _windows(kept: list[int], owners: list[int], room: int) -> Iterator[list[int]]:
    """Cut tokens into windows of whole words that overlap by half, so that no short stretch is lost."""
    if len(kept) <= room:
        yield kept
        return
    start = 0
    while start < len(kept):
        end = min(start + room, len(kept))
        while end < len(kept) and end > start + 1 and owners[kept[end]] == owners[kept[end - 1]]:
            end -= 1
        yield kept[start:end]
        if end == len(kept):
            return
        start += max(room // 2, 1)
        while start < len(kept) - 1 and owners[kept[start]] == owners[kept[start - 1]]:
            start += 1
