"""Likeness: what two systems do not share, though to compare them takes it for the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from aspectlab.reports.runs.result import Result
from aspectlab.reports.runs.summary import Target
from aspectlab.reports.runs.systems import System, name_systems

_SPLITTING = ("sha256:train", "dev", "split_seed")
"""What decides which sentences a split holds, by the names that the record of a run has for it."""


def tell_unlike(
    results: Sequence[Result], systems: Iterable[System], targets: Iterable[Target]
) -> Iterator[str]:
    """Say where runs of the systems were measured in different ways, or where their splits may differ.

    Rows of a CSV file do not say how they were measured or split, so nothing is said of them.

    >>> one, two = (
    ...     Result(n, n, "", {}, "ate", "tea", 1, 1, {"test": {"f1": 9.0}}, {"test": f"by {n}"}) for n in "ab"
    ... )
    >>> named = [system for system, _ in name_systems([one, two])]
    >>> list(tell_unlike([one, two], named, [Target("ate", "tea", "test")]))
    ['Beware: on ATE · tea · test the runs were measured in 2 different ways: by a; by b.']
    """
    chosen = set(systems)
    runs = [result for system, result in name_systems(results) if system in chosen]
    wanted = list(targets)
    for target in wanted:
        own = [run for run in runs if (run.task, run.corpus) == target[:2]]
        ways = sorted({run.signatures[target.test] for run in own if target.test in run.signatures})
        if len(ways) > 1:
            number = len(ways)
            yield f"Beware: on {target} the runs were measured in {number} different ways: {'; '.join(ways)}."
    for task, corpus in dict.fromkeys(target[:2] for target in wanted):
        own = [run for run in runs if (run.task, run.corpus) == (task, corpus)]
        if differing := list(_list_differing(own)):
            yield (
                f"Beware: on {corpus} the runs differ in {', '.join(differing)}: splits of one number may "
                "hold different sentences, so that the runs are no pairs."
            )


def _list_differing(runs: Sequence[Result]) -> Iterator[str]:
    for name in _SPLITTING:
        values = sorted({run.settings[name] for run in runs if name in run.settings})
        if len(values) > 1:
            yield f"{name} ({' and '.join(values)})"
