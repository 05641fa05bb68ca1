"""LSTMs over padded batches, and the attention that papers put on them.

Padding changes nothing, and no length leaves the device.
"""

import torch
from torch import Tensor, nn


def reverse(states: Tensor, mask: Tensor) -> Tensor:
    """Reverse each sequence within its own length, [B, T, H]; padding stays behind."""
    length = mask.sum(1, keepdim=True)  # [B, 1]
    position = torch.arange(mask.shape[1], device=mask.device)[None]  # [1, T]
    source = torch.where(position < length, length - 1 - position, position)  # [B, T]
    # a product with a permutation instead of a gather: its gradient adds in a fixed order
    permutation = (source[..., None] == position[:, None]).to(states.dtype)  # [B, T, T]
    return permutation @ states


class BiLSTM(nn.Module):
    """One bidirectional layer, [B, T, H] -> [B, T, 2 * hidden]; zero at padding, which stands at the end."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.forwards = nn.LSTM(width, hidden, batch_first=True)
        self.backwards = nn.LSTM(width, hidden, batch_first=True)

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        """Run both directions; the second one over each sequence reversed within its length."""
        ahead, _ = self.forwards(states)
        behind, _ = self.backwards(reverse(states, mask))
        return torch.cat([ahead, reverse(behind, mask)], -1) * mask[..., None]


class LastState(nn.Module):
    """One LSTM whose answer is the state after the last real token, [B, T, H] -> [B, hidden]."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.lstm = nn.LSTM(width, hidden, batch_first=True)

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        """Run to the end and pick the state at the last masked-in position."""
        outputs, _ = self.lstm(states)
        position = torch.arange(mask.shape[1], device=mask.device)[None]
        last = (position == mask.sum(1, keepdim=True) - 1).to(outputs.dtype)  # [B, T]
        return torch.einsum("bt,bth->bh", last, outputs)


def weighted_sum(weights: Tensor, states: Tensor) -> Tensor:
    """Add states up by their weights, [B, T] and [B, T, H] -> [B, H].

    >>> weighted_sum(torch.tensor([[0.25, 0.75]]), torch.tensor([[[4.0], [8.0]]]))
    tensor([[7.]])
    """
    return torch.einsum("bt,bth->bh", weights.to(states.dtype), states)


def dot_scores(states: Tensor, query: Tensor) -> Tensor:
    """Score every state by its product with a query, [B, T, H] and [B, H] -> [B, T].

    >>> dot_scores(torch.tensor([[[1.0, 2.0], [0.0, 3.0]]]), torch.tensor([[1.0, 10.0]]))
    tensor([[21., 30.]])
    """
    return torch.einsum("bth,bh->bt", states, query.to(states.dtype))


class Trilinear(nn.Module):
    """Score every pair of two sequences by w · [x; y; x * y], [B, N, H] and [B, M, H] -> [B, N, M].

    The sum is taken part by part, so that no tensor of [B, N, M, 3 * H] is made.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        limit = (3 * width) ** -0.5
        self.weight = nn.Parameter(torch.empty(3, width).uniform_(-limit, limit))  # for x, y and x * y

    def forward(self, first: Tensor, second: Tensor) -> Tensor:
        """Return the scores."""
        alone, other, both = self.weight.unbind()
        pairs = (first * both) @ second.transpose(1, 2)  # [B, N, M]
        return (first @ alone)[:, :, None] + (second @ other)[:, None, :] + pairs


@torch.no_grad()
def draw_uniform(limit: float, *modules: nn.Module) -> None:
    """Draw all parameters of some modules from [-limit, limit], in place."""
    for module in modules:
        for parameter in module.parameters():
            parameter.uniform_(-limit, limit)
