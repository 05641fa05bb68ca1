"""Train ATSC models over splits and seeds, score them on the test set and on ARTS, and append a row per run.

    python studies/atsc.py --corpora FOLDER --models marked --encoder minilm --splits 1 --seeds 3 --out F

FOLDER holds canonical JSONL: rest14-train, rest14-test, rest14-arts, lap14-…, and mams-train, mams-dev,
mams-test (`aspectlab data clean` makes them). Rows that are in the file already are not run again.
"""

import argparse
import copy
import csv
import dataclasses
import itertools
import json
import time
from pathlib import Path

import torch

from aspectlab.data import Corpus
from aspectlab.data.splitting import split
from aspectlab.encoders import load_encoder
from aspectlab.metrics import METRICS, robustness_counts
from aspectlab.models import MODELS, Model, Plan, build_model
from aspectlab.readers import read
from aspectlab.tasks import TASKS
from aspectlab.training.many import Outcome, Run, fit_many

COLUMNS = [
    *[
        "model",
        "encoder",
        "corpus",
        "split",
        "seed",
        "settings",
        "epoch",
        "dev_accuracy",
        "accuracy",
        "macro_f1",
    ],
    *["weighted_f1", "arts_accuracy", "arts_macro_f1", "ars_aspect", "ars_sentence", "seconds"],
]
KEY = COLUMNS[:6]


def main() -> None:
    """Read the options and work through models x corpora."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpora", type=Path, required=True, help="folder of the JSONL files")
    parser.add_argument("--models", nargs="+", default=["marked"])
    parser.add_argument("--names", nargs="+", default=["rest14", "lap14", "mams"], help="which corpora")
    parser.add_argument("--encoder", default="minilm")
    parser.add_argument("--label", help="name of the encoder in the rows (default: --encoder)")
    parser.add_argument("--splits", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--set", nargs="*", default=[], help="training settings, such as learning_rate=5e-5")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    done = {tuple(row[key] for key in KEY) for row in _read_rows(options.out)}
    for model, name in itertools.product(options.models, options.names):
        label = options.label or options.encoder
        settings = " ".join(sorted(options.set))
        runs = {
            (model, label, name, str(number), str(seed), settings): (number, seed)
            for number in range(1, (1 if name == "mams" else options.splits) + 1)
            for seed in range(1, options.seeds + 1)
        }
        wanted = {key: run for key, run in runs.items() if key not in done}
        if wanted:
            _work(model, name, wanted, options)


def _work(
    model: str, name: str, wanted: dict[tuple[str, ...], tuple[int, int]], options: argparse.Namespace
) -> None:
    corpus, parts = _split(options.corpora, name, {number for number, _ in wanted.values()})
    tests = {part: _read(options.corpora / f"{name}-{part}.jsonl") for part in ("test", "arts")}
    encoder = load_encoder(options.encoder)
    plan = _plan(MODELS[model].plan, options.set)

    def build() -> Model:
        return build_model(model, copy.deepcopy(encoder))

    runs = [Run(*parts[number], seed) for number, seed in wanted.values()]
    present = {part: test.examples for part, test in tests.items() if test}
    clock = time.perf_counter()
    keys = list(wanted)
    for outcome in fit_many(build, corpus.examples, runs, plan=plan, tests=present):
        key = keys[outcome.place]
        scores = _scores(outcome, present)
        seconds, clock = time.perf_counter() - clock, time.perf_counter()
        row = {**dict(zip(KEY, key, strict=True)), **scores, "seconds": f"{seconds:.1f}"}
        _append(options.out, row)
        print(*(row.get(column, "") for column in COLUMNS), sep="\t", flush=True)


def _read(path: Path) -> Corpus | None:
    return read(path) if path.exists() else None


def _split(
    folder: Path, name: str, numbers: set[int]
) -> tuple[Corpus, dict[int, tuple[list[int], list[int]]]]:
    """Give the corpus and, for each split, the places of its train and dev examples."""
    corpus = read(folder / f"{name}-train.jsonl")
    dev = _read(folder / f"{name}-dev.jsonl")
    if dev is not None:
        joined = corpus.with_examples([*corpus, *dev])
        size = len(corpus)
        return joined, {1: (list(range(size)), list(range(size, len(joined))))}
    place = {example.id: index for index, example in enumerate(corpus)}
    splits = split(corpus, splits=5, dev=0.1, seed=1)
    return corpus, {
        part.number: ([place[i] for i in part.train], [place[i] for i in part.dev])
        for part in splits
        if part.number in numbers
    }


def _plan(plan: Plan, settings: list[str]) -> Plan:
    changes = dict(setting.split("=", 1) for setting in settings)
    return dataclasses.replace(plan, **{name: _value(text) for name, text in changes.items()})


def _value(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _scores(outcome: Outcome, tests: dict[str, tuple]) -> dict[str, object]:
    best = outcome.fitted.best
    scores = {"epoch": best.number + 1, "dev_accuracy": _percent(best.dev["accuracy"])}
    for part, predicted in outcome.predictions.items():
        measured = _classification(tests[part], predicted)
        prefix = "arts_" if part == "arts" else ""
        for name in ("accuracy", "macro_f1", "weighted_f1"):
            if prefix + name in COLUMNS:
                scores[prefix + name] = _percent(measured[name])
        if part == "arts":
            for unit in ("aspect", "sentence"):
                right, units = robustness_counts(tests[part], predicted, unit=unit).sum(0)
                scores[f"ars_{unit}"] = _percent(right / units)
    return scores


def _classification(gold: tuple, predicted: list) -> dict[str, float]:
    metric = METRICS["classification"](TASKS["atsc"])
    total = sum(metric.count(g.quads, p.quads) for g, p in zip(gold, predicted, strict=True))
    return {name: float(value) for name, value in metric.score(total).items()}


def _percent(value: float) -> str:
    return f"{100 * value:.2f}"


def _read_rows(path: Path) -> list[dict[str, str]]:
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def _append(path: Path, row: dict[str, object]) -> None:
    is_new = not path.exists()
    with path.open("a", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, COLUMNS)
        if is_new:
            writer.writeheader()
        writer.writerow(row)


if __name__ == "__main__":
    torch.set_float32_matmul_precision("high")
    main()
