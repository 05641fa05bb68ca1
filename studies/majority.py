"""Score the most frequent answer of the training part on the test part, for the corpora of categories.

    python studies/majority.py --corpora FOLDER --out F

Every text gets the most frequent category, or the most frequent pair of category and polarity; every given
category gets the most frequent polarity. Ties go to what comes first in the corpus.
"""

import argparse
import csv
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from aspectlab.data import Example, Part, Quad
from aspectlab.metrics import METRICS, default_metric
from aspectlab.readers import read
from aspectlab.tasks import TASKS

NAMES = ["mams-acsa", "rest14-cat", "rest15-cat", "rest16-cat", "lap16-cat", "muse-topics"]
COLUMNS = ["corpus", "task", "answer", "score", "percent"]


def answer(task: str, train: Sequence[Example], test: Sequence[Example]) -> tuple[Quad, list[Example]]:
    """Return the most frequent quad of the training part, and the test part with it for an answer."""
    quads = (quad for example in train for quad in TASKS[task].select(example.quads))
    top = Counter(replace(quad, category=None) if task == "acsc" else quad for quad in quads).most_common(1)[
        0
    ][0]
    if task == "acsc":
        given = [tuple(replace(quad, polarity=top.polarity) for quad in e.quads) for e in test]
        return top, [replace(example, quads=quads) for example, quads in zip(test, given, strict=True)]
    return top, [replace(example, quads=(top,)) for example in test]


def measure(task: str, gold: Sequence[Example], predicted: Sequence[Example]) -> dict[str, float]:
    """Score predictions by the task's own metric."""
    metric = METRICS[default_metric(task)](TASKS[task])
    total = sum(metric.count(g.quads, p.quads) for g, p in zip(gold, predicted, strict=True))
    return {name: float(value) for name, value in metric.score(total).items()}


def main() -> None:
    """Write a row for every corpus and task that it can be judged by."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpora", type=Path, required=True, help="folder of the JSONL files")
    parser.add_argument("--names", nargs="+", default=NAMES, help="which corpora")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    with options.out.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(COLUMNS)
        for name in options.names:
            train, test = (read(options.corpora / f"{name}-{part}.jsonl") for part in ("train", "test"))
            for task in ("acd", "acp", "acsc") if Part.POLARITY in train.annotates else ("acd",):
                top, predicted = answer(task, train.examples, test.examples)
                score = "accuracy" if task == "acsc" else "f1"
                named = " ".join(str(part) for part in (top.category, top.polarity) if part)
                value = measure(task, test.examples, predicted)[score]
                writer.writerow([name, task, named, score, f"{100 * value:.2f}"])


if __name__ == "__main__":
    main()
