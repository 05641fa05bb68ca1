"""Means, maxima and softmaxes that padding cannot touch; from sub-words to words, and around the aspect."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import torch
from torch import Tensor

_LOW = -1e4
"""Stands in for minus infinity: far below any score, finite in bfloat16, and harmless where all is masked."""


def masked_mean(states: Tensor, mask: Tensor) -> Tensor:
    """Average over the masked-in positions, [B, T, H] and [B, T] -> [B, H]; zero where there are none.

    >>> masked_mean(torch.tensor([[[1.0], [3.0], [9.0]]]), torch.tensor([[True, True, False]]))
    tensor([[2.]])
    """
    weights = mask.to(states.dtype)
    weights = weights / weights.sum(1, keepdim=True).clamp(min=1)  # [B, T]
    return torch.einsum("bt,bth->bh", weights, states)


def masked_max(states: Tensor, mask: Tensor) -> Tensor:
    """Take the maximum over the masked-in positions, [B, T, H] and [B, T] -> [B, H]."""
    return states.masked_fill(~mask[..., None], _LOW).amax(1)


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    """Softmax over the last axis; masked-out positions get no weight, not even where all are masked out."""
    shares = scores.masked_fill(~mask, _LOW).softmax(-1)
    return shares * mask.to(shares.dtype)


class WordBatch(Protocol):
    """The part of a batch that tells words and aspect."""

    @property
    def words(self) -> Tensor:
        """The word of each token, -1 for none, [B, T]."""

    @property
    def in_aspect(self) -> Tensor:
        """Which tokens belong to the aspect, [B, T]."""


class Words(NamedTuple):
    """A sentence as words."""

    states: Tensor  # [B, W, H]
    mask: Tensor  # [B, W]
    in_aspect: Tensor  # [B, W]


def mean_words(states: Tensor, words: Tensor) -> tuple[Tensor, Tensor]:
    """Average the states of the sub-words of each word, [B, T, H] -> [B, W, H], with the mask [B, W].

    W is T, the rest of the axis is padding. With word vectors every token is a word, and the states come back
    as they are.
    """
    member = _members(words)
    weights = member.to(states.dtype)
    return weights / weights.sum(2, keepdim=True).clamp(min=1) @ states, member.any(2)


def word_mask(words: Tensor) -> Tensor:
    """Return which words there are, [B, T] -> [B, T].

    >>> word_mask(torch.tensor([[0, 1, 1, -1]])).tolist()
    [[True, True, False, False]]
    """
    position = torch.arange(words.shape[1], device=words.device)
    return position <= words.amax(1, keepdim=True)


def pool_words(states: Tensor, batch: WordBatch) -> Words:
    """Average the states of the sub-words of each word, and tell which words the aspect has."""
    pooled, mask = mean_words(states, batch.words)
    in_aspect = (_members(batch.words) & batch.in_aspect[:, None, :]).any(2)
    return Words(pooled, mask, in_aspect)


def _members(words: Tensor) -> Tensor:
    """Return which token belongs to which word, [B, T] -> [B, W, T]."""
    return words[:, None, :] == torch.arange(words.shape[1], device=words.device)[None, :, None]


def gather_aspect(words: Words, room: int) -> tuple[Tensor, Tensor]:
    """Move the aspect's words to the front, [B, W, H] -> [B, room, H], with their mask [B, room]."""
    rank = words.in_aspect.long().cumsum(1) - 1  # [B, W] the rank of each aspect word within the aspect
    slots = torch.arange(room, device=rank.device)
    pick = words.in_aspect[:, None, :] & (rank[:, None, :] == slots[None, :, None])  # [B, room, W]
    return pick.to(words.states.dtype) @ words.states, pick.any(2)


def aspect_distance(words: Words) -> Tensor:
    """Count the words between each word and the aspect, [B, W]: 0 inside it, 1 beside it."""
    position = torch.arange(words.mask.shape[1], device=words.mask.device)[None]  # [1, W]
    far = words.mask.shape[1]
    first = torch.where(words.in_aspect, position, far).amin(1, keepdim=True)
    last = torch.where(words.in_aspect, position, -1).amax(1, keepdim=True)
    return torch.clamp(first - position, min=0) + torch.clamp(position - last, min=0)


def aspect_sides(words: Words) -> tuple[Tensor, Tensor]:
    """Mask the words up to the end of the aspect, and those from its start on, both [B, W].

    Both hold the aspect itself. Without an aspect both are empty.
    """
    inside = words.in_aspect.long()
    seen = inside.cumsum(1)  # [B, W] aspect words up to here
    until = words.mask & (seen - inside < seen[:, -1:])
    since = words.mask & (seen > 0)
    return until, since


def max_runs(states: Tensor, starts: Tensor) -> Tensor:
    """Return the maximum over the run of each word, [B, W, H]; a run goes on until the next start, [B, W].

    >>> states = torch.tensor([[[1.0], [5.0], [2.0], [3.0]]])
    >>> max_runs(states, torch.tensor([[True, True, False, True]])).flatten().tolist()
    [1.0, 5.0, 5.0, 3.0]
    """
    runs = starts.cumsum(1)  # [B, W] the number of the run
    # after steps of 1, 2, 4, ... a word has seen its whole run on one side, then on the other
    for backwards in (False, True):
        if backwards:
            states, runs = states.flip(1), runs.flip(1)
        step = 1
        while step < states.shape[1]:
            is_same = runs[:, step:] == runs[:, :-step]  # [B, W - step]
            best = torch.maximum(states[:, step:], states[:, :-step])
            later = torch.where(is_same[..., None], best, states[:, step:])
            states = torch.cat([states[:, :step], later], 1)
            step *= 2
    return states.flip(1)
