"""Interface: what a notebook calls that needs more than one package, and what scikit-learn and spaCy call."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from itertools import islice
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeAlias, runtime_checkable

from aspectlab.data import Corpus, Example, Part, Polarity, Quad, Term
from aspectlab.errors import ConfigError, TaskError
from aspectlab.metrics import Evaluation, evaluate as evaluate_corpora
from aspectlab.readers import find_term, read, read_predicted
from aspectlab.registry import suggest
from aspectlab.reports.runs import PredictionComparison, compare_predictions
from aspectlab.tasks import TASKS, Task

if TYPE_CHECKING:
    from spacy.tokens import Doc

    from aspectlab.analyzer import Analyzer

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


class Estimator:
    """A model as scikit-learn has them: `fit(X, y)`, `predict`, `score`, and settings that a search changes.

    Of a model that judges given aspects (task `atsc`) X holds pairs of a text and an aspect, y polarities; of
    one that finds triplets (`aste`) X holds texts, y the quads of each. X may hold examples too. A part of
    the texts is dev, which chooses the epoch.

    >>> from aspectlab import Estimator
    >>> Estimator("stage", epochs=3).get_params()["epochs"]
    3
    """

    def __init__(
        self,
        model: str = "marked",
        encoder: str | None = None,
        *,
        recipe: str = "ours",
        epochs: int | None = None,
        batch_size: int | None = None,
        learning_rate: float | None = None,
        settings: Mapping[str, object] | None = None,
        dev_size: float = 0.2,
        seed: int = 1,
        device: str = "auto",
    ) -> None:
        self.model, self.encoder, self.recipe = model, encoder, recipe
        self.epochs, self.batch_size, self.learning_rate = epochs, batch_size, learning_rate
        self.settings, self.dev_size, self.seed, self.device = settings, dev_size, seed, device

    def get_params(self, deep: bool = True) -> dict[str, object]:
        """Return all settings by name."""
        return {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}

    def set_params(self, **params: object) -> Self:
        """Change settings; an unknown one is refused."""
        known = self.get_params()
        for name, value in params.items():
            if name not in known:
                raise ValueError(f"Estimator: parameter {name!r} is unknown: {suggest(name, known)}")
            setattr(self, name, value)
        return self

    def fit(self, X: Iterable[object], y: Iterable[object] | None = None) -> Self:  # noqa: N803
        """Train on texts and their labels; the model is then `model_`."""
        examples = [_as_example(n, row, label) for n, (row, label) in enumerate(_zip_labels(X, y))]
        self.classes_ = sorted({q.polarity.value for e in examples for q in e.quads if q.polarity})
        texts = sorted({example.text for example in examples})
        Random(self.seed).shuffle(texts)  # noqa: S311 (no cryptography)
        held = set(texts[: max(1, round(self.dev_size * len(texts)))])
        train, dev = ([e for e in examples if (e.text in held) is side] for side in (False, True))
        named = {"epochs": self.epochs, "batch_size": self.batch_size, "learning_rate": self.learning_rate}
        changes = {name: value for name, value in named.items() if value is not None}
        training = import_module("aspectlab.training")  # torch only where a model is trained
        fitted = training.fit(
            self.model,
            train,
            dev,
            encoder=self.encoder,
            recipe=self.recipe,
            seed=self.seed,
            device=self.device,
            **changes,
            **(self.settings or {}),
        )
        self.model_ = fitted.model
        return self

    def predict(self, X: Iterable[object]) -> list[Any]:  # noqa: N803
        """Return a polarity for every aspect, or the quads of every text."""
        return [self._answer(example.quads) for example in self._predict(X)]

    def score(self, X: Iterable[object], y: Iterable[object] | None = None) -> float:  # noqa: N803
        """Return the headline score of the task: accuracy, or F1 of exact quads."""
        rows = list(X)
        gold = [_as_example(n, row, label) for n, (row, label) in enumerate(_zip_labels(rows, y))]
        found = evaluate_corpora(
            Corpus("gold", annotates=TASKS[self.model_.task].parts, examples=gold),
            Corpus("predicted", annotates=TASKS[self.model_.task].parts, examples=self._predict(rows)),
            self.model_.task,
        )
        return found.scores[found.metric.headline]

    def _predict(self, rows: Iterable[object]) -> list[Example]:
        if not hasattr(self, "model_"):
            raise ConfigError("Estimator: it is not fitted yet; call fit first")
        examples = [_as_example(number, row, None) for number, row in enumerate(rows)]
        predicted: list[Example] = self.model_.predict(examples)
        return predicted

    def _answer(self, quads: Sequence[Quad]) -> object:
        if not TASKS[self.model_.task].given:
            return tuple(quads)
        # an aspect that does not stand in the text cannot be judged
        return quads[0].polarity.value if quads and quads[0].polarity else self.classes_[0]

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def __sklearn_tags__(self) -> object:
        """Return what scikit-learn asks before it validates: only models of given aspects are classifiers."""
        utils = import_module("sklearn.utils")
        kind = import_module("aspectlab.models").MODELS[self.model]
        is_classifier = bool(TASKS[kind.task_of(self.settings or {})].given)
        return utils.Tags(
            estimator_type="classifier" if is_classifier else None,
            target_tags=utils.TargetTags(required=True),
            classifier_tags=utils.ClassifierTags() if is_classifier else None,
            input_tags=utils.InputTags(string=True, two_d_array=False),
        )

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self)).parameters
        own = {n: v for n, v in self.get_params().items() if v != defaults[n].default}
        return f"Estimator({', '.join(f'{name}={value!r}' for name, value in own.items())})"


def _zip_labels(rows: Iterable[object], labels: Iterable[object] | None) -> Iterator[tuple[object, object]]:
    held = list(rows)
    named = [None] * len(held) if labels is None else list(labels)
    if len(named) != len(held):
        raise ConfigError(
            f"Estimator: found {len(held)} texts and {len(named)} labels: expected one for each"
        )
    return zip(held, named, strict=True)


def _as_example(number: int, row: object, label: object) -> Example:
    """Make an example of a text, of a text with an aspect, or of an example, with its label."""
    if isinstance(row, Example):
        if label is None:
            return replace(row, id=str(number))
        quads = _label_aspects(row.quads, label) if isinstance(label, str) else tuple(_list_quads(label))
        return replace(row, id=str(number), quads=quads)
    if isinstance(row, str):
        return Example(str(number), row, tuple(_list_quads(label or ())))
    if not isinstance(row, Sequence) or len(row) != 2 or not all(isinstance(part, str) for part in row):
        raise TypeError(
            f"Estimator: row {number}: found {row!r:.60}: expected a text, (text, aspect), or an example"
        )
    text, aspect = row
    quad = Quad(aspect=find_term(text, aspect))
    return Example(str(number), text, _label_aspects((quad,), label))


def _label_aspects(quads: Sequence[Quad], label: object) -> tuple[Quad, ...]:
    return tuple(quad.with_polarity(None if label is None else Polarity(str(label))) for quad in quads)


def _list_quads(label: object) -> Iterator[Quad]:
    for quad in label if isinstance(label, Iterable) else [label]:
        if not isinstance(quad, Quad):
            raise TypeError(f"Estimator: found the label {quad!r:.60}: expected the quads of a text")
        yield quad


class SpacyComponent:
    """The analyzer in spaCy: opinions in `doc._.opinions`, their aspects in `doc.spans["aspects"]`."""

    def __init__(self, analyzer: Analyzer) -> None:
        self.analyzer = analyzer

    def __call__(self, doc: Doc) -> Doc:
        """Find the opinions of a document."""
        return next(self.pipe([doc]))

    def pipe(self, docs: Iterable[Doc], batch_size: int = 64) -> Iterator[Doc]:
        """Find the opinions of documents, some at a time."""
        stream = iter(docs)
        while block := list(islice(stream, batch_size)):
            for doc, result in zip(block, self.analyzer.analyze([doc.text for doc in block]), strict=True):
                doc._.opinions = list(result.opinions)
                found = {(each.aspect_start, each.aspect_end, each.polarity) for each in result.opinions}
                spans = [
                    doc.char_span(start, end, label=polarity or "", alignment_mode="expand")
                    for start, end, polarity in sorted(place for place in found if place[0] is not None)
                    if start is not None and end is not None
                ]
                doc.spans["aspects"] = [span for span in spans if span is not None]
                yield doc


def _register_component() -> object:
    """Register the component with spaCy; its entry point is read whenever a pipeline is made."""
    language, tokens = import_module("spacy.language").Language, import_module("spacy.tokens")
    if not tokens.Doc.has_extension("opinions"):
        tokens.Doc.set_extension("opinions", default=None)

    def make(nlp, name, model, engine, min_probability):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN202
        analyzer = import_module("aspectlab.analyzer").Analyzer
        return SpacyComponent(analyzer(model, engine, min_probability=min_probability))

    usual = {"model": None, "engine": "auto", "min_probability": 0.0}
    return language.factory("aspectlab", default_config=usual, func=make)


def __getattr__(name: str) -> object:
    if name == "spacy_component":
        return _register_component()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
