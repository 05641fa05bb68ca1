"""Runs for the tests of reports: made-up ones, and those that a paper's split rows describe."""

import csv
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from aspectlab.experiments.record import RunRecord, Timing
from aspectlab.reports.runs.load import RunResult
from tests.support.published_data import PUBLISHED_SPLITS

MODELS = {
    "MGATN": "mgan",
    "RGAT-BERT": "rgat-bert",
    "CapsNet-BERT": "capsnet-bert",
    "LCF-ATEPC": "lcf-atepc",
    "BERT+TFM": "bert-tfm",
    "GRACE": "grace",
}
TARGETS = {
    "SemEval-14 Restaurants": ("rest14", "test"),
    "SemEval-14 Laptops": ("lap14", "test"),
    "ARTS Restaurants": ("rest14", "arts"),
    "ARTS Laptops": ("lap14", "arts"),
}
METRICS = {
    "Accuracy=F1 Micro": "accuracy",
    "F1 Micro": "f1",
    "F1 Macro": "macro_f1",
    "F1 Weighted": "weighted_f1",
    "ARS Accuracy": "ars_sentence",
    "Precision": "precision",
    "Recall": "recall",
    "ATE F1 Micro": "ate_f1",
}
TASKS = {"2": "atsc", "3": "e2e"}
# five values in equal steps whose mean is 0 and whose sample std is 1: (4 + 1 + 0 + 1 + 4) / 4 = 2.5
STEPS = [step / 2.5**0.5 for step in (-2, -1, 0, 1, 2)]

RECORD = RunRecord(
    id="1f",
    study="tea",
    label="bert+mato",
    model="bert",
    encoder="tiny",
    settings={"epochs": 3, "layers": [1, 2]},
    corpus="tea",
    split=2,
    seed=7,
    task="aste",
    protocol={"dedup": True},
    metrics={"test": {"f1": 0.5}},
    dev={"f1": 0.9},
    timing=Timing(1.0, 3, 2),
    environment={"aspectlab": "0.1.0"},
    signatures={"test": "aste-f1|corpus:tea"},
    command="aspectlab run tea.toml",
)

Place = tuple[str, str, str, str, str]
"""Task, corpus, test set, model and metric, by our names."""


def read_published() -> dict[Place, dict[str, str]]:
    """Return the rows of the paper in which every cell can be read."""
    with PUBLISHED_SPLITS.open(encoding="utf-8", newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if "NA" not in row.values()]
    return {
        (
            TASKS[row["table"]],
            *TARGETS[row["dataset"]],
            MODELS[row["model"]],
            METRICS[row["metric"]],
        ): row
        for row in rows
    }


def write_published_runs(folder: Path) -> None:
    """Write a CSV file per task with five runs per split that have its printed mean and deviation."""
    runs: dict[str, dict[tuple[str, str, int, int], dict[str, str]]] = defaultdict(dict)
    for (task, corpus, test, model, metric), row in read_published().items():
        column = f"arts_{metric}" if test == "arts" and metric != "ars_sentence" else metric
        for split in range(1, 6):
            mean, std = float(row[f"mean{split}"]), float(row[f"std{split}"])
            for seed, step in enumerate(STEPS, start=1):
                scores = runs[task].setdefault((model, corpus, split, seed), {})
                scores[column] = repr(mean + std * step)
    for task, rows in runs.items():
        write_rows(folder / f"{task}.csv", rows)


def write_rows(path: Path, rows: dict[tuple[str, str, int, int], dict[str, str]]) -> Path:
    """Write rows by model, corpus, split and seed; a score that a row lacks stays empty."""
    columns = list(dict.fromkeys(name for scores in rows.values() for name in scores))
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["model", "encoder", "corpus", "split", "seed", *columns])
        for key, scores in rows.items():
            writer.writerow([key[0], "bert", *key[1:], *(scores.get(name, "") for name in columns)])
    return path


def make_results(
    model: str, values: Sequence[Sequence[float]], *, metric: str = "accuracy", corpus: str = "tea"
) -> list[RunResult]:
    """Make a run per value, a list per split."""
    return [
        RunResult(model, model, "tiny", {}, "atsc", corpus, split, seed, {"test": {metric: value}})
        for split, row in enumerate(values, start=1)
        for seed, value in enumerate(row, start=1)
    ]


def make_many() -> list[RunResult]:
    """Runs that give every kind of picture: four corpora, additions, violations, and published values."""
    runs = []
    for number, model in enumerate(["bdtf", "stage", "simstar"]):
        for corpus in ("14lap", "14res", "15res", "16res"):
            for run in make_results(model, [[60.0 + number, 61.0 + number]], metric="f1", corpus=corpus):
                more = {f"adddiff-{k}": {"accuracy": 70.0 - k * number} for k in (1, 2, 3)}
                scores = {**run.scores, **more, "metamorphic": {"vr": 30.0 + number}}
                runs.append(replace(run, task="aste", scores=scores))
    return runs
