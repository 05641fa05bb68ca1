"""`aspectlab train`: train a model, choose its epoch on dev, and save it with a card."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from aspectlab import data, metrics, models, readers, training
from aspectlab.cli.console import bar, notice, print_evaluation
from aspectlab.cli.options import (
    Device,
    explained_weights,
    parse_settings,
    read_judged,
    refuse_irreplaceable,
    require_training,
)
from aspectlab.errors import ConfigError
from aspectlab.progress import Progress, ProgressCallback, open_tracker
from aspectlab.registry import options_of

Also = Annotated[
    list[Path] | None,
    typer.Option(help="Additional training corpus, without texts of the other sets (repeatable)."),
]
Exclude = Annotated[
    list[Path] | None,
    typer.Option(help="Test set whose texts are kept out of training (repeatable)."),
]
EncoderName = Annotated[
    str | None, typer.Option(help="Encoder; see `aspectlab encoders` (default: set by the model).")
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", help="KEY=VALUE: a setting of the model or of its training plan (repeatable)."),
]

Track = Annotated[
    list[str] | None,
    typer.Option(help="tensorboard:DIR, mlflow:EXPERIMENT or wandb:PROJECT: log epochs there (repeatable)."),
]
Resume = Annotated[bool, typer.Option("--resume", help="Resume the unfinished training in --out.")]
DropShared = Annotated[
    bool, typer.Option("--drop-shared", help="Drop texts from train that also occur in dev.")
]


def train(
    model: Annotated[str, typer.Option(help="Model to train; see `aspectlab models`.")],
    train_file: Annotated[Path, typer.Option("--train", help="Training corpus, in any known format.")],
    dev_file: Annotated[Path, typer.Option("--dev", help="Dev corpus, used to select the best epoch.")],
    out: Annotated[Path, typer.Option(help="Output folder of the model; must not exist yet.")],
    also: Also = None,
    exclude: Exclude = None,
    task: Annotated[str | None, typer.Option(help="Task to learn (default: set by the model).")] = None,
    encoder: EncoderName = None,
    recipe: Annotated[
        str, typer.Option(help="Settings to start from: ours, or published (those of the paper).")
    ] = "ours",
    seed: Annotated[int, typer.Option(min=0, help="Seed of initialisation, shuffling and dropout.")] = 1,
    epochs: Annotated[int | None, typer.Option(min=1, help="Maximum number of epochs.")] = None,
    learning_rate: Annotated[float | None, typer.Option(help="Peak learning rate.")] = None,
    batch_size: Annotated[int | None, typer.Option(min=1, help="Batch size, in aspects.")] = None,
    settings: Settings = None,
    track: Track = None,
    device: Device = "auto",
    resume: Resume = False,
    drop_shared: DropShared = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the scores on dev as JSON.")] = False,
) -> None:
    """Train a model, select the best epoch on dev, and save it with a model card.

    Training takes no test set: use `aspectlab evaluate` afterwards. To resume an interrupted training, add
    --resume to the same command; the model is the same as without the interruption.

    Corpora of --also help where labels are few, even those of another domain. Texts that they share with
    train, dev or a set of --exclude are dropped from them.

    Example: `aspectlab train --model marked --train train.jsonl --dev dev.jsonl --out my-model`
    """
    require_training("train")
    kind = models.MODELS[model]
    chosen = [f"task={task}"] if task and "task" in options_of(kind) else []
    own, plan = choose_settings(model, kind, [*(settings or []), *chosen], recipe)
    learnt = kind.task_of(own)
    if task not in (None, learnt):
        raise ConfigError(f"model {model!r}: task {task!r} does not fit: expected {learnt!r}")
    named = {"epochs": epochs, "learning_rate": learning_rate, "batch_size": batch_size}
    plan = replace(plan, **{name: value for name, value in named.items() if value is not None})  # type: ignore[arg-type]
    checkpoint = _choose_checkpoint(out, resume=resume)
    parts = _read_parts(train_file, dev_file, learnt, drop_shared=drop_shared)
    parts |= _read_more(also or [], exclude or [], parts, learnt)
    own = kind.complete_settings(own, _to_learn(parts))
    made = training.Recipe(model, encoder or kind.default_encoder, own, plan, seed)
    _notice_encoder(kind, made, recipe)
    with explained_weights(out), _explained_stop(out, checkpoint):
        _train(made, parts, out, checkpoint, device, track or [], as_json=as_json)


def _notice_encoder(kind: type[models.Model], made: training.Recipe, recipe: str) -> None:
    """Report that the published settings were made for another encoder, and what else of them is missing."""
    if recipe == "published" and kind.published and made.encoder != kind.published.encoder:
        unlike = f"; {kind.published.unlike}" if kind.published.unlike else ""
        notice(f"model {made.model}: was published with {kind.published.encoder}, not {made.encoder}{unlike}")


@contextmanager
def _explained_stop(out: Path, checkpoint: Path) -> Iterator[None]:
    """Add to an interruption how to resume, where a checkpoint was saved."""
    try:
        yield
    except KeyboardInterrupt:
        if training.has_checkpoint(checkpoint):
            notice(f"{out}: stopped; the same command with --resume goes on")
        raise


def choose_settings(
    name: str, kind: type[models.Model], pairs: Sequence[str], recipe: str
) -> tuple[dict[str, object], models.Plan]:
    """Sort what `--set` says into settings of the model and changes of its plan, those of the recipe."""
    settings, start = models.apply_recipe(name, recipe)
    own, planned = training.setting_hints(kind)
    chosen = parse_settings(f"model {name}", pairs, own | planned)
    for key, value in chosen.items():
        if problem := training.find_out_of_range(kind, key, value):
            raise ConfigError(f"model {name}: {problem}; write --set {key}=VALUE")
    plan = replace(start, **{key: chosen[key] for key in chosen if key in planned})  # type: ignore[arg-type]
    if idle := [key for key in chosen if key.startswith("mato_") and not plan.extensions.get("mato")]:
        raise ConfigError(
            f"model {name}: {idle[0]} does nothing without MATO; add --set mato=true, or leave it out"
        )
    return {**settings, **{key: value for key, value in chosen.items() if key in own}}, plan


def _choose_checkpoint(out: Path, *, resume: bool) -> Path:
    """Return the checkpoint folder of the training, or refuse to overwrite something."""
    refuse_irreplaceable(out)
    training.refuse_foreign(out)
    if training.is_saved_model(out):
        raise ConfigError(
            f"{out}: already holds a finished model; choose another --out, or delete the folder"
        )
    is_kept = training.has_checkpoint(out / training.UNFINISHED)
    if is_kept and not resume:
        raise ConfigError(f"{out}: holds an unfinished training; add --resume, or delete the folder")
    if resume and not is_kept:
        notice(f"{out}: no unfinished training there; starting a new one")
    return out / training.UNFINISHED


def _read_parts(train_file: Path, dev_file: Path, task: str, *, drop_shared: bool) -> dict[str, data.Corpus]:
    train, dev = read_judged(train_file, task), read_judged(dev_file, task)
    if drop_shared:
        kept = data.leave_out(train, dev)
        notice(f"{train_file}: left out, since dev has them too: {len(train) - len(kept):,}")
        train = kept
    data.refuse_overlap(train, dev)
    return {"train": train, "dev": dev}


def _read_more(
    also: Sequence[Path], exclude: Sequence[Path], parts: dict[str, data.Corpus], task: str
) -> dict[str, data.Corpus]:
    """Read the corpora that help, and leave what must stay unseen out of everything that is learnt from."""
    unseen = [readers.read(path) for path in exclude]
    leaked = data.Exclusion(example.text for corpus in unseen for example in corpus)
    own = parts["train"]
    train = own.with_examples(example for example in own if example.text not in leaked)
    if exclude:
        notice(f"{own.name}: left out, since an excluded set has them too: {len(own) - len(train):,}")
    elif also:
        notice("corpora of one field share sentences: name the test sets with --exclude")
    others = [read_judged(path, task) for path in also]
    _, *joined = data.join(train, others, [parts["dev"], *unseen])
    for path, whole, kept in zip(also, others, joined, strict=True):
        notice(f"{path}: {len(kept):,} of {len(whole):,} examples are new")
    return {"train": train} | {f"also {number}": corpus for number, corpus in enumerate(joined, 1)}


def _to_learn(parts: dict[str, data.Corpus]) -> list[data.Example]:
    return [example for use, corpus in parts.items() if use != "dev" for example in corpus]


def _train(
    recipe: training.Recipe,
    parts: dict[str, data.Corpus],
    out: Path,
    checkpoint: Path,
    device: str,
    track: Sequence[str],
    *,
    as_json: bool,
) -> None:
    model = recipe.build()
    with _epoch_bar() as progress:
        fitted = training.fit(
            model,
            _to_learn(parts),
            parts["dev"],
            plan=recipe.plan,
            seed=recipe.seed,
            device=device,
            progress=progress,
            callbacks=[open_tracker(place) for place in track],
            resume=checkpoint,
        )
    if not training.is_first_process():
        return
    predicted = parts["dev"].with_examples(training.predict(model, parts["dev"].examples))
    evaluation = metrics.evaluate(parts["dev"], predicted, model.task)
    record = training.make_record(fitted, recipe.plan, recipe.seed, parts)
    model.training_record = {**record, "dev": evaluation.scores, "signature": str(evaluation.signature)}
    model.save(out)
    print_evaluation(evaluation, resamples=0, seed=0, as_json=as_json)
    notice(f"{out}: saved the model of epoch {fitted.best.number + 1}, chosen on dev; README.md describes it")


@contextmanager
def _epoch_bar() -> Iterator[ProgressCallback[training.Epoch | None]]:
    """Show epoch, loss, dev score and the time left; where nobody sees it, a line for each epoch."""
    with bar() as (advance, is_terminal):

        def report(progress: Progress[training.Epoch | None]) -> None:
            if progress.detail and not is_terminal:
                notice(f"{progress.text}  ({progress.detail.seconds:.1f} s)")
            advance(progress)

        yield report
