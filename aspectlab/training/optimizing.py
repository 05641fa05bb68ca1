"""Optimisers, parameter groups and learning rates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import torch
from torch import nn

from aspectlab.encoders import Encoder
from aspectlab.models import Plan


class Trainable(Protocol):
    """A module with an encoder in it: a model, or an encoder in post-training."""

    @property
    def encoder(self) -> Encoder:
        """The part whose learning rate may differ by depth."""

    def parameters(self) -> Iterator[nn.Parameter]:
        """All parameters, those of the encoder included."""


class Optimizer:
    """An optimiser whose rates follow the plan's schedule."""

    def __init__(self, model: Trainable, plan: Plan, device: torch.device) -> None:
        self.plan = plan
        self.groups = _groups(model, plan)
        self.rates = [float(group["lr"]) for group in self.groups]  # type: ignore[arg-type]
        # a captured step reads the rate from the device, so there it must be a tensor
        self.on_device = device.type == "cuda" and plan.optimizer != "adagrad"
        if self.on_device:
            for group, rate in zip(self.groups, self.rates, strict=True):
                group["lr"] = torch.tensor(rate, device=device)
        self.torch = _build(self.groups, plan, self.on_device)

    def set_progress(self, progress: float) -> None:
        """Set the rates for a moment of the training, 0 at its start and 1 at its end."""
        factor = schedule(self.plan, progress)
        for group, rate in zip(self.torch.param_groups, self.rates, strict=True):
            if self.on_device:
                group["lr"].fill_(rate * factor)
            else:
                group["lr"] = rate * factor

    def parameters(self) -> Iterator[nn.Parameter]:
        """Give the parameters that it changes, group by group."""
        return (parameter for group in self.torch.param_groups for parameter in group["params"])

    def forget(self) -> None:
        """Go back to the state before the first step, in place, so that captured steps stay valid."""
        for state in self.torch.state.values():
            for value in state.values():
                if isinstance(value, torch.Tensor):
                    value.zero_()


def schedule(plan: Plan, progress: float) -> float:
    """Give the factor on the learning rate: it rises during the warm-up, then stays or falls to 0.

    >>> [round(schedule(Plan(warmup=0.1), progress), 2) for progress in (0.05, 0.1, 1.0)]
    [0.5, 1.0, 0.0]
    """
    if progress < plan.warmup:
        return progress / plan.warmup
    return 1.0 if plan.schedule == "constant" else (1 - progress) / max(1 - plan.warmup, 1e-9)


def _groups(model: Trainable, plan: Plan) -> list[dict[str, object]]:
    """Sort the trainable parameters by learning rate and by whether they decay."""
    rates: dict[nn.Parameter, float] = {}
    levels = list(model.encoder.groups())
    base = plan.encoder_learning_rate if plan.encoder_learning_rate is not None else plan.learning_rate
    for depth, level in enumerate(levels):
        for parameter in level.values():
            rates[parameter] = base * plan.layer_decay ** (len(levels) - 1 - depth)
    groups: dict[tuple[float, float], list[nn.Parameter]] = {}
    for parameter in model.parameters():
        if parameter.requires_grad:
            # biases and the scales of normalisations are vectors: pulling them to zero helps nothing
            decay = plan.weight_decay if parameter.ndim > 1 else 0.0
            groups.setdefault((rates.get(parameter, plan.learning_rate), decay), []).append(parameter)
    return [
        {"params": members, "lr": rate, "weight_decay": decay} for (rate, decay), members in groups.items()
    ]


def _build(groups: list[dict[str, object]], plan: Plan, on_device: bool) -> torch.optim.Optimizer:
    if plan.optimizer == "adagrad":
        return torch.optim.Adagrad(groups)
    kind = torch.optim.AdamW if plan.optimizer == "adamw" else torch.optim.Adam
    return kind(groups, fused=True, capturable=on_device)
