"""Maxima over ranges of neighbours: each is that of two overlapping stretches of 1, 2, 4, ... places."""

from __future__ import annotations

import torch
from torch import Tensor


def max_levels(values: Tensor) -> Tensor:
    """Take the maxima over 1, 2, 4, ... places from each place on, [B, W, ...] -> [B, L * W, ...].

    A stretch that would run past the end holds a number that is never to be asked for.

    >>> max_levels(torch.tensor([[1, 3, 2]])).tolist()
    [[1, 3, 2, 3, 3, 2]]
    """
    size = values.shape[1]
    levels = [values]
    for step in _steps(size)[:-1]:
        last = levels[-1]
        levels.append(torch.maximum(last, torch.cat([last[:, step:], last[:, size - step :]], 1)))
    return torch.cat(levels, 1)


def stretches(first: Tensor, last: Tensor, size: int) -> tuple[Tensor, Tensor]:
    """Say which two entries of `max_levels` cover a range, both ends included; `size` is W."""
    steps = 1 << torch.arange(1, len(_steps(size)), device=first.device)
    length = last - first + 1
    level = (length[..., None] >= steps).sum(-1)
    return level * size + first, level * size + last + 1 - (1 << level)


def max_between(states: Tensor) -> Tensor:
    """Take the maximum over all words from i to j, whichever comes first, [B, W, H] -> [B, W, W, H].

    >>> max_between(torch.tensor([[[1], [3], [2]]]))[0, :, :, 0].tolist()
    [[1, 3, 3], [3, 3, 3], [3, 3, 2]]
    """
    size = states.shape[1]
    place = torch.arange(size, device=states.device)
    ends = torch.minimum(place, place[:, None]), torch.maximum(place, place[:, None])  # [W, W]
    levels = max_levels(states)  # [B, L * W, H]
    one, other = (levels[:, entry] for entry in stretches(*ends, size))  # [B, W, W, H]
    return torch.maximum(one, other)


def max_spans(states: Tensor, spans: Tensor) -> Tensor:
    """Take the maximum over the words of each span, [B, W, H] and first and last, [B, N, 2] -> [B, N, H].

    >>> max_spans(torch.tensor([[[1], [3], [2]]]), torch.tensor([[[0, 1], [2, 2]]])).flatten().tolist()
    [3, 2]
    """
    levels = max_levels(states)  # [B, L * W, H]
    batch = torch.arange(len(states), device=states.device)[:, None]
    entries = stretches(spans[..., 0], spans[..., 1], states.shape[1])
    one, other = (levels[batch, entry] for entry in entries)
    return torch.maximum(one, other)


def max_rectangles(table: Tensor, first: Tensor, last: Tensor) -> Tensor:
    """Take the maximum over rectangles of a table, [B, W, W, H] -> [B, N, H].

    `first` and `last` are the corners, row and column, [B, N, 2]. Rows are taken together by their two
    stretches; what is left is one row of W columns for each rectangle.
    """
    rows = max_levels(table)  # [B, L * W, W, H]
    batch = torch.arange(len(table), device=table.device)[:, None]
    one, other = (
        rows[batch, entry] for entry in stretches(first[..., 0], last[..., 0], table.shape[1])
    )  # [B, N, W, H]
    column = torch.arange(table.shape[2], device=table.device)
    inside = (first[..., 1:] <= column) & (column <= last[..., 1:])  # [B, N, W]
    low = torch.finfo(table.dtype).min
    return torch.maximum(one, other).masked_fill(~inside[..., None], low).amax(2)


def _steps(size: int) -> list[int]:
    """Give the lengths of the stretches that fit into so many places.

    >>> _steps(5)
    [1, 2, 4]
    """
    return [1 << power for power in range(size.bit_length())]
