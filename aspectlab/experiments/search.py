"""Search for settings: which of a study to try next, and which is best on dev; no test set takes part.

A contest is a model of a study with one encoder on one corpus: its settings compete, each by the runs on some
seeds. What to try is decided by the seed of the search and by the dev scores so far, both of which are there
again after an interruption: the same search asks for the same runs, and finds those that are finished.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import fsum
from random import Random
from types import ModuleType

from aspectlab.errors import ConfigError, MissingPartError
from aspectlab.experiments.plan import Group, Run, Schedule
from aspectlab.experiments.record import RunRecord
from aspectlab.experiments.store import RunFolder
from aspectlab.experiments.study import Study
from aspectlab.metrics import METRICS, default_metric
from aspectlab.registry import Registry

_IDLE = 20
"""How often a sampler may propose what has been tried, for each trial, before the search is over."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One setting, with the runs that it is judged by."""

    group: Group
    settings: Mapping[str, object]  # those that vary
    runs: tuple[Run, ...]

    @property
    def title(self) -> str:
        """Name the setting for people."""
        return " ".join(f"{key}={value}" for key, value in self.settings.items()) or "as it is"


@dataclass(frozen=True, slots=True)
class Contest:
    """The settings of one model, with one encoder, on one corpus, in the order of the study file."""

    model: str
    encoder: str
    corpus: str
    metric: str  # the score on dev that decides
    candidates: tuple[Candidate, ...]

    @property
    def title(self) -> str:
        """Name the contest for people."""
        return f"{self.model}/{self.encoder} on {self.corpus}"


def find_contests(study: Study, schedule: Schedule, seeds: int) -> list[Contest]:
    """Group the runs of a schedule by what competes; each setting is judged on the first so many seeds."""
    models = {(model.label, corpus): model for model in study.models for corpus in model.corpora}
    varying = {model.where: _find_varying(study, model.where) for model in study.models}
    found: dict[tuple[str, str, str], list[Candidate]] = {}
    for group, members in groupby(schedule.runs, lambda run: run.group):
        runs = list(members)
        model = models[group.label, group.corpus]
        judged = list(dict.fromkeys(run.seed for run in runs))[:seeds]
        settings = {key: model.settings[key] for key in varying[model.where]}
        candidate = Candidate(group, settings, tuple(run for run in runs if run.seed in judged))
        found.setdefault((model.where, group.encoder, group.corpus), []).append(candidate)
    return [_make_contest(candidates) for candidates in found.values()]


def _find_varying(study: Study, where: str) -> list[str]:
    """Return the settings that a table of models varies, in the order of the file."""
    tables = [model.settings for model in study.models if model.where == where]
    return [key for key in tables[0] if any(settings[key] != tables[0][key] for settings in tables)]


def _make_contest(candidates: Sequence[Candidate]) -> Contest:
    group = candidates[0].group
    metric = METRICS[default_metric(group.task)].headline
    name = group.label.removesuffix(f" {candidates[0].title}")
    return Contest(name, group.encoder, group.corpus, metric, tuple(candidates))


def read_dev(folder: RunFolder, runs: Iterable[Run], metric: str) -> dict[tuple[int, int], float]:
    """Return the dev scores of those runs that are finished, by split and seed."""
    records = ((run, folder.find(run.id)) for run in runs)
    return {(run.split, run.seed): record.dev[metric] for run, record in records if record}


def read_finished(folder: RunFolder, runs: Iterable[Run]) -> list[RunRecord]:
    """Return the records of those runs that are finished."""
    return [record for run in runs if (record := folder.find(run.id))]


def mean_dev(folder: RunFolder, candidate: Candidate, metric: str) -> float | None:
    """Return the mean score on dev; None for a setting with a run that has failed: it is out."""
    found = read_dev(folder, candidate.runs, metric)
    return fsum(found.values()) / len(found) if len(found) == len(candidate.runs) else None


