"""`aspectlab absita`: the campaign on aspect categories of Italian hotel reviews, end to end."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from aspectlab import data, readers, tasks
from aspectlab.campaigns import absita
from aspectlab.campaigns.absita import system
from aspectlab.cli import campaign_report
from aspectlab.cli.console import notice, print_json, print_table, print_text
from aspectlab.cli.options import (
    refuse_unwritable_file,
    refuse_unwritable_inside,
    require_training,
)
from aspectlab.cli.predict import apply_model, open_model
from aspectlab.errors import ConfigError, DataError
from aspectlab.outputs import refuse_unwritable
from aspectlab.version import VERSION

app = typer.Typer(
    help="ABSITA (EVALITA 2018): validate, score and rank runs; build baselines; train a system.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)

Gold = Annotated[Path, typer.Argument(help="Gold annotations of the test file.")]
WithoutOther = Annotated[
    bool, typer.Option("--without-other", help="Ignore the aspect `other`, as in the guidelines.")
]
Official = Annotated[
    bool,
    typer.Option("--official", help="Keep the last row of a repeated id; read an empty presence cell as 0."),
]
Missing = Annotated[
    bool, typer.Option("--allow-missing", help="Count missing sentences as having no predictions.")
]
Resamples = Annotated[int, typer.Option(min=0, help="Bootstrap resamples (0: no CI).")]
Seed = Annotated[int, typer.Option(min=0, help="Random seed of the bootstrap.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON (as fractions).")]


@app.command()
def validate(
    run: Annotated[Path, typer.Argument(help="Run file to check.")],
    gold: Annotated[Path | None, typer.Option(help="Test file, with or without labels.")] = None,
    task: Annotated[str | None, typer.Option(help="acd or acp (default: from the file name).")] = None,
    fix: Annotated[Path | None, typer.Option(help="Write a corrected copy of the run to this file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> None:
    """Check a run against the campaign's format: list violations with line and remedy; exit 1 on errors.

    Example: `aspectlab absita validate absita_acp_team_1.csv --gold absita_test.csv`
    """
    if task is not None:
        absita.name_submission(task, "any", 1)
    refuse_unwritable_file(fix, "--fix", inputs=[run, gold])
    sheet = absita.read_sheet(run)
    test = None if gold is None else absita.read_sheet(gold)
    findings = absita.validate(sheet, test, task=task)
    valid = campaign_report.print_validation(run, len(sheet.lines), findings, as_json=as_json)
    if fix is not None:
        absita.fix_run(sheet, fix)
        notice(f"{fix}: written; validate it again")
    if not valid:
        raise typer.Exit(1)


@app.command()
def score(
    gold: Gold,
    run: Annotated[Path, typer.Argument(help="Run file to score.")],
    without_other: WithoutOther = False,
    official: Official = False,
    allow_missing: Missing = False,
    resamples: Resamples = 10_000,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Score a run on both tasks as the organisers' script does, with confidence intervals and per aspect.

    The published results count the aspect `other`, which the guidelines exclude; the output says whether
    this score does.

    Example: `aspectlab absita score absita_gold.csv absita_acp_team_1.csv --json`
    """
    wanted, given = absita.read_sheet(gold), absita.read_sheet(run)
    found = absita.score_run(
        wanted, given, with_other=not without_other, official=official, allow_missing=allow_missing
    )
    campaign_report.report_findings("absita", run, found.findings)
    mode = _describe_mode(found.with_other, found.official, found.missing)
    signature = _sign(wanted.sha256, found, resamples=resamples, seed=seed)
    if as_json:
        record = _to_record(found, resamples=resamples, seed=seed)
        print_json({**record, "mode": mode, "signature": signature})
        return
    _print_score(found, mode, resamples=resamples, seed=seed)
    print_text(signature)


