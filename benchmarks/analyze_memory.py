"""Analysis memory: the peak of `aspectlab analyze`, report included, from a thousand to a million reviews.

    python benchmarks/analyze_memory.py [--sizes 1000 10000] [--through 100000]

Every size runs in a process of its own with the shipped model. Only about as many reviews as `--through` says
go through the model, every so-manieth block of a larger file; a stand-in answers for the others, so that a
million takes minutes, not hours. Reading, splitting, blocks, categories, tables and report see all reviews.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from generated import write_reviews
from numpy.typing import NDArray
from stand_in import StandIn

from aspectlab.cli import analyze
from aspectlab.data import Quad
from aspectlab.runtime import Predictor

TOLERANCE = 0.15


class Sparse:
    """The model, asked about every so-manieth block only."""

    def __init__(self, model: Predictor, every: int) -> None:
        self.model, self.every, self.blocks = model, every, 0
        self.identity = f"{model.identity}, one block in {every}"

    def predict(self, texts: Sequence[str]) -> list[tuple[Quad, ...]]:
        """Ask the model or the stand-in."""
        self.blocks += 1
        chosen = self.model if self.blocks % self.every == 0 else StandIn()
        return chosen.predict(texts)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Ask the model, [N, D]."""
        return self.model.embed(texts)


def main() -> None:
    """Measure each size in a process of its own and compare with the smallest."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--through", type=int, default=100_000, help="reviews that the model gets to see")
    options = parser.parse_args()
    print(f"{'reviews':>10}{'model sees':>14}{'peak MB':>10}{'ratio':>8}{'seconds':>9}", flush=True)
    peaks: list[float] = []
    for size in options.sizes:
        every = -(-size // options.through)
        began = time.monotonic()
        peaks.append(measure(size, every))
        seconds = time.monotonic() - began
        share = "all" if every == 1 else f"one in {every}"
        print(
            f"{size:>10,}{share:>14}{peaks[-1]:>10.0f}{peaks[-1] / peaks[0]:>8.3f}{seconds:>9.0f}", flush=True
        )
    sys.exit(0 if max(peaks) <= (1 + TOLERANCE) * min(peaks) else 1)


def measure(size: int, every: int) -> float:
    """Run an analysis and give the most memory that its process held, in megabytes."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "reviews.csv"
        write_reviews(source, size)
        program = f"import analyze_memory; analyze_memory.run({str(source)!r}, {folder + '/out'!r}, {every})"
        paths = [str(Path(__file__).parent), os.environ.get("PYTHONPATH", ".")]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
        process = subprocess.Popen(
            [sys.executable, "-c", program], env=environment, stdout=subprocess.DEVNULL
        )
        _, status, usage = os.wait4(process.pid, 0)
        if status:
            sys.exit(f"the analysis failed with {status}")
    return usage.ru_maxrss * 1024 / 1e6


def run(source: str, out: str, every: int) -> None:
    """Do what the command does."""
    open_model = analyze.open_predictor
    analyze.open_predictor = lambda *options: Sparse(open_model(*options), every)
    analyze.analyze([Path(source)], Path(out))


if __name__ == "__main__":
    main()
