"""Devices, precision and determinism."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from aspectlab.errors import ConfigError

_LARGEST_SEED = 2**32 - 1
"""Every epoch multiplies the seed, and torch's generators take 64 bits."""

_KINDS = ("cpu", "cuda")


def choose_device(name: str = "auto") -> torch.device:
    """Take the GPU if there is one, unless told otherwise."""
    # read by cuBLAS when it starts; without it, matrix products may add in another order each time
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if name.startswith("cuda") and not torch.cuda.is_available():
        raise ConfigError(f"device {name!r}: no CUDA device is usable here: use 'cpu', or 'auto'")
    try:
        device = torch.device(name)
    except RuntimeError:
        device = None
    # torch knows others that nothing here was made for, and one that holds no numbers
    if device is None or device.type not in _KINDS:
        raise ConfigError(f"device {name!r} is unknown: expected 'auto', 'cpu' or 'cuda'")
    return device


def check_seed(seed: int) -> None:
    """Refuse a seed that some generator does not take."""
    if not 0 <= seed <= _LARGEST_SEED:
        raise ConfigError(
            f"seed = {seed!r}: expected a whole number from 0 to {_LARGEST_SEED}; choose another"
        )


def seed_everything(seed: int) -> None:
    """Set torch's generators, from which weights are drawn; the order of batches has its own."""
    check_seed(seed)
    torch.manual_seed(seed)


@contextmanager
def computing(device: torch.device, precision: str) -> Iterator[None]:
    """Compute in bfloat16 where that is fast: on a GPU, and on a CPU that has the instructions."""
    wanted = precision == "bf16" or (precision == "auto" and (device.type == "cuda" or _cpu_has_bf16()))
    # cuDNN's attention is compiled anew for every shape, half a second each, and is no faster at these sizes
    kernels = [SDPBackend.EFFICIENT_ATTENTION, SDPBackend.FLASH_ATTENTION, SDPBackend.MATH]
    with sdpa_kernel(kernels), torch.autocast(device.type, torch.bfloat16) if wanted else nullcontext():
        yield


@contextmanager
def deterministic() -> Iterator[None]:
    """Ask torch for kernels that give the same bits every time; a kernel that has none is only warned of."""
    before = (
        torch.are_deterministic_algorithms_enabled(),
        torch.is_deterministic_algorithms_warn_only_enabled(),
    )
    torch.use_deterministic_algorithms(True, warn_only=True)
    # new memory would be filled with NaN, which costs a kernel each time and finds only unwritten reads
    torch.utils.deterministic.fill_uninitialized_memory = False  # type: ignore[attr-defined]
    try:
        yield
    finally:
        torch.utils.deterministic.fill_uninitialized_memory = True  # type: ignore[attr-defined]
        torch.use_deterministic_algorithms(before[0], warn_only=before[1])


def _cpu_has_bf16() -> bool:
    return bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())
