"""Focus encoding: a text whose words are tagged, with one of its aspects in focus, whose polarity is asked.

Where aspects are given, each of them makes an item. Where they are not, it takes two rounds: the first one,
with nothing in focus, finds aspects by the tags of the words, and the second one puts each of them in focus.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import groupby
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from aspectlab.data import Example, Quad, Span
from aspectlab.encodings.batch import A, Batch, Item
from aspectlab.encodings.dialogue import Turn
from aspectlab.encodings.padding import frame_arrays, pad_field
from aspectlab.encodings.tags import BIO, judge, read_runs, softmax, write_tags
from aspectlab.encodings.text import POLARITIES, TextItem, WordQuad, WordSpan, encode_texts, term_at
from aspectlab.encodings.vocabulary import Vocabulary
from aspectlab.tasks import TASKS


@dataclass(frozen=True, slots=True)
class FocusItem(TextItem):
    """A text, or a window of it, with an aspect in focus."""

    aspect: WordSpan | None  # None: nothing is in focus
    label: int  # the polarity of the aspect, by its place in POLARITIES; -1 for none
    given: int = -1  # the quad that it asks about, by its place in the example; -1: none was given

    @property
    def is_labelled(self) -> bool:
        """Whether there is anything to learn from it: a given aspect needs a polarity."""
        return self.given < 0 or self.label >= 0


@dataclass(frozen=True, slots=True)
class FocusBatch(Batch[A]):
    """Texts as arrays; the label of a word is 0 outside, 1 at the start of, 2 inside an aspect, [B, T]."""

    in_aspect: A  # [B, T] the words, not tokens, of the aspect in focus
    polarity: A  # [B] the label of that aspect, -1 for none

    axes: ClassVar[dict[str, str]] = {**Batch.axes, "labels": "BT", "in_aspect": "BT", "polarity": "B"}


@dataclass(frozen=True, slots=True)
class _Focus:
    """What both have in common: scores are [B, 1 + T, 3], polarities in the first row, then tags."""

    vocabulary: Vocabulary

    def collate(self, items: Sequence[Item], length: int | None = None) -> FocusBatch[NDArray[np.generic]]:
        """Pad items to one length: that of the longest, or the one given."""
        focused = [item for item in items if isinstance(item, FocusItem)]
        frame = frame_arrays(focused, self.vocabulary.pad, length)
        width = frame["tokens"].shape[1]
        marks = [_mark(item.aspect) for item in focused]
        return FocusBatch(
            **frame,
            labels=pad_field([_letters(item.quads) for item in focused], width, 0, np.int64),
            in_aspect=pad_field(marks, width, 0, np.bool_),
            polarity=np.array([item.label for item in focused], np.int64),
        )

    def decode(
        self, scores: NDArray[np.float32], items: Sequence[Item], examples: Sequence[Example]
    ) -> list[tuple[Quad, ...]]:
        """Give the aspect in focus the polarity with the highest score, and the probability of each."""
        return [
            tuple(_answers(row[0], item, examples[item.example]))
            for row, item in zip(scores, items, strict=True)
            if isinstance(item, FocusItem)
        ]


class GivenFocus(_Focus):
    """Put each given aspect of a text in focus."""

    def encode(self, examples: Sequence[Example]) -> list[FocusItem]:
        """Make an item of every quad that names an aspect in the text."""
        # what is no aspect in the text has no tag; a category, say, is not this model's matter
        judged = [TASKS["e2e"].project(example) for example in examples]
        texts = encode_texts(self.vocabulary, judged, with_opinions=False)
        windows = {place: list(group) for place, group in groupby(texts, key=lambda item: item.example)}
        return [
            _focus_given(windows[place], quad, quad.aspect.span, number)
            for place, example in enumerate(examples)
            for number, quad in enumerate(example.quads)
            if quad.aspect is not None and quad.aspect.span is not None
        ]


class FoundFocus(_Focus):
    """Find the aspects of a text, then put each in focus."""

    def encode(self, examples: Sequence[Example]) -> list[FocusItem]:
        """Make an item of every labelled aspect, and of every text that has none."""
        items = []
        for text in encode_texts(self.vocabulary, examples, with_opinions=False):
            aspects = dict.fromkeys((quad.aspect, POLARITIES.index(quad.polarity)) for quad in text.quads)
            items += [_focus(text, *aspect) for aspect in aspects] or [_focus(text, None, -1)]
        return items

    def open(self, examples: Sequence[Example]) -> list[FocusItem]:
        """Ask for the tags of every text."""
        bare = [replace(example, quads=()) for example in examples]
        texts = encode_texts(self.vocabulary, bare, with_opinions=False)
        return [_focus(text, None, -1) for text in texts]

    def follow(self, rounds: Sequence[Sequence[Turn]], examples: Sequence[Example]) -> list[FocusItem]:
        """Ask for the polarity of every aspect that was found; what two windows share is asked once."""
        if len(rounds) > 1:
            return []
        found: dict[tuple[int, Span], FocusItem] = {}
        for item, scores in rounds[0]:
            assert isinstance(item, FocusItem)
            tags = scores[1 : 1 + len(item.places)].argmax(-1)
            for first, last in read_runs(tags.tolist()):
                characters = Span(item.places[first][0], item.places[last][1])
                found.setdefault((item.example, characters), replace(item, aspect=(first, last)))
        return list(found.values())

    def conclude(
        self, rounds: Sequence[Sequence[Turn]], examples: Sequence[Example]
    ) -> list[tuple[Quad, ...]]:
        """Give the aspects of each example with their polarities."""
        answers: list[tuple[Quad, ...]] = [()] * len(examples)
        for item, scores in (turn for turns in rounds[1:] for turn in turns):
            answers[item.example] += self.decode(scores[None], [item], examples)[0]
        return answers


def _focus(text: TextItem, aspect: WordSpan | None, label: int, given: int = -1) -> FocusItem:
    parts = {field.name: getattr(text, field.name) for field in fields(text)}
    return FocusItem(**parts, aspect=aspect, label=label, given=given)


def _focus_given(windows: list[TextItem], quad: Quad, span: Span, number: int) -> FocusItem:
    """Choose the window that holds most of the aspect, and of several the one that has it in its middle."""

    def fitness(window: TextItem) -> tuple[int, int]:
        words = _overlap(window, span)
        return len(words), -abs(sum(words[:1] + words[-1:]) - len(window.places))

    window = max(windows, key=fitness)
    words = _overlap(window, span)
    aspect = (words[0], words[-1]) if words else None
    return _focus(window, aspect, -1 if quad.polarity is None else POLARITIES.index(quad.polarity), number)


def _overlap(window: TextItem, span: Span) -> list[int]:
    return [n for n, (start, end) in enumerate(window.places) if start < span.end and span.start < end]


def _letters(quads: Sequence[WordQuad]) -> list[int]:
    """Give the tags of words without the polarities: 0 outside, 1 at the start, 2 inside."""
    return [(tag + len(POLARITIES) - 1) // len(POLARITIES) for tag in write_tags(quads, BIO)]


def _mark(aspect: WordSpan | None) -> list[int]:
    return [] if aspect is None else [0] * aspect[0] + [1] * (aspect[1] - aspect[0] + 1)


def _answers(scores: NDArray[np.float32], item: FocusItem, example: Example) -> Iterator[Quad]:
    if item.given < 0 and item.aspect is None:
        return
    polarity, confidence = judge(softmax(scores))
    if item.given >= 0:
        quad = example.quads[item.given]
    else:
        assert item.aspect is not None
        quad = Quad(aspect=term_at(example.text, item.places, item.aspect))
    yield replace(quad, polarity=polarity, confidence=confidence)
