"""LoRA: train two thin matrices beside each linear layer of an encoder, not its weights (Hu et al., 2022).

Sixty lines here instead of the library peft: it requires accelerate and psutil, gives every weight another
name, and a saved model would need it to be read. The weights keep their names; what is added stands beside.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from aspectlab.encoders.encoder import Encoder
from aspectlab.errors import ConfigError

_SCALE = 2.0
"""What the product of the two matrices is multiplied by: alpha is twice the rank, as is customary."""


class LoRALinear(nn.Module):
    """A frozen linear layer, and a product of two thin matrices that is added to its weight."""

    def __init__(self, layer: nn.Module, rank: int) -> None:
        super().__init__()
        weight, bias = layer.weight, layer.bias
        assert isinstance(weight, nn.Parameter)
        assert bias is None or isinstance(bias, nn.Parameter)
        # GPT-2 holds its weights the other way round
        self.is_turned = not isinstance(layer, nn.Linear)
        size, width = weight.shape[::-1] if self.is_turned else weight.shape
        self.weight, self.bias = weight, bias
        self.down = nn.Parameter(torch.empty(rank, width))  # [R, in]
        self.up = nn.Parameter(torch.empty(size, rank))  # [out, R]
        self.draw()

    def draw(self) -> None:
        """Draw what is fresh from torch's generator; it adds nothing as long as one matrix is zero."""
        nn.init.kaiming_uniform_(self.down, a=5**0.5)
        nn.init.zeros_(self.up)

    def forward(self, inputs: Tensor) -> Tensor:
        """Apply the layer, [..., in] -> [..., out]."""
        weight = self.weight.T if self.is_turned else self.weight
        own = linear(inputs, weight, self.bias)
        return own + _SCALE * linear(linear(inputs, self.down), self.up)

    @torch.no_grad()
    def merge_into(self, layer: nn.Module) -> nn.Module:
        """Merge the sum into a plain layer and return it."""
        added = _SCALE * self.up @ self.down
        self.weight.add_(added.T if self.is_turned else added)
        layer.weight, layer.bias = self.weight, self.bias
        return layer


def add_lora(encoder: Encoder, rank: int) -> None:
    """Freeze an encoder and put LoRA beside every linear layer in its transformer layers."""
    encoder.requires_grad_(False)
    found = [*_find_linear(encoder)]
    if not found:
        raise ConfigError(
            f"encoder {encoder.name!r}: it has no linear layers: expected a transformer; leave lora out"
        )
    for parent, name, layer in found:
        setattr(parent, name, LoRALinear(layer, rank))
    encoder.lora = rank


def draw_lora(encoder: nn.Module) -> None:
    """Draw what LoRA added and nobody trained, from torch's generator: a seed decides it with the model."""
    for module in encoder.modules():
        if isinstance(module, LoRALinear) and not module.up.any():
            module.draw()


def merge_lora(encoder: Encoder) -> None:
    """Merge what LoRA learnt into the weights, so that the encoder is a plain one again."""
    for parent in [*encoder.modules()]:
        for name, layer in [*parent.named_children()]:
            if isinstance(layer, LoRALinear):
                size, width = layer.up.shape[0], layer.down.shape[1]
                setattr(parent, name, layer.merge_into(_make_plain(layer, width, size)))
    encoder.lora = 0


def _make_plain(layer: LoRALinear, width: int, size: int) -> nn.Module:
    if not layer.is_turned:
        return nn.Linear(width, size, bias=layer.bias is not None, device="meta")
    from transformers.pytorch_utils import Conv1D

    return Conv1D(size, width)


def _find_linear(encoder: Encoder) -> Iterator[tuple[nn.Module, str, nn.Module]]:
    """Find the linear layers in the stacks of a transformer, with where each stands: no pooler, no output."""
    for path, part in encoder.named_modules():
        in_a_stack = any(name.isdigit() for name in path.split("."))
        for name, layer in part.named_children():
            # by name: the library that defines the second takes seconds to import
            if in_a_stack and (type(layer) is nn.Linear or type(layer).__name__ == "Conv1D"):
                yield part, name, layer
