"""`aspectlab posttrain`: make an encoder at home in a domain before a task is learnt."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal

import typer

from aspectlab import data, encoders, models, readers, training
from aspectlab.cli.console import bar, notice, print_json, print_table
from aspectlab.cli.options import Device, explained_weights, require_training
from aspectlab.errors import ConfigError
from aspectlab.outputs import refuse_unwritable

Texts = Annotated[
    list[Path],
    typer.Argument(
        help="Tables of reviews, as for `analyze`, or text files (plain or .xz) with one review per line."
    ),
]

Exclude = Annotated[
    list[Path] | None,
    typer.Option(help="Test set to keep out of training (required, repeatable)."),
]
Precision = Annotated[
    Literal["auto", "fp32", "bf16"],
    typer.Option(help="Numeric precision; fp32 is slower but helps if the loss becomes NaN."),
]


def posttrain(
    texts: Texts,
    out: Annotated[Path, typer.Option(help="Output folder of the encoder; must not exist yet.")],
    exclude: Exclude = None,
    encoder: Annotated[str, typer.Option(help="Encoder to start from; see `aspectlab encoders`.")] = "minilm",
    text_column: Annotated[
        str | None, typer.Option(help="Text column of tables (detected by default).")
    ] = None,
    minutes: Annotated[float | None, typer.Option(min=0, help="Training minutes (default: 5).")] = None,
    steps: Annotated[int | None, typer.Option(min=1, help="Training steps, instead of --minutes.")] = None,
    batch_size: Annotated[int, typer.Option(min=1, help="Batch size: rows of 128 tokens per step.")] = 512,
    learning_rate: Annotated[float, typer.Option(help="Peak learning rate.")] = 6e-4,
    compiled: Annotated[
        bool,
        typer.Option("--compile", help="Compile the model first (about a minute) for faster steps on a GPU."),
    ] = False,
    precision: Precision = "auto",
    seed: Annotated[int, typer.Option(min=0, help="Random seed of masking and shuffling.")] = 1,
    device: Device = "auto",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Continue pre-training an encoder on unlabelled reviews, by masked language modelling.

    Lines that contain a sentence of an excluded test set are dropped and counted. Use the output folder with
    `aspectlab train --encoder`.

    Example: `aspectlab posttrain reviews.csv --exclude test.xml --out my-encoder --minutes 5`
    """
    require_training("posttrain")

    _check(out, exclude or [], minutes, steps)
    _check_rate(learning_rate)
    start = encoders.load_encoder(encoder)
    packs = _pack(start, texts, exclude or [], text_column)
    effort = training.Effort(
        steps=steps,
        minutes=5.0 if minutes is None else minutes,
        batch_size=batch_size,
        learning_rate=learning_rate,
        compiled=compiled,
        precision=precision,
    )
    notes = _train(start, packs, effort, out, seed=seed, device=device)
    _report(notes, as_json=as_json)
    # a bare name may be that of an encoder of ours, which would be taken
    shown = f"./{out}" if out.parent == Path() else f"{out}"
    notice(f"{out}: saved; use it with: aspectlab train --model bert-pt --encoder {shown} …")


def _check(out: Path, exclude: list[Path], minutes: float | None, steps: int | None) -> None:
    if not exclude:
        raise ConfigError(
            "--exclude is missing; name every test set that the encoder will be judged on: reviews found on "
            "the web hold sentences of published test sets, and an encoder that has seen them scores too high"
        )
    if minutes == 0:
        raise ConfigError("--minutes 0: expected a time above 0; leave the option out for 5 minutes")
    if minutes is not None and steps is not None:
        raise ConfigError("--minutes and --steps: expected only one of them")
    refuse_unwritable(out)
    if out.exists():
        raise ConfigError(f"{out}: already exists; choose another --out, or delete it")


def _check_rate(learning_rate: float) -> None:
    if problem := models.find_range_problem(models.Plan, "learning_rate", learning_rate):
        raise ConfigError(f"--{problem.replace('_', '-', 1)}")


def _pack(
    encoder: encoders.Encoder, texts: list[Path], exclude: list[Path], column: str | None
) -> training.Packs:
    exclusion = data.Exclusion(example.text for path in exclude for example in readers.read(path))
    packs = training.pack_texts(texts, exclusion, training.transformer_of(encoder).subwords, column=column)
    for left_out in packs.notices:
        notice(left_out)
    notice(
        f"{packs.lines:,} lines, {packs.excluded:,} left out: they hold one of {len(exclusion):,} test "
        f"sentences; {packs.tokens.size:,} tokens"
    )
    return packs


def _train(
    encoder: encoders.Encoder,
    packs: training.Packs,
    effort: training.Effort,
    out: Path,
    *,
    seed: int,
    device: str,
) -> training.Posttraining:
    with bar() as (progress, _):
        notes = training.posttrain(encoder, packs, effort=effort, seed=seed, device=device, progress=progress)
    with explained_weights(out):
        training.save_encoder(encoder, out, notes)
    return notes


def _report(notes: training.Posttraining, *, as_json: bool) -> None:
    if notes.loss > notes.frequency_loss:
        notice(
            f"the encoder guesses worse than by frequency alone: {notes.loss:.2f} against "
            f"{notes.frequency_loss:.2f}; train longer or, if the loss no longer fell, with a lower "
            "--learning-rate"
        )
    record = asdict(notes)
    if as_json:
        print_json(record)
        return
    del record["effort"]
    print_table("", ["post-training", "value"], [[name, value] for name, value in record.items()])
