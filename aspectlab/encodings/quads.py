"""Quad encoding: texts with their annotation style, and quads whose terms may be implicit.

The first token of a text stands for what is not named: it is word 0 on both sides, and the words of the text
are counted from 1. A model answers with candidate quads, the likeliest first to be judged here.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from aspectlab.data import Example, Quad, Term
from aspectlab.encodings.base import (
    IMPLICIT,
    POLARITIES,
    A,
    Batch,
    Item,
    TextItem,
    WordSpan,
    encode_texts,
    frame_arrays,
    polarity_shares,
    term_at,
)
from aspectlab.encodings.vocabulary import Vocabulary
from aspectlab.errors import ConfigError

UNKNOWN_STYLE = 0
"""The style of an example whose style is not told, or was not learnt."""

QUAD_LABELS = 6
"""Numbers of a gold quad: first and last word of its aspect and of its opinion, polarity, category."""

CORNERS = 4
"""Numbers of a candidate that say where it is; the scores of no quad and of each polarity follow."""

ANSWER = CORNERS + 1 + len(POLARITIES) + 2
"""Numbers of a candidate: the last two are its category, -1 for none, and the probability of that."""


@dataclass(frozen=True, slots=True)
class QuadItem(TextItem):
    """A text, or a window of a long one, with the number of its annotation style."""

    style: int


@dataclass(frozen=True, slots=True)
class QuadBatch(Batch[A]):
    """Texts as arrays, with their quads as labels, [B, Q, 6]; a row of -1 is no quad."""

    style: A  # [B]

    axes: ClassVar[dict[str, str]] = {**Batch.axes, "labels": "BQF", "style": "B"}


@dataclass(frozen=True, slots=True)
class QuadEncoding:
    """Turn a text into one token sequence, and candidates back into quads."""

    vocabulary: Vocabulary
    styles: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    threshold: float = 0.5

    def __post_init__(self) -> None:
        if not self.vocabulary.first:
            raise ConfigError(
                "encoder: its texts begin with no token of their own, to stand for terms that are not named: "
                "expected a transformer; choose one, such as 'minilm'"
            )

    def encode(self, examples: Sequence[Example]) -> list[QuadItem]:
        """Make an item of every text, or of overlapping windows where it is too long."""
        items = encode_texts(self.vocabulary, examples, with_opinions=True, with_implicit=True)
        numbers = {style: number for number, style in enumerate(self.styles, UNKNOWN_STYLE + 1)}
        found = []
        for item in items:
            style = numbers.get(examples[item.example].style or "", UNKNOWN_STYLE)
            found.append(
                QuadItem(**{each.name: getattr(item, each.name) for each in fields(item)}, style=style)
            )
        return found

    def collate(self, items: Sequence[Item], length: int | None = None) -> QuadBatch[NDArray[np.generic]]:
        """Pad items to one length: that of the longest, or the one given."""
        rows = [item for item in items if isinstance(item, QuadItem)]
        frame = frame_arrays(rows, self.vocabulary.pad, length)
        words = np.asarray(frame["words"], np.int32)
        words = np.where(words >= 0, words + 1, -1).astype(np.int32)
        words[:, 0] = 0
        frame["words"] = words
        most = max((len(row.quads) for row in rows), default=1) or 1
        labels = np.full((len(rows), most, QUAD_LABELS), -1, np.int32)
        known = {name: number for number, name in enumerate(self.categories)}
        for row, item in enumerate(rows):
            for column, quad in enumerate(item.quads):
                aspect, opinion = (_shift(span) for span in (quad.aspect, quad.opinion or IMPLICIT))
                polarity = POLARITIES.index(quad.polarity)
                labels[row, column] = *aspect, *opinion, polarity, known.get(quad.category or "", -1)
        style = np.array([row.style for row in rows], np.int32)
        return QuadBatch(**frame, labels=labels, style=style)

    def decode(
        self, scores: NDArray[np.float32], items: Sequence[Item], examples: Sequence[Example]
    ) -> list[tuple[Quad, ...]]:
        """Keep the candidates that are more likely a quad than not, without rivals, [B, P, 10]."""
        return [
            tuple(self._read(scores[row], item, examples[item.example]))
            for row, item in enumerate(items)
            if isinstance(item, QuadItem)
        ]

    def _read(self, candidates: NDArray[np.float32], item: QuadItem, example: Example) -> Iterator[Quad]:
        corners = candidates[:, :CORNERS].astype(int)
        shares = _softmax(candidates[:, CORNERS : CORNERS + 4])  # [P, 4]
        likely = 1 - shares[:, 0]
        chosen: list[int] = []
        for index in np.argsort(-likely, kind="stable").tolist():
            if likely[index] <= self.threshold:
                break
            if not any(are_rivals(corners[index], corners[other]) for other in chosen):
                chosen.append(index)
        for index in sorted(chosen, key=lambda each: corners[each].tolist()):
            yield self._quad(corners[index], shares[index], candidates[index, -2:], item, example)

    def _quad(
        self,
        corners: NDArray[np.int64],
        shares: NDArray[np.float32],
        category: NDArray[np.float32],
        item: QuadItem,
        example: Example,
    ) -> Quad:
        first, last, opinion_first, opinion_last = corners.tolist()
        number = int(category[0])
        return Quad(
            aspect=_term(example.text, item, (first, last)),
            category=self.categories[number] if number >= 0 else None,
            opinion=_term(example.text, item, (opinion_first, opinion_last)),
            polarity=POLARITIES[int(shares[1:].argmax())],
            confidence=polarity_shares(shares[1:].tolist()),
        )


def spell_category(name: str) -> str:
    """Return the words of the name of a category.

    >>> spell_category("ROOM_AMENITIES#DESIGN_FEATURES")
    'room amenities: design features'
    """
    return name.replace("_", " ").replace("#", ": ").lower()


def _shift(span: WordSpan) -> WordSpan:
    """Count words from 1; what is implicit is word 0.

    >>> _shift((0, 2)), _shift(IMPLICIT)
    ((1, 3), (0, 0))
    """
    return span[0] + 1, span[1] + 1


def _term(text: str, item: TextItem, span: WordSpan) -> Term | None:
    return None if span[0] == 0 else term_at(text, item.offsets, (span[0] - 1, span[1] - 1))


def are_rivals(one: Sequence[int] | NDArray[np.int64], other: Sequence[int] | NDArray[np.int64]) -> bool:
    """Return whether two candidates overlap in both terms, so that only one of them can be right.

    >>> are_rivals([1, 2, 4, 4], [2, 2, 4, 5]), are_rivals([0, 0, 4, 4], [1, 2, 4, 4])
    (True, False)
    """
    return bool(one[0] <= other[1] and other[0] <= one[1] and one[2] <= other[3] and other[2] <= one[3])


def _softmax(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    shares: NDArray[np.float32] = weights / weights.sum(-1, keepdims=True)
    return shares
