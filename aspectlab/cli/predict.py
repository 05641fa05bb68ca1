"""`aspectlab predict`: apply a trained model to a corpus."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aspectlab.cli.console import notice
from aspectlab.cli.settings import Device, require_training

if TYPE_CHECKING:
    from aspectlab.data import Corpus
    from aspectlab.models import Model

Folder = Annotated[Path, typer.Argument(help="A folder that `aspectlab train` wrote.")]


def predict(
    model: Folder,
    file: Annotated[Path, typer.Argument(help="A corpus with aspects, in any format.")],
    out: Annotated[Path, typer.Option(help="The JSONL file to write.")],
    device: Device = "auto",
) -> None:
    """Predict the opinions of a corpus and write them as JSONL, with the probability of each polarity.

    Polarities in the file are not looked at. Aspects that do not stand in the text get no prediction.

    Example: `aspectlab predict my-model reviews.jsonl --out predicted.jsonl`
    """
    require_training("predict")
    from aspectlab.readers import read, write

    predicted = apply_model(open_model(model, device), read(file))
    write(predicted, out, "jsonl")
    count = sum(len(example.quads) for example in predicted)
    notice(f"{out}: {count:,} predictions for {len(predicted):,} examples")


def open_model(folder: Path, device: str) -> Model:
    """Load a model and move it to the device."""
    from aspectlab.training import load_model
    from aspectlab.training.device import choose_device

    return load_model(folder).to(choose_device(device))


def apply_model(model: Model, corpus: Corpus) -> Corpus:
    """Give the corpus with the model's quads, reduced to what its task is about, in place of its own."""
    from dataclasses import replace

    from aspectlab.tasks import TASKS
    from aspectlab.training import predict as predict_examples

    task = TASKS[model.task].for_predictions
    examples = (task.project(example) for example in predict_examples(model, corpus.examples))
    return replace(corpus.with_examples(examples), annotates=task.parts)
