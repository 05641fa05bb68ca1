"""What every item and every batch holds, whatever the task."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

A = TypeVar("A")
"""The kind of array: numpy while encoding, torch while training."""


@dataclass(frozen=True, slots=True)
class Item:
    """One token sequence: a text, a window of one, or a text with an aspect."""

    example: int  # the example that it comes from, by its place
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
