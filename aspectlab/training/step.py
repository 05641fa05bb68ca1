"""One training step: device, processes, precision, optimizer and scheduler, EMA of the weights, CUDA graphs.

A step of a small model is hundreds of short kernels; on a fast GPU launching them takes far longer than
running them. A graph launches the whole step at once, one for each batch shape. It needs fixed addresses and
shapes: rows are copied into a fixed tensor, batches are filled up, and weights are only changed in place.
"""

from __future__ import annotations

import atexit
import logging
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Protocol, TypeVar, cast

import numpy as np
import torch
from torch import Tensor, distributed, nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.parallel import DistributedDataParallel

from aspectlab.encoders import Encoder
from aspectlab.encodings import Batch
from aspectlab.errors import ConfigError
from aspectlab.models import Model, Plan
from aspectlab.training.dataset import BatchRows, EncodedDataset, Rows, select

T = TypeVar("T")

_LARGEST_SEED = 2**32 - 1
"""Every epoch multiplies the seed, and torch's generators take 64 bits."""

_KINDS = ("cpu", "cuda", "mps")


def choose_device(name: str = "auto") -> torch.device:
    """Take the GPU if there is one, unless told otherwise."""
    # read by cuBLAS when it starts; without it, matrix products may add in another order each time
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    if name.startswith("cuda") and not torch.cuda.is_available():
        raise ConfigError(f"device {name!r}: no CUDA device is usable here; use 'cpu', or 'auto'")
    if name.startswith("mps") and not torch.backends.mps.is_available():
        raise ConfigError(f"device {name!r}: Metal is not usable here; use 'cpu', or 'auto'")
    if name == "cuda" and _started_in_parallel():
        return torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")))
    try:
        device = torch.device(name)
    except RuntimeError:
        device = None
    # torch knows others that nothing here was made for, and one that holds no numbers
    if device is None or device.type not in _KINDS:
        raise ConfigError(f"device {name!r} is unknown: expected 'auto', 'cpu', 'cuda' or 'mps'")
    return device


@dataclass(frozen=True, slots=True)
class Processes:
    """The processes that train one model together, and which of them this is."""

    rank: int = 0
    count: int = 1

    def sum(self, value: Tensor) -> None:
        """Add a value up over all of them, in place."""
        if self.count > 1:
            distributed.all_reduce(value)

    def share(self, make: Callable[[], T]) -> T:
        """Make something in the first process alone, and return it in all."""
        if self.count == 1:
            return make()
        made = [make() if self.rank == 0 else None]
        distributed.broadcast_object_list(made)
        return cast(T, made[0])


ALONE = Processes()


def _started_in_parallel() -> bool:
    return {"RANK", "WORLD_SIZE", "MASTER_ADDR"} <= os.environ.keys() and os.environ["WORLD_SIZE"] != "1"


def join_processes(device: torch.device) -> Processes:
    """Join the processes that torchrun started for one training; most are started alone."""
    if not _started_in_parallel() and not distributed.is_initialized():
        return ALONE
    if device.type == "mps":
        raise ConfigError("device 'mps': several processes cannot share it; start one, without torchrun")
    if device.type == "cuda":
        torch.cuda.set_device(device)
    if not distributed.is_initialized():
        distributed.init_process_group("nccl" if device.type == "cuda" else "gloo")
        atexit.register(distributed.destroy_process_group)
    return Processes(distributed.get_rank(), distributed.get_world_size())


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
    """Compute in bfloat16 where that is fast: on CUDA, and on a CPU that has the instructions."""
    if precision == "bf16" and device.type == "mps" and not torch.backends.mps.is_macos_or_newer(14, 0):
        raise ConfigError("precision bf16: Metal has it from macOS 14 on; use fp32, or update macOS")
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


_LOG = logging.getLogger(__name__)

_WARM_UP = 1
"""Steps before a capture, during which libraries allocate and load their kernels."""


