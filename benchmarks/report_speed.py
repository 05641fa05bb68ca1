"""Time `aspectlab report` on 1,000 finished runs: python benchmarks/report_speed.py."""

from __future__ import annotations

import argparse
import random
import resource
import subprocess
import sys
import tempfile
from itertools import product
from pathlib import Path
from time import perf_counter

from aspectlab.experiments.record import RunRecord, Timing, write_record

LIMIT_S = 5.0
MODELS = [
    *("asgcn", "atae-lstm", "bert", "bert-pt", "bert-sent", "capsnet-bert", "gcae", "lcf-atepc"),
    *("marked", "memnet", "mgan", "rgat-bert", "td-lstm", "shorter", "longer", "deeper", "wider"),
    *("older", "newer", "other"),
]
CORPORA = ["rest14", "lap14"]
TEST = ["accuracy", "macro_f1", "weighted_f1"]
ARTS = [*TEST, "ars_aspect", "ars_sentence"]


def make_run(number: int, model: str, corpus: str, split: int, seed: int) -> RunRecord:
    """Make up one run of a study: 20 models x 2 corpora x 5 splits x 5 seeds are 1,000."""
    rng = random.Random(number)
    level = 0.6 + 0.2 * MODELS.index(model) / len(MODELS) + rng.gauss(0, 0.01)
    return RunRecord(
        id=f"{number:016x}",
        study="made-up",
        label=model,
        model=model,
        encoder="minilm",
        settings={"epochs": 10, "learning_rate": 1e-4, "dropout": 0.1},
        corpus=corpus,
        split=split,
        seed=seed,
        task="atsc",
        protocol={"dedup": True, "select": "accuracy"},
        metrics={
            "test": {name: level + rng.gauss(0, 0.01) for name in TEST},
            "arts": {name: level - 0.2 + rng.gauss(0, 0.01) for name in ARTS},
        },
        dev={"accuracy": level},
        timing=Timing(10.0, 10, 8),
        environment={"python": "3.12", "torch": "2.11", "device": "cuda"},
        signatures={"test": f"atsc-accuracy|corpus:{corpus}", "arts": f"atsc-accuracy|corpus:{corpus}-arts"},
        command="aspectlab run made-up.toml",
    )


def write_runs(folder: Path) -> int:
    """Write the runs as `aspectlab run` leaves them; give their number."""
    keys = list(product(MODELS, CORPORA, range(1, 6), range(1, 6)))
    for number, key in enumerate(keys):
        record = make_run(number, *key)
        (folder / record.id).mkdir()
        write_record(record, folder / record.id)
    return len(keys)


def _work_s() -> float:
    """Return the seconds that a processor worked for our children: what others do here does not count."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Report the runs in every format and compare the time with the limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3, help="the best of so many counts")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        runs, out = Path(name) / "runs", Path(name) / "report"
        runs.mkdir()
        number = write_runs(runs)
        command = [sys.executable, "-m", "aspectlab", "report", str(runs), "--out", str(out)]
        times, work = [], []
        for _ in range(options.repeats):
            start, used = perf_counter(), _work_s()
            subprocess.run(command, check=True, capture_output=True)
            times.append(perf_counter() - start)
            work.append(_work_s() - used)
        files = sum(1 for path in out.rglob("*") if path.is_file())
    print(
        f"{number:,} runs, {files} files: {min(times):.2f} s, {min(work):.2f} s of work (limit {LIMIT_S:g} s)"
    )
    # one process works here: on an idle machine its work is all the time there is
    if min(work) > LIMIT_S:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
