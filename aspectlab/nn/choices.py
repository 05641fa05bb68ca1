"""What stands to choice when a model writes: symbols of the grammar, and what terms are made of.

A number below K is a symbol. All others stand for a place of the text (`Copies`) or for a token of the
vocabulary (`Tokens`). K: symbols, P: places, C: all choices, N: steps.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, embedding

from aspectlab.encodings.grammar import NOTHING, START
from aspectlab.nn.course import Course, Places
from aspectlab.nn.graph import one_hot

_NEVER = -1e4
"""The score of what is no choice at all."""


class Choices(Protocol):
    """What stands to choice in one batch."""

    def read(self, numbers: Tensor) -> Tensor:
        """Give the vectors with which a decoder reads what was written, [B, N] -> [B, N, H]."""
        ...

    def score(self, states: Tensor) -> Tensor:
        """Score every choice, [B, N, H] -> [B, N, C]."""
        ...

    def choose(self, scores: Tensor) -> Tensor:
        """Choose one for each text, [B, C] -> [B]."""
        ...


class Vectors(NamedTuple):
    """Vectors of some choices: to read them with once they are written, and to compare a state with."""

    given: Tensor  # [..., H]
    sought: Tensor  # [..., H]


class Copies:
    """Places of the text; a place is scored by its token and by the state of the encoder there.

    Places with the same token are one choice, whose probability is the sum of theirs.
    """

    def __init__(self, symbols: Vectors, content: Vectors, keys: Tensor, course: Course) -> None:
        self.symbols, self.content, self.keys, self.course = symbols, content, keys, course

    def read(self, numbers: Tensor) -> Tensor:
        """Give the vectors with which a decoder reads what was written, [B, N] -> [B, N, H]."""
        size, width = self.content.given.shape[0], self.content.given.shape[2]
        table = torch.cat([self.symbols.given.expand(size, -1, width), self.content.given], 1)  # [B, C, H]
        # a product with a one-hot instead of a gather: its gradient adds in a fixed order
        return one_hot(numbers, table.shape[1], table.dtype) @ table

    def score(self, states: Tensor) -> Tensor:
        """Score every choice, [B, N, H] -> [B, N, C]."""
        symbols = states @ self.symbols.sought.T  # [B, N, K]
        never = torch.full_like(symbols, _NEVER)
        symbols = torch.cat([never[..., : START + 1], symbols[..., START + 1 :]], -1)
        sought = (self.content.sought + self.keys).transpose(1, 2) / 2  # [B, H, P]
        copies = (states @ sought).masked_fill(~self.course.places.mask[:, None], _NEVER)
        return torch.cat([symbols, copies.to(symbols.dtype)], -1)

    def choose(self, scores: Tensor) -> Tensor:
        """Choose what the grammar allows and is the most probable, [B, C] -> [B]."""
        return self.course.choose(scores)

    def repeat(self, count: int) -> Copies:
        """Give every text so many rows, one after the other."""
        content = Vectors(*(part.repeat_interleave(count, 0) for part in self.content))
        keys = self.keys.repeat_interleave(count, 0)
        return Copies(self.symbols, content, keys, self.course.repeat(count))


class Tokens:
    """Every token of the vocabulary, with no grammar at all."""

    def __init__(self, symbols: Vectors, content: Vectors) -> None:
        self.table = Vectors(*(torch.cat(pair) for pair in zip(symbols, content, strict=True)))  # [C, H]

    def read(self, numbers: Tensor) -> Tensor:
        """Give the vectors with which a decoder reads what was written, [B, N] -> [B, N, H]."""
        return embedding(numbers, self.table.given)

    def score(self, states: Tensor) -> Tensor:
        """Score every choice, [B, N, H] -> [B, N, C]."""
        return states @ self.table.sought.T

    def choose(self, scores: Tensor) -> Tensor:
        """Choose the most probable, [B, C] -> [B]; nothing and start are no choice."""
        return scores[:, START + 1 :].argmax(1) + START + 1


def text_losses(scores: Tensor, labels: Tensor, places: Places | None) -> Tensor:
    """Average the losses of the steps of each text, [B, N, C] and [B, N] -> [B].

    With places, a label means all places of its group; without, it is one of the choices.
    """
    scores = scores.float()
    if places is None:
        flat = scores.flatten(0, 1), labels.long().flatten()
        losses = cross_entropy(*flat, reduction="none").view(labels.shape)
    else:
        meant = scores.masked_fill(~_meant(labels, places, scores.shape[2]), _NEVER)
        losses = scores.logsumexp(-1) - meant.logsumexp(-1)
    is_step = labels != NOTHING
    return (losses * is_step).sum(1) / is_step.sum(1).clamp(min=1)


def _meant(labels: Tensor, places: Places, size: int) -> Tensor:
    """Tell which choices a label means, [B, N] -> [B, N, C]."""
    count = size - places.mask.shape[1]
    group = places.group.gather(1, (labels - count).clamp(min=0).long())  # [B, N]
    same = (places.group[:, None] == group[..., None]) & places.mask[:, None]  # [B, N, P]
    symbols = labels[..., None] == torch.arange(count, device=labels.device)
    return torch.cat([symbols, same & (labels >= count)[..., None]], -1)
