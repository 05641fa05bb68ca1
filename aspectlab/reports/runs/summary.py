"""Summary: the runs of a report by test set, metric and system; systems named so that two never share
a name.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from aspectlab.errors import ConfigError, DataError
from aspectlab.registry import suggest
from aspectlab.reports.runs.load import RunResult
from aspectlab.reports.runs.published import Gap, measure_gaps
from aspectlab.reports.runs.significance import Rank, RunKey, group_by_split, mark_best, order_metric
from aspectlab.reports.runs.table import make_digest
from aspectlab.stats import Decomposition, decompose


@dataclass(frozen=True, slots=True, order=True)
class System:
    """A model with its encoder, under the name that tables and the command line use."""

    name: str
    label: str
    model: str
    encoder: str

    @property
    def kind(self) -> tuple[str, str]:
        """What begins alike with the same seed."""
        return self.model, self.encoder


def name_systems(results: Sequence[RunResult]) -> list[tuple[System, RunResult]]:
    """Name every run's system: LABEL/ENCODER, with those settings in which runs of one split differ.

    Settings that change from corpus to corpus or from split to split are part of the recipe: no name.

    >>> runs = [RunResult("bert", "bert", "minilm", {"epochs": n}, "atsc", "rest14", 1, 1, {}) for n in "48"]
    >>> [system.name for system, _ in name_systems(runs)]
    ['bert/minilm [epochs=4]', 'bert/minilm [epochs=8]']
    """
    kinds: dict[tuple[str, str, str], list[RunResult]] = defaultdict(list)
    for result in results:
        kinds[result.task, result.label, result.encoder].append(result)
    telling = {kind: _distinguishing_settings(members) for kind, members in kinds.items()}
    named = [
        (_make_system(result, telling[result.task, result.label, result.encoder]), result)
        for result in results
    ]
    _refuse_repeated(named)
    return named


def find_system(name: str, systems: Iterable[System], option: str) -> System:
    """Find a system by its name, or by its label or model where only one has it."""
    known = sorted(set(systems))
    for fits in (
        [system for system in known if system.name == name],
        [system for system in known if system.label == name],
        [system for system in known if system.model == name],
    ):
        if len(fits) == 1:
            return fits[0]
        if fits:
            choices = ", ".join(repr(system.name) for system in fits)
            raise ConfigError(f"{option} {name!r}: found {len(fits)} systems: expected one of {choices}")
    raise ConfigError(f"{option} {name!r} is unknown: {suggest(name, [system.name for system in known])}")


def _make_system(result: RunResult, telling: Iterable[str]) -> System:
    name = f"{result.label}/{result.encoder}" if result.encoder else result.label
    pairs = [f"{key}={result.settings[key]}" for key in telling if key in result.settings]
    if pairs:
        name += f" [{' '.join(pairs)}]"
    return System(name, result.label, result.model, result.encoder)


def _distinguishing_settings(results: Iterable[RunResult]) -> list[str]:
    """Return the settings that have more than one value on one split of one corpus."""
    splits: dict[tuple[str, int], list[Mapping[str, str]]] = defaultdict(list)
    for result in results:
        splits[result.corpus, result.split].append(result.settings)
    return sorted(
        {
            key
            for members in splits.values()
            for key in {key for settings in members for key in settings}
            if len({settings.get(key) for settings in members}) > 1
        }
    )


def _refuse_repeated(named: Iterable[tuple[System, RunResult]]) -> None:
    seen: dict[tuple[str, str, str, int, int], RunResult] = {}
    for system, result in named:
        key = (system.name, result.task, result.corpus, result.split, result.seed)
        if key in seen:
            origins = "; ".join(run.provenance for run in (seen[key], result))
            raise DataError(
                f"{system.name} on {result.corpus}, split {result.split}, seed {result.seed}: found two runs "
                f"with the same settings ({origins}): expected one; remove one of them, or report the two "
                "studies apart"
            )
        seen[key] = result


ValuesBySystem = Mapping[System, Mapping[RunKey, float]]


class Target(NamedTuple):
    """What was measured on: a test set of a corpus, for a task."""

    task: str
    corpus: str
    test: str

    def __str__(self) -> str:
        return " · ".join(part for part in (self.task.upper(), self.corpus, self.test) if part)


@dataclass(frozen=True, slots=True)
class DevScore:
    """What chose the epochs of a system, in percent, on the dev parts of its runs."""

    metric: str
    values: Mapping[RunKey, float]

    @property
    def mean(self) -> float:
        """The mean of all runs."""
        return sum(self.values.values()) / len(self.values)


@dataclass(frozen=True, slots=True)
class Cell:
    """The scores of one system by one metric on one test set, in percent: how they spread and stand."""

    system: System
    values: Mapping[RunKey, float]
    spread: Decomposition
    rank: Rank
    gaps: tuple[Gap, ...]  # to what papers printed


@dataclass(frozen=True, slots=True)
class Section:
    """All that was measured on one test set: metric -> cells in the order of systems."""

    target: Target
    columns: Mapping[str, tuple[Cell, ...]]
    runs: int
    signatures: tuple[str, ...]  # the ways of measuring that the runs name
    digest: str  # of all values, so that a table can be told from one of other runs
    dev: Mapping[System, DevScore]  # of those systems all of whose runs say it

    @property
    def systems(self) -> list[System]:
        """All systems of the section, by name."""
        return sorted({cell.system for cells in self.columns.values() for cell in cells})


@dataclass(frozen=True, slots=True)
class RunReport:
    """All that a report shows: its title, the runs, and their summary, a section per test set."""

    title: str
    results: Sequence[RunResult]
    sections: Sequence[Section]


def summarise(results: Sequence[RunResult]) -> list[Section]:
    """Group runs by test set, a section each, in a fixed order."""
    values: dict[Target, dict[str, dict[System, dict[RunKey, float]]]] = {}
    signatures: dict[Target, set[str]] = defaultdict(set)
    runs: dict[Target, dict[System, list[RunResult]]] = defaultdict(lambda: defaultdict(list))
    for system, result in name_systems(results):
        for test, scores in result.scores.items():
            target = Target(result.task, result.corpus, test)
            runs[target][system].append(result)
            for metric, value in scores.items():
                column = values.setdefault(target, {}).setdefault(metric, {})
                column.setdefault(system, {})[result.split, result.seed] = value
            if test in result.signatures:
                signatures[target].add(result.signatures[test])
    if not values:
        raise DataError("the runs hold no scores: expected at least one measured test set; run the study on")
    return [
        _make_section(target, values[target], signatures[target], _find_dev(runs[target]))
        for target in sorted(values)
    ]


def select_metric(section: Section, metric: str) -> Section:
    """Return the section with one metric only."""
    columns = {metric: section.columns[metric]}
    return replace(section, columns=columns, digest=_digest(columns))


def _find_dev(runs: Mapping[System, Sequence[RunResult]]) -> dict[System, DevScore]:
    """Find the dev score of each system: the first that all of its runs have."""
    found = {}
    for system, results in runs.items():
        shared = set.intersection(*(set(result.dev) for result in results))
        if shared:
            metric = min(shared, key=order_metric)
            found[system] = DevScore(
                metric, {(result.split, result.seed): result.dev[metric] for result in results}
            )
    return found


def _find_eligible(systems: Sequence[System], dev: Mapping[System, DevScore]) -> list[bool]:
    """Return which systems may be the best: of several settings of one model those that dev prefers.

    Where settings cannot be compared on dev, none of them may: the test set would have chosen.
    """
    groups: dict[tuple[str, str], list[System]] = defaultdict(list)
    for system in systems:
        groups[system.label, system.encoder].append(system)
    chosen: set[System] = set()
    for members in groups.values():
        scores = [dev.get(system) for system in members]
        known = [score for score in scores if score is not None]
        if len(members) == 1:
            chosen.add(members[0])
        elif len(known) == len(members) and len({score.metric for score in known}) == 1:
            highest = max(score.mean for score in known)
            chosen |= {system for system, score in zip(members, known, strict=True) if score.mean == highest}
    return [system in chosen for system in systems]


def _make_section(
    target: Target,
    metrics: Mapping[str, ValuesBySystem],
    signatures: Iterable[str],
    dev: Mapping[System, DevScore],
) -> Section:
    names = sorted(metrics, key=order_metric)
    columns = {metric: _make_cells(target, metric, metrics[metric], dev) for metric in names}
    runs = {(system, key) for column in metrics.values() for system in column for key in column[system]}
    return Section(target, columns, len(runs), tuple(sorted(signatures)), _digest(columns), dev)


def _make_cells(
    target: Target, metric: str, column: ValuesBySystem, dev: Mapping[System, DevScore]
) -> tuple[Cell, ...]:
    systems = sorted(column)
    ranks = mark_best(
        metric,
        [column[system] for system in systems],
        kinds=[system.kind for system in systems],
        eligible=_find_eligible(systems, dev),
    )
    return tuple(
        _make_cell(target, metric, system, column[system], rank)
        for system, rank in zip(systems, ranks, strict=True)
    )


def _make_cell(
    target: Target, metric: str, system: System, values: Mapping[RunKey, float], rank: Rank
) -> Cell:
    spread = decompose([*group_by_split(values).values()])
    gaps = measure_gaps(*target, system.label, metric, spread=spread)
    return Cell(system, values, spread, rank, gaps)


def _digest(columns: Mapping[str, Sequence[Cell]]) -> str:
    lines = (
        f"{metric} {cell.system.name} {split} {seed} {value!r}\n"
        for metric, cells in columns.items()
        for cell in cells
        for (split, seed), value in sorted(cell.values.items())
    )
    return make_digest("".join(lines))
