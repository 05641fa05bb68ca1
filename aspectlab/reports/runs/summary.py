"""Summary: the runs of a report put together by test set, metric and system."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from aspectlab.errors import DataError
from aspectlab.reports.runs.measures import order_metric
from aspectlab.reports.runs.papers import Gap, measure_gaps
from aspectlab.reports.runs.result import Result
from aspectlab.reports.runs.splits import Key, split_values
from aspectlab.reports.runs.standing import Place, rank_places
from aspectlab.reports.runs.systems import System, name_systems
from aspectlab.reports.runs.table import make_digest
from aspectlab.stats import Decomposition, decompose

Column = Mapping[System, Mapping[Key, float]]


class Target(NamedTuple):
    """What was measured on: a test set of a corpus, for a task."""

    task: str
    corpus: str
    test: str

    def __str__(self) -> str:
        return " · ".join(part for part in (self.task.upper(), self.corpus, self.test) if part)


@dataclass(frozen=True, slots=True)
class Cell:
    """The scores of one system by one metric on one test set, in percent: how they spread and stand."""

    system: System
    values: Mapping[Key, float]
    spread: Decomposition
    place: Place
    gaps: tuple[Gap, ...]  # to what papers printed


@dataclass(frozen=True, slots=True)
class Section:
    """All that was measured on one test set: metric -> cells in the order of systems."""

    target: Target
    columns: Mapping[str, tuple[Cell, ...]]
    runs: int
    signatures: tuple[str, ...]  # the ways of measuring that the runs name
    digest: str  # of all values, so that a table can be told from one of other runs

    @property
    def systems(self) -> list[System]:
        """All systems of the section, by name."""
        return sorted({cell.system for cells in self.columns.values() for cell in cells})


def summarise(results: Sequence[Result]) -> list[Section]:
    """Put runs together, a section per test set, in a fixed order."""
    values: dict[Target, dict[str, dict[System, dict[Key, float]]]] = {}
    signatures: dict[Target, set[str]] = defaultdict(set)
    for system, result in name_systems(results):
        for test, scores in result.scores.items():
            target = Target(result.task, result.corpus, test)
            for metric, value in scores.items():
                column = values.setdefault(target, {}).setdefault(metric, {})
                column.setdefault(system, {})[result.split, result.seed] = value
            if test in result.signatures:
                signatures[target].add(result.signatures[test])
    if not values:
        raise DataError("the runs hold no scores: expected at least one measured test set; run the study on")
    return [_make_section(target, values[target], signatures[target]) for target in sorted(values)]


def select_metric(section: Section, metric: str) -> Section:
    """Give the section with one metric only."""
    columns = {metric: section.columns[metric]}
    return replace(section, columns=columns, digest=_digest(columns))


def _make_section(target: Target, metrics: Mapping[str, Column], signatures: Iterable[str]) -> Section:
    names = sorted(metrics, key=order_metric)
    columns = {metric: _make_cells(target, metric, metrics[metric]) for metric in names}
    runs = {(system, key) for column in metrics.values() for system in column for key in column[system]}
    return Section(target, columns, len(runs), tuple(sorted(signatures)), _digest(columns))


def _make_cells(target: Target, metric: str, column: Column) -> tuple[Cell, ...]:
    systems = sorted(column)
    places = rank_places(metric, [column[system] for system in systems])
    return tuple(
        _make_cell(target, metric, system, column[system], place)
        for system, place in zip(systems, places, strict=True)
    )


def _make_cell(
    target: Target, metric: str, system: System, values: Mapping[Key, float], place: Place
) -> Cell:
    spread = decompose([*split_values(values).values()])
    gaps = measure_gaps(*target, system.label, metric, spread=spread)
    return Cell(system, values, spread, place, gaps)


def _digest(columns: Mapping[str, Sequence[Cell]]) -> str:
    lines = (
        f"{metric} {cell.system.name} {split} {seed} {value!r}\n"
        for metric, cells in columns.items()
        for cell in cells
        for (split, seed), value in sorted(cell.values.items())
    )
    return make_digest("".join(lines))
