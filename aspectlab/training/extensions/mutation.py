"""Mutants: a model with a few damaged neurons, for a while; its weights come back and no file is written.

After DeepMutation++ (Hu et al., ASE 2019). A neuron is an output row of a linear layer, with its bias.
Unlike the tool: a layer is not clipped after the noise, and swapped rows really change places.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch
from torch import Generator, Tensor, nn

from aspectlab.errors import ConfigError
from aspectlab.registry import suggest

Mutate = Callable[[nn.Linear, Tensor, Generator], None]
"""`mutate(layer, rows, rng)`: damage some neurons of a layer in place."""

_NOISE = 0.5
"""The deviation of the noise, as a share of each weight."""


def fuzz_weights(layer: nn.Linear, rows: Tensor, rng: Generator) -> None:
    """GF: add Gaussian noise to the incoming weights, in proportion to them."""
    noise = torch.randn(len(rows), layer.in_features, generator=rng).to(layer.weight)  # [R, I]
    layer.weight[rows] *= 1 + _NOISE * noise


def shuffle_weights(layer: nn.Linear, rows: Tensor, rng: Generator) -> None:
    """WS: shuffle the incoming weights of each neuron."""
    for row in rows.tolist():
        order = torch.randperm(layer.in_features, generator=rng).to(layer.weight.device)  # [I]
        layer.weight[row] = layer.weight[row, order]


def block_neurons(layer: nn.Linear, rows: Tensor, rng: Generator) -> None:
    """NEB: block the effect of neurons, which then give 0."""
    layer.weight[rows] = 0
    if layer.bias is not None:
        layer.bias[rows] = 0


def switch_neurons(layer: nn.Linear, rows: Tensor, rng: Generator) -> None:
    """NS: swap each neuron with another one of its layer."""
    others = layer.out_features - 1
    for row in rows.tolist() if others else ():
        other = (row + 1 + int(torch.randint(others, (1,), generator=rng))) % layer.out_features
        pair, swapped = [row, other], [other, row]
        # indexing by a list copies, so no row is lost on the way
        layer.weight[pair] = layer.weight[swapped]
        if layer.bias is not None:
            layer.bias[pair] = layer.bias[swapped]


OPERATORS: dict[str, Mutate] = {
    "GF": fuzz_weights,
    "WS": shuffle_weights,
    "NEB": block_neurons,
    "NS": switch_neurons,
}


def find_operator(name: str) -> Mutate:
    """Return a mutation operator by its name, or report which there are.

    >>> find_operator("NEB").__name__
    'block_neurons'
    """
    if name not in OPERATORS:
        raise ConfigError(f"mutation operator {name!r} is unknown: {suggest(name, OPERATORS)}")
    return OPERATORS[name]


@contextmanager
def mutated(model: nn.Module, operator: str, *, seed: int, ratio: float = 0.01) -> Iterator[None]:
    """Damage this share of the neurons of all linear layers, at least one, until the context is left."""
    mutate = find_operator(operator)
    rng = torch.Generator().manual_seed(seed)
    chosen = _choose(model, ratio, rng)
    kept = [
        (tensor, tensor.detach().clone()) for layer, _ in chosen for tensor in layer.parameters(recurse=False)
    ]
    try:
        with torch.no_grad():
            for layer, rows in chosen:
                mutate(layer, rows, rng)
        yield
    finally:
        with torch.no_grad():
            for tensor, old in kept:
                tensor.copy_(old)


def _choose(model: nn.Module, ratio: float, rng: Generator) -> list[tuple[nn.Linear, Tensor]]:
    """Draw neurons from all linear layers together: big layers give more."""
    layers = [layer for layer in model.modules() if isinstance(layer, nn.Linear)]
    if not layers:
        raise ConfigError("mutants: found no linear layer in the model: expected at least one")
    sizes = torch.tensor([layer.out_features for layer in layers])
    total = int(sizes.sum())
    count = max(1, round(ratio * total))
    drawn = torch.randperm(total, generator=rng)[:count]  # [R]
    ends = sizes.cumsum(0)
    owners = torch.searchsorted(ends, drawn, right=True)  # [R]
    rows = drawn - (ends - sizes)[owners]
    return [(layer, rows[owners == n]) for n, layer in enumerate(layers) if bool((owners == n).any())]