@app.command()
def rank(
    gold: Gold,
    runs: Annotated[list[Path], typer.Argument(help="Run files to rank.")],
    task: Annotated[str, typer.Option(help="acd or acp.")] = "acp",
    without_other: WithoutOther = False,
    resamples: Annotated[int, typer.Option(min=1, help="Number of random permutations.")] = 10_000,
    seed: Seed = 0,
    out: Annotated[Path | None, typer.Option(help="Write the ranking to this file (.md or .html).")] = None,
    as_json: AsJson = False,
) -> None:
    """Rank runs by micro-F1, with confidence intervals and a significance test against the first run.

    p-values come from approximate randomisation over sentences, corrected by Holm's method.

    Example: `aspectlab absita rank absita_gold.csv absita_acp_*.csv --out ranking.html`
    """
    absita.name_submission(task, "any", 1)
    campaign_report.refuse_other_pages(out, inputs=[gold, *runs])
    wanted, names = absita.read_sheet(gold), campaign_report.name_apart(runs)
    found = (absita.score_run(wanted, absita.read_sheet(run), with_other=not without_other) for run in runs)
    scores = [replace(each, run=name) for each, name in zip(found, names, strict=True)]
    for run, each in zip(runs, scores, strict=True):
        campaign_report.report_findings("absita", run, each.findings)
        if task not in each.tallies:
            notice(f"{run}: left out: it gives no polarity; rank it with --task acd")
    standings = absita.rank_runs(scores, task, seed=seed, resamples=resamples)
    title = f"ABSITA {task.upper()}, {_describe_mode(not without_other)}"
    signature = _sign(wanted.sha256, scores[0], resamples=resamples, seed=seed)
    if out is not None:
        campaign_report.write_ranking(out, title, standings, signature)
        notice(f"{out}: written")
    if as_json:
        rows = [standing.to_dict() for standing in standings]
        print_json({"task": task, "with_other": not without_other, "ranking": rows, "signature": signature})
        return
    campaign_report.print_ranking(title, standings)
    print_text(signature)


@app.command()
def baseline(
    train: Annotated[Path, typer.Argument(help="Training file.")],
    test: Annotated[Path, typer.Argument(help="Test file, with or without labels.")],
    out: Annotated[Path, typer.Option(help="Output folder for the two runs.")],
    without_other: WithoutOther = False,
) -> None:
    """Write the campaign's baselines as runs: the most frequent aspect, and the most frequent pair.

    Example: `aspectlab absita baseline absita_train.csv absita_test.csv --out runs`
    """
    runs = [absita.name_submission(task, "baseline", 1) for task in ("acd", "acp")]
    refuse_unwritable_inside(out, [run.filename for run in runs], inputs=[train, test])
    known, sentences = readers.read(train), readers.read(test)
    for run in runs:
        quad = absita.most_frequent(known, run.task, with_other=not without_other)
        path = absita.write_submission(absita.apply_baseline(sentences, quad), out, run)
        label = str(quad.category) if quad.polarity is None else f"{quad.category} {quad.polarity.value}"
        print_text(f"{path}: {label}")


