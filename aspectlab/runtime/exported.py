"""Open an exported model with OpenVINO."""

from __future__ import annotations

import os
import sys
import threading
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from aspectlab.encodings import Subwords
from aspectlab.errors import DataError, MissingPartError
from aspectlab.runtime.predictor import GRAPH, TOKENIZER, ExportDescription, read_description, read_table
from aspectlab.runtime.spanpredictor import Runner, SpanPredictor

if TYPE_CHECKING:
    import openvino


def open_exported(folder: Path, threads: int | None) -> SpanPredictor:
    """Load a folder that `aspectlab export` wrote, after checking its files."""
    description = read_description(folder)
    streams = threads or available_cores()
    # one in twenty sentences hangs on a near tie, and the second network decides it
    first, second = open_networks(
        folder / GRAPH, precision=description.precision, width=description.width, threads=streams
    )
    return make_predictor(folder, description, first, second, threads=streams)


def make_predictor(
    folder: Path,
    description: ExportDescription,
    runner: Runner,
    second: Runner | None = None,
    *,
    threads: int,
) -> SpanPredictor:
    """Join the tokenizer of a folder with what runs its network."""
    vocabulary = Subwords.from_file(folder / TOKENIZER, description.max_length)
    hashes = [sha256 for _, sha256 in sorted(description.files.items())]
    return SpanPredictor(
        vocabulary,
        runner,
        second,
        threads=threads,
        name=description.model,
        hashes=hashes,
        table=read_table(folder),
        opens_hyphens=description.opens_hyphens,
    )


def available_cores() -> int:
    """Count the cores that this process may use."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return count or 1


_FIRST_CALL = threading.Lock()


class Network:
    """Token numbers in, pieces and vectors out; several threads may call it at once."""

    def __init__(self, compiled: openvino.CompiledModel, *, label: str, version: str, width: int) -> None:
        self.label = label
        self.version = version
        self.width = width
        self._compiled = compiled
        self._own = threading.local()
        # the engine sets up its view of numpy on the first call; two first calls at once lock each other
        with _FIRST_CALL:
            self.run(np.ones((1, 4), np.int32), np.ones((1, 4), np.bool_))

    def run(
        self, tokens: NDArray[np.int32], mask: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return the pieces of each token, [B, T, 48], and a vector of each row, [B, H].

        The arrays are the engine's own: they hold until the same thread calls again.
        """
        if not hasattr(self._own, "request"):
            self._own.request = self._compiled.create_infer_request()
        request = self._own.request
        request.infer([tokens, mask], share_inputs=True)
        return request.get_output_tensor(0).data, request.get_output_tensor(1).data


def open_networks(path: Path, *, precision: str, width: int, threads: int) -> tuple[Network, Network | None]:
    """Compile a network as asked for, and once more in float32 where that computes in bfloat16."""
    try:
        openvino = import_openvino()
    except ImportError:
        raise MissingPartError(
            "engine 'openvino': the package openvino is not installed: get it with: "
            "pip install aspectlab; or use engine 'torch', which needs: pip install 'aspectlab[train]'"
        ) from None
    core, version = openvino.Core(), str(openvino.__version__).partition("-")[0]
    # a processor that only imitates bfloat16 would be slower with it
    can = "BF16" in core.get_property("CPU", "OPTIMIZATION_CAPABILITIES")
    hint = "bf16" if can and precision == "bf16" else "f32"
    try:
        graph = core.read_model(path)
        compiled = _compile_network(core, graph, hint, threads)
        # it has little to do, and every stream takes memory
        exact = _compile_network(core, graph, "f32", 1) if hint == "bf16" else None
    except RuntimeError as error:
        reason = str(error).strip().splitlines()[-1]
        raise DataError(
            f"{path}: OpenVINO {version} cannot read it ({reason}): export the model again"
        ) from None
    first = Network(compiled, label=f"openvino-{hint}", version=version, width=width)
    return first, exact and Network(exact, label="openvino-f32", version=version, width=width)


def _compile_network(
    core: openvino.Core, graph: openvino.Model, precision: str, threads: int
) -> openvino.CompiledModel:
    """Compile with one stream and one core per thread: cores that share a batch wait for each other."""
    hints = {
        "INFERENCE_PRECISION_HINT": precision,
        "NUM_STREAMS": threads,
        "INFERENCE_NUM_THREADS": threads,
        # several processes on one machine would be pinned to the same cores
        "ENABLE_CPU_PINNING": False,
    }
    return core.compile_model(graph, "CPU", hints)


_REPORTER = "openvino_telemetry"


def import_openvino() -> ModuleType:
    """Import the engine without its reports.

    While it is imported, OpenVINO leaves an id in the home folder and sends it to its makers, unasked. It
    does neither where the package that reports is not installed, so that is hidden until the import is over.
    """
    reporter = sys.modules.get(_REPORTER)
    sys.modules[_REPORTER] = cast(ModuleType, None)  # Python takes None for a module that is absent
    try:
        return import_module("openvino")
    finally:
        sys.modules.pop(_REPORTER, None)
        if reporter is not None:
            sys.modules[_REPORTER] = reporter
