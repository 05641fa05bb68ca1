"""Follow a grammar while a batch is written, so that only what it allows can be chosen."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from aspectlab.encodings.grammar import Copy, Grammar

_NEVER = -1e4
"""The score of what must not be written."""


class Places(NamedTuple):
    """The places of a text that can be copied, [B, P] each.

    `group` is the first place with the same content: places of one group are one choice, and it stays open
    which of them is meant.
    """

    mask: Tensor
    begins: Tensor  # a word begins here
    ends: Tensor  # a word ends here
    group: Tensor
    has_twins: bool = True  # False: every place is a group of its own


def token_places(tokens: Tensor, words: Tensor) -> Places:
    """Give the tokens of a text, of which equal ones are one choice; `words` is -1 where there is none."""
    mask = words >= 0
    edge = torch.full_like(words[:, :1], -1)
    begins = mask & (words != torch.cat([edge, words[:, :-1]], 1))
    ends = mask & (words != torch.cat([words[:, 1:], edge], 1))
    same = (tokens[:, :, None] == tokens[:, None, :]) & mask[:, None, :]  # [B, P, P]
    return Places(mask, begins, ends, same.int().argmax(2))


def word_places(mask: Tensor) -> Places:
    """Give words, each of which is a choice of its own, [B, W]."""
    own = torch.arange(mask.shape[1], device=mask.device).expand_as(mask)
    return Places(mask, mask, mask, own, has_twins=False)


class Rules(nn.Module):
    """The tables of a grammar, where the model is."""

    def __init__(self, grammar: Grammar) -> None:
        super().__init__()
        self.follows: Tensor
        self.copies: Tensor
        self.copied: Tensor
        for name in ("follows", "copies", "copied"):
            self.register_buffer(name, torch.from_numpy(getattr(grammar, name)), persistent=False)


class Course:
    """Where each text of a batch stands in the grammar, and where it starts, [B]. K: symbols, P: places."""

    def __init__(self, rules: Rules, places: Places, start: Tensor) -> None:
        self.rules, self.places = rules, places
        self.state = start  # [B]
        self.last = torch.zeros_like(places.mask)  # [B, P] the places that may have been copied last

    def choose(self, scores: Tensor) -> Tensor:
        """Choose the most probable of what is allowed, [B, K + P] -> [B], and go on from there."""
        choice = self.weigh(scores).argmax(1)
        self.go_on(choice)
        return choice

    def weigh(self, scores: Tensor) -> Tensor:
        """Give the probability of each choice among what is allowed, [B, K + P]."""
        way = self.rules.copies[self.state]  # [B]
        # a term can be closed only where a word ends
        is_whole = (way != Copy.NEXT) | (self.last & self.places.ends).any(1)
        symbols = (self.rules.follows[self.state] >= 0) & is_whole[:, None]
        allowed = torch.cat([symbols, self._reach(way)], 1)
        shares = scores.float().masked_fill(~allowed, _NEVER).softmax(-1) * allowed
        count = symbols.shape[1]
        return torch.cat([shares[:, :count], self._merge(shares[:, count:])], 1)

    def go_on(self, choice: Tensor) -> None:
        """Take what was chosen as written, [B]."""
        count = self.rules.follows.shape[1]
        is_copy = choice >= count
        group = (choice - count)[:, None]
        # nothing behind a symbol
        self.last = self._reach(self.rules.copies[self.state]) & (self.places.group == group)
        follows = self.rules.follows[self.state, choice.clamp(max=count - 1)]
        self.state = torch.where(is_copy, self.rules.copied[self.state], follows)

    def pick(self, rows: Tensor) -> None:
        """Go on from where other rows stand, [B]; they must be of the same texts."""
        self.state, self.last = self.state[rows], self.last[rows]

    def repeat(self, count: int) -> Course:
        """Give every text so many rows, one after the other."""
        mask, begins, ends, group, state = (
            part.repeat_interleave(count, 0) for part in (*self.places[:4], self.state)
        )
        return Course(self.rules, Places(mask, begins, ends, group, self.places.has_twins), state)

    def _merge(self, shares: Tensor) -> Tensor:
        """Give the first place of each group the shares of all, [B, P] -> [B, P]."""
        if not self.places.has_twins:
            return shares
        place = torch.arange(shares.shape[1], device=shares.device)
        # a plain sum: a scatter adds in any order, and a product would round to half precision
        member = self.places.group[:, None] == place[:, None]  # [B, P, P]
        return (shares[:, None] * member).sum(2)

    def _reach(self, way: Tensor) -> Tensor:
        """Tell which places may be copied, [B] -> [B, P]."""
        reached = torch.zeros_like(self.last)
        ways = {
            Copy.WORD: self.places.begins,
            Copy.NEXT: self.places.mask & torch.cat([reached[:, :1], self.last[:, :-1]], 1),
            Copy.BEHIND: self.places.begins & (self.last.cumsum(1) > 0),
        }
        for kind, places in ways.items():
            reached = reached | (places & (way == kind)[:, None])
        return reached
