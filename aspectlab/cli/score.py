"""`aspectlab score`: how good predictions are, how sure that is, and what was measured."""

from pathlib import Path
from typing import Annotated

import typer

from aspectlab import metrics, readers
from aspectlab.cli.console import print_evaluation
from aspectlab.tasks import TASKS


def score(
    gold: Annotated[Path, typer.Argument(help="Annotated corpus in any known format.")],
    predicted: Annotated[Path, typer.Argument(help="Predictions with the same ids and texts.")],
    task: Annotated[str, typer.Option(help="Task to evaluate, one of: " + ", ".join(TASKS))],
    metric: Annotated[
        # the table of metrics is not asked: it would bring numpy in for every --help
        str | None,
        typer.Option(
            help="classification, category-classification, tuple-f1, subtasks, continuous-f1, "
            "valence-arousal, or a reproduction of released code: simstar-lenient, minicongts-released, "
            "emcgcn-released (default: set by the task)."
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
    evaluation = metrics.evaluate(
        readers.read(gold), readers.read_predicted(predicted), task, metric=metric, match=match
    )
    print_evaluation(evaluation, resamples=resamples, seed=seed, as_json=as_json)
