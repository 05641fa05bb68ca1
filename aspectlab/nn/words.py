"""From sub-words to words, around the aspect, pairs of words, and losses; nothing that padding can touch.

W: words, C: classes. Look-ups of pairs are products with ones and zeros: unlike that of a gather, their
gradient adds up in a fixed order.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, embedding, linear

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


def one_hot(numbers: Tensor, size: int, dtype: torch.dtype) -> Tensor:
    """Turn numbers into rows with a single one, [...] -> [..., size].

    >>> one_hot(torch.tensor([2, 0]), 3, torch.float32)
    tensor([[0., 0., 1.],
            [1., 0., 0.]])
    """
    # rows of the identity, which has no gradient: half the time of comparing with every number
    return embedding(numbers.long(), torch.eye(size, dtype=dtype, device=numbers.device))


def pair_mask(words: Tensor) -> Tensor:
    """Return which cells are pairs of words, from the word of each token, [B, T] -> [B, W, W]."""
    _, mask = mean_words(words[..., None].float(), words)  # [B, W]
    return mask[:, :, None] & mask[:, None, :]


def count_words(words: Tensor) -> int:
    """Count the words of the longest text, from the word of each token, [B, T]; 1 where there is none.

    There are fewer words than tokens, and tables grow with the square. This waits for the device: it is for
    predicting, not for a captured training step.

    >>> count_words(torch.tensor([[-1, 0, 0, 1, -1], [-1, 0, -1, -1, -1]]))
    2
    """
    return max(int(words.max()) + 1, 1)


def unpack_bits(labels: Tensor, count: int) -> Tensor:
    """Return the lowest bits of each label as numbers, the lowest one first, [...] -> [..., count].

    >>> unpack_bits(torch.tensor([0, 1, 6]), 3).tolist()
    [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 1.0]]
    """
    bits = torch.arange(count, device=labels.device)
    return (labels.long()[..., None] >> bits & 1).float()


class PairLinear(nn.Module):
    """Map [x_i; x_j; what else is known of the pair] linearly, [B, W, H] -> [B, W, W, N].

    The sum is taken part by part, so that no tensor of [B, W, W, 2 * H] is made. `extras` are the widths of
    what else is known.
    """

    def __init__(self, width: int, out: int, extras: Sequence[int] = ()) -> None:
        super().__init__()
        self.sizes = [width, width, *extras]
        self.join = nn.Linear(sum(self.sizes), out)

    def forward(self, states: Tensor, *extras: Tensor) -> Tensor:
        """Map; each extra is [B, W, W, E], or [W, W, E] where it is the same for all texts."""
        row, column, *others = self.join.weight.split(self.sizes, 1)
        pairs = linear(states, row)[:, :, None] + linear(states, column, self.join.bias)[:, None]
        for extra, weight in zip(extras, others, strict=True):
            pairs = pairs + linear(extra, weight)
        return pairs


class PairProduct(nn.Module):
    """Score every pair by x_i V_k x_j with a number of matrices, [B, W, H] -> [B, W, W, K]."""

    def __init__(self, width: int, count: int) -> None:
        super().__init__()
        self.matrices = nn.Parameter(nn.init.xavier_uniform_(torch.empty(count, width, width)))

    def forward(self, states: Tensor) -> Tensor:
        """Multiply with all matrices at once, then each row with each column."""
        turned = torch.einsum("bih,khg->bikg", states, self.matrices)  # [B, W, K, H]
        return torch.einsum("bikg,bjg->bijk", turned, states)


FURTHER = 4
"""The distance in a tree from which on all are one."""


class Lookup(nn.Module):
    """Look up the scores of each number, [...] -> [..., C]."""

    def __init__(self, count: int, classes: int) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.empty(count, classes).normal_())

    def forward(self, numbers: Tensor, first: int = 0) -> Tensor:
        """Look up; the table begins with the number `first`, and those below it score zero."""
        hot = one_hot(numbers, first + len(self.table), self.table.dtype)
        return hot[..., first:] @ self.table


class PairLookup(nn.Module):
    """Look up the scores of unordered pairs of numbers from 1 on, [B, W] -> [B, W, W, C]; 0 scores zero."""

    def __init__(self, count: int, classes: int) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.empty(classes, count, count).normal_())

    def forward(self, numbers: Tensor) -> Tensor:
        """Look up both orders of a pair in one triangle."""
        table = self.table.triu() + self.table.triu(1).mT  # [C, N, N]
        hot = one_hot(numbers, 1 + len(table[0]), table.dtype)[..., 1:]  # [B, W, N]
        rows = torch.einsum("bin,cnm->bicm", hot, table)  # [B, W, C, N]
        return torch.einsum("bicm,bjm->bijc", rows, hot)


def word_distance(count: int, limit: int, device: torch.device) -> Tensor:
    """Count the words from each word to each other, up to a limit, [W, W].

    >>> word_distance(3, 1, torch.device("cpu")).tolist()
    [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    """
    position = torch.arange(count, device=device)
    return (position - position[:, None]).abs().clamp(max=limit)


def tree_distance(linked: Tensor) -> Tensor:
    """Count the arcs from each word to each other, [B, W, W]; from four on, or without a way, all are four.

    `linked` tells the words that an arc joins, both ways, and has a loop at every word.

    >>> chain = torch.tensor([[[1, 1, 0], [1, 1, 1], [0, 1, 1]]]).bool()
    >>> tree_distance(chain).tolist()
    [[[0, 1, 2], [1, 0, 1], [2, 1, 0]]]
    """
    loops = torch.eye(linked.shape[1], dtype=torch.bool, device=linked.device)
    within = linked & loops  # [B, W, W] reached in so many steps
    distance = (~within).long()
    for _ in range(1, FURTHER):
        within = linked.float() @ within.float() > 0
        distance = distance + (~within).long()
    return distance


def cross_entropies(scores: Tensor, labels: Tensor) -> Tensor:
    """Return the cross-entropy of every cell in full precision, [..., C] and [...] -> [...].

    >>> from torch import zeros
    >>> cross_entropies(zeros(1, 2, 4), zeros(1, 2)).exp()
    tensor([[4., 4.]])
    """
    flat = scores.float().flatten(0, -2), labels.long().flatten()
    return cross_entropy(*flat, reduction="none").view(labels.shape)


class TaggedBatch(Protocol):
    """The part of a batch that tells which words there are, and which items only fill it up."""

    @property
    def mask(self) -> Tensor:
        """Which tokens are no padding, [B, T]."""

    @property
    def words(self) -> Tensor:
        """The word of each token, -1 for none, [B, T]."""

    @property
    def weight(self) -> Tensor:
        """0 for an item that only fills the batch up, [B]."""


def counted_words(batch: TaggedBatch) -> Tensor:
    """Return which positions hold a word of an item that counts, [B, W]."""
    _, mask = mean_words(batch.mask[..., None].float(), batch.words)
    return mask & (batch.weight[:, None] > 0)


def mean_where(losses: Tensor, counted: Tensor) -> Tensor:
    """Average over the positions that count, whatever their shape; zero where there are none.

    >>> import torch
    >>> mean_where(torch.tensor([[2.0, 4.0, 9.0]]), torch.tensor([[True, True, False]]))
    tensor(3.)
    """
    return (losses * counted).sum() / counted.sum().clamp(min=1)
