"""Systems: what a row of a table stands for, named so that two of them never share a name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from aspectlab.errors import ConfigError, DataError
from aspectlab.registry import suggest
from aspectlab.reports.runs.result import Result


@dataclass(frozen=True, slots=True, order=True)
class System:
    """A model with its encoder, under the name that tables and the command line use."""

    name: str
    label: str
    model: str
    encoder: str


def name_systems(results: Sequence[Result]) -> list[tuple[System, Result]]:
    """Name every run's system: LABEL/ENCODER, with those settings in which runs of one split differ.

    Settings that change from corpus to corpus or from split to split are part of the recipe: no name.

    >>> runs = [Result("bert", "bert", "minilm", {"epochs": n}, "atsc", "rest14", 1, 1, {}) for n in "48"]
    >>> [system.name for system, _ in name_systems(runs)]
    ['bert/minilm [epochs=4]', 'bert/minilm [epochs=8]']
    """
    kinds: dict[tuple[str, str, str], list[Result]] = defaultdict(list)
    for result in results:
        kinds[result.task, result.label, result.encoder].append(result)
    telling = {kind: _telling_settings(members) for kind, members in kinds.items()}
    named = [
        (_name(result, telling[result.task, result.label, result.encoder]), result) for result in results
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


def _name(result: Result, telling: Iterable[str]) -> System:
    name = f"{result.label}/{result.encoder}" if result.encoder else result.label
    pairs = [f"{key}={result.settings[key]}" for key in telling if key in result.settings]
    if pairs:
        name += f" [{' '.join(pairs)}]"
    return System(name, result.label, result.model, result.encoder)


def _telling_settings(results: Iterable[Result]) -> list[str]:
    """Give the settings that have more than one value on one split of one corpus."""
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


def _refuse_repeated(named: Iterable[tuple[System, Result]]) -> None:
    seen: dict[tuple[str, str, str, int, int], Result] = {}
    for system, result in named:
        key = (system.name, result.task, result.corpus, result.split, result.seed)
        if key in seen:
            places = " and ".join(run.run or run.origin for run in (seen[key], result))
            raise DataError(
                f"{system.name} on {result.corpus}, split {result.split}, seed {result.seed}: found two runs "
                f"with the same settings ({places}): expected one; remove one of them, or report the two "
                "studies apart"
            )
        seen[key] = result
