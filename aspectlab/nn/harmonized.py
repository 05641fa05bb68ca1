"""Gradient-harmonised weights: easy examples, of which there are many, do not drown the others."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from aspectlab.nn.entropy import cross_entropies
from aspectlab.nn.graph import one_hot
from aspectlab.nn.tagging import mean_where


class Harmonizer(nn.Module):
    """Weigh examples by how rare the length of their gradient is (Li et al., AAAI 2019).

    The gradient of a class score is g = |p - y|. Lengths fall into equal bins; a bin that holds many has
    little say in each: weight = N / (count of the bin * number of bins in use), so that weights average one.
    Counts are running means over batches. They belong to a training, not to a model, and are not saved.
    """

    def __init__(self, *, bins: int = 24, momentum: float = 0.75) -> None:
        super().__init__()
        self.momentum = momentum
        self.counts: Tensor
        self.register_buffer("counts", torch.zeros(bins), persistent=False)

    @torch.no_grad()
    def forward(self, scores: Tensor, labels: Tensor, counted: Tensor) -> Tensor:
        """Give the weight of every example, [..., C], [...] and [...] -> [...]."""
        bins = len(self.counts)
        gold = one_hot(labels, scores.shape[-1], torch.float32)  # [..., C]
        length = (scores.float().softmax(-1) - gold).abs()  # [..., C]
        hot = one_hot((length * bins).long().clamp(max=bins - 1), bins, torch.float32)  # [..., C, bins]
        found = (hot * counted[..., None, None]).flatten(0, -2).sum(0)  # [bins]
        # a bin that was empty so far takes its first count whole
        before = torch.where(self.counts > 0, self.counts, found)
        mean = torch.where(found > 0, torch.lerp(found, before, self.momentum), self.counts)
        if self.training:
            self.counts.copy_(mean)
        share = found.sum() / (mean.clamp(min=1e-6) * (found > 0).sum().clamp(min=1))  # [bins]
        right = (hot * gold[..., None]).sum(-2)  # [..., bins] the bin of the right class
        weights: Tensor = (right * share).sum(-1)
        return weights


def harmonized_loss(harmonizer: Harmonizer, scores: Tensor, labels: Tensor, counted: Tensor) -> Tensor:
    """Average the weighted cross-entropy over what counts, [..., C], [...] and [...] -> []."""
    weights = harmonizer(scores, labels, counted)
    return mean_where(weights * cross_entropies(scores, labels), counted)
