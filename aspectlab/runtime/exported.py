"""Open an exported model with OpenVINO."""

from __future__ import annotations

import os
from pathlib import Path

from aspectlab.encodings import Subwords
from aspectlab.runtime.constants import read_table
from aspectlab.runtime.exportfolder import GRAPH, TOKENIZER, Description, read_description
from aspectlab.runtime.network import open_networks
from aspectlab.runtime.predictor import Runner, SpanPredictor


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
    folder: Path, description: Description, runner: Runner, second: Runner | None = None, *, threads: int
) -> SpanPredictor:
    """Put the tokenizer of a folder before what runs its network."""
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
