"""Execute runs on one device: train, predict, score, record."""

from __future__ import annotations

import copy
import platform
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from itertools import chain
from pathlib import Path

import torch

from aspectlab.data import Corpus, Example
from aspectlab.encoders import Encoder, identify_encoder, load_encoder
from aspectlab.encodings import MultiTurnEncoding
from aspectlab.errors import ConfigError
from aspectlab.experiments.assembly import PreparedCorpus
from aspectlab.experiments.engine import MODEL_FOLDER, Files, Job, Report
from aspectlab.experiments.plan import Group
from aspectlab.experiments.record import RunRecord, Timing, write_record
from aspectlab.metrics import METRICS, default_metric, evaluate
from aspectlab.models import MODELS, Model, Plan, build_model
from aspectlab.readers import write
from aspectlab.robustness import score_robustness
from aspectlab.tasks import TASKS, Task
from aspectlab.training import (
    EncodedDataset,
    Epoch,
    Fitted,
    Progress,
    Trainer,
    choose_device,
    encode,
    predict_store,
    save_model,
    seed_everything,
)
from aspectlab.version import VERSION


@dataclass(frozen=True, slots=True)
class _PreparedGroup:
    """The encoded corpora of one group of runs."""

    group: Group
    train: EncodedDataset
    tests: dict[str, EncodedDataset]


class RunExecutor:
    """Carry out runs one after the other on one device."""

    def __init__(self, device: str = "auto", *, threads: int = 1, number: int = 0) -> None:
        torch.set_num_threads(threads)
        self.device = choose_device(device)
        if self.device == torch.device("cuda"):
            # workers take the cards in turn; several of them share one
            self.device = torch.device("cuda", number % torch.cuda.device_count())
            torch.cuda.set_device(self.device)
        self._encoder: tuple[str, Encoder] | None = None
        self._bench: _PreparedGroup | None = None

    def carry_out(self, job: Job, material: PreparedCorpus, report: Report | None = None) -> Files:
        """Train, predict, score; gives the files of the run."""
        started = time.perf_counter()
        run, group = job.run, job.run.group
        settings = MODELS[group.model].complete_settings(group.settings, material.corpus)
        model = self._build(group, settings, run.seed).to(self.device)
        bench = self._prepare(group, material, model)
        plan = Plan(**group.plan)  # type: ignore[arg-type]
        trainer = Trainer(model, bench.train, plan, self.device)
        train, dev = material.splits[run.split]
        progress = _progress(report, group, plan) if report else None
        fitted = trainer.fit(list(train), list(dev), seed=run.seed, progress=progress)
        predicted = {
            name: _predict_corpus(model, bench.tests[name], gold, trainer.plan.precision)
            for name, gold in material.tests.items()
        }
        record = make_record(job, material, predicted, fitted, self.device, time.perf_counter() - started)
        with tempfile.TemporaryDirectory() as draft:
            folder = Path(draft)
            write_record(record, folder)
            (folder / "predictions").mkdir()
            for name, corpus in predicted.items():
                write(corpus, folder / "predictions" / f"{name}.jsonl", "jsonl")
            if job.keep_model:
                save_model(model, folder / MODEL_FOLDER, name=group.model, settings=settings)
            return _collect(folder)

    def _build(self, group: Group, settings: Mapping[str, object], seed: int) -> Model:
        if self._encoder is None or self._encoder[0] != group.place:
            self._encoder = None  # the old one goes before the new one comes
            if (found := identify_encoder(group.place)) != group.weights:
                raise ConfigError(
                    f"encoder {group.encoder!r}: found {found!r} here: expected {group.weights!r}; "
                    "install the same weights wherever runs are carried out"
                )
            self._encoder = group.place, load_encoder(group.place)
        # weights are drawn from the seed after the encoder has been loaded, as `aspectlab train` does
        encoder = copy.deepcopy(self._encoder[1])
        seed_everything(seed)
        return build_model(group.model, encoder, settings)

    def _prepare(self, group: Group, material: PreparedCorpus, model: Model) -> _PreparedGroup:
        if self._bench is None or self._bench.group != group:
            self._bench = None
            task = TASKS[group.task]
            examples = _project(task, material.corpus)
            train = encode(model, examples, [], Plan(**group.plan), self.device)  # type: ignore[arg-type]
            tests = {
                name: _encode_unlabelled(model, _project(task, test), self.device)
                for name, test in material.tests.items()
            }
            self._bench = _PreparedGroup(group, train, tests)
        return self._bench


