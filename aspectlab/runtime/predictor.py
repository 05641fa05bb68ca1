"""Predictor: what an analysis needs of a model, and how one is loaded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from aspectlab.data import Quad
from aspectlab.errors import ConfigError, DataError, MissingPartError
from aspectlab.registry import Registry, suggest
from aspectlab.runtime.exportfolder import CONFIG, is_exported


class Predictor(Protocol):
    """A model that finds opinions in sentences and gives vectors for grouping their aspects."""

    @property
    def identity(self) -> str:
        """A name that changes when the results may change."""
        ...

    def predict(self, texts: Sequence[str]) -> list[tuple[Quad, ...]]:
        """Give the opinions of each text, with spans and the probability of each polarity."""
        ...

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Give one vector a text, [N, D]."""
        ...


SHIPPED = Path(__file__).parent / "model"
"""The model that comes with the package."""

ENGINES = Registry[Callable[[Path, int | None], Predictor]](
    "engine",
    {
        "openvino": "aspectlab.runtime.exported:open_exported",
        # it needs torch, so it lives below
        "torch": "aspectlab.training.torch_runtime:open_with_torch",
    },
)
"""What can run a model, with the function that opens its folder."""


def load_predictor(
    model: str | Path | None = None, *, engine: str = "auto", threads: int | None = None
) -> Predictor:
    """Load an exported model, a saved one, or the model that comes with the package.

    `auto` runs an exported model by OpenVINO and a saved one by torch. `threads`: all cores if not given.
    """
    if threads is not None and threads < 1:
        raise ConfigError(f"threads = {threads}: expected at least 1")
    folder = SHIPPED if model is None else Path(model)
    exported = _check_exported(folder, is_named=model is not None)
    chosen = ("openvino" if exported else "torch") if engine == "auto" else engine
    if chosen not in ENGINES:
        raise ConfigError(f"engine {chosen!r} is unknown: {suggest(chosen, ['auto', *ENGINES])}")
    if chosen == "openvino" and not exported:
        raise ConfigError(
            f"{folder}: engine 'openvino' runs exported models only: export it with: "
            f"aspectlab export {folder} --out NEW-FOLDER; or use engine 'torch'"
        )
    if chosen == "torch" and not find_spec("torch"):
        raise MissingPartError(
            "engine 'torch': torch is not installed: get it with: pip install 'aspectlab[train]'"
        )
    return ENGINES[chosen](folder, threads)


def _check_exported(folder: Path, *, is_named: bool) -> bool:
    """Tell an exported model from a saved one, and refuse what is neither."""
    if (folder / CONFIG).is_file():
        return is_exported(folder)
    if is_named:
        raise DataError(
            f"{folder}: no {CONFIG} there: expected a folder that `aspectlab export` or "
            "`aspectlab train` wrote"
        )
    raise MissingPartError(
        f"{folder}: this copy of aspectlab came without its model: install it again with: "
        "pip install --force-reinstall aspectlab; or name a model"
    )
