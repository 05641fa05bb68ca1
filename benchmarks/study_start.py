"""Start of a study: seconds from the command to the first run, with 10,000 runs planned; the goal is 3 s.

    python benchmarks/study_start.py [--runs 10000] [--repeats 3]

The command is a child process. Its worker has imported torch when it takes the first run; the driver never
does. Beside the wall time stands the processor time of all its processes, which other load does not change.
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SEEDS, SPLITS = 100, 5
GOAL_S = 3.0
EXAMPLES = Path(__file__).parent.parent / "examples"

STUDY = """
name = "many"
seeds = {seeds}
[protocol]
splits = {splits}
[corpora.sample]
train = "{folder}/sample_train.jsonl"
tests.test = "{folder}/sample_test.jsonl"
[[models]]
name = "marked"
encoder = "tiny"
vary = {{ learning_rate = {rates} }}
"""


def main() -> None:
    """Start the same study some times and print how long each start took."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    rates = [1e-6 * (place + 1) for place in range(max(1, options.runs // (SEEDS * SPLITS)))]
    with tempfile.TemporaryDirectory() as folder:
        study = Path(folder) / "study.toml"
        study.write_text(STUDY.format(seeds=SEEDS, splits=SPLITS, folder=EXAMPLES, rates=rates), "utf-8")
        times = [_start(study, Path(folder) / f"runs-{place}") for place in range(options.repeats)]
    for planned, wall_s, processor_s in times:
        print(f"{planned}: first run after {wall_s:.2f} s ({processor_s:.2f} s of processor time)")
    best = min(wall_s for _, wall_s, _ in times)
    print(f"best {best:.2f} s, goal {GOAL_S:.0f} s: {'reached' if best < GOAL_S else 'missed'}")


def _start(study: Path, out: Path) -> tuple[str, float, float]:
    """Return what was planned, the seconds to the first run, and the processor seconds."""
    program = [sys.executable, "-m", "aspectlab", "run", str(study), "--engine", "local:1", "--quiet"]
    began = time.perf_counter()
    process = subprocess.Popen(
        [*program, "--device", "cpu", "--out", str(out)],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stderr is not None
    planned = next(process.stderr).split("  ")[1].strip()
    while "  started  " not in next(process.stderr):
        pass
    wall_s = time.perf_counter() - began
    processor_s = _processor_seconds(process.pid)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    return planned, wall_s, processor_s


def _processor_seconds(group: int) -> float:
    """Add up the processor time of all processes of a group, from /proc; 0 where there is none."""
    total = 0
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text("ascii", "replace").rpartition(") ")[2].split()
        except OSError:
            continue  # it has ended meanwhile
        if int(fields[2]) == group:
            total += int(fields[11]) + int(fields[12])
    return total / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
