"""`aspectlab dimabsa`: the campaign on valence and arousal of opinions, beside its public board."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import typer

from aspectlab.campaigns import dimabsa
from aspectlab.cli import campaign_report
from aspectlab.cli.console import notice, print_json, print_table, print_text
from aspectlab.cli.options import refuse_unwritable_file
from aspectlab.version import VERSION

app = typer.Typer(
    help="DimABSA (SemEval-2026 Task 3): validate, score and rank runs; the public board.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)

Gold = Annotated[Path, typer.Argument(help="Gold annotations of the test file.")]
Subtask = Annotated[
    int | None,
    typer.Option(help="1 (aspects), 2 (triplets) or 3 (quads) (default: from the keys of the files)."),
]
Board = Annotated[
    str | None,
    typer.Option(help="Public board to compare with, as eng_restaurant; the gold must be its test file."),
]
Resamples = Annotated[int, typer.Option(min=0, help="Bootstrap resamples (0: no CI).")]
Seed = Annotated[int, typer.Option(min=0, help="Random seed of the bootstrap.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON (as fractions).")]


@app.command()
def validate(
    run: Annotated[Path, typer.Argument(help="Run file to check.")],
    gold: Annotated[Path | None, typer.Option(help="Gold, for its ids, texts and aspects.")] = None,
    subtask: Subtask = None,
    fix: Annotated[Path | None, typer.Option(help="Write a corrected copy of the run to this file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> None:
    """Check a run against the campaign's format: list violations with line and remedy; exit 1 on errors.

    Example: `aspectlab dimabsa validate run.jsonl --gold eng_restaurant_dev_task2.jsonl --fix fixed.jsonl`
    """
    refuse_unwritable_file(fix, "--fix", inputs=[run, gold])
    found = dimabsa.read_run(run, subtask)
    test = None if gold is None else dimabsa.read_run(gold, found.subtask)
    findings = dimabsa.validate(found, test)
    valid = campaign_report.print_validation(run, len(found.lines), findings, as_json=as_json)
    if fix is not None:
        dimabsa.fix_run(found, fix)
        notice(f"{fix}: written; validate it again")
    if not valid:
        raise typer.Exit(1)


@app.command()
def score(
    gold: Gold,
    run: Annotated[Path, typer.Argument(help="Run file to score.")],
    subtask: Subtask = None,
    board: Board = None,
    resamples: Resamples = 10_000,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Score a run as the organisers' script does, with confidence intervals and the public board beside.

    Subtasks 2 and 3: continuous precision, recall and F1. Subtask 1: Pearson's correlation of valence and of
    arousal, and the error over both, of which less is better.

    Example: `aspectlab dimabsa score gold.jsonl run.jsonl --board eng_restaurant --json`
    """
    wanted = dimabsa.read_run(gold, subtask)
    teams = () if board is None else dimabsa.read_board(wanted.subtask, board)
    found = dimabsa.score_run(wanted, dimabsa.read_run(run, wanted.subtask))
    campaign_report.report_findings("dimabsa", run, found.findings)
    scores, intervals = found.scores, found.intervals(seed=seed, resamples=resamples)
    signature = _sign(found, wanted, resamples, seed)
    if as_json:
        record = {"subtask": found.subtask, **scores, "interval": intervals, **found.sizes}
        compared = {"board": [asdict(team) for team in teams]} if teams else {}
        print_json({"run": found.run, **record, **compared, "signature": signature})
        return
    bounds = {name: [f"{bound:.4f}" for bound in pair] for name, pair in intervals.items()}
    rows = [[name, f"{value:.4f}", *bounds.get(name, [None, None])] for name, value in scores.items()]
    sizes = ", ".join(f"{count:,} {name}" for name, count in found.sizes.items())
    print_table(f"{found.run}: subtask {found.subtask}, {sizes}", ["score", "value", "95% from", "to"], rows)
    if teams:
        _print_board(board or "", teams, [(found.run, scores["cf1"], intervals.get("cf1"))])
    print_text(signature)


@app.command()
def rank(
    gold: Gold,
    runs: Annotated[list[Path], typer.Argument(help="Run files to rank.")],
    subtask: Subtask = None,
    board: Board = None,
    resamples: Annotated[int, typer.Option(min=1, help="Number of random permutations.")] = 10_000,
    seed: Seed = 0,
    out: Annotated[Path | None, typer.Option(help="Write the ranking to this file (.md or .html).")] = None,
    as_json: AsJson = False,
) -> None:
    """Rank runs by continuous F1 (subtask 1: by the least error), with confidence intervals and a test.

    p-values come from approximate randomisation over texts, corrected by Holm's method.

    Example: `aspectlab dimabsa rank gold.jsonl one.jsonl two.jsonl --board eng_laptop --out ranking.html`
    """
    campaign_report.refuse_other_pages(out, inputs=[gold, *runs])
    wanted, names = dimabsa.read_run(gold, subtask), campaign_report.name_apart(runs)
    teams = () if board is None else dimabsa.read_board(wanted.subtask, board)
    found = [dimabsa.score_run(wanted, dimabsa.read_run(run, wanted.subtask)) for run in runs]
    for run, each in zip(runs, found, strict=True):
        campaign_report.report_findings("dimabsa", run, each.findings)
    scores = [replace(each, run=name) for each, name in zip(found, names, strict=True)]
    standings = dimabsa.rank_runs(scores, seed=seed, resamples=resamples)
    title = f"DimABSA, subtask {wanted.subtask}"
    signature = _sign(scores[0], wanted, resamples, seed)
    if out is not None:
        campaign_report.write_ranking(out, title, standings, signature)
        notice(f"{out}: written")
    if as_json:
        rows = [standing.to_dict() for standing in standings]
        compared = {"board": [asdict(team) for team in teams]} if teams else {}
        print_json({"subtask": wanted.subtask, "ranking": rows, **compared, "signature": signature})
        return
    campaign_report.print_ranking(title, standings)
    if teams:
        _print_board(board or "", teams, [(s.run, s.scores["cf1"], s.interval) for s in standings])
    print_text(signature)


def _print_board(
    name: str,
    teams: Sequence[dimabsa.BoardRow],
    own: Sequence[tuple[str, float, tuple[float, float] | None]],
) -> None:
    """Print the public board with our runs among the teams, each with its confidence interval."""
    rows: list[tuple[float, list[object]]] = [
        (team.cf1, [str(team.place), team.team, f"{team.cf1:.4f}", None, None]) for team in teams
    ]
    for run, value, interval in own:
        bounds = [None, None] if interval is None else [f"{bound:.4f}" for bound in interval]
        rows.append((value, ["–", f"{run} (here)", f"{value:.4f}", *bounds]))
    rows.sort(key=lambda row: -row[0])
    title = f"public board, {name}: cF1 on the campaign's test file"
    print_table(title, ["place", "team", "cF1", "95% from", "to"], [cells for _, cells in rows])


def _sign(found: dimabsa.DimabsaScore, gold: dimabsa.RunFile, resamples: int, seed: int) -> str:
    bootstrap = [f"bs:{resamples}", f"seed:{seed}"] if resamples else []
    head = f"dimabsa-{found.subtask}-{found.headline}"
    return "|".join([head, f"gold:{gold.sha256[:8]}", *bootstrap, f"v:{VERSION}"])
