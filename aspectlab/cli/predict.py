"""The commands `predict` and `evaluate`: apply a trained model to a corpus, and score it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from aspectlab import data, encodings, metrics, models, readers, runtime, tasks, training
from aspectlab.cli import llm
from aspectlab.cli.console import notice, print_evaluation, print_json
from aspectlab.cli.options import Device, read_judged, refuse_unwritable_file, require_training
from aspectlab.errors import ConfigError, DataError

Folder = Annotated[Path, typer.Argument(help="Model folder written by `aspectlab train`.")]


def predict(
    model: Annotated[str, typer.Argument(help="Model folder written by `aspectlab train`, or llm:MODEL.")],
    file: Annotated[Path, typer.Argument(help="Corpus in any known format; some models need its aspects.")],
    out: Annotated[Path, typer.Option(help="Output file (JSONL).")],
    device: Device = "auto",
    task: llm.Task = llm.USUAL.task,
    endpoint: llm.Url = llm.USUAL.endpoint,
    shots: llm.Shots = llm.USUAL.shots,
    examples: llm.Examples = llm.USUAL.examples,
    seed: llm.Seed = llm.USUAL.seed,
    drop_shared: llm.DropShared = llm.USUAL.drop_shared,
    concurrency: llm.Concurrency = llm.USUAL.concurrency,
    key_variable: llm.KeyVariable = llm.USUAL.key_variable,
    price_in: llm.PriceIn = llm.USUAL.price_in,
    price_out: llm.PriceOut = llm.USUAL.price_out,
    max_cost: llm.MaxCost = llm.USUAL.max_cost,
    max_tokens: llm.MaxTokens = llm.USUAL.max_tokens,
    timeout_s: llm.TimeoutS = llm.USUAL.timeout_s,
    tries: llm.Tries = llm.USUAL.tries,
    categories: llm.Categories = llm.USUAL.categories,
    as_json: Annotated[bool, typer.Option("--json", help="Print a summary as JSON.")] = False,
    *,
    context: typer.Context,
) -> None:
    """Predict the opinions of a corpus and write them as JSONL, with the probability of each polarity.

    Polarities in the file are ignored. Aspects that do not occur in the text get no prediction. A .txt file
    of no known format holds a text in each line. With llm:MODEL a chat model is asked for the opinions; the
    texts are sent to --endpoint.

    Example: `aspectlab predict my-model reviews.jsonl --out predicted.jsonl`
    """
    asking = llm.Asking(
        *(task, endpoint, shots, examples, seed, drop_shared, concurrency, key_variable),
        *(price_in, price_out, max_cost, max_tokens, timeout_s, tries, categories),
    )
    if model.startswith(llm.PREFIX):
        llm.ask_for_opinions(model.removeprefix(llm.PREFIX), file, out, asking, as_json=as_json)
    else:
        llm.refuse_asking(model, context)
        _predict_trained(Path(model), file, out, device, as_json=as_json)


def _predict_trained(folder: Path, file: Path, out: Path, device: str, *, as_json: bool) -> None:
    refuse_exported(folder)
    require_training("predict")

    refuse_unwritable_file(out, inputs=[file], kind="JSONL")
    network = open_model(folder, device)
    corpus = read_plain_text(file) if is_plain_text(file) else readers.read(file)
    predicted = apply_model(network, corpus)
    _notice_passed_over(network.task, file, corpus)
    readers.write(predicted, out, "jsonl")
    count = sum(len(example.quads) for example in predicted)
    if not count:
        _explain_nothing(network.task, file, corpus)
    if as_json:
        print_json({"examples": len(predicted), "predictions": count})
    notice(f"{out}: {count:,} predictions for {len(predicted):,} examples")


def is_plain_text(path: Path) -> bool:
    """Return whether a file is called .txt and is of no known format: a text a line, as for `analyze`."""
    if path.suffix.lower() != ".txt" or not path.is_file():
        return False
    try:
        readers.sniff(readers.Source(path))
    except DataError:
        return True
    return False


def read_plain_text(path: Path) -> data.Corpus:
    """Read a text a line; empty lines are left out, and nothing is labelled."""
    source = readers.Source(path)
    lines = (line for _, line in source.lines() if line.strip())
    examples = tuple(data.Example(str(number), line) for number, line in enumerate(lines, start=1))
    if not examples:
        raise source.error("whole file", "no text", "one in each line", "check the path")
    where = data.Provenance(str(path), "text", source.sha256)
    return data.Corpus(path.stem, "und", frozenset(), examples, where)


def _notice_passed_over(task: str, file: Path, corpus: data.Corpus) -> None:
    """Report how many of the given aspects do not stand in their texts, which get no prediction."""
    if data.Part.ASPECT not in tasks.TASKS[task].given:
        return
    terms = [{quad.aspect for quad in example.quads if quad.aspect} for example in corpus]
    absent = sum(term.span is None for found in terms for term in found)
    if absent:
        total = sum(map(len, terms))
        notice(f"{file}: passed over {absent:,} of {total:,} aspects, which do not stand in their texts")


def _explain_nothing(task: str, file: Path, corpus: data.Corpus) -> None:
    """Report if a file lacks the aspects or categories that the model needs as input."""
    given = " and ".join(sorted(tasks.TASKS[task].given))
    if task == encodings.GIVEN and any(quad.category for example in corpus for quad in example.quads):
        notice(
            f"{file}: found no category that the model knows: it was trained on others; "
            "train category-pair, which reads their names"
        )
    elif given:
        notice(
            f"{file}: found no {given} in the texts: task {task!r} is about those that are given; "
            "add them, or take a model that finds them (`aspectlab models`)"
        )


def refuse_exported(folder: Path) -> None:
    """Refuse an export before torch is asked for: to install that would not help."""
    if runtime.is_exported(folder):
        raise ConfigError(
            f"{folder}: found an exported model: expected one that `aspectlab train` wrote; an export is for "
            "`aspectlab analyze`, `serve`, `annotate prelabel` and `metamorphic test`"
        )


def open_model(folder: Path, device: str) -> models.Model:
    """Load a model and move it to the device."""
    return training.load_model(folder).to(training.choose_device(device))


def apply_model(model: models.Model, corpus: data.Corpus) -> data.Corpus:
    """Return the corpus with the predicted quads, reduced to the elements of the task, instead of its own."""
    task = tasks.TASKS[model.task].for_predictions
    examples = (task.project(example) for example in training.predict(model, corpus.examples))
    return replace(corpus.with_examples(examples), annotates=task.parts)


def evaluate(
    model: Folder,
    file: Annotated[Path, typer.Argument(help="Annotated corpus in any known format.")],
    resamples: Annotated[int, typer.Option(min=0, help="Bootstrap resamples (0: no CI).")] = 10_000,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of the bootstrap.")] = 0,
    device: Device = "auto",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON (as fractions).")] = False,
) -> None:
    """Predict a corpus and score the predictions, as `aspectlab score` does.

    Example: `aspectlab evaluate my-model test.jsonl --json`
    """
    refuse_exported(model)
    require_training("evaluate")

    if is_plain_text(file):
        raise DataError(
            f"{file}: found plain text: expected labels to score against; `aspectlab predict` takes texts"
        )
    network = open_model(model, device)
    gold = read_judged(file, network.task)
    evaluation = metrics.evaluate(gold, apply_model(network, gold), network.task)
    print_evaluation(evaluation, resamples=resamples, seed=seed, as_json=as_json)
