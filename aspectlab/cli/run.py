"""The commands `validate` and `run`: check a study, and execute it with its progress."""

from __future__ import annotations

import shlex
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, Progress, TaskID, TextColumn

from aspectlab import experiments, reports
from aspectlab.cli.console import SafeConsole, notice, print_json, print_text
from aspectlab.cli.options import Device, require_training
from aspectlab.cluster import EngineChoice, parse_engine
from aspectlab.errors import ConfigError

StudyFile = Annotated[Path, typer.Argument(help="Study file (TOML).", show_default=False)]
DataFolder = Annotated[
    Path | None, typer.Option("--data", help="Folder to substitute for ${DATA} in the study file.")
]

EngineName = Annotated[
    str,
    typer.Option(help="Execution engine: local, local:N (N processes), ray (started here) or ray:ADDRESS."),
]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print log lines instead of a live display.")]


def validate(study: StudyFile, data: DataFolder = None) -> None:
    """Check a study file: keys, files, models, encoders, metrics, ranges; exit 1 on errors.

    Example: `aspectlab validate studies/reproducibility-small.toml`
    """
    require_training("validate")

    asked, problems = experiments.read_study(study, data=data)
    schedule, more = experiments.plan_runs(asked, experiments.inspect_models)
    for text in asked.notices:
        notice(text)
    problems += more
    for problem in problems:
        print_text(problem)
    if problems:
        notice(f"{study}: {len(problems)} mistake(s)")
        raise typer.Exit(1)
    runs, models, seeds = (
        reports.format_count(len(counted), noun)
        for counted, noun in ((schedule.runs, "run"), (asked.models, "model"), (asked.seeds, "seed"))
    )
    corpora = "1 corpus" if len(asked.corpora) == 1 else f"{len(asked.corpora)} corpora"
    print_text(f"{study}: {runs}: {models} on {corpora}, {seeds}")


def run(
    study: StudyFile,
    engine: EngineName = "local",
    out: Annotated[
        Path | None, typer.Option(help="Output folder of the runs (default: runs/NAME of the study).")
    ] = None,
    data: DataFolder = None,
    device: Device = "auto",
    quiet: Quiet = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the outcome as JSON.")] = False,
) -> None:
    """Run a study: execute the runs that are not in --out yet; each is saved atomically when it finishes.

    Run the same command to resume after an interruption. Exits with 1 if a run failed. See the results with
    `aspectlab report`.

    Example: `aspectlab run studies/reproducibility-small.toml --engine local:2 --out runs`
    """
    require_training("run")

    choice = parse_engine(engine, takes_workers=True)
    asked, problems = experiments.read_study(study, data=data)
    folder = experiments.RunFolder(out or name_folder(asked.name))
    # a supervisor's stop is the user's: workers and locks go too
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    tally = _execute(asked, problems, folder, choice, device, quiet=quiet)
    _print_outcome(tally, folder.path, as_json=as_json)


def name_folder(name: str) -> Path:
    """Return the default folder of a study; its name is untrusted and must not lead elsewhere."""
    if name in ("", ".", "..") or Path(name).name != name:
        raise ConfigError(
            f"name = {name!r}: expected a name that a folder can have; change it, or give --out"
        )
    return Path("runs") / name


def _execute(
    study: experiments.Study,
    problems: list[str],
    folder: experiments.RunFolder,
    choice: EngineChoice,
    device: str,
    *,
    quiet: bool,
) -> experiments.StudyOutcome:
    folder.open()
    engine = experiments.open_engine(choice, folder, device=device, threads=study.threads)
    try:
        schedule, more = experiments.plan_runs(study, engine.inspect)
        for text in study.notices:
            notice(text)
        experiments.refuse_problems(study, [*problems, *more])
        for text in experiments.stale_run_notices(schedule, folder):
            notice(text)
        with watch_study(quiet=quiet) as watch:
            return experiments.Driver(schedule, folder, engine, watch, command=run_command()).drive()
    except KeyboardInterrupt:
        notice(f"{folder.path}: stopped; the same command goes on with what is missing")
        raise
    finally:
        engine.close()


def _print_outcome(tally: experiments.StudyOutcome, path: Path, *, as_json: bool) -> None:
    numbers = {
        "runs": tally.total,
        "finished": tally.finished,
        "made": tally.made,
        "failed": len(tally.failures),
    }
    if as_json:
        print_json({**numbers, "folder": str(path)})
    else:
        print_text(
            f"{path}: {tally.finished:,} of {tally.total:,} runs finished, {tally.made:,} of them now, "
            f"{len(tally.failures):,} failed"
        )
    if tally.failures:
        raise typer.Exit(1)


def run_command() -> str:
    """Return the command line of this process."""
    return shlex.join(["aspectlab", *sys.argv[1:]])


@contextmanager
def watch_study(*, quiet: bool) -> Iterator[LogWatch | LiveWatch]:
    """Return the progress display: live on a terminal, log lines elsewhere."""
    console = SafeConsole(stderr=True)
    if quiet or not console.is_terminal:
        yield LogWatch()
        return
    with LiveWatch(console) as watch:
        yield watch


