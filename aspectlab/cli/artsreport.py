"""What `aspectlab arts` prints: robustness scores as JSON records and as tables."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from aspectlab.cli.console import print_table
from aspectlab.metrics import Unit
from aspectlab.robustness import PUBLISHED_STRATEGIES, Change, Robustness, average_changes, sign

Intervals = Mapping[str, tuple[float, float]]

STAR = "* p <= 0.05, Welch's two-sided t-test"
STARS = f"{STAR}: per model over examples, in the last row over models"


def to_record(robustness: Robustness, unit: Unit) -> dict[str, object]:
    """Give the numbers of one model as the JSON contract names them, in percent."""
    entire = robustness.entire[unit]
    return {
        # a strategy that the test set does not use is null, so that every key of the contract is there
        **dict.fromkeys(PUBLISHED_STRATEGIES),
        **{name: _to_pair(change) for name, change in robustness.subsets.items()},
        **{name: 100 * value for name, value in robustness.evaluation.scores.items()},
        "ori": 100 * entire.ori,
        "ars": 100 * entire.new,
        "ars_aspect": 100 * robustness.entire["aspect"].new,
        "ars_sentence": 100 * robustness.entire["sentence"].new,
        "p": entire.p,
        "mcnemar": entire.mcnemar,
        "counts": _count(robustness),
        "signature": sign(robustness, unit),
    }


def to_report(robustness: Robustness, unit: Unit, bounds: Intervals, signature: str) -> dict[str, object]:
    """Give the numbers of one model with their intervals."""
    percent = {name: [100 * bound for bound in interval] for name, interval in bounds.items()}
    if percent:
        percent["ars"] = percent[f"ars_{unit}"]
    task = robustness.evaluation.metric.task.name
    record = to_record(robustness, unit)
    return {**record, "task": task, "unit": unit, "interval": percent, "signature": signature}


def print_models(title: str, scores: Mapping[str, Robustness]) -> None:
    """Print a row per model, as in the paper, and their average."""
    changes = {
        name: [robustness.entire["aspect"], *robustness.subsets.values()]
        for name, robustness in scores.items()
    }
    by_sentence = {name: robustness.entire["sentence"] for name, robustness in scores.items()}
    rows = [[name, *map(_arrow, changes[name]), 100 * by_sentence[name].new] for name in scores]
    averages = [average_changes(column) for column in zip(*changes.values(), strict=True)]
    sentence = average_changes(list(by_sentence.values()))
    rows.append(["average", *map(_arrow, averages), 100 * sentence.new])
    subsets = next(iter(scores.values())).subsets
    print_table(title, ["model", "entire (ARS)", *subsets, "ARS by sentence"], rows)


def print_scores(title: str, robustness: Robustness, bounds: Intervals) -> None:
    """Print the flat scores and the Aspect Robustness Score in both units, with their intervals."""
    ars = {f"ars_{unit}": change.new for unit, change in robustness.entire.items()}
    rows = []
    for name, value in {**robustness.evaluation.scores, **ars}.items():
        interval = [100 * bound for bound in bounds[name]] if name in bounds else [None, None]
        rows.append([name, 100 * value, *interval])
    print_table(title, ["score", "percent", "95% from", "to"], rows)


def print_subsets(robustness: Robustness, unit: Unit) -> None:
    """Print what the changes of each strategy did."""
    changes = {f"entire, by {unit}": robustness.entire[unit], **robustness.subsets}
    rows = [
        [name, change.count, change.variants, _arrow(change), _show(change.p), _show(change.mcnemar)]
        for name, change in changes.items()
    ]
    columns = ["subset", "originals", "compared", "Ori → New (change)", "p Welch", "p McNemar"]
    print_table("", columns, rows)
    if any(change.is_significant for change in changes.values()):
        print(STAR)


def show_command(*words: str) -> str:
    """Give the command line that makes the same numbers again.

    >>> show_command("table", "my runs.csv")
    "aspectlab arts table 'my runs.csv'"
    """
    return shlex.join(["aspectlab", "arts", *words])


def _to_pair(change: Change) -> dict[str, object]:
    percent = {"ori": 100 * change.ori, "new": 100 * change.new}
    return {**percent, "p": change.p, "mcnemar": change.mcnemar}


def _count(robustness: Robustness) -> dict[str, int]:
    units = {f"units_{name}": change.count for name, change in robustness.entire.items()}
    subsets = {name: change.variants for name, change in robustness.subsets.items()}
    return {"examples": len(robustness.right), **units, **subsets}


def _arrow(change: Change) -> str:
    """Write a change as the paper does: the difference is that of the two printed numbers."""
    before, after = round(100 * change.ori, 2), round(100 * change.new, 2)
    direction = "↓" if before >= after else "↑"
    star = "*" if change.is_significant else ""
    return f"{before:.2f} → {after:.2f} ({direction}{abs(before - after):05.2f}){star}"


def _show(p: float | None) -> str | None:
    return None if p is None else f"{p:.2g}"
