"""What the studies share: options, splits, resuming, and one row a run."""

from __future__ import annotations

import argparse
import copy
import csv
import dataclasses
import itertools
import json
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import torch

from aspectlab.data import Corpus, Example
from aspectlab.data.splitting import split
from aspectlab.encoders import load_encoder
from aspectlab.experiments.execute import FitJob, FitOutcome, fit_many
from aspectlab.metrics import METRICS, default_metric
from aspectlab.models import MODELS, Model, Plan, build_model
from aspectlab.readers import read
from aspectlab.robustness import Robustness, score_robustness
from aspectlab.tasks import TASKS

KEY = ["model", "encoder", "corpus", "split", "seed", "settings"]
"""The columns that tell one run from another."""

Tests = Mapping[str, Sequence[Example]]
Places = tuple[list[int], list[int]]


@dataclasses.dataclass(frozen=True)
class Study:
    """Which test parts a corpus may have, which columns a row has, and how they are filled."""

    tests: Sequence[str]
    columns: Sequence[str]
    scores: Callable[[FitOutcome, Tests], dict[str, object]]


def main(study: Study, description: str, *, models: list[str], names: list[str]) -> None:
    """Read the options and work through models x corpora."""
    options = describe_options(description, models, names).parse_args()
    torch.set_float32_matmul_precision("high")
    if options.out.exists():
        # now, not with the first row: by then other processes may be writing to the file
        widen(options.out, list_columns(study))
    done = {tuple(row[key] for key in KEY) for row in read_rows(options.out)}
    for model, name in itertools.product(options.models, options.names):
        runs = _runs(model, name, options)
        part, parts = map(int, options.share.split("/"))
        mine = itertools.islice(runs.items(), part - 1, None, parts)
        wanted = {key: run for key, run in mine if key not in done}
        if wanted:
            _work(study, model, name, wanted, options)


def measure(
    task: str, gold: Sequence[Example], predicted: Sequence[Example], *, metric: str | None = None
) -> dict[str, float]:
    """Score predictions by the task's own metric, or by another one."""
    chosen = METRICS[metric or default_metric(task)](TASKS[task])
    total = sum(chosen.count(g.quads, p.quads) for g, p in zip(gold, predicted, strict=True))
    return {name: float(value) for name, value in chosen.score(total).items()}


def measure_robustness(task: str, gold: Sequence[Example], predicted: Sequence[Example]) -> Robustness:
    """Score predictions for originals and their variants."""
    corpus = Corpus("variants", "und", TASKS[task].parts, tuple(gold))
    return score_robustness(corpus, corpus.with_examples(predicted), task)


def name_robustness(robustness: Robustness) -> dict[str, float]:
    """Give the flat scores of ARTS and its score in both units, by the names of their columns."""
    flat = {f"arts_{name}": value for name, value in robustness.evaluation.scores.items()}
    return flat | {f"ars_{unit}": change.new for unit, change in robustness.entire.items()}


def percent(value: float) -> str:
    """Write a share as percent with two decimals."""
    return f"{100 * value:.2f}"


