"""Turn a study into runs: each has an id, the hash of everything that decides its result."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import takewhile

from aspectlab.data import Corpus, Example
from aspectlab.encoders import PRETRAINED, find_encoder_problem, identify_encoder
from aspectlab.errors import AspectlabError, ConfigError
from aspectlab.experiments.assembly import CorpusCache, PreparedCorpus, hash_texts
from aspectlab.experiments.study import SELECTION, CorpusConfig, EncoderConfig, ModelConfig, Study
from aspectlab.metrics import METRICS
from aspectlab.tasks import TASKS


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """A model by name, the settings that a study gives it, and a few examples of what it is trained on."""

    model: str
    settings: Mapping[str, object]
    samples: tuple[Example, ...] = ()
    recipe: str = "ours"


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """What a driver must know of a model."""

    task: str = ""
    encoder: str = ""  # its own, for a study that names none
    settings: Mapping[str, object] = field(default_factory=dict)  # all of them, with today's defaults
    plan: Mapping[str, object] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    package: str = ""  # of others, that it comes from
    needs_posttraining: bool = False  # of its encoder


PROTOCOL = 1
"""Raised when the same study would give other results than before: then every run has a new id."""

_ID_LENGTH = 20

Inspect = Callable[[Sequence[ModelRequest]], Sequence[ModelInfo]]
"""Looks models up; the one that does needs torch and may live in another process."""


@dataclass(frozen=True, slots=True)
class Group:
    """The runs of one model with one encoder on one corpus; they differ by split and seed only."""

    label: str
    model: str
    encoder: str
    weights: str  # which those of the encoder are
    settings: Mapping[str, object]
    plan: Mapping[str, object]
    task: str
    metrics: tuple[str, ...]
    also: tuple[str, ...]
    corpus: str
    material: str  # the key of what it needs
    protocol: Mapping[str, object]
    location: str = (
        ""  # where the encoder is loaded from; a row is named by the word that the study has for it
    )

    @property
    def title(self) -> str:
        """Name the group for people."""
        return f"{self.label} · {self.encoder} · {self.corpus}"


@dataclass(frozen=True, slots=True)
class Run:
    """One training and its measurement."""

    id: str
    group: Group
    split: int
    seed: int

    @property
    def title(self) -> str:
        """Name the run for people."""
        return f"{self.group.title} · split {self.split} · seed {self.seed}"


@dataclass(frozen=True, slots=True)
class Schedule:
    """All runs of a study, in the order in which they are best done, and what they need."""

    study: Study
    runs: tuple[Run, ...]
    materials: Mapping[str, PreparedCorpus]

    def only(self, runs: Collection[Run]) -> Schedule:
        """Return the schedule of some of the runs, in the same order."""
        kept = {run.id for run in runs}
        return replace(self, runs=tuple(run for run in self.runs if run.id in kept))

    def earlier(self, run: Run) -> tuple[tuple[int, int], ...]:
        """Return split and seed of the runs that come before one in its group."""
        before = takewhile(lambda each: each is not run, self.runs)
        return tuple((each.split, each.seed) for each in before if each.group is run.group)


def plan_runs(study: Study, inspect: Inspect, *, with_tests: bool = True) -> tuple[Schedule, list[str]]:
    """Read the corpora, look the models up, and plan all runs; gives them and what is wrong.

    What is odd but asked for is added to the notices of the study. Without tests the runs are others: they
    see no test set, and their records hold the scores on dev alone.
    """
    problems: list[str] = []
    shelf, materials = CorpusCache(), {}
    for name, plan in study.corpora.items():
        try:
            materials[name] = shelf.collect(plan, study.splitting)
        except AspectlabError as error:
            problems.append(f"{study.path.name}: corpora.{name}: {error}")
        else:
            study.notices.extend(_tell_shared(study, materials[name]))
    samples = {name: _sample(material.corpus) for name, material in materials.items()}
    pairs = [(model, name) for model in study.models for name in model.corpora]
    facts = inspect([ModelRequest(m.name, m.settings, samples.get(name, ()), m.recipe) for m, name in pairs])
    runs: list[Run] = []
    for (model, name), found in zip(pairs, facts, strict=True):
        problems += [f"{model.where}: {problem}" for problem in _find_problems(study, model, found)]
        if name in materials and not found.problems:
            material, plan = materials[name], study.corpora[name]
            problems += [f"{model.where}: {problem}" for problem in _find_misfit(found, material, plan)]
            material = material if with_tests else material.without_tests()
            groups = _make_groups(study, model, found, material)
            runs += [run for group in groups for run in _make_runs(group, material, study, model)]
    problems += _find_repeated(study, runs)
    used = [material if with_tests else material.without_tests() for material in materials.values()]
    return Schedule(study, tuple(runs), {m.key: m for m in used}), list(dict.fromkeys(problems))


def _sample(corpus: Corpus) -> tuple[Example, ...]:
    """Return a few examples that together show all annotation styles and categories."""
    seen: set[tuple[str | None, str | None]] = set()
    samples = []
    for example in corpus:
        shown = {(example.style, quad.category) for quad in example.quads} or {(example.style, None)}
        if not shown <= seen:
            seen |= shown
            samples.append(example)
    return tuple(samples)


def _tell_shared(study: Study, material: PreparedCorpus) -> Iterator[str]:
    where = f"{study.path.name}: corpora.{material.name}.tests"
    for test, count in material.count_shared().items():
        yield f"{where}.{test}: examples whose text stands in train or dev too, and is kept there: {count:,}"


def _find_problems(study: Study, model: ModelConfig, facts: ModelInfo) -> Iterator[str]:
    yield from (f"model {model.name!r}: {p}" if not p.startswith("model ") else p for p in facts.problems)
    for encoder in _list_encoders(model, facts):
        if encoder.location and (problem := find_encoder_problem(encoder.location)):
            yield problem
        if facts.needs_posttraining and encoder.location in PRETRAINED:
            yield (
                f"model {model.name!r}: found the encoder {encoder.location!r}: expected one that was "
                "post-trained; make one with `aspectlab posttrain`, or take the model bert"
            )
    if facts.problems:
        return
    if study.task and facts.task != study.task:
        yield f"model {model.name!r} learns {facts.task!r}: the study's task is {study.task!r}"
    for metric in (name for name in study.metrics if name in METRICS):
        if facts.task not in METRICS[metric].tasks:
            fits = ", ".join(sorted(METRICS[metric].tasks))
            yield f"metric {metric!r} fits the tasks {fits}: model {model.name!r} learns {facts.task!r}"


def _find_misfit(facts: ModelInfo, material: PreparedCorpus, plan: CorpusConfig) -> Iterator[str]:
    """Name the corpora that do not annotate what the model learns, or not in the way it needs."""
    if plan.adversarial and facts.task != "atsc":
        yield f"corpus {plan.name!r} has variants of single aspects: expected 'atsc', not {facts.task!r}"
    if plan.relations and facts.task not in ("aste", "asqp"):
        yield f"corpus {plan.name!r} has relations about triplets: expected 'aste', not {facts.task!r}"
    lessons = [key for key in ("curriculum", "variant_ratio") if key in facts.plan]
    if lessons and not any(example.variant for example in material.corpus):
        yield f"{lessons[0]}: corpus {plan.name!r} has no variants: add adversarial = [...] to it"
    task = TASKS[facts.task]
    for part, corpus in (("train", material.corpus), *_name_tests(material)):
        try:
            task.check(corpus)
        except AspectlabError as error:
            yield str(error)
        else:
            if not any(task.select(example.quads) for example in corpus):
                yield (
                    f"corpora.{plan.name}.{part}: found nothing that {task.name!r} judges among "
                    f"{len(corpus):,} examples: expected some; name a file with labels, which `aspectlab "
                    "data stats` counts"
                )


def _name_tests(material: PreparedCorpus) -> Iterator[tuple[str, Corpus]]:
    return ((f"tests.{name}", test) for name, test in material.tests.items())


def _make_groups(
    study: Study, model: ModelConfig, facts: ModelInfo, material: PreparedCorpus
) -> Iterator[Group]:
    source = study.corpora[material.name].train
    protocol: dict[str, object] = {
        "version": PROTOCOL,
        "selection": SELECTION,
        "threads": study.threads,
        **asdict(source.reading),
        "splits": study.splitting.splits,
        "dev": study.splitting.dev,
        "split_seed": study.splitting.seed,
        "drop_shared": study.corpora[material.name].drop_shared,
        "sha256": {
            name: digest for name, digest in material.digests.items() if not name.startswith("split:")
        },
    }
    # what packages of others add may change with their versions
    if found := [*filter(None, (facts.package, *map(METRICS.package_of, study.metrics)))]:
        protocol["packages"] = found
    judged = TASKS[facts.task].judges
    also = tuple(task for task in study.also if task in TASKS and TASKS[task].judges < judged)
    # runs that were measured otherwise are others: a report must be able to tell them apart
    protocol |= {name: [*more] for name, more in (("metrics", study.metrics), ("also", also)) if more}
    for encoder in _list_encoders(model, facts):
        yield Group(
            label=model.label,
            model=model.name,
            encoder=encoder.name,
            location=encoder.location,
            weights=identify_encoder(encoder.location),
            settings=facts.settings,
            plan=facts.plan,
            task=facts.task,
            metrics=study.metrics,
            also=also,
            corpus=material.name,
            material=material.key,
            protocol=protocol,
        )


def _list_encoders(model: ModelConfig, facts: ModelInfo) -> tuple[EncoderConfig, ...]:
    return model.encoders or (EncoderConfig(facts.encoder, facts.encoder),)


def _make_runs(group: Group, material: PreparedCorpus, study: Study, model: ModelConfig) -> Iterator[Run]:
    decisive = [group.model, group.weights, group.settings, group.plan, group.task, group.metrics, group.also]
    packages = [group.protocol["packages"]] if "packages" in group.protocol else []
    tests = {name: digest for name, digest in material.digests.items() if name.startswith("test:")}
    common = json.dumps([PROTOCOL, group.protocol["threads"], *decisive, tests, *packages], sort_keys=True)
    base = hash_texts(common, material.digests["train"])
    for number in [*material.splits][: model.splits]:
        for seed in model.seeds or study.seeds:
            digest = hash_texts(base, material.digests[f"split:{number}"], str(seed))
            yield Run(digest[:_ID_LENGTH], group, number, seed)


def _find_repeated(study: Study, runs: Sequence[Run]) -> Iterator[str]:
    """Name runs that are planned twice, and rows of a table that would mix two kinds of runs."""
    seen: dict[str, Run] = {}
    rows: dict[tuple[str, str, str], Group] = {}
    for run in runs:
        group, first = run.group, seen.setdefault(run.id, run)
        if first is not run and first.group is group:
            # a small corpus has few ways to be split
            yield (
                f"{study.path.name}: corpora.{group.corpus}: splits {first.split} and {run.split} are the "
                "same: expected different ones; lower protocol.splits or raise protocol.dev"
            )
        elif first is not run:
            titles = f"{first.group.title} = {group.title}"
            yield f"{study.path.name}: the same runs twice: {titles}: remove one"
        elif rows.setdefault((group.label, group.encoder, group.corpus), group) is not group:
            yield f"{study.path.name}: two models have the label {group.label!r}: give one another label"


def refuse_problems(study: Study, problems: Sequence[str]) -> None:
    """Raise an error that lists all mistakes."""
    if problems:
        lines = "\n".join(f"  {problem}" for problem in problems)
        raise ConfigError(f"{study.path}: found {len(problems)} mistake(s):\n{lines}")
