"""Execute runs on one device: train, predict, score, record.

The runs of a group share encoder, encoded corpora and captured steps; each puts fresh weights into the same
tensors. The sizes of captured steps are those of the runs before it in the study, whoever executed them, so a
run gives the same bits in any process and after any interruption. What a driver must know of a model is
looked up here too, since the table of models needs torch.
"""

from __future__ import annotations

import copy
import platform
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import Protocol

import torch

from aspectlab.data import Corpus, Example
from aspectlab.encoders import Encoder, identify_encoder, load_encoder
from aspectlab.encodings import MultiTurnEncoding
from aspectlab.errors import ConfigError
from aspectlab.experiments.assembly import RELATIONS, PreparedCorpus
from aspectlab.experiments.engine import MODEL_FOLDER, Files, Job
from aspectlab.experiments.plan import Group, ModelInfo, ModelRequest
from aspectlab.experiments.record import RunRecord, Timing, write_record
from aspectlab.experiments.study import VARIANTS
from aspectlab.metrics import evaluate
from aspectlab.models import MODELS, Model, Plan, apply_recipe, build_model, default_settings
from aspectlab.progress import ProgressCallback
from aspectlab.readers import write
from aspectlab.registry import Registry, suggest
from aspectlab.tasks import TASKS
from aspectlab.training import (
    HISTORY,
    EncodedDataset,
    Epoch,
    Fitted,
    Trainer,
    choose_device,
    decisive_settings,
    encode,
    find_setting_problems,
    history_lines,
    load_extensions,
    make_record as make_training_record,
    predict_store,
    seed_everything,
    setting_hints,
    widen,
)
from aspectlab.version import VERSION


class ScoreModel(Protocol):
    """A test of a model beyond its predictions for the test sets."""

    def measure(self, model: Model, precision: str) -> tuple[dict[str, float], str]:
        """Return the scores by name, and what they were measured on and how."""
        ...


MODEL_TESTS = Registry[Callable[[Model, Corpus, int, torch.device], ScoreModel]](
    "test of models", {RELATIONS: "aspectlab.training.extensions.violation_rates:RelationTest"}
)


class RunExecutor:
    """Execute runs one after another on one device, and keep what the next run of the same group needs."""

    def __init__(self, device: str = "auto", *, threads: int = 1, number: int = 0) -> None:
        torch.set_num_threads(threads)
        self.device = choose_device(device)
        if self.device.type == "cuda":
            torch.set_float32_matmul_precision("high")
        if self.device == torch.device("cuda"):
            # workers take the cards in turn; several of them share one
            self.device = torch.device("cuda", number % torch.cuda.device_count())
            torch.cuda.set_device(self.device)
        self._encoder: tuple[str, Encoder] | None = None
        self._prepared: _PreparedGroup | None = None

    def execute(
        self, job: Job, corpus: PreparedCorpus, progress: ProgressCallback[Epoch | None] | None = None
    ) -> Files:
        """Train, predict and score; return the files of the run."""
        started = time.perf_counter()
        prepared = self._prepare(job, corpus)
        fitted = prepared.fit(job, progress)
        predicted = prepared.predict()
        measured = prepared.score(predicted)
        record = make_record(job, measured, fitted, self.device, time.perf_counter() - started)
        with tempfile.TemporaryDirectory() as draft:
            folder = Path(draft)
            write_record(record, folder)
            (folder / "predictions").mkdir()
            for name, found in predicted.items():
                write(found, folder / "predictions" / f"{name}.jsonl", "jsonl")
            history = history_lines([asdict(epoch) for epoch in fitted.history])
            (folder / HISTORY).write_text(history, encoding="utf-8")
            if job.keep_model:
                fitted.model.training_record = prepared.describe(job, fitted)
                fitted.model.save(folder / MODEL_FOLDER)
            return _collect(folder)

    def _prepare(self, job: Job, corpus: PreparedCorpus) -> _PreparedGroup:
        group = job.run.group
        if self._prepared is None or not self._prepared.serves(job):
            self._prepared = None  # the old one goes before the new one comes
            self._prepared = _PreparedGroup(group, corpus, self._load_encoder(group), self.device)
        return self._prepared

    def _load_encoder(self, group: Group) -> Encoder:
        if self._encoder is None or self._encoder[0] != group.location:
            self._encoder = None
            if (found := identify_encoder(group.location)) != group.weights:
                raise ConfigError(
                    f"encoder {group.encoder!r}: found {found!r} here: expected {group.weights!r}; "
                    "install the same weights wherever runs are carried out"
                )
            self._encoder = group.location, load_encoder(group.location)
        return self._encoder[1]


