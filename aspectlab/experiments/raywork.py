"""What a node of a Ray cluster does: carry out a run, with the encoder that the process has already."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from aspectlab.experiments.facts import Facts, Request
from aspectlab.experiments.jobs import Files, Job
from aspectlab.experiments.material import Material

if TYPE_CHECKING:
    from aspectlab.experiments.workshop import Workshop

_REPORT_S = 1.0
"""Seconds between two reports of progress."""

_WORKSHOPS: dict[tuple[str, int], Workshop] = {}
"""The one of this process; Ray gives a process one run at a time, and then another."""


class Board:
    """Where runs write how far they are, for a driver to read."""

    def __init__(self) -> None:
        self._said: dict[str, tuple[float, str]] = {}

    def tell(self, run_id: str, share: float, text: str) -> None:
        """Take note of a run's progress."""
        self._said[run_id] = share, text

    def read(self) -> dict[str, tuple[float, str]]:
        """Give what is new."""
        said, self._said = self._said, {}
        return said


def look_up(requests: list[Request]) -> list[Facts]:
    """Look models up."""
    from aspectlab.experiments.inspecting import inspect_models

    return inspect_models(requests)


def carry_out(job: Job, material: Material, device: str, threads: int, board: object) -> Files:
    """Do one run."""
    # imported here: a driver knows this file too, and needs no torch
    from aspectlab.experiments.workshop import Workshop

    workshop = _WORKSHOPS.get((device, threads))
    if workshop is None:
        workshop = _WORKSHOPS[device, threads] = Workshop(device, threads=threads)
    last = 0.0

    def report(share: float, text: str) -> None:
        nonlocal last
        if time.monotonic() - last >= _REPORT_S:
            last = time.monotonic()
            # nobody waits for the answer: the board may be gone, and the run goes on
            board.tell.remote(job.run.id, share, text)  # type: ignore[attr-defined]

    return workshop.carry_out(job, material, report)
