"""`aspectlab report`: the tables and pictures of finished runs, always made from the runs themselves."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from aspectlab import reports
from aspectlab.cli.console import notice, print_json, print_text
from aspectlab.errors import ConfigError
from aspectlab.registry import suggest
from aspectlab.reports import runs as run_reports

Runs = Annotated[
    list[Path],
    typer.Argument(help="Folders of runs (--out of `aspectlab run`), or CSV files with one row per run."),
]

# the table of formats is not asked: it would bring numpy in for every --help
TEXTS = ("md", "latex", "csv", "html")
PICTURES = ("svg", "png")


def report(
    runs: Runs,
    formats: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="Comma-separated: md, latex, csv, html, svg, png. "
            "Without --out: one of the first four (default: md). With --out: default all but png.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Output folder; files of the same name are overwritten, others kept."),
    ] = None,
    pages: Annotated[
        Path | None,
        typer.Option(help="Folder of Markdown pages whose marked tables and plots are regenerated."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print all numbers as JSON, in percent.")] = False,
) -> None:
    """Report finished runs: mean ± standard deviation, variance, best systems, published values and plots.

    The same runs give the same bytes. A CSV file needs the columns model, corpus, split and seed; all others
    but encoder, settings, task, variant, study, made_by, epoch, epochs, dev, dev_… and …seconds are scores in
    percent.

    With --pages, the text between `<!-- table NAME -->` and `<!-- end -->` is regenerated.

    Example: `aspectlab report runs --out report`
    """
    _refuse_idle(pages, {"--json": as_json, "--format": formats is not None, "--out": out is not None})
    chosen = _choose(formats, out)
    made = _make_report(runs)
    commands = {name: show_command("report", runs, [("--format", name)]) for name in chosen}
    if pages is not None:
        notice(f"brought {_renew(pages, runs, made)} files in {pages} up to date")
    elif as_json:
        print_json(run_reports.list_records(made, show_command("report", runs, [("--json", "")])))
    elif out is None:
        print_text(run_reports.render_report(chosen[0], made, commands[chosen[0]]), end="")
    else:
        written = run_reports.write_report(out, made, commands)
        notice(f"wrote {len(written)} files to {out}")


def _make_report(runs: Sequence[Path]) -> run_reports.RunReport:
    results = run_reports.read_results(runs)
    title = f"Report on {reports.format_count(sum(bool(result.scores) for result in results), 'run')}"
    return run_reports.RunReport(title, results, run_reports.summarise(results))


def _refuse_idle(pages: Path | None, given: dict[str, bool]) -> None:
    """Refuse options that would do nothing beside another one."""
    names = [name for name, is_given in given.items() if is_given]
    if pages is not None and names:
        raise ConfigError(f"--pages with {names[0]}: expected one of them; give two commands")
    if len(names) > 1 and names[0] == "--json":
        raise ConfigError(f"--json with {names[1]}: expected one of them; --json goes to the standard output")


def _renew(pages: Path, runs: Sequence[Path], made: run_reports.RunReport) -> int:
    command = show_command("report", runs, [("--pages", str(pages))])
    return len(run_reports.fill_pages(pages, run_reports.gather(made, command)))


def show_command(command: str, runs: Sequence[Path], options: Sequence[tuple[str, str | None]]) -> str:
    """Return the command line that reproduces the same numbers; options without a value are left out.

    >>> show_command("report", [Path("my runs")], [("--format", "md"), ("--corpus", None), ("--json", "")])
    "aspectlab report 'my runs' --format md --json"
    """
    words = [word for name, value in options if value is not None for word in (name, value) if word]
    return shlex.join(["aspectlab", command, *map(str, runs), *words])


def _choose(formats: str | None, out: Path | None) -> list[str]:
    """Read the list of formats; refuse one that does not exist or needs a folder."""
    usual = "md" if out is None else ",".join((*TEXTS, "svg"))
    chosen = list(dict.fromkeys(name.strip() for name in (formats or usual).split(",")))
    for name in chosen:
        if name not in (*TEXTS, *PICTURES):
            raise ConfigError(f"--format {name!r} is unknown: {suggest(name, (*TEXTS, *PICTURES))}")
    if out is None and (len(chosen) > 1 or chosen[0] in PICTURES):
        raise ConfigError(
            f"--format {','.join(chosen)!r} without --out: expected one of {', '.join(TEXTS)}; "
            "name a folder with --out"
        )
    return chosen
