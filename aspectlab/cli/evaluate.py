"""`aspectlab evaluate`: how good a trained model is on a corpus, and how sure that is."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from aspectlab.cli.corpora import read_judged
from aspectlab.cli.predict import Folder, apply_model, open_model, refuse_exported
from aspectlab.cli.score import report
from aspectlab.cli.settings import Device, require_training


def evaluate(
    model: Folder,
    file: Annotated[Path, typer.Argument(help="An annotated corpus, in any format.")],
    resamples: Annotated[int, typer.Option(min=0, help="Bootstrap resamples; 0: no intervals.")] = 10_000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the bootstrap.")] = 0,
    device: Device = "auto",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON: fractions, not percent.")] = False,
) -> None:
    """Predict a corpus and score the predictions, as `aspectlab score` does.

    Example: `aspectlab evaluate my-model test.jsonl --json`
    """
    refuse_exported(model)
    require_training("evaluate")
    from aspectlab.metrics import evaluate as evaluate_corpora

    network = open_model(model, device)
    gold = read_judged(file, network.task)
    evaluation = evaluate_corpora(gold, apply_model(network, gold), network.task)
    report(evaluation, resamples=resamples, seed=seed, as_json=as_json)
