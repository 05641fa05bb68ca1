"""Interface: what a notebook calls that needs more than one package."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol, TypeAlias, runtime_checkable

from aspectlab.data import Corpus, Example, Part, Term
from aspectlab.errors import TaskError
from aspectlab.metrics import Evaluation, evaluate as evaluate_corpora
from aspectlab.readers import read, read_predicted
from aspectlab.reports.runs import PredictionComparison, compare_predictions
from aspectlab.tasks import TASKS, Task

Labelled: TypeAlias = Corpus | Sequence[Example] | str | Path
"""Annotated texts: a corpus, its file, or a list of examples."""


@runtime_checkable
class TrainedModel(Protocol):
    """A model that predicts a corpus, and knows its task."""

    task: str

    def predict(self, texts: Corpus) -> Corpus:
        """Return the corpus with predicted quads."""
        ...


def evaluate(
    gold: Labelled,
    predictions: Labelled | TrainedModel,
    task: str | None = None,
    *,
    metric: str | None = None,
    match: str = "exact",
) -> Evaluation:
    """Score predictions, or what a model predicts, against gold; each is a corpus, a list or a file.

    The task of a model is its own. Otherwise it is that which both sides annotate; aspects or categories that
    are the same on both sides count as given.

    >>> from aspectlab import Example, Polarity, Quad, Span, Term
    >>> praise = Quad(aspect=Term("soup", Span(4, 8)), polarity=Polarity.POSITIVE)
    >>> blame = Quad(aspect=praise.aspect, polarity=Polarity.NEGATIVE)
    >>> gold, predicted = ([Example("1", "The soup is hot.", [quad])] for quad in (praise, blame))
    >>> found = evaluate(gold, predicted)
    >>> found.metric.task.name, found.scores["accuracy"]
    ('atsc', 0.0)
    """
    wanted = _as_corpus(gold, "gold")
    if isinstance(predictions, TrainedModel):
        task, found = task or predictions.task, predictions.predict(wanted)
    else:
        found = _as_corpus(predictions, "predictions")
    task = task or find_task(wanted, found)
    return evaluate_corpora(wanted, found, task, metric=metric, match=match)


def compare(
    gold: Labelled,
    first: Labelled | TrainedModel,
    second: Labelled | TrainedModel,
    task: str | None = None,
    *,
    metric: str | None = None,
    match: str = "exact",
    resamples: int = 10_000,
    seed: int = 0,
) -> list[PredictionComparison]:
    """Compare two sets of predictions, or two models, on the same texts: the first less the second, by score.

    The tests are those of `aspectlab score GOLD FIRST SECOND`.

    >>> from aspectlab import Example, Polarity, Quad, Span, Term
    >>> praise = Quad(aspect=Term("soup", Span(4, 8)), polarity=Polarity.POSITIVE)
    >>> blame = Quad(aspect=praise.aspect, polarity=Polarity.NEGATIVE)
    >>> right, wrong = ([Example("1", "The soup is hot.", [quad])] for quad in (praise, blame))
    >>> found = compare(right, right, wrong, resamples=99)[0]
    >>> found.score, found.difference, found.p_mcnemar
    ('accuracy', 1.0, 1.0)
    """
    a = evaluate(gold, first, task, metric=metric, match=match)
    b = evaluate(gold, second, a.metric.task.name, metric=metric, match=match)
    return compare_predictions(a, b, resamples=resamples, seed=seed)


def find_task(gold: Corpus, predicted: Corpus) -> str:
    """Return the task whose parts both corpora annotate, or raise an error that lists what is possible."""
    parts = gold.annotates & predicted.annotates
    fitting = [task for task in TASKS.values() if task.parts == parts]
    chosen = next((task for task in fitting if task.given and _is_given(task, gold, predicted)), None)
    free = chosen or next((task for task in fitting if not task.given), None)
    if free is None:
        raise TaskError(
            f"predictions {predicted.name!r} for corpus {gold.name!r}: both annotate "
            f"{', '.join(sorted(parts)) or 'nothing'}, which is no task: expected one of {', '.join(TASKS)}; "
            "name it, such as evaluate(gold, predictions, 'e2e')"
        )
    return free.name


def _is_given(task: Task, gold: Corpus, predicted: Corpus) -> bool:
    """Return whether predictions judge the aspects or categories of gold: all in the text, no others."""
    found = {example.text: _name_given(task, example) for example in predicted}
    for example in gold:
        named, judged = _name_given(task, example), found.get(example.text, set())
        # what does not stand in the text cannot be judged by most models
        absent = {parts for parts in named if any(isinstance(p, Term) and not p.span for p in parts)}
        if not named - absent <= judged <= named:
            return False
    return True


def _name_given(task: Task, example: Example) -> set[tuple[object, ...]]:
    quads = task.for_predictions.select(example.quads)
    return {tuple(getattr(quad, part) for part in Part if part in task.given) for quad in quads}


def _as_corpus(given: object, name: str) -> Corpus:
    if isinstance(given, Corpus):
        return given
    if isinstance(given, str | Path):
        return read_predicted(Path(given)) if name == "predictions" else read(Path(given))
    examples: list[Example] = []
    for each in given if isinstance(given, Iterable) else [given]:
        if not isinstance(each, Example):
            more = ", or a model" if name == "predictions" else ""
            raise TypeError(
                f"evaluate: {name}: found {each!r:.60}: expected a corpus, a list of examples, a file{more}"
            )
        examples.append(each)
    return Corpus(name, examples=examples)
