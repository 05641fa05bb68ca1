"""Elements: which vectors of a triplet model stand for aspects, opinions and sentiments.

A model that can be trained with MATO names the layers to be watched and says in `elements` what it saw there
for each gold triplet. Others stand beside them: vectors of the same kind that stand for no gold term.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple, Protocol, runtime_checkable

import torch
from torch import Tensor, nn

from aspectlab.encodings import Batch, GridBatch

Seen = Mapping[str, tuple[Tensor, ...]]
"""What each watched layer was given, and last what it gave."""

_MOST = 64
"""Cells of a text that are looked at: far more than any sentence has terms of one kind."""


class Element(NamedTuple):
    """Vectors of one element of triplets, with whatever axes before the last."""

    states: Tensor  # [..., D]
    gold: Tensor  # [...] those that stand for gold
    others: Tensor  # [...] those that stand for none


class Elements(NamedTuple):
    """The three elements of triplets."""

    aspect: Element
    opinion: Element
    sentiment: Element


@runtime_checkable
class Discernible(Protocol):
    """A model that can say which vectors stand for the elements of triplets."""

    @property
    def watched(self) -> tuple[str, ...]:
        """The layers that `elements` must see."""

    @property
    def elements(self) -> Callable[..., Elements]:
        """Return the elements of a batch, from the scores, what was seen and the batch."""


class SampledSpans(NamedTuple):
    """Spans of words: the gold ones of a batch, then as many that are drawn. N: twice the triplets."""

    aspects: Tensor  # [B, N, 2] first and last word
    opinions: Tensor  # [B, N, 2]
    partners: Tensor  # [B, N, 2] the gold aspects again, with which the opinions make pairs
    is_gold: Tensor  # [B, N]
    no_aspect: Tensor  # [B, N] what was drawn and is no gold aspect
    no_opinion: Tensor  # [B, N]

    def elements(self, aspects: Tensor, opinions: Tensor, pairs: Tensor) -> Elements:
        """Return the elements that some vectors, one for each span, make, [B, N, D] each."""
        return Elements(
            Element(aspects, self.is_gold, self.no_aspect),
            Element(opinions, self.is_gold, self.no_opinion),
            # a gold aspect with an opinion that is none is no pair
            Element(pairs, self.is_gold, self.no_opinion),
        )


def sample_spans(batch: GridBatch[Tensor]) -> SampledSpans:
    """List the gold terms of a batch, and draw spans of the same lengths from the same texts."""
    counts = (batch.quads[..., 4] > 0) & (batch.weight > 0)[:, None]  # [B, Y]
    aspects, opinions = batch.quads[..., :4].long().clamp(min=0).split(2, -1)  # [B, Y, 2]
    words = batch.words.amax(1).long() + 1  # [B]
    none = torch.zeros_like(counts)
    chances = _scatter(batch, 2 * counts.shape[1]).chunk(2, 1)  # [B, Y] each
    drawn = [_draw(*part, words) for part in zip((aspects, opinions), chances, strict=True)]
    missed = [
        counts & ~_is_among(found, spans, counts) & (found[..., 1] < words[:, None])
        for found, spans in zip(drawn, (aspects, opinions), strict=True)
    ]
    return SampledSpans(
        torch.cat([aspects, drawn[0]], 1),
        torch.cat([opinions, drawn[1]], 1),
        torch.cat([aspects, aspects], 1),
        torch.cat([counts, none], 1),
        torch.cat([none, missed[0]], 1),
        torch.cat([none, missed[1]], 1),
    )


def _scatter(batch: Batch[Tensor], count: int) -> Tensor:
    """Return deterministic pseudo-random numbers from 0 to below 1, seeded by the text, [B, count].

    Truly drawn ones would change the dropout behind them, and no run could be paired with one without MATO.
    """
    text = (batch.tokens * batch.mask).long().sum(1, keepdim=True)  # [B, 1]
    position = torch.arange(1, count + 1, device=text.device)
    mixed = (text * 40_503 + position * 2_654_435_761) % 2**31
    mixed = (mixed ^ (mixed >> 13)) * 1_274_126_177 % 2**31
    return (mixed >> 8) / 2**23


def _draw(spans: Tensor, chances: Tensor, words: Tensor) -> Tensor:
    """Draw a span as long as each given one, [B, Y, 2] -> [B, Y, 2]; it stays within the text."""
    more = spans[..., 1] - spans[..., 0]  # [B, Y]
    room = (words[:, None] - more).clamp(min=1)  # [B, Y] positions where it can begin
    first = (chances * room).long().clamp(max=room - 1)
    return torch.stack([first, first + more], -1)


def _is_among(found: Tensor, spans: Tensor, counts: Tensor) -> Tensor:
    """Return which spans are one of the gold ones of their text, [B, Y]."""
    same = (found[:, :, None] == spans[:, None]).all(-1)  # [B, Y, Y]
    return (same & counts[:, None]).any(-1)


def mean_spans(states: Tensor, spans: Tensor) -> Tensor:
    """Average the states of the words of each span, [B, W, D] and [B, N, 2] -> [B, N, D].

    >>> mean_spans(torch.tensor([[[1.0], [3.0], [9.0]]]), torch.tensor([[[0, 1], [2, 2]]])).flatten().tolist()
    [2.0, 9.0]
    """
    return span_shares(spans, states) @ states


def span_shares(spans: Tensor, states: Tensor) -> Tensor:
    """Return the share of each word in each span, [B, N, 2] -> [B, N, W]; W and dtype are of the states."""
    position = torch.arange(states.shape[1], device=states.device)
    inside = ((position >= spans[..., :1]) & (position <= spans[..., 1:])).to(states.dtype)  # [B, N, W]
    return inside / inside.sum(-1, keepdim=True).clamp(min=1)


def pick_gold(table: Tensor, gold: Tensor, counted: Tensor, batch: Batch[Tensor]) -> Element:
    """Take the gold cells of a table and fill up with others drawn from those that count, [B, W, W, D].

    A gradient for every cell would cost more than the model itself.
    """
    size = table.shape[1]
    chances = _scatter(batch, size * size) * counted.flatten(1) + gold.flatten(1)  # [B, W * W] gold from 1 on
    best = chances.topk(min(_MOST, size * size), 1).indices  # [B, K]
    is_gold, is_counted = (part.flatten(1).gather(1, best) for part in (gold, counted))
    return Element(pick_cells(table, best // size, best % size), is_gold, is_counted & ~is_gold)


def pick_cells(table: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
    """Take some cells of a table, [B, W, W, D] and [B, N] twice -> [B, N, D]."""
    batch = torch.arange(len(table), device=table.device)[:, None]
    return table[batch, rows, columns]


@contextmanager
def watching(model: nn.Module, names: Sequence[str]) -> Iterator[dict[str, tuple[Tensor, ...]]]:
    """Note what the named layers are given and what they give, until the end of the block."""
    seen: dict[str, tuple[Tensor, ...]] = {}

    def watch(name: str) -> Callable[[nn.Module, tuple[Tensor, ...], Tensor], None]:
        def note(layer: nn.Module, given: tuple[Tensor, ...], result: Tensor) -> None:
            seen[name] = *given, result

        return note

    hooks = [model.get_submodule(name).register_forward_hook(watch(name)) for name in names]
    try:
        yield seen
    finally:
        for hook in hooks:
            hook.remove()
