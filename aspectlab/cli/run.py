"""`aspectlab run`: carry out a study, or go on with one."""

from __future__ import annotations

import shlex
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aspectlab.cli.console import notice, print_json
from aspectlab.cli.settings import Device, require_training
from aspectlab.cli.studyview import watch_study
from aspectlab.cli.validate import DataFolder, StudyFile
from aspectlab.errors import ConfigError

if TYPE_CHECKING:
    from aspectlab.experiments.driving import Tally
    from aspectlab.experiments.engines import Place
    from aspectlab.experiments.folder import RunFolder
    from aspectlab.experiments.study import Study


def run(
    study: StudyFile,
    engine: Annotated[
        str, typer.Option(help="local, local:N (N processes), ray (started here) or ray:ADDRESS.")
    ] = "local",
    out: Annotated[
        Path | None, typer.Option(help="Folder of the runs. Default: runs/NAME of the study.")
    ] = None,
    data: DataFolder = None,
    device: Device = "auto",
    quiet: Annotated[bool, typer.Option("--quiet", help="Print log lines instead of a live view.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print how it ended as JSON.")] = False,
) -> None:
    """Carry out the runs of a study that are not in --out yet; each appears there whole when it is finished.

    Whatever stops it, the same command goes on. Exit 1 if a run failed. `aspectlab report` makes the tables.

    Example: `aspectlab run studies/reproducibility-small.toml --engine local:2 --out runs`
    """
    require_training("run")
    from aspectlab.experiments.engines import parse_engine
    from aspectlab.experiments.folder import RunFolder
    from aspectlab.experiments.studyfile import read_study

    place = parse_engine(engine)
    asked, problems = read_study(study, data=data)
    folder = RunFolder(out or _name_folder(asked.name))
    # a supervisor's stop is the user's: workers and locks go too
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    tally = _carry_out(asked, problems, folder, place, device, quiet=quiet)
    _tell(tally, folder.path, as_json=as_json)


def _name_folder(name: str) -> Path:
    """Give the usual folder of a study; a name must not lead elsewhere, since others may have written it."""
    if name in ("", ".", "..") or Path(name).name != name:
        raise ConfigError(f"name = {name!r}: expected one that a folder can bear; or give --out")
    return Path("runs") / name


def _carry_out(
    study: Study, problems: list[str], folder: RunFolder, place: Place, device: str, *, quiet: bool
) -> Tally:
    from aspectlab.experiments.driving import Driver
    from aspectlab.experiments.earlier import tell_earlier
    from aspectlab.experiments.planning import plan_runs, refuse_problems

    folder.open()
    engine = place.open(folder, device=device, threads=study.threads)
    try:
        schedule, more = plan_runs(study, engine.inspect)
        for text in study.notices:
            notice(text)
        refuse_problems(study, [*problems, *more])
        for text in tell_earlier(schedule, folder):
            notice(text)
        with watch_study(quiet=quiet) as watch:
            return Driver(schedule, folder, engine, watch, command=_command()).drive()
    except KeyboardInterrupt:
        notice(f"{folder.path}: stopped; the same command goes on with what is missing")
        raise
    finally:
        engine.close()


def _tell(tally: Tally, path: Path, *, as_json: bool) -> None:
    numbers = {
        "runs": tally.total,
        "finished": tally.finished,
        "made": tally.made,
        "failed": len(tally.failures),
    }
    if as_json:
        print_json({**numbers, "folder": str(path)})
    else:
        print(
            f"{path}: {tally.finished:,} of {tally.total:,} runs finished, {tally.made:,} of them now, "
            f"{len(tally.failures):,} failed"
        )
    if tally.failures:
        raise typer.Exit(1)


def _command() -> str:
    return shlex.join(["aspectlab", *sys.argv[1:]])
