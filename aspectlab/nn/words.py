"""From sub-words to words, and around the aspect."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import torch
from torch import Tensor


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


def pool_words(states: Tensor, batch: WordBatch) -> Words:
    """Average the states of the sub-words of each word; W is T, the rest of the axis is padding.

    With word vectors every token is a word, and the states come back as they are.
    """
    number = torch.arange(states.shape[1], device=states.device)
    member = batch.words[:, None, :] == number[None, :, None]  # [B, W, T]
    weights = member.to(states.dtype)
    weights = weights / weights.sum(2, keepdim=True).clamp(min=1)
    in_aspect = (member & batch.in_aspect[:, None, :]).any(2)
    return Words(weights @ states, member.any(2), in_aspect)


def gather_aspect(words: Words, room: int) -> tuple[Tensor, Tensor]:
    """Move the aspect's words to the front, [B, W, H] -> [B, room, H], with their mask [B, room]."""
    rank = words.in_aspect.long().cumsum(1) - 1  # [B, W] the place of each aspect word within the aspect
    slots = torch.arange(room, device=rank.device)
    pick = words.in_aspect[:, None, :] & (rank[:, None, :] == slots[None, :, None])  # [B, room, W]
    return pick.to(words.states.dtype) @ words.states, pick.any(2)


def aspect_distance(words: Words) -> Tensor:
    """Count the words between each word and the aspect, [B, W]: 0 inside it, 1 beside it."""
    place = torch.arange(words.mask.shape[1], device=words.mask.device)[None]  # [1, W]
    far = words.mask.shape[1]
    first = torch.where(words.in_aspect, place, far).amin(1, keepdim=True)
    last = torch.where(words.in_aspect, place, -1).amax(1, keepdim=True)
    return torch.clamp(first - place, min=0) + torch.clamp(place - last, min=0)
