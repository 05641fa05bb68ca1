"""Quality on domains: exact triplets, with implicit terms counted, of each labelled file.

    python studies/quads.py DATA --out FOLDER --leave-out books fashion courses
    python benchmarks/domains.py FOLDER/unseen-*.jsonl [--model FOLDER/model] [--house]

A row a file: precision, recall and F1 with its 95 % bootstrap interval, F1 of the triplets whose terms are
both explicit, the share of right categories among the triplets found, and the share of sentences without
opinions for which the model invents one. Each file is read in its own annotation style; --house reads all in
the style that `analyze` has.
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from aspectlab.data import Example, Quad
from aspectlab.metrics import METRICS
from aspectlab.readers import read
from aspectlab.runtime import is_exported, load_predictor
from aspectlab.stats import bootstrap
from aspectlab.tasks import TASKS

_COLUMNS = ("texts", "precision", "recall", "f1", "low", "high", "explicit f1", "category", "invented")


class Row(NamedTuple):
    """The figures of a file, in percent."""

    texts: int
    precision: float
    recall: float
    f1: float
    low: float
    high: float
    explicit_f1: float
    category: float | None
    invented: float | None


def main() -> None:
    """Print a row for each file, and the mean."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", type=Path, nargs="+", help="labelled files in any known format")
    parser.add_argument("--model", help="an exported or saved model (default: the shipped one)")
    parser.add_argument("--house", action="store_true", help="read all in the style of analyze")
    parser.add_argument("--json", type=Path, help="write the figures to this file as well")
    options = parser.parse_args()
    print(f"{'file':<28}" + "".join(f"{name:>12}" for name in _COLUMNS))
    rows = {}
    for path in options.files:
        gold = list(read(path))
        rows[path.stem] = row = judge(gold, answer(options.model, gold, house=options.house))
        print(f"{path.stem:<28}{row.texts:>12,}" + "".join(_format(value) for value in row[1:]), flush=True)
    mean = [float(np.mean([row[column] for row in rows.values()])) for column in (3, 6)]
    print(f"mean F1 {mean[0]:.1f}, of explicit triplets {mean[1]:.1f}")
    if options.json:
        options.json.write_text(json.dumps({name: row._asdict() for name, row in rows.items()}, indent=1))


def _format(value: float | None) -> str:
    return f"{'–':>12}" if value is None else f"{value:>12.1f}"


def answer(model: str | None, examples: Sequence[Example], *, house: bool) -> list[tuple[Quad, ...]]:
    """Predict the quads of each example in its own style, or in that of analyze."""
    if house:
        examples = [replace(example, style=None) for example in examples]
    if model and not is_exported(Path(model)):
        from aspectlab.training import load_model, predict

        return [found.quads for found in predict(load_model(model), examples, precision="auto")]
    answers: dict[int, tuple[Quad, ...]] = {}
    for style, numbers in _by_style(examples).items():
        predictor = load_predictor(model, style=style) if style else load_predictor(model)
        found = predictor.predict([examples[number].text for number in numbers])
        answers.update(zip(numbers, found, strict=True))
    return [answers[number] for number in range(len(examples))]


def _by_style(examples: Sequence[Example]) -> dict[str | None, list[int]]:
    groups: dict[str | None, list[int]] = defaultdict(list)
    for number, example in enumerate(examples):
        groups[example.style].append(number)
    return groups


def judge(gold: Sequence[Example], answers: Sequence[tuple[Quad, ...]]) -> Row:
    """Score the answers to a file."""
    scores = {}
    for task in ("aste-all", "aste-explicit"):
        metric = METRICS["tuple-f1"](TASKS[task])
        counts = np.stack(
            [metric.count(example.quads, found) for example, found in zip(gold, answers, strict=True)]
        )
        scores[task] = {name: 100 * float(value) for name, value in metric.score(counts.sum(0)).items()}
        if task == "aste-all":
            low, high = bootstrap(counts, metric.score, rng=np.random.default_rng(0), resamples=2_000)["f1"]
    whole = scores["aste-all"]
    empty = [bool(found) for example, found in zip(gold, answers, strict=True) if not example.quads]
    return Row(
        len(gold),
        whole["precision"],
        whole["recall"],
        whole["f1"],
        100 * low,
        100 * high,
        scores["aste-explicit"]["f1"],
        _category_share(gold, answers),
        100 * float(np.mean(empty)) if empty else None,
    )


def _category_share(gold: Sequence[Example], answers: Sequence[tuple[Quad, ...]]) -> float | None:
    """Return the share of triplets found whose category is right."""
    right = []
    for example, found in zip(gold, answers, strict=True):
        known = {replace(quad, category=None): quad.category for quad in example.quads if quad.category}
        for quad in found:
            key = replace(quad, category=None, confidence=None)
            if key in known:
                right.append(known[key] == quad.category)
    return 100 * float(np.mean(right)) if right else None


if __name__ == "__main__":
    main()
