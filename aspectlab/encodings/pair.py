"""Pair encoding: a text with one given aspect, to classify the sentiment or tag the opinion words for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import accumulate
from typing import ClassVar, Literal

import numpy as np

from aspectlab.data import Example, Polarity, Quad, Span
from aspectlab.encodings.base import (
    A,
    Array,
    Batch,
    Item,
    Scores,
    frame_arrays,
    pad_field,
    read_words,
    term_at,
)
from aspectlab.encodings.tags import read_runs
from aspectlab.encodings.vocabulary import Tokens, Vocabulary
from aspectlab.errors import TaskError
from aspectlab.language import Offsets, word_offsets, word_spans

LABELS = (Polarity.POSITIVE, Polarity.NEGATIVE, Polarity.NEUTRAL)

Layout = Literal["sentence", "sentence-aspect", "aspect-sentence", "marked"]
"""What the token sequence holds, in which order; `marked` encloses the target and repeats it behind."""

_ROOM = 8
"""Tokens kept free for frame and marks when a long text is cut to a window around the aspect."""


@dataclass(frozen=True, slots=True)
class PairItem(Item):
    """One aspect of one example; masks are lists as long as the tokens."""

    quad: int
    in_sentence: list[bool]
    in_aspect: list[bool]
    in_second: list[bool]
    label: int
    first_word: int  # of the text, among those that are kept

    @property
    def is_labelled(self) -> bool:
        """Whether the aspect has a gold label."""
        return self.label >= 0


@dataclass(frozen=True, slots=True)
class PairBatch(Batch[A]):
    """Pairs as arrays; a label is an index into LABELS, or -1 where there is no gold label, [B]."""

    in_sentence: A  # [B, T] tokens of the sentence, target included, frame and marks not
    in_aspect: A  # [B, T] tokens of the target where it stands in the sentence
    in_second: A  # [B, T] tokens of the aspect as a segment of its own

    axes: ClassVar[dict[str, str]] = {
        **Batch.axes,
        **dict.fromkeys(("in_sentence", "in_aspect", "in_second"), "BT"),
        "labels": "B",
    }


def pair_arrays(items: Sequence[PairItem], pad: int, length: int | None) -> dict[str, Array]:
    """Return the fields that every batch of pairs has."""
    frame = frame_arrays(items, pad, length)
    width = frame["tokens"].shape[1]
    masks = ("in_sentence", "in_aspect", "in_second")
    return frame | {
        name: pad_field([getattr(item, name) for item in items], width, 0, np.bool_) for name in masks
    }


@dataclass(frozen=True, slots=True)
class PairEncoding:
    """Turn (text, aspect) into one token sequence, and class scores back into quads."""

    vocabulary: Vocabulary
    layout: Layout = "sentence-aspect"

    def encode(self, examples: Sequence[Example]) -> list[PairItem]:
        """Make an item of every quad that names an aspect in the text."""
        tokenized = self.vocabulary.tokenize([example.text for example in examples])
        items: list[PairItem] = []
        for index, (example, tokens) in enumerate(zip(examples, tokenized, strict=True)):
            items += self._encode_example(index, example, tokens)
        return items

    def collate(self, items: Sequence[Item], length: int | None = None) -> PairBatch[Array]:
        """Pad items to one length: that of the longest, or the one given."""
        pairs = [item for item in items if isinstance(item, PairItem)]
        arrays = pair_arrays(pairs, self.vocabulary.pad, length)
        return PairBatch(**arrays, labels=np.array([item.label for item in pairs], np.int64))

    def decode(
        self, scores: Scores, items: Sequence[Item], examples: Sequence[Example]
    ) -> list[tuple[Quad, ...]]:
        """Label each item's quad with the polarity that scores best, and the probability of each."""
        answers: list[tuple[Quad, ...]] = []
        shifted = np.exp(scores - scores.max(axis=-1, keepdims=True))  # [N, C]
        shares = shifted / shifted.sum(axis=-1, keepdims=True)
        for item, share in zip(items, shares, strict=True):
            assert isinstance(item, PairItem)
            confidence = {label.value: round(float(p), 6) for label, p in zip(LABELS, share, strict=True)}
            polarity = LABELS[int(share.argmax())]
            quad = examples[item.example].quads[item.quad]
            answers.append((quad.with_polarity(polarity, confidence),))
        return answers

    def _encode_example(self, index: int, example: Example, tokens: Tokens) -> Iterator[PairItem]:
        words = words_of(example.text, tokens)
        for number, quad in enumerate(example.quads):
            if quad.aspect is None or quad.aspect.span is None:
                continue
            label = -1 if quad.polarity is None else _label(example, quad.polarity)
            yield self.make_item(index, number, tokens, words, quad.aspect.span, label)

    def make_item(
        self, index: int, number: int, tokens: Tokens, words: list[int], aspect: Span, label: int
    ) -> PairItem:
        """Make the item of one aspect; a long text is cut to a window around it."""
        inside = [start < aspect.end and aspect.start < end for start, end in tokens.spans]
        free = self.vocabulary.max_length - _ROOM
        # a target that fills the text would leave no room for the text itself
        target = [token for token, hit in zip(tokens.ids, inside, strict=True) if hit][: free // 2]
        keep = _window(inside, free - len(target))
        row = _Row()
        frame = self.vocabulary
        if self.layout == "aspect-sentence":
            row.add(frame.first, segment=0)
            row.add(target, segment=0, second=True)
            row.add(frame.between, segment=0)
        else:
            row.add(frame.first, segment=0)
        segment = 1 if self.layout == "aspect-sentence" else 0
        self._add_sentence(row, tokens, words, inside, keep, segment)
        row.add(
            frame.last if self.layout in ("sentence", "aspect-sentence") else frame.between, segment=segment
        )
        if self.layout in ("sentence-aspect", "marked"):
            row.add(target, segment=1, second=True)
            row.add(frame.last, segment=1)
        return row.item(index, number, label, is_cut=len(keep) < len(inside))

    def _add_sentence(
        self, row: _Row, tokens: Tokens, words: list[int], inside: list[bool], keep: range, segment: int
    ) -> None:
        opening, closing = self.vocabulary.marks
        for index in keep:
            if self.layout == "marked" and inside[index] and not (index and inside[index - 1]):
                row.add((opening,), segment=segment)
            row.add((tokens.ids[index],), segment=segment, word=words[index], aspect=inside[index])
            if (
                self.layout == "marked"
                and inside[index]
                and not (index + 1 < len(inside) and inside[index + 1])
            ):
                row.add((closing,), segment=segment)


TARGET_TAGS = 3
"""Outside, begin, inside."""


@dataclass(frozen=True, slots=True)
class TargetItem(PairItem):
    """One aspect of one example, with what its opinion words are."""

    offsets: list[Offsets]  # the characters of each word
    tags: list[int]  # of each word

    @property
    def is_labelled(self) -> bool:
        """Whether there is anything to learn from it: an aspect without opinion words teaches that, too."""
        return True


@dataclass(frozen=True, slots=True)
class TargetBatch(PairBatch[A]):
    """Pairs as arrays; the label of a word is its tag, [B, T]."""

    axes: ClassVar[dict[str, str]] = {**PairBatch.axes, "labels": "BT"}


@dataclass(frozen=True, slots=True)
class TargetTagEncoding:
    """Turn (text, aspect) into one token sequence with the aspect marked, and tags into opinion words."""

    vocabulary: Vocabulary

    def encode(self, examples: Sequence[Example]) -> list[TargetItem]:
        """Make an item of every aspect in the text, however many opinion words it has."""
        tokenized = self.vocabulary.tokenize([example.text for example in examples])
        items: list[TargetItem] = []
        for index, (example, tokens) in enumerate(zip(examples, tokenized, strict=True)):
            items += self._encode_example(index, example, tokens)
        return items

    def collate(self, items: Sequence[Item], length: int | None = None) -> TargetBatch[Array]:
        """Pad items to one length: that of the longest, or the one given."""
        targets = [item for item in items if isinstance(item, TargetItem)]
        arrays = pair_arrays(targets, self.vocabulary.pad, length)
        width = arrays["tokens"].shape[1]
        return TargetBatch(**arrays, labels=pad_field([item.tags for item in targets], width, 0, np.int64))

    def decode(
        self, scores: Scores, items: Sequence[Item], examples: Sequence[Example]
    ) -> list[tuple[Quad, ...]]:
        """Read the opinion words off the tags of the words, [B, T, 3]."""
        answers: list[tuple[Quad, ...]] = []
        for item, row in zip(items, scores, strict=True):
            assert isinstance(item, TargetItem)
            example = examples[item.example]
            aspect = example.quads[item.quad].aspect
            runs = read_runs(row[: len(item.offsets)].argmax(-1).tolist())
            answers.append(
                tuple(Quad(aspect, opinion=term_at(example.text, item.offsets, run)) for run in runs)
            )
        return answers

    def _encode_example(self, index: int, example: Example, tokens: Tokens) -> Iterator[TargetItem]:
        offsets, owners = read_words(tokens.spans, word_offsets(example.text))
        pair, seen = PairEncoding(self.vocabulary, "marked"), set()
        for number, quad in enumerate(example.quads):
            if quad.aspect is None or quad.aspect.span is None or quad.aspect in seen:
                continue
            seen.add(quad.aspect)
            item = pair.make_item(index, number, tokens, owners, quad.aspect.span, label=0)
            end = item.first_word + max(item.words) + 1
            within = offsets[item.first_word : end]
            opinions = (each.opinion for each in example.quads if each.aspect == quad.aspect)
            spans = [opinion.span for opinion in opinions if opinion is not None and opinion.span is not None]
            shared = {field.name: getattr(item, field.name) for field in fields(item)}
            yield TargetItem(**shared, offsets=within, tags=_tag_words(within, spans))


def _tag_words(offsets: Sequence[Offsets], spans: Sequence[Span]) -> list[int]:
    """Tag the words of some spans; of two that overlap, the one that begins first keeps its words.

    >>> _tag_words([(0, 4), (5, 9), (10, 12)], [Span(5, 12)])
    [0, 1, 2]
    """
    tags = [0] * len(offsets)
    for span in sorted(spans):
        words = [n for n, (start, end) in enumerate(offsets) if start < span.end and span.start < end]
        if words and not any(tags[n] for n in words):
            tags[words[0]] = 1
            tags[words[0] + 1 : words[-1] + 1] = [2] * (len(words) - 1)
    return tags


class _Row:
    """The token sequence of one item while it is put together."""

    def __init__(self) -> None:
        self.tokens: list[int] = []
        self.segments: list[int] = []
        self.in_sentence: list[bool] = []
        self.in_aspect: list[bool] = []
        self.in_second: list[bool] = []
        self.words: list[int] = []

    def add(
        self, ids: Sequence[int], *, segment: int, word: int = -1, aspect: bool = False, second: bool = False
    ) -> None:
        self.tokens += ids
        self.segments += [segment] * len(ids)
        self.in_sentence += [word >= 0] * len(ids)
        self.in_aspect += [aspect] * len(ids)
        self.in_second += [second] * len(ids)
        self.words += [word] * len(ids)

    def item(self, index: int, number: int, label: int, *, is_cut: bool) -> PairItem:
        # a window may start in the middle of the text: words count from the first one that is kept
        offset = min((word for word in self.words if word >= 0), default=0)
        words = [word - offset if word >= 0 else -1 for word in self.words]
        return PairItem(
            example=index,
            quad=number,
            tokens=self.tokens,
            segments=self.segments,
            words=words,
            in_sentence=self.in_sentence,
            in_aspect=self.in_aspect,
            in_second=self.in_second,
            label=label,
            first_word=offset,
            is_cut=is_cut,
        )


def words_of(text: str, tokens: Tokens) -> list[int]:
    """Number the word that each token belongs to: the one that covers its first character."""
    starts = [span.start for span in word_spans(text)]
    owners = np.searchsorted(starts, [start for start, _ in tokens.spans], side="right") - 1
    # marks that the word finder passes over still belong somewhere; numbers must not leave gaps
    changes = (owner != before for owner, before in zip(owners, [*owners[:1], *owners[:-1]], strict=True))
    return list(accumulate(int(change) for change in changes))


def _window(inside: list[bool], room: int) -> range:
    """Keep the tokens nearest to the aspect where the whole text does not fit."""
    if len(inside) <= room:
        return range(len(inside))
    hits = [index for index, hit in enumerate(inside) if hit] or [0]
    middle = (hits[0] + hits[-1]) // 2
    start = min(max(middle - room // 2, 0), len(inside) - room)
    return range(start, start + room)


def _label(example: Example, polarity: Polarity) -> int:
    if polarity not in LABELS:
        raise TaskError(
            f"example {example.id!r}: found polarity {polarity.value!r}: atsc judges positive, negative "
            "and neutral; remove it with `aspectlab data clean`"
        )
    return LABELS.index(polarity)
