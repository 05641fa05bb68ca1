"""`aspectlab train`: train a model, choose its epoch on dev, and save it with a card."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_type_hints

import typer

from aspectlab.cli.console import notice
from aspectlab.cli.progress import epoch_bar
from aspectlab.cli.score import report
from aspectlab.cli.settings import parse_settings, require_training
from aspectlab.errors import ConfigError
from aspectlab.registry import options_of

if TYPE_CHECKING:
    from aspectlab.data import Corpus
    from aspectlab.models import Model, Plan
    from aspectlab.tasks import Task

Device = Annotated[str, typer.Option(help="auto, cpu or cuda.")]


def train(
    model: Annotated[str, typer.Option(help="What to train; `aspectlab models` lists them.")],
    train_file: Annotated[Path, typer.Option("--train", help="Corpus to learn from, in any format.")],
    dev_file: Annotated[Path, typer.Option("--dev", help="Corpus that the best epoch is chosen on.")],
    out: Annotated[Path, typer.Option(help="Folder of the model; it must not exist yet.")],
    task: Annotated[str | None, typer.Option(help="What is learnt; the model's own task if unset.")] = None,
    encoder: Annotated[
        str | None, typer.Option(help="`aspectlab encoders` lists them; the model's own if unset.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of weights, order and dropout.")] = 1,
    epochs: Annotated[int | None, typer.Option(min=1, help="At most so many passes.")] = None,
    learning_rate: Annotated[float | None, typer.Option(help="The highest learning rate.")] = None,
    batch_size: Annotated[int | None, typer.Option(min=1, help="Aspects a step.")] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="KEY=VALUE: any setting of the model or of its plan.")
    ] = None,
    device: Device = "auto",
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the unfinished training in --out.")
    ] = False,
) -> None:
    """Train a model, choose its epoch on dev, and save it with a model card.

    There is no test set here: measure with `aspectlab evaluate` afterwards. An interrupted training goes on
    with the same command and --resume, and gives the same model as if it had not been interrupted.

    Example: `aspectlab train --model marked --train train.jsonl --dev dev.jsonl --out my-model`
    """
    require_training("train")
    from aspectlab.models import MODELS

    kind = MODELS[model]
    _refuse_other_task(model, kind, task)
    own, plan = choose_settings(model, kind, settings or [])
    named = {"epochs": epochs, "learning_rate": learning_rate, "batch_size": batch_size}
    plan = replace(plan, **{name: value for name, value in named.items() if value is not None})  # type: ignore[arg-type]
    checkpoint = _place_for(out, resume)
    corpora = _read_parts(train_file, dev_file, kind.task)
    _train_and_save(
        model, encoder or kind.default_encoder, own, plan, corpora, seed=seed, device=device, out=out, checkpoint=checkpoint
    )
