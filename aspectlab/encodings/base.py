"""The interfaces of encodings: items, batches, and encodings that ask once or over several turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Generic, NamedTuple, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from aspectlab.data import Example, Quad

A = TypeVar("A")
"""The kind of array: numpy while encoding, torch while training."""


@dataclass(frozen=True, slots=True)
class Item:
    """One token sequence: a text, a window of one, or a text with an aspect."""

    example: int  # the index of the example that it comes from
    tokens: list[int]
    segments: list[int]
    words: list[int]  # the word that each token belongs to, -1 for none
    is_cut: bool  # the text was too long: only a part of it is read

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def is_labelled(self) -> bool:
        """Whether there is anything to learn from it."""
        return True


@dataclass(frozen=True, slots=True)
class Batch(Generic[A]):
    """Items as arrays. T: tokens. Words are numbered along the same axis: there are never more of them.

    `axes` names the axes of each field, so that rows can be taken and padding cut off.
    """

    tokens: A  # [B, T]
    segments: A  # [B, T] 0 for the first segment, 1 for the second
    mask: A  # [B, T] tokens that are no padding
    words: A  # [B, T] the word of the text that a token belongs to, -1 for none
    labels: A  # what is to be learnt; its shape is the encoding's
    group: A  # [B] the example that an item comes from
    weight: A  # [B] 0 for an item that only fills the batch up

    axes: ClassVar[dict[str, str]] = {
        **dict.fromkeys(("tokens", "segments", "mask", "words"), "BT"),
        **dict.fromkeys(("group", "weight"), "B"),
    }


class Encoding(Protocol):
    """Examples to items, items to a batch, scores to quads; each encoding has its own items and batch."""

    def encode(self, examples: Sequence[Example]) -> Sequence[Item]:
        """Make the items of some examples: none, one or several each."""
        ...

    def collate(self, items: Sequence[Item], length: int | None = None) -> Batch[NDArray[np.generic]]:
        """Pad items that this encoding made to one length: that of the longest, or the one given."""
        ...

    def decode(
        self, scores: NDArray[np.float32], items: Sequence[Item], examples: Sequence[Example]
    ) -> list[tuple[Quad, ...]]:
        """Return the predicted quads of each item."""
        ...


class Turn(NamedTuple):
    """A question and the model's scores for it."""

    item: Item
    scores: NDArray[np.float32]


@runtime_checkable
class MultiTurnEncoding(Protocol):
    """What predicting asks of such an encoding, besides `encode` and `collate`, which serve training."""

    def open(self, examples: Sequence[Example]) -> Sequence[Item]:
        """Return the first questions; gold answers, where the examples have some, must not show in them."""
        ...

    def follow(self, rounds: Sequence[Sequence[Turn]], examples: Sequence[Example]) -> Sequence[Item]:
        """Return the next questions after some rounds; none when everything has been asked."""
        ...

    def conclude(
        self, rounds: Sequence[Sequence[Turn]], examples: Sequence[Example]
    ) -> list[tuple[Quad, ...]]:
        """Return the predicted quads of each example."""
        ...


def pad_field(
    rows: Sequence[Sequence[int]], length: int, fill: int, dtype: type[np.generic]
) -> NDArray[np.generic]:
    """Make an array of lists, filled up behind.

    >>> pad_field([[5, 6], [7]], 3, 0, np.int32).tolist()
    [[5, 6, 0], [7, 0, 0]]
    """
    array = np.full((len(rows), length), fill, dtype)
    for number, row in enumerate(rows):
        array[number, : len(row)] = row
    return array


def frame_arrays(items: Sequence[Item], pad: int, length: int | None) -> dict[str, NDArray[np.generic]]:
    """Return the fields that every batch has, padded to the longest item or to the length given."""
    width = length or max((len(item) for item in items), default=1) or 1
    return {
        "tokens": pad_field([item.tokens for item in items], width, pad, np.int32),
        "segments": pad_field([item.segments for item in items], width, 0, np.int32),
        "mask": pad_field([[1] * len(item) for item in items], width, 0, np.bool_),
        "words": pad_field([item.words for item in items], width, -1, np.int32),
        "group": np.array([item.example for item in items], np.int32),
        "weight": np.ones(len(items), np.float32),
    }
