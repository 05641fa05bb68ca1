"""One training step, plain or captured as a CUDA graph for each batch shape.

A step of a small model is hundreds of short kernels; on a fast GPU launching them takes far longer than
running them. A graph launches the whole step at once. It needs fixed addresses and shapes: rows are copied
into a fixed tensor, batches are filled up, and weights are only ever changed in place.
"""

from __future__ import annotations

import logging

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from aspectlab.models import Model, Plan
from aspectlab.training.averaging import Average
from aspectlab.training.batching import Rows
from aspectlab.training.device import computing
from aspectlab.training.optimizing import Optimizer
from aspectlab.training.store import Store, select

_LOG = logging.getLogger(__name__)

_WARM_UP = 1
"""Steps before a capture, during which libraries allocate and load their kernels."""


class Stepper:
    """Take steps on batches of a store; the loss adds up on the device until it is asked for."""

    def __init__(self, model: Model, plan: Plan, store: Store, optimizer: Optimizer) -> None:
        self.model, self.plan, self.store, self.optimizer = model, plan, store, optimizer
        self.device = device = store.device
        self.total = torch.zeros((), device=device)
        self.parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
        self.average = Average(self.parameters, plan.average)
        self._graphs: dict[tuple[int, int], tuple[torch.cuda.CUDAGraph, Tensor]] = {}
        self._can_capture = True
        self._pool = torch.cuda.graph_pool_handle() if device.type == "cuda" else None

    def prepare(self, batches: list[Rows]) -> None:
        """Capture a graph for every shape that occurs; this takes steps, so the weights must be set after."""
        if not self.optimizer.on_device:
            return
        for length in sorted({batch.length for batch in batches}, reverse=True):
            fitting = [batch.rows for batch in batches if batch.length == length]
            size = max(map(len, fitting))
            if (size, length) not in self._graphs and self._can_capture:
                self._try_capture(size, length, int(fitting[0][0]))

    def step(self, batch: Rows) -> None:
        """Take one step."""
        shape = self._shape(batch)
        if shape is None:
            self._plain(torch.from_numpy(batch.rows).to(self.device), batch.length)
            return
        graph, rows = self._graphs[shape]
        rows.copy_(torch.from_numpy(self._filled(batch.rows, shape[0])), non_blocking=True)
        graph.replay()

    def take_loss(self) -> float:
        """Give the sum of the losses since the last call; this waits for the device."""
        total = float(self.total)
        self.total.zero_()
        return total

    def _shape(self, batch: Rows) -> tuple[int, int] | None:
        fitting = [
            shape for shape in self._graphs if shape[1] == batch.length and shape[0] >= len(batch.rows)
        ]
        return min(fitting, default=None)

    def _filled(self, rows: NDArray[np.int64], size: int) -> NDArray[np.int64]:
        return np.concatenate([rows, np.full(size - len(rows), self.store.filler, np.int64)])

    def _plain(self, rows: Tensor, length: int) -> None:
        self.optimizer.torch.zero_grad(set_to_none=True)
        batch = select(self.store.batch, rows, length)
        with computing(self.device, self.plan.precision):
            loss = self.model.loss(self.model(batch), batch)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.parameters, self.plan.clip, foreach=True)
        self.optimizer.torch.step()
        self.average.update()
        self.total += loss.detach()

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
                self._plain(rows, length)
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        # steps never overlap, so all graphs may use the same memory
        with torch.cuda.graph(graph, pool=self._pool):
            self._plain(rows, length)
        self._graphs[size, length] = graph, rows
