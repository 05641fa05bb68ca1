"""Keep an unfinished training on disk: weights, optimiser and history, whole or not at all."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from aspectlab.models import Model
from aspectlab.training.optimizing import Optimizer


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What is needed besides the current weights: the epochs so far, and the weights of the best one."""

    history: Sequence[Any]
    best: list[Tensor]


def write_checkpoint(folder: Path, model: Model, optimizer: Optimizer, checkpoint: Checkpoint) -> None:
    """Replace the checkpoint in a folder; a crash leaves the one before."""
    tensors = {f"now.{n}": t for n, t in enumerate(_weights(model))}
    tensors |= {f"best.{n}": t for n, t in enumerate(checkpoint.best)}
    tensors |= {f"optimizer.{n}": t for n, t in enumerate(_moments(optimizer))}
    draft = folder.with_name(folder.name + ".draft")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True)
    save_file(
        {name: t.detach().clone().cpu().contiguous() for name, t in tensors.items()},
        draft / "state.safetensors",
    )
    history = [asdict(epoch) for epoch in checkpoint.history]
    (draft / "history.json").write_text(json.dumps(history), encoding="utf-8")
    shutil.rmtree(folder, ignore_errors=True)
    draft.rename(folder)


def read_checkpoint(folder: Path, model: Model, optimizer: Optimizer) -> Checkpoint | None:
    """Put weights and optimiser back into the state of the checkpoint; None where there is none."""
    if not (folder / "state.safetensors").is_file():
        return None
    tensors = load_file(folder / "state.safetensors")
    for number, tensor in enumerate(_weights(model)):
        tensor.copy_(tensors[f"now.{number}"])
    _make_moments(optimizer)
    for number, tensor in enumerate(_moments(optimizer)):
        tensor.copy_(tensors[f"optimizer.{number}"])
    best = [tensors[f"best.{n}"].to(t.device) for n, t in enumerate(_weights(model))]
    return Checkpoint(json.loads((folder / "history.json").read_text(encoding="utf-8")), best)


def _weights(model: Model) -> list[Tensor]:
    return [tensor.data for tensor in chain(model.parameters(), model.buffers())]


def _moments(optimizer: Optimizer) -> list[Tensor]:
    states = [optimizer.torch.state[p] for group in optimizer.torch.param_groups for p in group["params"]]
    return [state[name] for state in states for name in sorted(state) if isinstance(state[name], Tensor)]


def _make_moments(optimizer: Optimizer) -> None:
    """Let the optimiser allocate its state by a step with no gradient and no rate."""
    kept = [p.detach().clone() for group in optimizer.torch.param_groups for p in group["params"]]
    for group in optimizer.torch.param_groups:
        for parameter in group["params"]:
            parameter.grad = torch.zeros_like(parameter)
    optimizer.set_progress(0.0)
    optimizer.torch.step()
    optimizer.torch.zero_grad(set_to_none=True)
    with torch.no_grad():
        parameters = (p for group in optimizer.torch.param_groups for p in group["params"])
        for parameter, value in zip(parameters, kept, strict=True):
            parameter.copy_(value)
