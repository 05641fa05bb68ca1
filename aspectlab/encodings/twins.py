"""Twin encoding: every text is written about twice, aspect first and opinion first, and both must agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from aspectlab.data import Example, Quad
from aspectlab.encodings.aligning import Aligner
from aspectlab.encodings.batch import A, Item
from aspectlab.encodings.dialogue import Turn
from aspectlab.encodings.grammar import Grammar, Slot, Template, Triplet, build_grammar
from aspectlab.encodings.spelling import Gold, Spelling
from aspectlab.encodings.text import TextItem, WordSpan
from aspectlab.encodings.text2text import Guide, WrittenBatch, WrittenItem, put_beside, written_arrays
from aspectlab.encodings.vocabulary import Vocabulary

_ASPECT, _OPINION = ("aspect", ":", Slot.ASPECT), ("opinion", ":", Slot.OPINION)
_POLARITY = ("sentiment", ":", Slot.POLARITY)

TEMPLATES = (
    Template((*_ASPECT, ",", *_OPINION, ",", *_POLARITY), ";"),
    Template((*_OPINION, ",", *_ASPECT, ",", *_POLARITY), ";"),
)
"""How the two copies are written; both have the same symbols."""

_PREFIXES = ("aspect first:", "opinion first:")
"""What stands before the text in each copy."""

_MARKERS = ("aspect", "opinion")
"""The words behind which a term is written."""


@dataclass(frozen=True, slots=True)
class TwinBatch(WrittenBatch[A]):
    """Copies as arrays. M: triplets, as many as any text of the corpus has."""

    copy: A  # [B] which template is followed
    guides: A  # [B, M, 2, 3] aspect and opinion; marker, first and last word, or -1

    axes: ClassVar[dict[str, str]] = {**WrittenBatch.axes, "copy": "B", "guides": "BMRG"}


def build_twin_grammar() -> Grammar:
    """Put the tables of both templates below each other; the second one begins halfway."""
    first, second = (build_grammar(template) for template in TEMPLATES)
    size = len(first.follows)
    return Grammar(
        first.symbols,
        np.concatenate([first.follows, np.where(second.follows < 0, -1, second.follows + size)]),
        np.concatenate([first.copies, second.copies]),
        np.concatenate([first.copied, second.copied + size]),
    )


@dataclass(frozen=True, slots=True)
class TwinEncoding:
    """Turn a text into two copies, and what is written about both back into the triplets they share."""

    vocabulary: Vocabulary
    constrained: bool = True
    normalise: bool = True

    def encode(self, examples: Sequence[Example]) -> list[WrittenItem]:
        """Make two items of every text, or of each of its windows where it is too long."""
        prefixes = [tokens.ids for tokens in self.vocabulary.tokenize(_PREFIXES)]
        texts = self._spelling.encode(examples, taken=max(map(len, prefixes)))
        return [
            self._write(_put_before(prefix, text, len(self.vocabulary.first)), copy, examples[text.example])
            for text in texts
            for copy, prefix in enumerate(prefixes)
        ]

    def collate(self, items: Sequence[Item], length: int | None = None) -> TwinBatch[NDArray[np.generic]]:
        """Pad items to one length: that of the longest, or the one given."""
        copies = [item for item in items if isinstance(item, WrittenItem)]
        most = max((len(item.guides) for item in copies), default=1) or 1
        guides = np.full((len(copies), most, len(_MARKERS), 3), -1, np.int32)
        for row, item in enumerate(copies):
            guides[row, : len(item.guides)] = np.array(item.guides, np.int32).reshape(-1, len(_MARKERS), 3)
        return TwinBatch(
            **written_arrays(items, self.vocabulary.pad, length),
            copy=np.array([item.copy for item in copies], np.int64),
            guides=guides,
        )

    def decode(
        self, scores: NDArray[np.float32], items: Sequence[Item], examples: Sequence[Example]
    ) -> list[tuple[Quad, ...]]:
        """Read triplets off each copy alone, [B, Y]."""
        aligner = Aligner(self.vocabulary, normalise=self.normalise)
        return [
            aligner.quads(self._read(row, item), item, examples[item.example])
            for row, item in zip(scores, items, strict=True)
            if isinstance(item, WrittenItem)
        ]

    def open(self, examples: Sequence[Example]) -> list[WrittenItem]:
        """Ask for both copies of every text."""
        return self.encode([replace(example, quads=()) for example in examples])

    def follow(self, rounds: Sequence[Sequence[Turn]], examples: Sequence[Example]) -> Sequence[Item]:
        """Ask nothing more."""
        return ()

    def conclude(
        self, rounds: Sequence[Sequence[Turn]], examples: Sequence[Example]
    ) -> list[tuple[Quad, ...]]:
        """Keep the triplets that both copies of a text hold, as often as both hold them."""
        aligner = Aligner(self.vocabulary, normalise=self.normalise)
        found: list[dict[Quad, None]] = [{} for _ in examples]
        for turns in (asked[n : n + 2] for asked in rounds for n in range(0, len(asked), 2)):
            items = [turn.item for turn in turns if isinstance(turn.item, WrittenItem)]
            one, other = (
                Counter(self._read(turn.scores, item)) for turn, item in zip(turns, items, strict=True)
            )
            shared, place = list((one & other).elements()), items[0].example
            found[place] |= dict.fromkeys(aligner.quads(shared, items[0], examples[place]))
        return [tuple(quads) for quads in found]

    @property
    def _spelling(self) -> Spelling:
        return Spelling(self.vocabulary, len(TEMPLATES[0].symbols), self.constrained)

    def _read(self, written: NDArray[np.float32], item: WrittenItem) -> list[Triplet]:
        triplets = TEMPLATES[item.copy].read(written.astype(np.int64).tolist())
        return [self._spelling.tokens(triplet, item) for triplet in triplets]

    def _write(self, item: TextItem, copy: int, example: Example) -> WrittenItem:
        golds = self._spelling.golds(item, example)
        # by where terms end, those of the term that is written first in the first place
        golds.sort(key=lambda gold: (_end(gold.aspect), _end(gold.opinion))[:: -1 if copy else 1])
        target = TEMPLATES[copy].write([gold.triplet for gold in golds], self.vocabulary.max_length)
        return put_beside(item, target, copy, tuple(_guides(target, copy, golds)))


def _put_before(prefix: Sequence[int], item: TextItem, first: int) -> TextItem:
    """Put a prefix, which is no part of the text, between the first tokens of the frame and the text."""
    return replace(
        item,
        tokens=[*item.tokens[:first], *prefix, *item.tokens[first:]],
        segments=[0] * (len(prefix) + len(item.tokens)),
        words=[*item.words[:first], *[-1] * len(prefix), *item.words[first:]],
    )


def _guides(target: Sequence[int], copy: int, golds: Sequence[Gold]) -> Iterator[tuple[Guide, Guide]]:
    """Give the guides of those triplets that found room; a marker is written once for each."""
    markers = (TEMPLATES[copy].number(word) for word in _MARKERS)
    aspects, opinions = ([n for n, symbol in enumerate(target) if symbol == marker] for marker in markers)
    for aspect, opinion, gold in zip(aspects, opinions, golds, strict=False):
        yield _guide(aspect, gold.aspect), _guide(opinion, gold.opinion)


def _guide(marker: int, span: WordSpan | None) -> Guide:
    return (-1, -1, -1) if span is None else (marker, *span)


def _end(span: WordSpan | None) -> float:
    return np.inf if span is None else span[1]
