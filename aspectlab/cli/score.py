"""`aspectlab score`: how good predictions are, how sure that is, and which of several files is better."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import typer

from aspectlab import metrics, readers
from aspectlab.cli.campaign_report import name_apart
from aspectlab.cli.console import (
    describe_evaluation,
    notice_doubts,
    print_classes,
    print_evaluation,
    print_json,
    print_table,
    print_text,
)
from aspectlab.errors import ConfigError
from aspectlab.tasks import TASKS


def score(
    gold: Annotated[Path, typer.Argument(help="Annotated corpus in any known format.")],
    predicted: Annotated[
        list[Path],
        typer.Argument(help="Predictions in any known format; more files are compared with the first."),
    ],
    task: Annotated[str, typer.Option(help="Task to evaluate, one of: " + ", ".join(TASKS))],
    metric: Annotated[
        # the table of metrics is not asked: it would bring numpy in for every --help
        str | None,
        typer.Option(
            help="classification, category-classification, tuple-f1, subtasks, continuous-f1, "
            "valence-arousal, or a reproduction of released code: simstar-lenient, minicongts-released, "
            "emcgcn-released (default: set by the task)."
        ),
    ] = None,
    match: Annotated[
        str, typer.Option(help="Match terms by offsets (exact) or by wording (text).")
    ] = "exact",
    resamples: Annotated[int, typer.Option(min=0, help="Bootstrap resamples (0: no CI).")] = 10_000,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of the bootstrap.")] = 0,
    per_class: Annotated[
        bool, typer.Option("--per-class", help="Print each class, and the confusion matrix of given aspects.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON (as fractions).")] = False,
) -> None:
    """Score predictions against gold, with bootstrap confidence intervals and a signature.

    Examples are paired by id where both files have ids of their own, else by text, else by order. Further
    files are compared with the first: paired bootstrap, approximate randomisation and, for accuracy, McNemar.

    The table shows percent; f1 is micro F1. JSON has fractions, and `interval` is the confidence interval of
    each score.

    Example: `aspectlab score test.jsonl predicted.jsonl --task aste --json`
    """
    corpus = readers.read(gold)
    found = [
        metrics.evaluate(corpus, readers.read_predicted(path), task, metric=metric, match=match)
        for path in predicted
    ]
    if len(found) == 1:
        print_evaluation(found[0], resamples=resamples, seed=seed, as_json=as_json, per_class=per_class)
        return
    named = _name_evaluations(predicted, found, resamples)
    _print_systems(named, resamples, seed, as_json=as_json, per_class=per_class)


def _name_evaluations(
    paths: Sequence[Path], found: Sequence[metrics.Evaluation], resamples: int
) -> dict[str, metrics.Evaluation]:
    """Name evaluations after their files, or refuse what cannot be compared."""
    if not resamples:
        raise ConfigError(
            "--resamples 0 with several files: expected at least 1, for the tests; 10000 is usual"
        )
    named = dict(zip(name_apart(paths), found, strict=True))
    if len(named) < len(found):
        raise ConfigError("found the same file twice: expected different predictions to compare")
    for name, evaluation in named.items():
        notice_doubts(evaluation, name)
    return named


_COLUMNS = ["score", "system", "percent", "95% from", "to", "less the first [95 %]"]
_COLUMNS += ["p bootstrap", "p randomisation", "p McNemar"]
_NOTE = (
    "less the first: with the interval of the paired bootstrap, which draws the same examples for both. p: "
    "two-sided, each for itself, not corrected for several files. All hold for other examples of the same "
    "kind, not for other seeds or splits: `aspectlab compare` is for those."
)


def _print_systems(
    named: dict[str, metrics.Evaluation], resamples: int, seed: int, *, as_json: bool, per_class: bool
) -> None:
    """Print several evaluations of one corpus side by side, each compared with the first."""
    from aspectlab.reports.runs import compare_predictions

    base, *others = named
    compared = {
        name: compare_predictions(named[name], named[base], resamples=resamples, seed=seed) for name in others
    }
    signature = str(replace(named[base].signature, resamples=resamples, seed=seed))
    records = {name: describe_evaluation(each, resamples, seed) for name, each in named.items()}
    if as_json:
        print_json(
            {
                "task": named[base].metric.task.name,
                "systems": [{"name": name, **record} for name, record in records.items()],
                "comparisons": [
                    {"system": name, "base": base, **asdict(each)}
                    for name in others
                    for each in compared[name]
                ],
                "signature": signature,
            }
        )
        return
    rows = []
    for number, score_name in enumerate(named[base].scores):
        for name, record in records.items():
            bounds = [100 * bound for bound in record["interval"][score_name]]
            rows.append([score_name, name, 100 * record[score_name], *bounds])
            rows[-1] += _format_comparison(compared[name][number]) if name in compared else ["–"] * 4
    # only a metric of given cases has answers to count for McNemar's test
    width = len(_COLUMNS) - (not named[base].confusion)
    print_table(
        f"{named[base].metric.task.name} on {named[base].corpus}: {len(named[base].counts):,} examples",
        _COLUMNS[:width],
        [row[:width] for row in rows],
    )
    for name, evaluation in named.items() if per_class else ():
        print_classes(evaluation, name)
    print_text("\n".join([_NOTE, signature]))


def _format_comparison(found: object) -> list[object]:
    from aspectlab.reports.runs import PredictionComparison, format_difference

    assert isinstance(found, PredictionComparison)
    low, high = found.interval
    p_values = (found.p_bootstrap, found.p_randomisation, found.p_mcnemar)
    return [
        format_difference(100 * found.difference, (100 * low, 100 * high)),
        *("–" if p is None else f"{p:.2g}" for p in p_values),
    ]