@app.command()
def train(
    train: Annotated[Path, typer.Argument(help="Training file.")],
    out: Annotated[Path, typer.Option(help="Output folder for the system.")],
    folds: Annotated[int, typer.Option(min=0, help="Cross-validate first, with this number of folds.")] = 0,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of the folds.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Train a system for both tasks; hyperparameters are chosen by leave-one-out on the training file.

    Example: `aspectlab absita train absita_train.csv --out system --folds 5`
    """
    refuse_unwritable(out)
    corpus = readers.read(train)
    _check_texts(train, corpus)
    found = list(system.cross_validate(corpus, folds=folds, seed=seed)) if folds else []
    trained = system.train_system(corpus)
    system.save_system(trained, out)
    if as_json:
        records = {
            task: {"f1": decider.f1, "penalty": decider.penalty, "folds": [scores[task] for scores in found]}
            for task, decider in trained.deciders.items()
        }
        print_json({"out": str(out), "seed": seed, "tasks": records})
        return
    for task in trained.deciders if found else ():
        values = [scores[task] for scores in found]
        listed = ", ".join(f"{value:.4f}" for value in values)
        print_text(f"{task}: F1 {sum(values) / folds:.4f}, mean of {folds} folds ({listed}), seed {seed}")
    for task, decider in trained.deciders.items():
        print_text(f"{task}: leave-one-out F1 {decider.f1:.4f} (with other; penalty {decider.penalty})")


@app.command()
def predict(
    model: Annotated[
        Path, typer.Argument(help="Model folder written by `absita train` or `aspectlab train`.")
    ],
    test: Annotated[Path, typer.Argument(help="Test file, with or without labels.")],
    team: Annotated[str, typer.Option(help="Team name, used in the file name.")],
    out: Annotated[Path, typer.Option(help="Output folder for the run.")],
    task: Annotated[str, typer.Option(help="acd or acp.")] = "acp",
    run: Annotated[int, typer.Option(help="Number of the run: 1 or 2.")] = 1,
) -> None:
    """Predict a test file and write the run under the campaign's file name.

    Example: `aspectlab absita predict system absita_test.csv --task acp --team mine --run 1 --out runs`
    """
    submission = absita.name_submission(task, team, run)
    refuse_unwritable_inside(out, [submission.filename], inputs=[test])
    sentences = readers.read(test)
    _check_texts(test, sentences)
    if (model / "model.safetensors").is_file():
        predicted = _apply_trained(model, sentences, task)
    else:
        predicted = system.load_system(model).predict(sentences, task)
    print_text(absita.write_submission(predicted, out, submission))
    notice(f"mail subject: {submission.subject}")


def _describe_mode(with_other: bool, official: bool = False, missing: int = 0) -> str:
    """Return which of the two scoring modes was used, and what was allowed."""
    mode = "with other, as in the published results" if with_other else "without other, as in the guidelines"
    taken = "; last row of an id, blank as 0" if official else ""
    return mode + taken + (f"; {missing:,} missing sentences count as empty" if missing else "")


def _sign(sha256: str, score: absita.RunScore, *, resamples: int, seed: int) -> str:
    """Return the signature of the numbers."""
    aspects = 8 if score.with_other else 7
    allowed = ["official"] * score.official + [f"missing:{score.missing}"] * bool(score.missing)
    bootstrap = [f"bs:{resamples}", f"seed:{seed}"] if resamples else []
    parts = ["absita-f1", f"gold:{sha256[:8]}", f"aspects:{aspects}", *allowed, *bootstrap, f"v:{VERSION}"]
    return "|".join(parts)


def _to_record(score: absita.RunScore, *, resamples: int, seed: int) -> dict[str, object]:
    """Return the numbers under the JSON contract's keys, as fractions; null for a task not scored."""
    tasks = {
        name: {
            **tally.micro,
            "macro": tally.macro,
            "by_aspect": tally.by_category,
            "interval": _interval(tally, resamples, seed),
            **_sizes(tally),
        }
        for name, tally in score.tallies.items()
    }
    return {"acd": None, "acp": None, **tasks, "with_other": score.with_other, "run": score.run}


def _print_score(score: absita.RunScore, mode: str, *, resamples: int, seed: int) -> None:
    """Print the twelve numbers of the organisers' script, the intervals, and the aspects one by one."""
    rows = []
    for name, tally in score.tallies.items():
        interval = _interval(tally, resamples, seed).get("f1", [None, None])
        bounds = [None if bound is None else f"{bound:.4f}" for bound in interval]
        rows.append([name, "micro", *_four(tally.micro), *bounds])
        rows.append([name, "macro", *_four(tally.macro), None, None])
    columns = ["task", "mean", "P", "R", "F1", "95% from", "to"]
    print_table(f"{score.run}: {len(score.acd.counts):,} sentences", columns, rows)
    print_text(f"mode: {mode}")
    if score.acp is None:
        print_text("acp: not scored: the run gives no polarity")
    parts = [
        [category, name, *_four(values)]
        for name, tally in score.tallies.items()
        for category, values in tally.by_category.items()
    ]
    print_table("", ["aspect", "task", "P", "R", "F1"], parts)


def _interval(tally: absita.RunCounts, resamples: int, seed: int) -> dict[str, list[float]]:
    if not resamples:
        return {}
    found = tally.interval(rng=np.random.default_rng(seed), resamples=resamples)
    return {name: list(bounds) for name, bounds in found.items()}


def _sizes(tally: absita.RunCounts) -> dict[str, int]:
    hit, extra, missed = (int(count) for count in tally.counts.sum(axis=(0, 1)))
    return {"hits": hit, "predicted": hit + extra, "gold": hit + missed}


def _four(values: dict[str, float]) -> list[str]:
    return [f"{values[name]:.4f}" for name in ("precision", "recall", "f1")]


def _check_texts(path: Path, corpus: data.Corpus) -> None:
    """Refuse a file without texts, as runs may be: what is made of nothing looks like any other run."""
    blank = sum(not example.text.strip() for example in corpus)
    if blank == len(corpus):
        raise DataError(f"{path}: found no text in any row: expected sentences; name the file that has them")
    if blank:
        notice(f"{path}: {blank:,} of {len(corpus):,} sentences have no text")


def _apply_trained(folder: Path, corpus: data.Corpus, task: str) -> data.Corpus:
    """Predict the categories with a neural model."""
    require_training("absita predict")

    trained = open_model(folder, "auto")
    if trained.task not in ("acp", task):
        raise ConfigError(f"{folder}: found a model for {trained.task!r}: expected one for {task!r} or 'acp'")
    wanted = tasks.TASKS[task].for_predictions
    found = apply_model(trained, corpus)
    examples = (wanted.project(example) for example in found)
    return replace(found.with_examples(examples), annotates=wanted.parts)
