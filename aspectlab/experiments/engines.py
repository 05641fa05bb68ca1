"""Which engine the word of `--engine` means."""

from __future__ import annotations

import os
from dataclasses import dataclass

from aspectlab.cluster import find_address, is_cluster
from aspectlab.errors import ConfigError
from aspectlab.experiments.folder import RunFolder
from aspectlab.experiments.jobs import Engine
from aspectlab.experiments.local import LocalEngine
from aspectlab.registry import suggest

_MOST_WORKERS = 4
"""How many workers `local` means at most: each holds a model, and on a GPU they share its memory."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where runs are carried out: some workers here (None: as many as fit), or a cluster."""

    is_cluster: bool
    workers: int | None = None
    address: str | None = None

    def open(self, folder: RunFolder, *, device: str, threads: int) -> Engine:
        """Start the engine."""
        if self.is_cluster:
            from aspectlab.experiments.rayengine import RayEngine

            return RayEngine(self.address, device=device, threads=threads)
        fitting = min(_MOST_WORKERS, (os.cpu_count() or 1) // threads)
        engine = LocalEngine(self.workers or max(fitting, 1), folder, device=device, threads=threads)
        engine.start()
        return engine


def parse_engine(text: str) -> Place:
    """Read `local`, `local:N`, `ray` or `ray:ADDRESS`.

    >>> parse_engine("local:2")
    Place(is_cluster=False, workers=2, address=None)
    """
    if is_cluster(text):
        return Place(True, address=find_address(text))
    if text == "local":
        return Place(False)
    name, _, rest = text.partition(":")
    if name == "local" and rest.isdigit() and int(rest) > 0:
        return Place(False, int(rest))
    offer = suggest(text, ["local", "local:N", "ray", "ray:ADDRESS"])
    raise ConfigError(f"--engine {text!r} is unknown: {offer}")