class GroupTrainer:
    """Train one model again and again, over splits and seeds, at the price of the arithmetic alone.

    The corpus is encoded once and stays on the device, and captured steps of one training serve the others.
    `build` draws a model's weights from torch's generator. Labels of other tasks than its own are left aside.
    """

    def __init__(
        self, build: Callable[[], Model], examples: Iterable[Example], plan: Plan, device: torch.device
    ) -> None:
        self._build = build
        self.model = build().to(device)
        # a corpus of triplets names an aspect once for each opinion: it counts once here
        projected = [TASKS[self.model.task].project(example) for example in examples]
        # a follow-up of what is dev in one run may be trained on in another: each run takes its own
        dataset = encode(self.model, projected, [], plan, device)
        self._trainer = Trainer(self.model, dataset, plan, device)
        self.precision = self._trainer.plan.precision
        self.captures = self._trainer.optimizer.on_device  # a CPU takes plain steps

    def fit(
        self,
        train: Sequence[int],
        dev: Sequence[int],
        *,
        seed: int,
        progress: ProgressCallback[Epoch | None] | None = None,
    ) -> Fitted:
        """Train on some examples and choose on others; the next training takes the same model again."""
        # weights are drawn from the seed after the encoder has been loaded, as `aspectlab train` does
        seed_everything(seed)
        copy_weights(self._build(), self.model)
        return self._trainer.fit(list(train), list(dev), seed=seed, progress=progress)

    def capture(self, train: Sequence[int], *, seed: int) -> None:
        """Capture the steps of a training that is done elsewhere."""
        self._trainer.capture(list(train), seed=seed)


@torch.no_grad()
def copy_weights(source: Model, target: Model) -> None:
    """Copy all parameters and buffers of one model into the tensors of another."""
    old, new = (chain(model.parameters(), model.buffers()) for model in (target, source))
    for tensor, value in zip(old, new, strict=True):
        tensor.copy_(value)


class _PreparedGroup:
    """What the runs of a group share."""

    def __init__(self, group: Group, corpus: PreparedCorpus, encoder: Encoder, device: torch.device) -> None:
        self._group, self._corpus = group, corpus
        self.settings = MODELS[group.model].complete_settings(group.settings, corpus.corpus)

        def build() -> Model:
            return build_model(group.model, copy.deepcopy(encoder), self.settings)

        self._trainer = GroupTrainer(build, corpus.corpus, Plan(**group.plan), device)  # type: ignore[arg-type]
        self._captured: set[tuple[int, int]] = set()  # splits and seeds whose steps are captured
        self._tests = {
            name: _encode_unlabelled(self._trainer.model, test, device) for name, test in corpus.tests.items()
        }
        self._relations: ScoreModel | None = None
        if corpus.followups:
            build_test = MODEL_TESTS[RELATIONS]
            self._relations = build_test(self._trainer.model, corpus.followups, corpus.candidates, device)

    def serves(self, job: Job) -> bool:
        """Whether nothing has been captured that the run would not have captured itself."""
        return self._group == job.run.group and self._captured <= {
            *job.earlier,
            (job.run.split, job.run.seed),
        }

    def fit(self, job: Job, progress: ProgressCallback[Epoch | None] | None) -> Fitted:
        """Train a model for one run."""
        run = job.run
        if self._trainer.captures:
            for split, seed in job.earlier:
                if (split, seed) not in self._captured:
                    self._trainer.capture(self._corpus.splits[split][0], seed=seed)
            self._captured |= {*job.earlier, (run.split, run.seed)}
        return self._trainer.fit(*self._corpus.splits[run.split], seed=run.seed, progress=progress)

    def predict(self) -> dict[str, Corpus]:
        """Predict all test sets."""
        task = TASKS[self._group.task].for_predictions
        predicted = {}
        for name, dataset in self._tests.items():
            gold, indices = self._corpus.tests[name], range(len(dataset.examples))
            quads = predict_store(self._trainer.model, dataset, indices, precision=self._trainer.precision)
            found = (replace(e, quads=task.select(q)) for e, q in zip(gold, quads, strict=True))
            predicted[name] = replace(gold.with_examples(found), annotates=task.parts)
        return predicted

    def describe(self, job: Job, fitted: Fitted) -> dict[str, object]:
        """Return the record of the training, for the card of the model."""
        corpus = self._corpus.corpus
        sides = zip(("train", "dev"), self._corpus.splits[job.run.split], strict=True)
        parts = {use: corpus.with_examples(corpus.examples[i] for i in side) for use, side in sides}
        plan = Plan(**self._group.plan)  # type: ignore[arg-type]
        return make_training_record(fitted, plan, job.run.seed, parts)

    def score(self, predicted: Mapping[str, Corpus]) -> dict[str, tuple[dict[str, float], str]]:
        """Return the scores of every test set with their signature, and the violation rates."""
        tests = self._corpus.tests
        measured = {name: measure(self._group, tests[name], found) for name, found in predicted.items()}
        if self._relations:
            measured[RELATIONS] = self._relations.measure(self._trainer.model, self._trainer.precision)
        return measured


