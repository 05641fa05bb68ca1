"""Score the predictions of a run: the task's own metric, those the study adds, and robustness."""

from __future__ import annotations

from aspectlab.data import Corpus
from aspectlab.experiments.planning import Group
from aspectlab.metrics import evaluate
from aspectlab.robustness import score_robustness


def measure(group: Group, gold: Corpus, predicted: Corpus) -> tuple[dict[str, float], str]:
    """Give the scores of a test set by name, and the signature of the first ones.

    Scores of another metric or task bear its name in front: `subtasks_triple_f1`, `ate_f1`. A test set with
    variants also gets `ars_aspect`, `ars_sentence` and, for each strategy, the accuracy on the originals that
    have a variant and on the variants: `revtgt_ori`, `revtgt_new`.
    """
    evaluation = evaluate(gold, predicted, group.task)
    scores = dict(evaluation.scores)
    for metric in group.metrics:
        found = evaluate(gold, predicted, group.task, metric=metric)
        scores |= _prefixed(metric, found.scores)
    for task in group.also:
        scores |= _prefixed(task, evaluate(gold, predicted, task).scores)
    if any(example.variant for example in gold):
        scores |= _measure_robustness(group.task, gold, predicted)
    return scores, str(evaluation.signature)


def _measure_robustness(task: str, gold: Corpus, predicted: Corpus) -> dict[str, float]:
    found = score_robustness(gold, predicted, task)
    scores = {f"ars_{unit}": change.new for unit, change in found.entire.items()}
    for name, change in found.subsets.items():
        scores |= {f"{name}_ori": change.ori, f"{name}_new": change.new}
    return scores


def _prefixed(name: str, scores: dict[str, float]) -> dict[str, float]:
    return {f"{name.replace('-', '_')}_{score}": value for score, value in scores.items()}