def rank(folder: RunFolder, contest: Contest, tried: Iterable[Candidate]) -> list[Candidate]:
    """Order settings by their mean score on dev, the best first; equal ones stay in the order of the file."""
    order = {candidate.group.label: number for number, candidate in enumerate(contest.candidates)}
    means = {
        candidate.group.label: (mean, candidate)
        for candidate in tried
        if (mean := mean_dev(folder, candidate, contest.metric)) is not None
    }
    ranked = sorted(means, key=lambda label: (-means[label][0], order[label]))
    return [means[label][1] for label in ranked]


Tell = Callable[[Candidate], float | None]
"""Returns the mean dev score of a setting whose runs are done; None if one of them has failed."""

Sampler = Callable[[Contest, int, int, Tell], Iterator[list[Candidate]]]
"""Yields rounds of settings to try: of a contest, so many at most, by a seed, with what is known by then."""

SAMPLERS = Registry[Sampler](
    "search",
    {
        "grid": "aspectlab.experiments.search:sample_grid",
        "random": "aspectlab.experiments.search:sample_random",
        "optuna": "aspectlab.experiments.search:sample_optuna",
    },
)


def sample_grid(contest: Contest, trials: int, seed: int, tell: Tell) -> Iterator[list[Candidate]]:
    """Try every setting, in the order of the file; a grid that is larger than its budget is refused."""
    if trials < len(contest.candidates):
        raise ConfigError(
            f"{contest.title}: --trials {trials}: found {len(contest.candidates):,} settings: expected no "
            "more than trials in a grid; choose --search random or optuna, or vary less"
        )
    yield list(contest.candidates)


def sample_random(contest: Contest, trials: int, seed: int, tell: Tell) -> Iterator[list[Candidate]]:
    """Try settings in an order drawn from the seed; with more trials the first ones stay the same."""
    candidates = list(contest.candidates)
    Random(seed).shuffle(candidates)  # noqa: S311 nothing is secret
    yield candidates[:trials]


def sample_optuna(contest: Contest, trials: int, seed: int, tell: Tell) -> Iterator[list[Candidate]]:
    """Try settings one by one, as Optuna's tree-structured Parzen estimator proposes them."""
    optuna = _import_optuna()
    sampler = optuna.samplers.TPESampler(seed=seed)
    study = optuna.create_study(direction="maximize", sampler=sampler)
    by_settings = {_freeze(candidate.settings): candidate for candidate in contest.candidates}
    space = _find_space(contest)
    tried: set[str] = set()
    for _ in range(trials * _IDLE):
        if len(tried) == min(trials, len(contest.candidates)):
            return
        trial = study.ask()
        chosen = {key: values[_suggest(trial, key, values)] for key, values in space.items()}
        candidate = by_settings[_freeze(chosen)]
        if candidate.group.label not in tried:
            tried.add(candidate.group.label)
            yield [candidate]
        score = tell(candidate)
        failed = optuna.trial.TrialState.FAIL
        study.tell(trial, score, state=failed if score is None else None)


def _import_optuna() -> ModuleType:
    try:
        import optuna
    except ImportError:
        raise MissingPartError(
            "--search optuna: optuna is not installed; get it with: pip install 'aspectlab[tune]'"
        ) from None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    module: ModuleType = optuna
    return module


def _find_space(contest: Contest) -> dict[str, list[object]]:
    """Return the values of each setting; numbers in their order, which tells the sampler what is near."""
    space: dict[str, list[object]] = {}
    for candidate in contest.candidates:
        for key, value in candidate.settings.items():
            if value not in (known := space.setdefault(key, [])):
                known.append(value)
    return {
        key: sorted(values, key=_as_float) if _are_numbers(values) else values
        for key, values in space.items()
    }


def _suggest(trial: object, key: str, values: Sequence[object]) -> int:
    """Return the index of the value that a trial is to have."""
    if _are_numbers(values):
        found = trial.suggest_int(key, 0, len(values) - 1)  # type: ignore[attr-defined]
    else:
        found = trial.suggest_categorical(key, range(len(values)))  # type: ignore[attr-defined]
    return int(found)


def _are_numbers(values: Iterable[object]) -> bool:
    return all(type(value) in (int, float) for value in values)


def _as_float(value: object) -> float:
    assert isinstance(value, int | float)
    return float(value)


def _freeze(settings: Mapping[str, object]) -> str:
    return repr(sorted(settings.items()))