def describe_options(description: str, models: list[str], names: list[str]) -> argparse.ArgumentParser:
    """Give the options that all studies have."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpora", type=Path, required=True, help="folder of the JSONL files")
    parser.add_argument("--models", nargs="+", default=models)
    parser.add_argument("--names", nargs="+", default=names, help="which corpora")
    parser.add_argument("--encoder", default="minilm")
    parser.add_argument("--label", help="name of the encoder in the rows (default: --encoder)")
    parser.add_argument("--splits", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument(
        "--share", default="1/1", help="2/5: the second of five processes that share the runs of a card"
    )
    parser.add_argument(
        "--set", nargs="*", default=[], help="settings of training or model, such as learning_rate=5e-5"
    )
    parser.add_argument("--out", type=Path, required=True)
    return parser


def _runs(model: str, name: str, options: argparse.Namespace) -> dict[tuple[str, ...], tuple[int, int]]:
    """Give split and seed of every run, by its key."""
    label = options.label or options.encoder
    settings = " ".join(sorted(options.set))
    splits = 1 if (options.corpora / f"{name}-dev.jsonl").exists() else options.splits
    return {
        (model, label, name, str(number), str(seed), settings): (number, seed)
        for number in range(1, splits + 1)
        for seed in range(1, options.seeds + 1)
    }


def _work(
    study: Study,
    model: str,
    name: str,
    wanted: dict[tuple[str, ...], tuple[int, int]],
    options: argparse.Namespace,
) -> None:
    corpus, parts = read_split(options.corpora, name, {number for number, _ in wanted.values()})
    tests = {part: _read(options.corpora / f"{name}-{part}.jsonl") for part in study.tests}
    present = {part: test.examples for part, test in tests.items() if test}
    encoder = load_encoder(options.encoder)
    plan, settings = settle(model, corpus, options)

    def build() -> Model:
        return build_model(model, copy.deepcopy(encoder), settings)

    runs = [FitJob(*parts[number], seed) for number, seed in wanted.values()]
    clock = time.perf_counter()
    keys = list(wanted)
    for outcome in fit_many(build, corpus.examples, runs, plan=plan, tests=present):
        scores = study.scores(outcome, present)
        seconds, clock = time.perf_counter() - clock, time.perf_counter()
        key = dict(zip(KEY, keys[outcome.place], strict=True))
        row = {**key, "epoch": outcome.fitted.best.number + 1, **scores, "seconds": f"{seconds:.1f}"}
        append_row(options.out, list_columns(study), row)


def list_columns(study: Study) -> list[str]:
    """Give all columns of the rows of a study."""
    return [*KEY, "epoch", *study.columns, "seconds"]


def _read(path: Path) -> Corpus | None:
    return read(path) if path.exists() else None


def read_split(folder: Path, name: str, numbers: set[int]) -> tuple[Corpus, dict[int, Places]]:
    """Give the corpus and, for each split, the places of its train and dev examples."""
    corpus = read(folder / f"{name}-train.jsonl")
    dev = _read(folder / f"{name}-dev.jsonl")
    if dev is not None:
        known = {example.text for example in dev}
        train = [example for example in corpus if example.text not in known]
        joined = corpus.with_examples([*train, *dev])
        return joined, {1: (list(range(len(train))), list(range(len(train), len(joined))))}
    place = {example.id: index for index, example in enumerate(corpus)}
    return corpus, {
        part.number: ([place[i] for i in part.train], [place[i] for i in part.dev])
        for part in split(corpus, splits=5, dev=0.1, seed=1)
        if part.number in numbers
    }


def settle(
    model: str, corpus: Iterable[Example], options: argparse.Namespace
) -> tuple[Plan, dict[str, object]]:
    """Give the plan and the settings of a model, with the changes that the options ask for."""
    asked = _read_settings(options.set)
    of_plan = {field.name for field in dataclasses.fields(Plan)} & {*asked}
    plan = dataclasses.replace(MODELS[model].plan, **{name: asked[name] for name in of_plan})
    rest = {name: value for name, value in asked.items() if name not in of_plan}
    return plan, MODELS[model].complete_settings(rest, corpus)


def _read_settings(texts: list[str]) -> dict[str, object]:
    return {name: _value(text) for name, text in (setting.split("=", 1) for setting in texts)}


def _value(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return text


def read_rows(path: Path) -> list[dict[str, str]]:
    """Read the rows that are there already."""
    return _read_table(path)[1]


def append_row(path: Path, columns: Sequence[str], row: dict[str, object]) -> None:
    """Write one more row, and show it; a file that lacks some of the columns gets them first."""
    header = widen(path, columns)
    with path.open("a", encoding="utf-8", newline="") as stream:
        csv.DictWriter(stream, header).writerow(row)
    print(*(row.get(column, "") for column in columns), sep="\t", flush=True)


def widen(path: Path, columns: Sequence[str]) -> list[str]:
    """Give a file all the columns, blank in rows that it has already, and return its header.

    Columns of the file that are not asked for stay, behind the others. The file is replaced as a whole, so
    that a stop in between loses nothing.
    """
    old, rows = _read_table(path)
    if old and set(columns) <= set(old):
        return old
    header = [*columns, *(name for name in old if name not in columns)]
    # what another process has begun meanwhile must not be replaced, so a new file is only added to
    draft = path.with_name(f"{path.name}.{os.getpid()}") if old else path
    with draft.open("w" if old else "a", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, header)
        writer.writeheader()
        writer.writerows(rows)
    draft.replace(path)
    return header


def _read_table(path: Path) -> tuple[list[str], list[dict[str, str]]]:
    """Read the header and the rows; a file that is not there has neither."""
    if not path.exists():
        return [], []
    with path.open(encoding="utf-8", newline="") as stream:
        reader = csv.DictReader(stream)
        rows = list(reader)
        return list(reader.fieldnames or ()), rows