class Stepper:
    """Take steps on batches of a store; the loss adds up on the device until it is asked for."""

    def __init__(
        self, model: Model, plan: Plan, store: EncodedDataset, optimizer: Optimizer, processes: Processes
    ) -> None:
        self.model, self.plan, self.store, self.optimizer = model, plan, store, optimizer
        self.device, self.processes = store.device, processes
        self.total = torch.zeros((), device=self.device)
        self.parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
        self.average = EMA(self.parameters, plan.average)
        self._loss: nn.Module = _Loss(model)
        if processes.count > 1:
            # what a model has and its loss does not use, such as a pooler, gets no gradient
            self._loss = DistributedDataParallel(self._loss, find_unused_parameters=True)
        self._graphs: dict[tuple[int, int], tuple[torch.cuda.CUDAGraph, Tensor]] = {}
        # a graph holds one batch of one process
        self._can_capture = optimizer.on_device and plan.accumulate == processes.count == 1
        self._pool = torch.cuda.graph_pool_handle() if self.device.type == "cuda" else None

    def prepare(self, batches: list[BatchRows]) -> None:
        """Capture a graph for every shape that occurs; this takes steps, so the weights must be set after."""
        if not self._can_capture:
            return
        for length in sorted({batch.length for batch in batches}, reverse=True):
            fitting = [batch.rows for batch in batches if batch.length == length]
            size = max(map(len, fitting))
            if (size, length) not in self._graphs and self._can_capture:
                self._try_capture(size, length, int(fitting[0][0]))

    def step(self, *batches: BatchRows) -> None:
        """Take one step on a batch, or on several whose gradients are added up."""
        shape = self._shape(batches[0])
        if shape is not None:
            graph, rows = self._graphs[shape]
            rows.copy_(torch.from_numpy(self._filled(batches[0].rows, shape[0])), non_blocking=True)
            graph.replay()
            return
        items = sum(len(batch.rows) for batch in batches)
        parts = []
        for batch in batches:
            own = batch.rows[self.processes.rank :: self.processes.count]
            # an empty part takes part too, with an item that counts nothing
            rows = torch.from_numpy(own if len(own) else self._filled(own, 1)).to(self.device)
            parts.append((rows, batch.length, len(own) / items))
        self._plain(parts)

    def take_loss(self) -> float:
        """Return the sum of the losses since the last call; this waits for the device."""
        self.processes.sum(self.total)
        total = float(self.total)
        self.total.zero_()
        return total

    def _shape(self, batch: BatchRows) -> tuple[int, int] | None:
        fitting = [
            shape for shape in self._graphs if shape[1] == batch.length and shape[0] >= len(batch.rows)
        ]
        return min(fitting, default=None)

    def _filled(self, rows: Rows, size: int) -> Rows:
        return np.concatenate([rows, np.full(size - len(rows), self.store.filler, np.int64)])

    def _plain(self, parts: Sequence[tuple[Tensor, int, float]]) -> None:
        """Take a step on parts of a batch: rows, their length, and their share of the items."""
        self.optimizer.torch.zero_grad(set_to_none=True)
        for number, (rows, length, share) in enumerate(parts, 1):
            batch = select(self.store.batch, rows, length)
            is_last = number == len(parts)  # gradients go to the other processes once a step
            with nullcontext() if is_last or self.processes.count == 1 else self._loss.no_sync():  # type: ignore[operator]
                with computing(self.device, self.plan.precision):
                    loss = self._loss(batch)
                loss = loss if share == 1 else loss * share
                # processes average their gradients, and a batch is the sum of its parts
                (loss if self.processes.count == 1 else loss * self.processes.count).backward()
            self.total += loss.detach()
        torch.nn.utils.clip_grad_norm_(self.parameters, self.plan.clip, foreach=True)
        self.optimizer.torch.step()
        self.average.update()

    def _try_capture(self, size: int, length: int, row: int) -> None:
        """Capture a step, or go on with plain ones: a model may do what a graph cannot hold."""
        try:
            self._capture(size, length, row)
        except RuntimeError as error:
            if isinstance(error, torch.OutOfMemoryError):
                raise
            self._can_capture = False
            self._graphs.clear()
            _LOG.warning("steps are not captured and will be slower: %s", str(error).splitlines()[0])

    def _capture(self, size: int, length: int, row: int) -> None:
        rows = torch.full((size,), self.store.filler, device=self.device)
        rows[0] = row  # one real item, so that the loss is a number
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(_WARM_UP):
                self._plain([(rows, length, 1.0)])
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        # steps never overlap, so all graphs may use the same memory
        with torch.cuda.graph(graph, pool=self._pool):
            self._plain([(rows, length, 1.0)])
        self._graphs[size, length] = graph, rows


class _Loss(nn.Module):
    """A model with its loss as one module, which is what processes can share."""

    def __init__(self, model: Model) -> None:
        super().__init__()
        self.model = model

    def forward(self, batch: Batch[Tensor]) -> Tensor:
        return self.model.loss(self.model(batch), batch)


