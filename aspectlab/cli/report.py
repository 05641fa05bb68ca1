"""The commands `report` and `compare`: tables and pictures of finished runs, and how two systems differ."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import asdict
from hashlib import sha256
from math import isfinite
from pathlib import Path
from typing import Annotated

import typer

from aspectlab import reports
from aspectlab.cli.console import notice, print_json, print_table, print_text
from aspectlab.errors import ConfigError
from aspectlab.registry import suggest
from aspectlab.reports import runs as run_reports
from aspectlab.version import VERSION

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
        raise ConfigError(f"--pages with {names[0]}: expected one of them; run two commands")
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


_COLUMNS = ["test set", "metric", "a", "b", "a − b [95 % interval]", "d", "A12", "p", "p corrected", "runs"]
_NOTE = (
    "a and b: means over the splits that both have. With several splits the means of splits are compared, by "
    "Student's t: interval and p hold for other splits and seeds. With one split runs are compared, by "
    "Welch's test, or pair by pair of seeds within one model and encoder: they hold for other seeds on this "
    "split. p: of this pair alone; p corrected, which decides: for all comparisons of the better of the two "
    "with others (Holm), as in the marks of `aspectlab report`. d: Cohen's d of the runs. A12: how often a "
    "run of a beats one of b."
)


def compare(
    runs: Runs,
    a: Annotated[
        str, typer.Option("--a", help="First system, as named by `aspectlab report`, or its model.")
    ],
    b: Annotated[str, typer.Option("--b", help="Second system.")],
    corpus: Annotated[str | None, typer.Option(help="Compare on this corpus only.")] = None,
    metric: Annotated[str | None, typer.Option(help="Compare on this metric only.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON (in percent).")] = False,
) -> None:
    """Compare two systems over splits and seeds: effect size, confidence interval and a test.

    The verdict is that of the marks of `aspectlab report` on the same runs. Fix a corpus and a metric
    beforehand; two files of predictions are compared by `aspectlab score`.

    Example: `aspectlab compare runs --a capsnet-bert/minilm --b bert/minilm --metric accuracy`
    """
    results = run_reports.read_results(runs)
    sections = _choose_sections(run_reports.summarise(results), corpus, metric)
    systems = [system for section in sections for system in section.systems]
    first, second = run_reports.find_system(a, systems, "--a"), run_reports.find_system(b, systems, "--b")
    if first == second:
        raise ConfigError(f"--a {a!r} and --b {b!r} name the same system, {first.name}: expected two")
    found = run_reports.compare_systems(sections, first, second)
    targets = dict.fromkeys(contrast.target for contrast in found)
    said = [run_reports.conclude(contrast) for contrast in found]
    limits = "\n".join(
        [
            *run_reports.comparability_warnings(results, (first, second), targets),
            run_reports.state_limits(found),
        ]
    )
    chosen = [("--a", a), ("--b", b), ("--corpus", corpus), ("--metric", metric)]
    end = _sign(sections, found), show_command("compare", runs, chosen)
    if as_json:
        records = [_to_record(contrast, words) for contrast, words in zip(found, said, strict=True)]
        print_json({"comparisons": records, "limits": limits, "signature": end[0], "command": end[1]})
        return
    print_table(f"a: {first.name}   b: {second.name}", _COLUMNS, map(_to_row, found))
    print_text("\n\n".join(["\n".join(said), limits, _NOTE, "\n".join(end)]))


def _choose_sections(
    sections: list[run_reports.Section], corpus: str | None, metric: str | None
) -> list[run_reports.Section]:
    """Keep what the options name; refuse a name that no run has."""
    corpora = sorted({section.target.corpus for section in sections})
    if corpus is not None and corpus not in corpora:
        raise ConfigError(f"--corpus {corpus!r} is unknown: {suggest(corpus, corpora)}")
    kept = [section for section in sections if corpus in (None, section.target.corpus)]
    metrics = sorted({name for section in kept for name in section.columns})
    if metric is None:
        return kept
    if metric not in metrics:
        raise ConfigError(f"--metric {metric!r} is unknown: {suggest(metric, metrics)}")
    return [run_reports.select_metric(section, metric) for section in kept if metric in section.columns]


def _to_row(contrast: run_reports.SystemComparison) -> list[object]:
    runs = f"{contrast.runs_a} and {contrast.runs_b}"
    return [
        *(str(contrast.target), run_reports.name_metric(contrast.metric), contrast.mean_a, contrast.mean_b),
        run_reports.format_difference(contrast.difference, contrast.interval),
        *(run_reports.format_number(contrast.effect), contrast.superiority),
        *(run_reports.NOTHING if p is None else f"{p:.2g}" for p in (contrast.p, contrast.p_corrected)),
        runs if contrast.splits == 1 else f"{runs} on {contrast.splits} splits",
    ]


def _to_record(contrast: run_reports.SystemComparison, words: str) -> dict[str, object]:
    record = asdict(contrast)
    del record["target"]
    effect = contrast.effect if contrast.effect is not None and isfinite(contrast.effect) else None
    return {
        **contrast.target._asdict(),
        **record,
        "a": contrast.a.name,
        "b": contrast.b.name,
        "effect": effect,
        "conclusion": words,
    }


def _sign(sections: list[run_reports.Section], found: list[run_reports.SystemComparison]) -> str:
    """Return the signature: how many runs out of which values, and how they were tested."""
    values = sha256("".join(section.digest for section in sections).encode()).hexdigest()[:8]
    runs = sum(contrast.runs_a + contrast.runs_b for contrast in found)
    tests = "+".join(dict.fromkeys(contrast.test for contrast in found))
    return f"compare|comparisons:{len(found)}|runs:{runs}@{values}|tests:{tests},holm|level:0.95|v:{VERSION}"