def _encode_unlabelled(model: Model, test: Corpus, device: torch.device) -> EncodedDataset:
    """Encode a test set without its polarities: no prediction may hang on them."""
    examples = map(TASKS[model.task].project, test)
    bare = [replace(e, quads=tuple(quad.with_polarity(None) for quad in e.quads)) for e in examples]
    # a dialogue asks its own first questions: nothing need be encoded for it
    return EncodedDataset(
        model.encoding, bare, device, [] if isinstance(model.encoding, MultiTurnEncoding) else None
    )


def _collect(folder: Path) -> Files:
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def make_record(
    job: Job,
    measured: Mapping[str, tuple[dict[str, float], str]],
    fitted: Fitted,
    device: torch.device,
    seconds: float,
) -> RunRecord:
    """Return everything that a table may ask for; `measured` holds scores and signature of each test set."""
    run, group = job.run, job.run.group
    return RunRecord(
        id=run.id,
        study=job.study,
        label=group.label,
        model=group.model,
        encoder=group.encoder,
        settings={**group.settings, **group.plan},
        corpus=group.corpus,
        split=run.split,
        seed=run.seed,
        task=group.task,
        # the same for all runs of the group: a report tells rows apart by it
        protocol={**group.protocol, "encoder_weights": group.weights},
        metrics={name: scores for name, (scores, _) in measured.items()},
        dev=fitted.best.dev,
        timing=Timing(round(seconds, 3), len(fitted.history), fitted.best.number + 1),
        environment=describe_environment(device),
        signatures={name: signature for name, (_, signature) in measured.items()},
        command=job.command,
        rates=fitted.rates,
    )


def describe_environment(device: torch.device) -> dict[str, str]:
    """Report where a run was executed, and with what."""
    card = torch.cuda.get_device_name(device) if device.type == "cuda" else platform.processor()
    return {
        "aspectlab": VERSION,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "transformers": version("transformers"),
        "device": f"{device.type} {card}".strip(),
        "platform": platform.platform(),
        "host": platform.node(),
        "threads": str(torch.get_num_threads()),
    }


def measure(group: Group, gold: Corpus, predicted: Corpus) -> tuple[dict[str, float], str]:
    """Return the scores of a test set by name, and the signature of the first ones.

    Scores of another metric or task bear its name in front: `subtasks_triple_f1`, `ate_f1`. A test set with
    variants also gets `ars_aspect`, `ars_sentence` and, for each strategy, the accuracy on the originals that
    have a variant and on the variants: `revtgt_ori`, `revtgt_new`.
    """
    changes: dict[str, float] = {}
    if any(example.variant for example in gold):
        evaluation, changes = VARIANTS["arts"]().score(gold, predicted, group.task)
    else:
        evaluation = evaluate(gold, predicted, group.task)
    scores = dict(evaluation.scores)
    for metric in group.metrics:
        found = evaluate(gold, predicted, group.task, metric=metric)
        scores |= _prefixed(metric, found.scores)
    for task in group.also:
        scores |= _prefixed(task, evaluate(gold, predicted, task).scores)
    return scores | changes, str(evaluation.signature)


def _prefixed(name: str, scores: dict[str, float]) -> dict[str, float]:
    return {f"{name.replace('-', '_')}_{score}": value for score, value in scores.items()}


def inspect_models(requests: Iterable[ModelRequest]) -> list[ModelInfo]:
    """Look up some models."""
    return [_inspect(request) for request in requests]


def _inspect(request: ModelRequest) -> ModelInfo:
    if request.model not in MODELS:
        return ModelInfo(problems=(f"model {request.model!r} is unknown: {suggest(request.model, MODELS)}",))
    kind = MODELS[request.model]
    own, planned = setting_hints(kind)
    if problems := [*find_setting_problems(kind, request.settings)]:
        return ModelInfo(problems=tuple(problems))
    try:
        start, plan = apply_recipe(request.model, request.recipe)
    except ConfigError as error:
        return ModelInfo(problems=(str(error),))
    given = start | {key: widen(value, (own | planned)[key]) for key, value in request.settings.items()}
    defaults = default_settings(kind)
    settings = {**defaults, **{key: value for key, value in given.items() if key in own}}
    settings = {k: v for k, v in settings.items() if k not in kind.later or v != defaults[k]}
    plan = replace(plan, **{key: value for key, value in given.items() if key in planned})  # type: ignore[arg-type]
    # what a corpus tells of its categories may decide what is learnt
    task = kind.task_of(kind.complete_settings(settings, request.samples))
    for extension in load_extensions(plan):
        if problem := extension.find_problem(request.model, task):
            return ModelInfo(problems=(problem,))
    package = MODELS.package_of(request.model)
    return ModelInfo(
        task,
        kind.default_encoder,
        settings,
        decisive_settings(plan),
        package=package,
        needs_posttraining=kind.needs_posttraining,
    )