class Trainable(Protocol):
    """A module with an encoder in it: a model, or an encoder in post-training."""

    @property
    def encoder(self) -> Encoder:
        """The part whose learning rate may differ by depth."""

    def parameters(self) -> Iterator[nn.Parameter]:
        """All parameters, those of the encoder included."""


class Optimizer:
    """An optimizer whose rates follow the plan's schedule."""

    def __init__(self, model: Trainable, plan: Plan, device: torch.device) -> None:
        self.plan = plan
        self.groups = _parameter_groups(model, plan)
        self.rates = [float(group["lr"]) for group in self.groups]  # type: ignore[arg-type]
        # a captured step reads the rate from the device, so there it must be a tensor
        self.on_device = device.type == "cuda" and plan.optimizer in ("adamw", "adam")
        if self.on_device:
            for group, rate in zip(self.groups, self.rates, strict=True):
                group["lr"] = torch.tensor(rate, device=device)
        self.torch = _build_optimizer(self.groups, plan, self.on_device)

    def set_progress(self, progress: float) -> None:
        """Set the rates for a moment of the training, 0 at its start and 1 at its end."""
        factor = schedule(self.plan, progress)
        for group, rate in zip(self.torch.param_groups, self.rates, strict=True):
            if self.on_device:
                group["lr"].fill_(rate * factor)
            else:
                group["lr"] = rate * factor

    def parameters(self) -> Iterator[nn.Parameter]:
        """Return the parameters that it changes, group by group."""
        return (parameter for group in self.torch.param_groups for parameter in group["params"])

    def forget(self) -> None:
        """Go back to the state before the first step, in place, so that captured steps stay valid."""
        for state in self.torch.state.values():
            for value in state.values():
                if isinstance(value, torch.Tensor):
                    value.zero_()


def schedule(plan: Plan, progress: float) -> float:
    """Return the factor on the learning rate: it rises during the warm-up, then stays or falls to 0.

    >>> [round(schedule(Plan(warmup=0.1), progress), 2) for progress in (0.05, 0.1, 1.0)]
    [0.5, 1.0, 0.0]
    """
    if progress < plan.warmup:
        return progress / plan.warmup
    return 1.0 if plan.schedule == "constant" else (1 - progress) / max(1 - plan.warmup, 1e-9)


def _parameter_groups(model: Trainable, plan: Plan) -> list[dict[str, object]]:
    """Sort the trainable parameters by learning rate and by whether they decay."""
    rates: dict[nn.Parameter, float] = {}
    levels = list(model.encoder.groups())
    if plan.layer_decay < 1 and model.encoder.is_deep and len(levels) == 1:
        raise ConfigError(
            f"layer_decay = {plan.layer_decay:g}: the encoder {model.encoder.name!r} has no layers that can "
            "be told apart (ALBERT repeats a single one): expected 1; leave layer_decay out"
        )
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


def _build_optimizer(groups: list[dict[str, object]], plan: Plan, on_device: bool) -> torch.optim.Optimizer:
    if plan.optimizer == "adagrad":
        return torch.optim.Adagrad(groups)
    if plan.optimizer == "sgd":
        return torch.optim.SGD(groups)
    kind = torch.optim.AdamW if plan.optimizer == "adamw" else torch.optim.Adam
    return kind(groups, fused=True, capturable=on_device)


class EMA:
    """Exponential moving average of the weights: steadier than any single step. A decay of 0: none."""

    def __init__(self, parameters: Sequence[nn.Parameter], decay: float) -> None:
        self.decay = decay
        self.weights = [parameter.data for parameter in parameters] if decay else []
        self.means = [weight.clone() for weight in self.weights]

    def restart(self) -> None:
        """Begin anew at the present weights."""
        for mean, weight in zip(self.means, self.weights, strict=True):
            mean.copy_(weight)

    def update(self) -> None:
        """Take one step towards the present weights; part of a captured training step."""
        if self.means:
            torch._foreach_lerp_(self.means, self.weights, 1 - self.decay)

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """Swap the averages in for the weights for a while."""
        self._exchange()
        try:
            yield
        finally:
            self._exchange()

    def load(self, means: Sequence[Tensor]) -> None:
        """Restore averages that were saved."""
        for mean, value in zip(self.means, means, strict=True):
            mean.copy_(value)

    def _exchange(self) -> None:
        for mean, weight in zip(self.means, self.weights, strict=True):
            kept = weight.clone()
            weight.copy_(mean)
            mean.copy_(kept)
