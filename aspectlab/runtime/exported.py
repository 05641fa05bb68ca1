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
from aspectlab.registry import Registry
from aspectlab.runtime.networkpredictor import NetworkPredictor, Networks, Reader
from aspectlab.runtime.predictor import (
    CONFIG,
    GRAPH,
    TOKENIZER,
    ExportDescription,
    PredictOptions,
    read_description,
    read_table,
)

if TYPE_CHECKING:
    import openvino


KINDS = Registry[type[Reader]](
    "kind of exported model",
    {
        "quad-span": "aspectlab.runtime.quadreader:QuadReader",
        "stage": "aspectlab.runtime.spanreader:SpanReader",
    },
)
"""What can be run without torch, with what reads its answers."""


def open_exported(folder: Path, threads: int | None, options: PredictOptions) -> NetworkPredictor:
    """Load a folder that `aspectlab export` wrote, after checking its files."""
    description = read_description(folder)
    # the networks are large, and a tokenizer that does not fit is found soon
    vocabulary = read_vocabulary(folder, description)
    streams = threads or available_cores()
    # one in twenty sentences hangs on a near tie, and the second network decides it
    first, second = open_networks(folder / GRAPH, precision=description.precision, threads=streams)
    others = [
        open_networks(folder / name, precision="fp32", threads=streams)[0]
        for name in find_reader(folder, description).others
    ]
    networks = Networks(first, second, others)
    return make_predictor(folder, description, vocabulary, networks, options, threads=streams)


def read_vocabulary(folder: Path, description: ExportDescription) -> Subwords:
    """Read the tokenizer of a folder."""
    return Subwords.from_file(folder / TOKENIZER, description.max_length)


def find_reader(folder: Path, description: ExportDescription) -> type[Reader]:
    """Return what reads the answers of a model, and refuse a folder without all of its networks."""
    if description.model not in KINDS:
        raise DataError(
            f"{folder / CONFIG}: model = {description.model!r:.40}: expected {' or '.join(KINDS)}; export "
            "the model again, or update aspectlab"
        )
    reader = KINDS[description.model]
    files = sorted(name for graph in reader.others for name in (graph, str(Path(graph).with_suffix(".bin"))))
    if not set(files) <= description.files.keys():
        raise DataError(
            f"{folder / CONFIG}: key 'files': expected the files {' and '.join(files)}; "
            "export the model again"
        )
    return reader


def make_predictor(
    folder: Path,
    description: ExportDescription,
    vocabulary: Subwords,
    networks: Networks,
    options: PredictOptions,
    *,
    threads: int,
) -> NetworkPredictor:
    """Join the tokenizer of a folder with what runs its networks."""
    return NetworkPredictor(
        find_reader(folder, description).open(description, vocabulary, networks, options),
        vocabulary,
        networks,
        threads=threads,
        name=description.model,
        hashes=[sha256 for _, sha256 in sorted(description.files.items())],
        width=description.width,
        table=read_table(folder),
        opens_hyphens=description.opens_hyphens,
    )


def available_cores() -> int:
    """Count the cores that this process may use."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return count or 1


_FIRST_CALL = threading.Lock()


class Network:
    """Arrays in, arrays out; several threads may call it at once."""

    def __init__(self, compiled: openvino.CompiledModel, *, label: str, version: str) -> None:
        self.label = label
        self.version = version
        self._compiled = compiled
        self._outputs = range(len(compiled.outputs))
        self._own = threading.local()
        # the engine sets up its view of numpy on the first call; two first calls at once lock each other
        with _FIRST_CALL:
            self.run(*map(_fill_input, compiled.inputs))

    def run(self, *inputs: NDArray[np.generic]) -> tuple[NDArray[np.float32], ...]:
        """Return all outputs.

        The arrays are the engine's own: they hold until the same thread calls again.
        """
        if not hasattr(self._own, "request"):
            self._own.request = self._compiled.create_infer_request()
        request = self._own.request
        request.infer(inputs, share_inputs=True)
        return tuple(request.get_output_tensor(number).data for number in self._outputs)


def _fill_input(port: openvino.Output) -> NDArray[np.generic]:
    """Return ones of a small shape that an input takes: one text of four tokens."""
    sides = [side.get_length() if side.is_static else 4 for side in port.get_partial_shape()]
    return np.ones((1, *sides[1:]), port.get_element_type().to_dtype())


def open_networks(path: Path, *, precision: str, threads: int) -> tuple[Network, Network | None]:
    """Compile a network as asked for, and once more in float32 where that computes in bfloat16."""
    try:
        openvino = import_openvino()
    except ImportError:
        raise MissingPartError(
            "engine 'openvino': the package openvino is not installed; get it with: "
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
            f"{path}: OpenVINO {version} cannot read it ({reason}); export the model again"
        ) from None
    first = Network(compiled, label=f"openvino-{hint}", version=version)
    return first, exact and Network(exact, label="openvino-f32", version=version)


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
