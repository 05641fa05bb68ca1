"""Output symbols of constrained decoding: what may come next, its scores, and the state of the grammar.

A number below K is a symbol. All others stand for a position of the text (`CopyOutputs`) or for a token of
the vocabulary (`VocabularyOutputs`). K: symbols, P: positions, C: all outputs, N: steps.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, embedding

from aspectlab.encodings import NOTHING, START, Copy, Grammar
from aspectlab.nn.words import one_hot

_FORBIDDEN = -1e4
"""The score of what must not be written."""


class CopyPositions(NamedTuple):
    """The positions of a text that can be copied, [B, P] each.

    `group` is the first position with the same content: positions of one group are one output, and which of
    them is meant stays open.
    """

    mask: Tensor
    begins: Tensor  # a word begins here
    ends: Tensor  # a word ends here
    group: Tensor
    has_duplicates: bool = True  # False: every position is a group of its own


def token_positions(tokens: Tensor, words: Tensor) -> CopyPositions:
    """Return the tokens of a text, of which equal ones are one output; `words` is -1 where there is none."""
    mask = words >= 0
    edge = torch.full_like(words[:, :1], -1)
    begins = mask & (words != torch.cat([edge, words[:, :-1]], 1))
    ends = mask & (words != torch.cat([words[:, 1:], edge], 1))
    same = (tokens[:, :, None] == tokens[:, None, :]) & mask[:, None, :]  # [B, P, P]
    return CopyPositions(mask, begins, ends, same.int().argmax(2))


def word_positions(mask: Tensor) -> CopyPositions:
    """Return words, each of which is an output of its own, [B, W]."""
    own = torch.arange(mask.shape[1], device=mask.device).expand_as(mask)
    return CopyPositions(mask, mask, mask, own, has_duplicates=False)


class GrammarTables(nn.Module):
    """The tables of a grammar, where the model is."""

    def __init__(self, grammar: Grammar) -> None:
        super().__init__()
        self.follows: Tensor
        self.copies: Tensor
        self.copied: Tensor
        for name in ("follows", "copies", "copied"):
            self.register_buffer(name, torch.from_numpy(getattr(grammar, name)), persistent=False)


class GrammarState:
    """The state of the grammar for each text of a batch, and the one it starts in, [B]."""

    def __init__(self, rules: GrammarTables, positions: CopyPositions, start: Tensor) -> None:
        self.rules, self.positions = rules, positions
        self.state = start  # [B]
        self.last = torch.zeros_like(positions.mask)  # [B, P] the positions that may have been copied last

    def choose(self, scores: Tensor) -> Tensor:
        """Choose the most probable of what is allowed, [B, K + P] -> [B], and advance by it."""
        choice = self.probabilities(scores).argmax(1)
        self.advance(choice)
        return choice

    def probabilities(self, scores: Tensor) -> Tensor:
        """Return the probability of each output among what is allowed, [B, K + P]."""
        way = self.rules.copies[self.state]  # [B]
        # a term can be closed only where a word ends
        is_whole = (way != Copy.NEXT) | (self.last & self.positions.ends).any(1)
        symbols = (self.rules.follows[self.state] >= 0) & is_whole[:, None]
        allowed = torch.cat([symbols, self._open_positions(way)], 1)
        chances = scores.float().masked_fill(~allowed, _FORBIDDEN).softmax(-1) * allowed
        count = symbols.shape[1]
        return torch.cat([chances[:, :count], self._sum_groups(chances[:, count:])], 1)

    def advance(self, choice: Tensor) -> None:
        """Go to the states behind what was chosen, [B]."""
        count = self.rules.follows.shape[1]
        is_copy = choice >= count
        group = (choice - count)[:, None]
        # nothing behind a symbol
        self.last = self._open_positions(self.rules.copies[self.state]) & (self.positions.group == group)
        follows = self.rules.follows[self.state, choice.clamp(max=count - 1)]
        self.state = torch.where(is_copy, self.rules.copied[self.state], follows)

    def reorder(self, rows: Tensor) -> None:
        """Take over the states of other rows, [B]; they must be of the same texts."""
        self.state, self.last = self.state[rows], self.last[rows]

    def repeat(self, count: int) -> GrammarState:
        """Repeat every text `count` times, one row after the other."""
        mask, begins, ends, group, state = (
            part.repeat_interleave(count, 0) for part in (*self.positions[:4], self.state)
        )
        return GrammarState(
            self.rules, CopyPositions(mask, begins, ends, group, self.positions.has_duplicates), state
        )

    def _sum_groups(self, chances: Tensor) -> Tensor:
        """Sum the probabilities of each group at its first position, [B, P] -> [B, P]."""
        if not self.positions.has_duplicates:
            return chances
        position = torch.arange(chances.shape[1], device=chances.device)
        # a plain sum: a scatter adds in any order, and a product would round to half precision
        member = self.positions.group[:, None] == position[:, None]  # [B, P, P]
        return (chances[:, None] * member).sum(2)

    def _open_positions(self, way: Tensor) -> Tensor:
        """Return which positions may be copied, [B] -> [B, P]."""
        reached = torch.zeros_like(self.last)
        ways = {
            Copy.WORD: self.positions.begins,
            Copy.NEXT: self.positions.mask & torch.cat([reached[:, :1], self.last[:, :-1]], 1),
            Copy.BEHIND: self.positions.begins & (self.last.cumsum(1) > 0),
        }
        for kind, positions in ways.items():
            reached = reached | (positions & (way == kind)[:, None])
        return reached


_NEVER = -1e4
"""The score of what is never an output."""


class OutputSpace(Protocol):
    """What may be written about the texts of one batch."""

    def read(self, numbers: Tensor) -> Tensor:
        """Return the vectors with which a decoder reads what was written, [B, N] -> [B, N, H]."""
        ...

    def score(self, states: Tensor) -> Tensor:
        """Score every output, [B, N, H] -> [B, N, C]."""
        ...

    def choose(self, scores: Tensor) -> Tensor:
        """Choose one for each text, [B, C] -> [B]."""
        ...


class OutputVectors(NamedTuple):
    """Vectors of some outputs: to read them with once they are written, and to compare a state with."""

    inputs: Tensor  # [..., H]
    outputs: Tensor  # [..., H]


class CopyOutputs:
    """Places of the text; a position is scored by its token and by the state of the encoder there.

    Positions with the same token are one output, whose probability is the sum of theirs.
    """

    def __init__(
        self, symbols: OutputVectors, content: OutputVectors, keys: Tensor, grammar: GrammarState
    ) -> None:
        self.symbols, self.content, self.keys, self.grammar = symbols, content, keys, grammar

    def read(self, numbers: Tensor) -> Tensor:
        """Return the vectors with which a decoder reads what was written, [B, N] -> [B, N, H]."""
        size, width = self.content.inputs.shape[0], self.content.inputs.shape[2]
        table = torch.cat([self.symbols.inputs.expand(size, -1, width), self.content.inputs], 1)  # [B, C, H]
        # a product with a one-hot instead of a gather: its gradient adds in a fixed order
        return one_hot(numbers, table.shape[1], table.dtype) @ table

    def score(self, states: Tensor) -> Tensor:
        """Score every output, [B, N, H] -> [B, N, C]."""
        symbols = states @ self.symbols.outputs.T  # [B, N, K]
        never = torch.full_like(symbols, _NEVER)
        symbols = torch.cat([never[..., : START + 1], symbols[..., START + 1 :]], -1)
        wanted = (self.content.outputs + self.keys).transpose(1, 2) / 2  # [B, H, P]
        copies = (states @ wanted).masked_fill(~self.grammar.positions.mask[:, None], _NEVER)
        return torch.cat([symbols, copies.to(symbols.dtype)], -1)

    def choose(self, scores: Tensor) -> Tensor:
        """Choose what the grammar allows and is the most probable, [B, C] -> [B]."""
        return self.grammar.choose(scores)

    def repeat(self, count: int) -> CopyOutputs:
        """Repeat every text `count` times, one row after the other."""
        content = OutputVectors(*(part.repeat_interleave(count, 0) for part in self.content))
        keys = self.keys.repeat_interleave(count, 0)
        return CopyOutputs(self.symbols, content, keys, self.grammar.repeat(count))


class VocabularyOutputs:
    """Every token of the vocabulary, with no grammar at all."""

    def __init__(self, symbols: OutputVectors, content: OutputVectors) -> None:
        self.table = OutputVectors(
            *(torch.cat(pair) for pair in zip(symbols, content, strict=True))
        )  # [C, H]

    def read(self, numbers: Tensor) -> Tensor:
        """Return the vectors with which a decoder reads what was written, [B, N] -> [B, N, H]."""
        return embedding(numbers, self.table.inputs)

    def score(self, states: Tensor) -> Tensor:
        """Score every output, [B, N, H] -> [B, N, C]."""
        return states @ self.table.outputs.T

    def choose(self, scores: Tensor) -> Tensor:
        """Choose the most probable, [B, C] -> [B]; nothing and start are never chosen."""
        return scores[:, START + 1 :].argmax(1) + START + 1


def text_losses(scores: Tensor, labels: Tensor, positions: CopyPositions | None) -> Tensor:
    """Average the losses of the steps of each text, [B, N, C] and [B, N] -> [B].

    With positions, a label stands for all positions of its group; without, it is one of the outputs.
    """
    scores = scores.float()
    if positions is None:
        flat = scores.flatten(0, 1), labels.long().flatten()
        losses = cross_entropy(*flat, reduction="none").view(labels.shape)
    else:
        meant = scores.masked_fill(~_meant(labels, positions, scores.shape[2]), _NEVER)
        losses = scores.logsumexp(-1) - meant.logsumexp(-1)
    is_step = labels != NOTHING
    return (losses * is_step).sum(1) / is_step.sum(1).clamp(min=1)


def _meant(labels: Tensor, positions: CopyPositions, size: int) -> Tensor:
    """Return which outputs a label means, [B, N] -> [B, N, C]."""
    count = size - positions.mask.shape[1]
    group = positions.group.gather(1, (labels - count).clamp(min=0).long())  # [B, N]
    same = (positions.group[:, None] == group[..., None]) & positions.mask[:, None]  # [B, N, P]
    symbols = labels[..., None] == torch.arange(count, device=labels.device)
    return torch.cat([symbols, same & (labels >= count)[..., None]], -1)
