"""Workshop: where runs are carried out. It keeps what the next run may need again: encoder and corpora.

Nothing that is kept depends on a run, so a run gives the same bits whatever was done before it. Captured
steps would: their sizes are those of the run that captured them. So every run has a trainer of its own.
"""

from __future__ import annotations

import copy
import tempfile
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import torch

from aspectlab.data import Corpus, Example
from aspectlab.encoders import Encoder, load_encoder
from aspectlab.encodings.dialogue import Dialogue
from aspectlab.errors import ConfigError
from aspectlab.experiments.encoders import identify_encoder
from aspectlab.experiments.jobs import MODEL_FOLDER, Files, Job, Report
from aspectlab.experiments.material import Material
from aspectlab.experiments.planning import Group
from aspectlab.experiments.recording import make_record
from aspectlab.metrics import METRICS, default_metric
from aspectlab.models import MODELS, Model, Plan, build_model
from aspectlab.readers import write
from aspectlab.reports.runs.record import write_record
from aspectlab.tasks import TASKS, Task
from aspectlab.training import save_model
from aspectlab.training.device import choose_device, seed_everything
from aspectlab.training.epoch import Epoch
from aspectlab.training.fitting import Progress, Trainer
from aspectlab.training.followups import make_followups
from aspectlab.training.predicting import predict_store
from aspectlab.training.store import Store


@dataclass(frozen=True, slots=True)
class _Bench:
    """The encoded corpora of one group of runs."""

    group: Group
    train: Store
    tests: dict[str, Store]


class Workshop:
    """Carry out runs one after the other on one device."""

    def __init__(self, device: str = "auto", *, threads: int = 1, number: int = 0) -> None:
        torch.set_num_threads(threads)
        self.device = choose_device(device)
        if self.device == torch.device("cuda"):
            # workers take the cards in turn; several of them share one
            self.device = torch.device("cuda", number % torch.cuda.device_count())
            torch.cuda.set_device(self.device)
        self._encoder: tuple[str, Encoder] | None = None
        self._bench: _Bench | None = None

    def carry_out(self, job: Job, material: Material, report: Report | None = None) -> Files:
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
            name: _predict(model, bench.tests[name], gold, trainer.plan.precision)
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

    def _prepare(self, group: Group, material: Material, model: Model) -> _Bench:
        if self._bench is None or self._bench.group != group:
            self._bench = None
            task = TASKS[group.task]
            examples = _project(task, material.corpus)
            examples += make_followups(examples, model, Plan(**group.plan))  # type: ignore[arg-type]
            train = Store(model.encoding, examples, self.device)
            tests = {
                name: _store_unlabelled(model, _project(task, test), self.device)
                for name, test in material.tests.items()
            }
            self._bench = _Bench(group, train, tests)
        return self._bench


def _project(task: Task, examples: Iterable[Example]) -> list[Example]:
    # a corpus of triplets names an aspect once for each opinion: it counts once here
    return [task.project(example) for example in examples]


def _store_unlabelled(model: Model, examples: list[Example], device: torch.device) -> Store:
    """Encode a test set without its polarities: no prediction may hang on them."""
    bare = [replace(e, quads=tuple(replace(quad, polarity=None) for quad in e.quads)) for e in examples]
    # a dialogue asks its own first questions: nothing need be encoded for it
    return Store(model.encoding, bare, device, [] if isinstance(model.encoding, Dialogue) else None)


def _predict(model: Model, store: Store, gold: Corpus, precision: str) -> Corpus:
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
