"""Kill -9 at random moments of an analysis: is what comes out in the end the same, byte for byte?

    python benchmarks/analyze_resume.py [--reviews 2000] [--kills 5] [--engine local ray]
        [--stand-in] [--pause 0.2]

One analysis runs undisturbed, on this machine. Then another of the same reviews is killed again and again and
begun again: most times while it works on blocks, some times while it writes the tables. On a Ray cluster of
two nodes on this machine, what is killed is in turn the command, a worker, or a whole node, which comes back.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from generated import write_reviews

RESULTS = ("opinions.csv", "opinions.parquet", "analysis.json", "report.html")
BLOCK = 500
LATE_SHARE = 0.2
LONGEST_PAUSE_S = 2.0

Killing = Callable[[subprocess.Popen[bytes]], str]
"""Kills something and says what."""


def main() -> None:
    """Run one analysis undisturbed, others disturbed, and compare."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--reviews", type=int, default=2_000)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--engine", nargs="+", choices=["local", "ray"], default=["local"])
    parser.add_argument("--stand-in", action="store_true", help="everything but the model")
    parser.add_argument("--pause", default="0", help="seconds that the stand-in takes for a block")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="where to work; a temporary folder if not given")
    options = parser.parse_args()
    chosen = nullcontext(options.folder) if options.folder else tempfile.TemporaryDirectory()
    with chosen as name:
        folder = Path(name)
        folder.mkdir(exist_ok=True, parents=True)
        trial = Trial(folder, options.reviews, options.pause if options.stand_in else None)
        equal = [trial.disturb(engine, options.kills, options.seed) for engine in options.engine]
    sys.exit(0 if all(equal) else 1)


class Trial:
    """The reviews, and what an undisturbed analysis makes of them."""

    def __init__(self, folder: Path, reviews: int, pause_s: str | None) -> None:
        self.folder = folder
        self.source = folder / "reviews.csv"
        self.pause_s = pause_s
        self.blocks = -(-reviews // BLOCK)
        write_reviews(self.source, reviews)
        began = time.monotonic()
        process = self.start(folder / "whole", "local")
        wait_for(lambda: process.poll() is not None or self.count(folder / "whole") >= self.blocks)
        extracted = time.monotonic()
        finish(process, folder / "whole")
        self.late_s = time.monotonic() - extracted
        self.whole = read_results(folder / "whole")
        print(f"{reviews:,} reviews undisturbed: {time.monotonic() - began:.0f} s", flush=True)

    def start(self, out: Path, engine: str) -> subprocess.Popen[bytes]:
        """Begin an analysis, or go on with one."""
        command = ["-m", "aspectlab", "analyze", str(self.source), "--out", str(out), "--engine", engine]
        if self.pause_s is not None:
            stand_in = Path(__file__).with_name("stand_in.py")
            command = [str(stand_in), str(self.source), str(out), engine, self.pause_s]
        with out.with_suffix(".log").open("a") as log:
            return subprocess.Popen([sys.executable, *command], stdout=log, stderr=log)

    def count(self, out: Path) -> int:
        """Count the blocks that are complete."""
        return sum(1 for _ in (out / ".work").glob("*.jsonl")) if out.exists() else 0

    def disturb(self, engine: str, kills: int, seed: int) -> bool:
        """Kill and go on so many times, then compare."""
        out, began = self.folder / engine, time.monotonic()
        rng = random.Random(seed)
        done: list[str] = []
        with open_place(engine, rng) as (address, killings):
            process = self.start(out, address)
            for number, moment in enumerate(self.moments(kills, rng)):
                self.wait_until(moment, process, out, rng)
                if process.poll() == 0:
                    break  # too late to kill anything
                # once all blocks are there, the command works alone
                kill = kill_command if moment == self.blocks else killings[number % len(killings)]
                done.append(kill(process))
                if process.poll() is not None:
                    process = self.start(out, address)
            finish(process, out)
        is_equal = read_results(out) == self.whole and not (out / ".work").exists()
        what = ", ".join(f"{done.count(kind)} {kind}" for kind in dict.fromkeys(done))
        verdict = "the same bytes" if is_equal else "OTHER BYTES"
        print(f"{engine}: killed {what}: {verdict} after {time.monotonic() - began:.0f} s", flush=True)
        return is_equal

    def moments(self, kills: int, rng: random.Random) -> list[int]:
        """Choose after how many blocks to kill; some kills wait for the last block."""
        late = round(LATE_SHARE * kills)
        return sorted([*(rng.randrange(self.blocks) for _ in range(kills - late)), *[self.blocks] * late])

    def wait_until(
        self, moment: int, process: subprocess.Popen[bytes], out: Path, rng: random.Random
    ) -> None:
        """Wait until so many blocks are complete, and a little longer."""
        wait_for(lambda: process.poll() is not None or self.count(out) >= moment)
        pause_s = self.late_s if moment == self.blocks else LONGEST_PAUSE_S
        deadline = time.monotonic() + rng.uniform(0, pause_s)
        wait_for(lambda: process.poll() is not None or time.monotonic() >= deadline)
        if process.poll():
            finish(process, out)


@contextmanager
def open_place(engine: str, rng: random.Random) -> Iterator[tuple[str, list[Killing]]]:
    """Return the engine to name on the command line, and the ways to disturb it."""
    if engine == "local":
        yield "local", [kill_command]
        return
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    nodes = [cluster.add_node(num_cpus=1)]

    def kill_node(_: subprocess.Popen[bytes]) -> str:
        cluster.remove_node(nodes.pop(), allow_graceful=False)
        nodes.append(cluster.add_node(num_cpus=1))
        return "node"

    def kill_worker(_: subprocess.Popen[bytes]) -> str:
        workers = find_workers()
        if workers:
            os.kill(rng.choice(workers), signal.SIGKILL)
        return "worker" if workers else "worker, had there been one"

    try:
        yield f"ray:{cluster.address}", [kill_command, kill_worker, kill_node]
    finally:
        cluster.shutdown()


def kill_command(process: subprocess.Popen[bytes]) -> str:
    """Kill the command itself."""
    process.kill()
    process.wait()
    return "command"


def find_workers() -> list[int]:
    """List the workers of this program's cluster that have something to do."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            is_busy = path.joinpath("cmdline").read_bytes().startswith(b"ray::_do")
            # its parent is the head of a node, which this program has started
            if is_busy and find_parent(find_parent(int(path.name))) == os.getpid():
                found.append(int(path.name))
        except OSError:
            continue  # it ended meanwhile
    return found


def find_parent(process: int) -> int:
    """Return the process that started another."""
    # the name, in brackets, may hold blanks
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])


def wait_for(is_due: Callable[[], bool]) -> None:
    """Look again and again."""
    while not is_due():
        time.sleep(0.02)


def finish(process: subprocess.Popen[bytes], out: Path) -> None:
    """Wait for an analysis to end well."""
    if process.wait():
        sys.exit(f"the analysis failed:\n{out.with_suffix('.log').read_text()[-2000:]}")


def read_results(out: Path) -> list[bytes]:
    """Read what an analysis wrote."""
    return [(out / name).read_bytes() for name in RESULTS]


if __name__ == "__main__":
    main()
