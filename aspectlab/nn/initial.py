"""First values of weights, where a paper says what they were."""

from __future__ import annotations

import torch
from torch import nn


@torch.no_grad()
def draw_uniform(limit: float, *modules: nn.Module) -> None:
    """Draw all parameters of some modules from [-limit, limit], in place."""
    for module in modules:
        for parameter in module.parameters():
            parameter.uniform_(-limit, limit)
