"""`aspectlab score`: how good predictions are, how sure that is, and what was measured."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aspectlab.cli.console import print_json, print_table
from aspectlab.tasks import TASKS

if TYPE_CHECKING:
    from aspectlab.metrics import Evaluation

LEVEL = 0.95

Intervals = dict[str, tuple[float, float]]


def score(
    gold: Annotated[Path, typer.Argument(help="Annotated corpus in any known format.")],
    predicted: Annotated[Path, typer.Argument(help="Predictions with the same ids and texts.")],
    task: Annotated[str, typer.Option(help="Task to evaluate, one of: " + ", ".join(TASKS))],
    metric: Annotated[
        # the table of metrics is not asked: it would bring numpy in for every --help
        str | None,
        typer.Option(
            help="classification, category-classification, tuple-f1, subtasks, or a reproduction of released "
            "code: simstar-lenient, minicongts-released, emcgcn-released (default: set by the task)."
        ),
    ] = None,
    match: Annotated[
        str, typer.Option(help="Match terms by offsets (exact) or by wording (text).")
    ] = "exact",
    resamples: Annotated[int, typer.Option(min=0, help="Bootstrap resamples (0: no CI).")] = 10_000,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of the bootstrap.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON (as fractions).")] = False,
) -> None:
    """Score predictions against gold, with bootstrap confidence intervals and a signature.

    The table shows percent; f1 is micro F1. JSON has fractions, and `interval` is the confidence interval of
    each score.

    Example: `aspectlab score test.jsonl predicted.jsonl --task aste --json`
    """
    from aspectlab.metrics import evaluate
    from aspectlab.readers import read, read_predicted

    evaluation = evaluate(read(gold), read_predicted(predicted), task, metric=metric, match=match)
    report(evaluation, resamples=resamples, seed=seed, as_json=as_json)


def report(evaluation: Evaluation, *, resamples: int, seed: int, as_json: bool) -> None:
    """Print an evaluation with its intervals and its signature, as a table or as JSON."""
    intervals = _resample(evaluation, resamples, seed) if resamples else {}
    signature = str(replace(evaluation.signature, resamples=resamples, seed=seed))
    if as_json:
        task = evaluation.metric.task.name
        interval = {name: list(bounds) for name, bounds in intervals.items()}
        print_json({"task": task, **evaluation.scores, "interval": interval, "signature": signature})
    else:
        _print(evaluation, intervals, signature)


def _resample(evaluation: Evaluation, resamples: int, seed: int) -> Intervals:
    import numpy as np

    from aspectlab.stats import bootstrap

    rng = np.random.default_rng(seed)
    return bootstrap(evaluation.counts, evaluation.metric.score, rng=rng, resamples=resamples, level=LEVEL)


def _print(evaluation: Evaluation, intervals: Intervals, signature: str) -> None:
    rows = []
    for name, value in evaluation.scores.items():
        bounds = [100 * bound for bound in intervals[name]] if name in intervals else [None, None]
        rows.append([name, 100 * value, *bounds])
    columns = ["score", "percent", f"{LEVEL:.0%} from", "to"]
    title = (
        f"{evaluation.metric.task.name} on {evaluation.signature.corpus}: {len(evaluation.counts):,} examples"
    )
    print_table(title, columns, rows)
    print(signature)
