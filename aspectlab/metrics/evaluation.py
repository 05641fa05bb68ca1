"""Evaluate: pair gold and predicted examples, count each pair, score the sum."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from aspectlab.data import Corpus, Example
from aspectlab.errors import ConfigError, DataError, TaskError
from aspectlab.metrics.matching import Match
from aspectlab.metrics.metric import METRICS, IntArray, Metric, Signature, default_metric
from aspectlab.registry import suggest
from aspectlab.tasks import TASKS, Task

_SHOWN = 3
"""How many ids an error names."""


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The counts of every example, the scores of their sum, and what was measured."""

    metric: Metric
    counts: IntArray  # [N, K]
    scores: dict[str, float]
    signature: Signature


def evaluate(
    gold: Corpus, predicted: Corpus, task: str, *, metric: str | None = None, match: str = Match.EXACT
) -> Evaluation:
    """Score the predictions for a corpus; examples are paired by id and must have the same texts.

    >>> from aspectlab.data import Part, Polarity, Quad, Term
    >>> tea = Example("1", "It was fine.", (Quad(aspect=Term("tea"), polarity=Polarity.POSITIVE),))
    >>> gold = Corpus("mine", "en", frozenset({Part.ASPECT, Part.POLARITY}), (tea,))
    >>> evaluate(gold, gold, "pairs").scores["f1"]
    1.0
    """
    chosen = TASKS[task]
    if match not in set(Match):
        raise ConfigError(f"match {match!r} is unknown: {suggest(match, [choice.value for choice in Match])}")
    measure = METRICS[metric or default_metric(task)](chosen, match=Match(match))
    chosen.check(gold)
    pairs = pair_examples(gold, predicted)
    _refuse_foreign_quads(predicted, chosen)
    _refuse_unlabelled(gold, chosen)
    counts = np.stack([_count(measure, gold.name, *pair) for pair in pairs])  # [N, K]
    scores = {name: float(value) for name, value in measure.score(counts.sum(axis=0)).items()}
    signature = Signature(task, measure.headline, gold.name, gold.sha256, measure.name, measure.match)
    return Evaluation(measure, counts, scores, signature)


def pair_examples(gold: Corpus, predicted: Corpus) -> list[tuple[Example, Example]]:
    """Pair the examples of two corpora by id, in gold order, or say which do not fit.

    >>> one, two = (Corpus(name, "en", frozenset(), (Example(name, "Nice."),)) for name in "ab")
    >>> pair_examples(one, two)
    Traceback (most recent call last):
    aspectlab.errors.DataError: predictions 'b' for corpus 'a': found 1 example(s) missing ('a'): expected \
every example of the corpus; write those without opinions too, with an empty list of quads
    """
    where = f"predictions {predicted.name!r} for corpus {gold.name!r}"
    wanted, found = (_by_id(corpus) for corpus in (gold, predicted))
    if not wanted:
        raise DataError(f"{where}: found no examples in the corpus: expected at least one; check the file")
    if missing := [name for name in wanted if name not in found]:
        raise DataError(
            f"{where}: found {len(missing)} example(s) missing ({_show(missing)}): expected every "
            "example of the corpus; write those without opinions too, with an empty list of quads"
        )
    if surplus := [name for name in found if name not in wanted]:
        raise DataError(
            f"{where}: found {len(surplus)} example(s) too many ({_show(surplus)}): expected only ids of the "
            "corpus; check that both files are of the same split"
        )
    if different := [name for name in wanted if wanted[name].text != found[name].text]:
        raise DataError(
            f"{where}: found another text in {len(different)} example(s) ({_show(different)}): expected the "
            "texts of the corpus, character by character; predict on the same file that you score against"
        )
    return [(example, found[name]) for name, example in wanted.items()]


def _by_id(corpus: Corpus) -> dict[str, Example]:
    examples = {example.id: example for example in corpus}
    if len(examples) < len(corpus):
        raise DataError(
            f"corpus {corpus.name!r}: found {len(corpus)} examples with {len(examples)} different ids: "
            "expected unique ids; rename the repeated ones"
        )
    return examples


def _refuse_foreign_quads(predicted: Corpus, task: Task) -> None:
    """Refuse predictions of which not one is about the task: a wrong file would score a quiet zero."""
    quads = [quad for example in predicted for quad in example.quads]
    if quads and not task.for_predictions.select(quads):
        raise TaskError(
            f"predictions {predicted.name!r}: found {len(quads)} quad(s), none with what task {task.name!r} "
            f"judges: expected {', '.join(sorted(task.parts))}; predict for this task or score another one"
        )


def _refuse_unlabelled(gold: Corpus, task: Task) -> None:
    """Refuse gold in which there is nothing to find: every system would have the same score."""
    if not any(task.select(example.quads) for example in gold):
        raise TaskError(
            f"corpus {gold.name!r}: found nothing that task {task.name!r} judges among {len(gold):,} "
            "example(s): expected some labels; score against a labelled file"
        )


def _count(metric: Metric, corpus: str, gold: Example, predicted: Example) -> IntArray:
    try:
        return metric.count(gold.quads, predicted.quads)
    except TaskError as error:
        raise TaskError(f"corpus {corpus!r}: example {gold.id!r}: {error}") from None


def _show(names: list[str]) -> str:
    return ", ".join(map(repr, names[:_SHOWN])) + (", …" if len(names) > _SHOWN else "")
