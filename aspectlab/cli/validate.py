"""`aspectlab validate`: list every mistake of a study file before anything runs."""

from pathlib import Path
from typing import Annotated

import typer

from aspectlab import experiments, reports
from aspectlab.cli.console import notice, print_text
from aspectlab.cli.options import require_training

StudyFile = Annotated[Path, typer.Argument(help="Study file (TOML).", show_default=False)]
DataFolder = Annotated[
    Path | None, typer.Option("--data", help="Folder to substitute for ${DATA} in the study file.")
]


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
