"""The process of a local worker: it imports torch, tells that it is ready, and does what it is told."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from multiprocessing import parent_process
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Protocol

from aspectlab.errors import AspectlabError
from aspectlab.experiments.facts import Request
from aspectlab.experiments.jobs import Advanced, Failed, Files, Finished, Job, Report
from aspectlab.experiments.material import Material

WORKSHOP = "aspectlab.experiments.workshop:Workshop"
"""Where runs are carried out; by name, since importing it imports torch."""

_REPORT_S = 0.2
"""Seconds between two reports of progress."""


class Craft(Protocol):
    """What carries out runs in a worker: a Workshop, or what stands for it in tests."""

    def carry_out(self, job: Job, material: Material, report: Report) -> Files:
        """Do a run and give its files."""
        ...


@dataclass(frozen=True, slots=True)
class Ready:
    """What a worker says once it can work."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """A job, the file for what is said meanwhile, and the material if the worker has not got it yet."""

    job: Job
    log: Path
    material: Material | None


@dataclass(frozen=True, slots=True)
class Setting:
    """What every worker of an engine is told at its start."""

    device: str
    threads: int
    log: Path
    workshop: str = WORKSHOP


def work(connection: Connection, setting: Setting, number: int) -> None:
    """Do what comes through the connection until it is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the driver, which stops its workers
    threading.Thread(target=_die_with_parent, daemon=True).start()
    _say_to(setting.log)
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = str(setting.threads)  # read once, when torch is imported
    module, _, name = setting.workshop.partition(":")
    build = getattr(import_module(module), name)  # imports torch
    find_workshop = cache(partial(build, setting.device, threads=setting.threads, number=number))
    connection.send(Ready())
    materials: dict[str, Material] = {}
    while (message := _receive(connection)) is not None:
        if isinstance(message, list):
            _look_up(connection, message, setting.device)
        elif isinstance(message, Assignment):
            if message.material is not None:
                materials[message.material.key] = message.material
            _say_to(message.log)
            _carry_out(connection, find_workshop, message.job, materials[message.job.run.group.material])


def _look_up(connection: Connection, requests: list[Request], device: str) -> None:
    """Send what there is to know of models, or why no run can be done here."""
    from aspectlab.experiments.inspecting import inspect_models
    from aspectlab.training.device import choose_device

    try:
        choose_device(device)
    except AspectlabError as error:
        connection.send(str(error))
    else:
        connection.send(inspect_models(requests))


def _carry_out(
    connection: Connection, find_workshop: Callable[[], Craft], job: Job, material: Material
) -> None:
    """Do a run and send its files, or why it cannot be done; any other error ends the process."""
    report = _reporter(connection, job.run.id)
    report(0.0, "starting")
    try:
        files = find_workshop().carry_out(job, material, report)
    except AspectlabError as error:
        connection.send(Failed(job.run.id, str(error)))
    else:
        connection.send(Finished(job.run.id, files))


def _receive(connection: Connection) -> object:
    try:
        return connection.recv()
    except EOFError:
        return None


def _reporter(connection: Connection, run_id: str) -> Report:
    last = 0.0

    def report(share: float, text: str) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= _REPORT_S:
            last = now
            connection.send(Advanced(run_id, share, text))

    return report


def _die_with_parent() -> None:
    """End this process when the driver is no more: what it computes would be for nobody."""
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _say_to(path: Path) -> None:
    """Let what this process and its libraries print go to a file."""
    sys.stdout.flush()
    sys.stderr.flush()
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    os.dup2(handle, 1)
    os.dup2(handle, 2)
    os.close(handle)