def _project(task: Task, examples: Iterable[Example]) -> list[Example]:
    # a corpus of triplets names an aspect once for each opinion: it counts once here
    return [task.project(example) for example in examples]


def _encode_unlabelled(model: Model, examples: list[Example], device: torch.device) -> EncodedDataset:
    """Encode a test set without its polarities: no prediction may hang on them."""
    bare = [replace(e, quads=tuple(replace(quad, polarity=None) for quad in e.quads)) for e in examples]
    # a dialogue asks its own first questions: nothing need be encoded for it
    return EncodedDataset(
        model.encoding, bare, device, [] if isinstance(model.encoding, MultiTurnEncoding) else None
    )


def _predict_corpus(model: Model, store: EncodedDataset, gold: Corpus, precision: str) -> Corpus:
    task = TASKS[model.task].for_predictions
    quads = predict_store(model, store, range(len(store.examples)), precision=precision)
    found = (replace(e, quads=task.select(q)) for e, q in zip(gold, quads, strict=True))
    return replace(gold.with_examples(found), annotates=task.parts)


def _progress(report: Report, group: Group, plan: Plan) -> Progress:
    headline = METRICS[default_metric(group.task)].headline
    said = ""

    def tell(number: int, share: float, epoch: Epoch | None) -> None:
        nonlocal said
        if epoch:
            said = f" · dev {headline} {100 * epoch.dev[headline]:.1f}"
        report((number + share) / plan.epochs, f"epoch {number + 1}/{plan.epochs}{said}")

    return tell


def _collect(folder: Path) -> Files:
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


@dataclass(frozen=True, slots=True)
class FitJob:
    """Which examples to train on and to choose on, by their places, and the seed."""

    train: list[int]
    dev: list[int]
    seed: int


@dataclass(frozen=True, slots=True)
class FitOutcome:
    """A finished run: its place among the runs, how it went, and its predictions for every test set."""

    place: int
    fitted: Fitted
    predictions: dict[str, list[Example]]


def fit_many(
    build: Callable[[], Model],
    examples: Sequence[Example],
    runs: Sequence[FitJob],
    *,
    plan: Plan | None = None,
    device: str = "auto",
    tests: Mapping[str, Sequence[Example]] | None = None,
) -> Iterator[FitOutcome]:
    """Carry out the runs one after the other; `build` draws a model's weights from torch's generator.

    Labels of other tasks than the model's are left aside. The model in an outcome is reused by the next run:
    save it first if it is to be kept.
    """
    target = choose_device(device)
    model = build().to(target)
    project = TASKS[model.task].project
    parts = {name: [project(example) for example in part] for name, part in (tests or {}).items()}
    stores = {name: EncodedDataset(model.encoding, part, target) for name, part in parts.items()}
    examples = [project(example) for example in examples]
    plan = plan or model.plan
    # a follow-up of what is dev in one run may be trained on in another: each run takes its own
    store = encode(model, examples, [], plan, target)
    trainer = Trainer(model, store, plan, target)
    for place, run in enumerate(runs):
        seed_everything(run.seed)
        refresh(model, build())
        fitted = trainer.fit(run.train, run.dev, seed=run.seed)
        answers = {name: _predict(model, store, trainer.plan.precision) for name, store in stores.items()}
        yield FitOutcome(place, fitted, answers)


@torch.no_grad()
def refresh(model: Model, fresh: Model) -> None:
    """Put the weights of one model into the tensors of another."""
    old, new = (chain(part.parameters(), part.buffers()) for part in (model, fresh))
    for tensor, value in zip(old, new, strict=True):
        tensor.copy_(value)


def _predict(model: Model, store: EncodedDataset, precision: str) -> list[Example]:
    quads = predict_store(model, store, range(len(store.examples)), precision=precision)
    return [replace(example, quads=found) for example, found in zip(store.examples, quads, strict=True)]


def make_record(
    job: Job,
    material: PreparedCorpus,
    predicted: Mapping[str, Corpus],
    fitted: Fitted,
    device: torch.device,
    seconds: float,
) -> RunRecord:
    """Score the predictions and say everything that a table may ask for."""
    run, group = job.run, job.run.group
    measured = {name: measure(group, material.tests[name], found) for name, found in predicted.items()}
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
    """Say where a run was carried out, and with what."""
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
