"""Drive a study with toy or real workers.

    python -m tests.support.study_process STUDY RUNS WORKERS [EXECUTOR] [STEP]

With STEP the process kills itself when it writes to disk for the STEPth time: at every file that a run has
and at every rename, where most could go wrong.
"""

import os
import signal
import sys
from pathlib import Path

from aspectlab.cli.run import LogWatch
from aspectlab.experiments.local_engine import LocalEngine
from aspectlab.experiments.plan import plan_runs, refuse_problems
from aspectlab.experiments.runner import Driver
from aspectlab.experiments.store import RunFolder
from aspectlab.experiments.studyfile import read_study
from tests.support.toy_executor import inspect_toys

TOY = "tests.support.toy_executor:ToyExecutor"


def main() -> None:
    """Carry out a study."""
    path, out, workers, *rest = sys.argv[1:]
    executor, step = (*rest, *[TOY, ""][len(rest) :])
    if step:
        die_at(int(step))
    study, problems = read_study(Path(path))
    folder = RunFolder(Path(out))
    folder.open()
    engine = LocalEngine(int(workers), folder, executor=executor)
    engine.start()
    schedule, more = plan_runs(study, inspect_toys if executor == TOY else engine.inspect)
    refuse_problems(study, [*problems, *more])
    tally = Driver(schedule, folder, engine, LogWatch()).drive()
    raise SystemExit(1 if tally.failures else 0)


def die_at(step: int) -> None:
    """Let this process kill itself at a write to disk."""
    seen = 0

    def count(event: str, details: tuple[object, ...]) -> None:
        nonlocal seen
        place = str(details[0]) if details else ""
        if event in ("os.rename", "open") and ".drafts" in place:
            seen += 1
            if seen == step:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)


if __name__ == "__main__":
    main()
