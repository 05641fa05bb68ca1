"""Quad encoding: texts with their annotation style, and quads whose terms may be implicit.

The first token of a text stands for what is not named: it is word 0 on both sides, and the words of the text
are counted from 1. A model answers with candidate quads, the likeliest first to be judged here.

What a quad's confidence says: the value of the predicted polarity is the probability that the whole opinion
is right: its aspect, its opinion and its polarity; without a calibrator, as the model has it. The others keep
their ratio to it, and what is left to 1 is the chance that there is no such opinion.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
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

CATEGORY = CORNERS + 1 + len(POLARITIES)
"""Where the category of a candidate stands, -1 for none; the probability of it follows."""

ANSWER = CATEGORY + 2
"""Numbers of a candidate."""

NAME_TOKENS = 24
"""Tokens of the name of a category that are read."""

Calibrate = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""Turns probabilities that quads are there, with their polarity, into those that they are right."""


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
    calibrate: Calibrate | None = None

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
                QuadItem(
                    item.example,
                    item.tokens,
                    item.segments,
                    item.words,
                    item.is_cut,
                    item.offsets,
                    item.quads,
                    style,
                )
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
        shares = _softmax(scores[..., CORNERS:CATEGORY])  # [B, P, 4]
        return [
            tuple(self._read(scores[row], shares[row], item, examples[item.example]))
            for row, item in enumerate(items)
            if isinstance(item, QuadItem)
        ]

    def _read(
        self,
        candidates: NDArray[np.float32],
        shares: NDArray[np.float32],
        item: QuadItem,
        example: Example,
    ) -> Iterator[Quad]:
        if not item.offsets:
            return  # where there are no words nothing is said, not even of what is not named
        likely = 1 - shares[:, 0]
        open_ones = np.flatnonzero(likely > self.threshold)
        corners = candidates[open_ones, :CORNERS].astype(int).tolist()
        chosen: list[int] = []
        for index in np.argsort(-likely[open_ones], kind="stable").tolist():
            if not any(are_rivals(corners[index], corners[other]) for other in chosen):
                chosen.append(index)
        for index in sorted(chosen, key=corners.__getitem__):
            row = open_ones[index]
            category = int(candidates[row, CATEGORY])
            yield Quad(
                aspect=_term(example.text, item, corners[index][:2]),
                category=self.categories[category] if category >= 0 else None,
                opinion=_term(example.text, item, corners[index][2:]),
                polarity=POLARITIES[int(shares[row, 1:].argmax())],
                confidence=self._confidence(shares[row, 1:]),
            )

    def _confidence(self, shares: NDArray[np.float32]) -> dict[str, float]:
        """Return the probability of each polarity, which leaves room for there being no quad."""
        found = polarity_shares(shares.tolist())
        likely = float(shares.max())
        right = likely if self.calibrate is None else float(self.calibrate(np.array([likely], np.float64))[0])
        chance = min(right / max(found.values()), 1.0)  # no opinion is surer than its polarity
        return {name: round(share * chance, 6) for name, share in found.items()}


def encode_names(vocabulary: Vocabulary, names: Sequence[str]) -> list[list[int]]:
    """Return the tokens with which an encoder reads the names of categories."""
    tokenized = vocabulary.tokenize([spell_category(name) for name in names])
    return [[*vocabulary.first, *tokens.ids[:NAME_TOKENS], *vocabulary.last] for tokens in tokenized]


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


def _term(text: str, item: TextItem, span: Sequence[int]) -> Term | None:
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
