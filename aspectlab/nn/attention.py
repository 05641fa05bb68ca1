"""Attention over one query or between two sequences, and weights drawn as in its papers."""

import torch
from torch import Tensor, nn


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
