"""The exported network, compiled by OpenVINO for the processor that is there."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from aspectlab.errors import DataError, MissingPartError


class Network:
    """Token numbers in, pieces and vectors out; several threads may call it at once.

    Each thread has a stream of its own with one core: cores that share a batch spend their time waiting for
    each other.
    """

    def __init__(self, path: Path, *, precision: str, width: int, threads: int) -> None:
        try:
            import openvino
        except ImportError:
            raise MissingPartError(
                "engine 'openvino': the package openvino is not installed: get it with: "
                "pip install aspectlab; or use engine 'torch', which needs: pip install 'aspectlab[train]'"
            ) from None
        core = openvino.Core()
        # a processor that only imitates bfloat16 would be slower with it
        can = "BF16" in core.get_property("CPU", "OPTIMIZATION_CAPABILITIES")
        hints = {
            "INFERENCE_PRECISION_HINT": "bf16" if can and precision == "bf16" else "f32",
            "NUM_STREAMS": threads,
            "INFERENCE_NUM_THREADS": threads,
            # several processes on one machine would be pinned to the same cores
            "ENABLE_CPU_PINNING": False,
        }
        try:
            self._compiled = core.compile_model(core.read_model(path), "CPU", hints)
        except RuntimeError as error:
            reason = str(error).strip().splitlines()[-1]
            raise DataError(
                f"{path}: OpenVINO {openvino.__version__} cannot read it ({reason}): export the model again"
            ) from None
        self.label = f"openvino-{hints['INFERENCE_PRECISION_HINT']}"
        self.version = str(openvino.__version__).partition("-")[0]
        self.width = width
        self._own = threading.local()

    def run(
        self, tokens: NDArray[np.int32], mask: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Give the pieces of each token, [B, T, 48], and a vector of each row, [B, H].

        The arrays are the engine's own: they hold until the same thread calls again.
        """
        if not hasattr(self._own, "request"):
            self._own.request = self._compiled.create_infer_request()
        request = self._own.request
        request.infer([tokens, mask], share_inputs=True)
        return request.get_output_tensor(0).data, request.get_output_tensor(1).data
