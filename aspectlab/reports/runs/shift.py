"""Shift: accuracy on originals and on their variants, a column per strategy, as in Tables 7 and 8 of ARTS."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from statistics import mean

from aspectlab.reports.runs.splits import Key, split_values
from aspectlab.reports.runs.summary import Section
from aspectlab.reports.runs.systems import System
from aspectlab.reports.runs.table import NOTHING, Entry, Table, make_digest, make_slug, say, say_signed
from aspectlab.stats import decompose, gap_interval, standard_error
from aspectlab.version import VERSION

_ORIGINALS, _VARIANTS = "_ori", "_new"
_ORDER = ("revtgt", "revnon", "adddiff")  # that of the paper; combinations come after

_NOTE = (
    "Percent: mean accuracy on the originals that have such a variant → on the variants (change). *: the "
    "95 % interval of the change, run by run, leaves out zero (Student's t over runs, or over the means of "
    "splits where there are several); none for a single run."
)

Values = Mapping[Key, float]
Changes = dict[System, dict[str, tuple[Values, Values]]]
"""Scores on originals and on variants, of the same runs, by system and strategy."""


def list_shifts(sections: Sequence[Section], command: str) -> Iterator[Table]:
    """Give a table per corpus whose runs were measured on variants."""
    corpora: dict[tuple[str, str], list[Section]] = defaultdict(list)
    for section in sections:
        corpora[section.target.task, section.target.corpus].append(section)
    for (task, corpus), members in sorted(corpora.items()):
        changes = _collect(members)
        if changes:
            yield _build(task, corpus, changes, command)


def _collect(sections: Sequence[Section]) -> Changes:
    """Find the strategies that have both sides; those of a combination stand in a test set of its own."""
    changes: Changes = defaultdict(dict)
    tests = Counter(strategy for section in sections for strategy in _name_strategies(section))
    for section in sections:
        for strategy in _name_strategies(section):
            name = strategy if tests[strategy] == 1 else f"{strategy} ({section.target.test})"
            originals = {cell.system: cell.values for cell in section.columns[strategy + _ORIGINALS]}
            for cell in section.columns[strategy + _VARIANTS]:
                if both := originals.get(cell.system, {}).keys() & cell.values.keys():
                    sides = originals[cell.system], cell.values
                    one, other = ({key: side[key] for key in sorted(both)} for side in sides)
                    changes[cell.system][name] = one, other
    return changes


def _name_strategies(section: Section) -> list[str]:
    ends = (metric.removesuffix(_VARIANTS) for metric in section.columns if metric.endswith(_VARIANTS))
    return [strategy for strategy in ends if strategy + _ORIGINALS in section.columns]


def _build(task: str, corpus: str, changes: Changes, command: str) -> Table:
    strategies = sorted({name for found in changes.values() for name in found}, key=_order)
    rows = [
        (
            Entry(system.name),
            Entry(str(max(len(variants) for _, variants in found.values()))),
            *(Entry(say_shift(*found[name]) if name in found else NOTHING) for name in strategies),
        )
        for system, found in sorted(changes.items())
    ]
    values = repr(
        [
            (system.name, name, sorted(one.items()), sorted(other.items()))
            for system, found in sorted(changes.items())
            for name, (one, other) in sorted(found.items())
        ]
    )
    digest = make_digest(values)
    return Table(
        name=make_slug(task, corpus, "shift"),
        title=" · ".join(part for part in (task.upper(), corpus, "accuracy by strategy") if part),
        columns=("system", "runs", *strategies),
        rows=tuple(rows),
        notes=(_NOTE,),
        signature=f"shift-{task or 'any'}|corpus:{corpus}|values:@{digest}|level:0.95|v:{VERSION}",
        command=command,
        names=2,
    )


def _order(strategy: str) -> tuple[int, str]:
    return (_ORDER.index(strategy) if strategy in _ORDER else len(_ORDER)), strategy


def say_shift(originals: Values, variants: Values) -> str:
    """Write both means and the change, with a star where the runs agree that there is one.

    >>> say_shift({(1, 1): 84.0, (1, 2): 86.0}, {(1, 1): 60.0, (1, 2): 63.0})
    '85.0 → 61.5 (−23.50*)'
    >>> say_shift({(1, 1): 84.0}, {(1, 1): 60.0})
    '84.0 → 60.0 (−24.00)'
    """
    gaps = {key: variants[key] - originals[key] for key in variants}
    gap = mean(gaps.values())
    error = standard_error(decompose([*split_values(gaps).values()]))
    low, high = gap_interval(gap, error) if error else (0.0, 0.0)  # a single run tells nothing of others
    star = "*" if low * high > 0 else ""
    return f"{say(mean(originals.values()), 1)} → {say(mean(variants.values()), 1)} ({say_signed(gap)}{star})"