class Pace:
    """Count runs and foresee the end, from what was done since the start."""

    def __init__(self) -> None:
        self._started = 0.0
        self.total = self.done = self._before = self._begun = 0
        self.foreseen = 0
        self.shares: dict[str, float] = {}

    def begin(self, total: int, done: int) -> None:
        """Start the clock, or count the runs of one more part of the work."""
        self._started = self._started or time.monotonic()
        self._before += done
        self.done += done
        self._begun += total
        self.total = max(self._begun, self.foreseen)

    def end(self, run: experiments.Run) -> None:
        """Count a run that is over."""
        self.shares.pop(run.id, None)
        self.done += 1

    @property
    def standing(self) -> str:
        """Return how many runs are done and the estimated time left."""
        worked = self.done - self._before + sum(self.shares.values())
        text = f"{self.done:,}/{self.total:,} runs"
        if worked < 0.05 or self.done == self.total:
            return text
        left = self.total - self._before - worked
        return f"{text}, {_spell((time.monotonic() - self._started) / worked * left)} left"


class LogWatch:
    """Print a line for each thing that happens."""

    def __init__(self) -> None:
        self._pace = Pace()
        self._words: dict[str, str] = {}
        self._clocks: dict[str, float] = {}

    def foresee(self, total: int) -> None:
        """Take the runs of all parts into account, of which `begin` will announce one after the other."""
        self._pace.foreseen = total

    def begin(self, total: int, done: int) -> None:
        """Print how many runs there are."""
        self._pace.begin(total, done)
        _log(f"{total:,} runs, {done:,} of them finished before")

    def started(self, run: experiments.Run) -> None:
        """Print that a run starts."""
        self._clocks[run.id] = time.monotonic()
        _log(f"started  {run.id}  {run.title}")

    def advanced(self, run: experiments.Run, share: float, text: str) -> None:
        """Keep the last words of a run."""
        self._pace.shares[run.id] = share
        self._words[run.id] = text

    def finished(self, run: experiments.Run) -> None:
        """Print that a run is saved."""
        self._pace.end(run)
        now = time.monotonic()
        seconds = now - self._clocks.pop(run.id, now)  # a run of another command has no beginning here
        words = self._words.pop(run.id, "")
        _log(f"finished {run.id}  {run.title}  {words}  {seconds:.1f} s  [{self._pace.standing}]")

    def failed(self, run: experiments.Run, reason: str) -> None:
        """Print that a run has failed."""
        self._pace.end(run)
        _log(f"failed   {run.id}  {reason}")

    def lost(self, run: experiments.Run, reason: str) -> None:
        """Print that a run is retried."""
        self._pace.shares.pop(run.id, None)
        _log(f"lost     {run.id}  {run.title}: {reason}; it is tried again")


class LiveWatch:
    """A line for every running model, and one for the study."""

    def __init__(self, console: SafeConsole) -> None:
        self._pace = Pace()
        # a label may hold brackets, which must not be read as markup
        title = TextColumn("{task.description}", markup=False)
        words = TextColumn("{task.fields[words]}", markup=False)
        columns = title, BarColumn(bar_width=24), words
        self._progress = Progress(*columns, console=console)
        self._lines: dict[str, TaskID] = {}
        self._whole = self._progress.add_task("study", total=1, words="")

    def __enter__(self) -> LiveWatch:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def foresee(self, total: int) -> None:
        """Take the runs of all parts into account, of which `begin` will announce one after the other."""
        self._pace.foreseen = total

    def begin(self, total: int, done: int) -> None:
        """Show what there is to do."""
        self._pace.begin(total, done)
        self._progress.update(self._whole, total=self._pace.total)
        self._refresh()

    def started(self, run: experiments.Run) -> None:
        """Add a line."""
        self._lines[run.id] = self._progress.add_task(run.title, total=1.0, words="waiting for a worker")

    def advanced(self, run: experiments.Run, share: float, text: str) -> None:
        """Move a line."""
        self._pace.shares[run.id] = share
        self._progress.update(self._lines[run.id], completed=share, words=text)
        self._refresh()

    def finished(self, run: experiments.Run) -> None:
        """Remove a line."""
        self._pace.end(run)
        self._drop(run)

    def failed(self, run: experiments.Run, reason: str) -> None:
        """Remove a line and say why above."""
        self._pace.end(run)
        self._progress.console.print(f"failed: {reason}", markup=False)
        self._drop(run)

    def lost(self, run: experiments.Run, reason: str) -> None:
        """Remove a line and say above that the run is tried again."""
        self._pace.shares.pop(run.id, None)
        self._progress.console.print(f"{run.title}: {reason}; it is tried again", markup=False)
        self._drop(run)

    def _drop(self, run: experiments.Run) -> None:
        if run.id in self._lines:
            self._progress.remove_task(self._lines.pop(run.id))
        self._refresh()

    def _refresh(self) -> None:
        done = self._pace.done + sum(self._pace.shares.values())
        self._progress.update(self._whole, completed=done, words=self._pace.standing)


def _log(text: str) -> None:
    notice(f"{time.strftime('%H:%M:%S')}  {text}")


def _spell(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
