"""Changes: variants of a training against their base, and variants of a test set against their originals."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from statistics import mean
from typing import NamedTuple

from aspectlab.reports.runs.load import BASE, RunResult
from aspectlab.reports.runs.significance import RunKey, RunValues, name_metric, order_metric
from aspectlab.reports.runs.summary import Section, System, name_systems
from aspectlab.reports.runs.table import (
    NOTHING,
    Entry,
    ReportTable,
    format_difference,
    format_number,
    format_signed,
    join_title,
    make_digest,
    make_slug,
)
from aspectlab.stats import StandardError, compare_runs, gap_interval
from aspectlab.version import VERSION

_ALL, _USUAL = "all", "test"

_PAIRED_NOTE = (
    "Percent. A variant has its mean difference to the base, run by run at the same split and seed, with its "
    "95 % interval (Student's t over the pairs or, of several splits, over the means of splits; none for a "
    "single pair), and the change in percent of the "
    "base; in brackets how many pairs there are, where they are fewer than the runs of the base. In the row "
    "of all corpora each corpus counts the same, and the corpora are taken as given."
)

TableKind = tuple[str, str, str]
"""Task, test set and metric."""
VariantScores = dict[str, dict[str, dict[RunKey, float]]]
"""Scores by corpus, variant, and split with seed."""


class MeanChange(NamedTuple):
    """A mean difference, its 95 % confidence interval, and the runs behind it, corpus by corpus."""

    mean: float
    interval: tuple[float, float] | None  # None for a single run
    runs: Sequence[Sequence[RunKey]]


def list_paired(results: Sequence[RunResult], command: str) -> Iterator[ReportTable]:
    """Return a table per task, test set and metric of the runs that are variants of others."""
    kinds: dict[TableKind, dict[str, VariantScores]] = defaultdict(dict)
    for name, variant, result in _name_variants(results):
        for test, scores in result.scores.items():
            for metric, value in scores.items():
                corpora = kinds[result.task, test, metric].setdefault(name, {})
                runs = corpora.setdefault(result.corpus, {}).setdefault(variant, {})
                runs[result.split, result.seed] = value
    for kind in sorted(kinds, key=lambda kind: (kind[0], order_metric(kind[2]), kind[1])):
        models = {name: corpora for name, corpora in kinds[kind].items() if _is_varied(corpora)}
        if models:
            yield _build_paired(_name_parts(kind, kinds), models, command)


def _is_varied(corpora: VariantScores) -> bool:
    """Return whether there is anything beside the base to compare with it."""
    return any(variant != BASE for found in corpora.values() for variant in found)


def find_bases(results: Sequence[RunResult]) -> dict[tuple[str, System], System]:
    """Return the system that a variant is compared with, by the task and the variant."""
    named = [(system, result) for system, result in name_systems(results) if result.variant]
    bases = {(result.task, system.name): system for system, result in named if result.variant == BASE}
    found = {}
    for system, result in named:
        plain, told = _split_name(system, result)
        base = bases.get((result.task, plain + told)) or bases.get((result.task, plain))
        if result.variant != BASE and base is not None:
            found[result.task, system] = base
    return found


def _split_name(system: System, result: RunResult) -> tuple[str, str]:
    """Return the name that the base of a run may have, and the settings that tell the run from others."""
    encoder = f"/{result.encoder}" if result.encoder else ""
    return result.model + encoder, system.name.removeprefix(result.label + encoder)


def _name_variants(results: Sequence[RunResult]) -> Iterator[tuple[str, str, RunResult]]:
    """Name the base and the variant of every run, with the settings that tell it from others.

    Settings that a base has as well name the row; those of the variant alone name its column.
    """
    named = [(system, result) for system, result in name_systems(results) if result.variant]
    bases = {(result.task, system.name) for system, result in named if result.variant == BASE}
    for system, result in named:
        plain, told = _split_name(system, result)
        if (result.task, plain + told) in bases:
            yield plain + told, result.variant, result
        else:
            yield plain, result.variant + told, result


def _name_parts(kind: TableKind, kinds: Iterable[TableKind]) -> TableKind:
    """Leave out the test set where it is the usual one, or where no other has the metric."""
    task, test, metric = kind
    sharing = sum(other[::2] == kind[::2] for other in kinds)
    return (task, "", metric) if test == _USUAL or sharing == 1 else kind


def _build_paired(kind: TableKind, models: Mapping[str, VariantScores], command: str) -> ReportTable:
    task, test, metric = kind
    variants = sorted({name for corpora in models.values() for found in corpora.values() for name in found})
    others = [name for name in variants if name != BASE]
    rows = [
        (Entry(name), *map(Entry, line))
        for name, corpora in models.items()
        for line in _paired_lines(
            {corpus: found for corpus, found in corpora.items() if BASE in found}, others
        )
    ]
    values = repr(sorted((name, sorted(corpora.items())) for name, corpora in models.items()))
    digest = make_digest(values)
    measured = f"test:{test}|metric:{metric}" if test else f"metric:{metric}"
    return ReportTable(
        name=make_slug(*kind, "paired"),
        title=f"{join_title(task.upper(), test)}{name_metric(metric)} against the base, by the same seeds",
        columns=("system", "corpus", "runs", BASE, *others),
        rows=tuple(rows),
        notes=(_PAIRED_NOTE,),
        signature=f"paired-{task or 'any'}|{measured}|values:@{digest}|level:0.95|v:{VERSION}",
        command=command,
        names=2,
    )


def _paired_lines(corpora: VariantScores, variants: Sequence[str]) -> Iterator[list[str]]:
    for corpus in corpora:
        yield _paired_line(corpus, [corpora[corpus]], variants)
    complete = [found for found in corpora.values() if all(name in found for name in variants)]
    if len(complete) > 1:
        yield _paired_line(_ALL, complete, variants)


def _paired_line(name: str, corpora: Sequence[Mapping[str, RunValues]], variants: Sequence[str]) -> list[str]:
    base = [found[BASE] for found in corpora]
    cells = [format_variant(base, [found.get(variant, {}) for found in corpora]) for variant in variants]
    return [name, _format_counts(base), format_number(_average(base)), *cells]


def format_variant(base: Sequence[RunValues], other: Sequence[RunValues]) -> str:
    """Format by how much a variant differs from its base, corpus by corpus.

    >>> format_variant([{(1, 1): 40.0, (1, 2): 42.0}], [{(1, 1): 30.0, (1, 2): 31.0}])
    '−10.50 [−16.85, −4.15], −25.6 %'
    >>> format_variant([{(1, 1): 40.0}], [{(1, 1): 30.0}])
    '−10.00, −25.0 %'
    >>> format_variant([{(1, 1): 40.0, (1, 2): 42.0}], [{(1, 1): 30.0}])
    '−10.00, −25.0 % (1)'
    """
    change = measure_variant(base, other)
    if change is None:
        return NOTHING
    level = mean(mean(its[key] for key in keys) for its, keys in zip(base, change.runs, strict=True))
    share = f", {100 * change.mean / level:+.1f} %".replace("-", "−") if level else ""
    counts = _format_counts(change.runs)
    fewer = "" if counts == _format_counts(base) else f" ({counts})"
    return format_difference(change.mean, change.interval) + share + fewer


def measure_variant(base: Sequence[RunValues], other: Sequence[RunValues]) -> MeanChange | None:
    """Return the mean difference over the runs that both have; None where a corpus has none."""
    both = [sorted({*mine} & {*its}) for its, mine in zip(base, other, strict=True)]
    if not all(both):
        return None
    found = [compare_runs(mine, its, paired=True) for its, mine in zip(base, other, strict=True)]
    gap = mean(each.difference for each in found)
    known = [StandardError(each.error.size / len(found), each.error.freedom) for each in found if each.error]
    return MeanChange(gap, gap_interval(gap, *known) if len(known) == len(found) else None, both)


def _format_counts(corpora: Sequence[Sized]) -> str:
    return "+".join(str(len(runs)) for runs in corpora)


def _average(corpora: Sequence[RunValues]) -> float:
    return mean(mean(runs.values()) for runs in corpora)


_ORIGINALS_SUFFIX, _VARIANTS_SUFFIX = "_ori", "_new"
_STRATEGY_ORDER = ("revtgt", "revnon", "adddiff")  # that of the paper; combinations come after

_SHIFT_NOTE = (
    "Percent: mean accuracy on the originals that have such a variant → on the variants (change). *: the "
    "95 % interval of the change, run by run, leaves out zero (Student's t over runs, or over the means of "
    "splits where there are several); none for a single run."
)

ShiftPairs = dict[System, dict[str, tuple[RunValues, RunValues]]]
"""Scores on originals and on variants, of the same runs, by system and strategy."""


def list_shifts(sections: Sequence[Section], command: str) -> Iterator[ReportTable]:
    """Return a table per corpus whose runs were measured on variants."""
    corpora: dict[tuple[str, str], list[Section]] = defaultdict(list)
    for section in sections:
        corpora[section.target.task, section.target.corpus].append(section)
    for (task, corpus), members in sorted(corpora.items()):
        changes = _collect_shifts(members)
        if changes:
            yield _build_shift(task, corpus, changes, command)


def _collect_shifts(sections: Sequence[Section]) -> ShiftPairs:
    """Find the strategies that have both sides; those of a combination stand in a test set of its own."""
    changes: ShiftPairs = defaultdict(dict)
    tests = Counter(strategy for section in sections for strategy in _name_strategies(section))
    for section in sections:
        for strategy in _name_strategies(section):
            name = strategy if tests[strategy] == 1 else f"{strategy} ({section.target.test})"
            originals = {cell.system: cell.values for cell in section.columns[strategy + _ORIGINALS_SUFFIX]}
            for cell in section.columns[strategy + _VARIANTS_SUFFIX]:
                if both := originals.get(cell.system, {}).keys() & cell.values.keys():
                    sides = originals[cell.system], cell.values
                    one, other = ({key: side[key] for key in sorted(both)} for side in sides)
                    changes[cell.system][name] = one, other
    return changes


def _name_strategies(section: Section) -> list[str]:
    ends = (
        metric.removesuffix(_VARIANTS_SUFFIX)
        for metric in section.columns
        if metric.endswith(_VARIANTS_SUFFIX)
    )
    return [strategy for strategy in ends if strategy + _ORIGINALS_SUFFIX in section.columns]


def _build_shift(task: str, corpus: str, changes: ShiftPairs, command: str) -> ReportTable:
    strategies = sorted({name for found in changes.values() for name in found}, key=_strategy_key)
    rows = [
        (
            Entry(system.name),
            Entry(str(max(len(variants) for _, variants in found.values()))),
            *(Entry(format_shift(*found[name]) if name in found else NOTHING) for name in strategies),
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
    return ReportTable(
        name=make_slug(task, corpus, "shift"),
        title=f"{join_title(task.upper(), corpus)}accuracy by strategy",
        columns=("system", "runs", *strategies),
        rows=tuple(rows),
        notes=(_SHIFT_NOTE,),
        signature=f"shift-{task or 'any'}|corpus:{corpus}|values:@{digest}|level:0.95|v:{VERSION}",
        command=command,
        names=2,
    )


def _strategy_key(strategy: str) -> tuple[int, str]:
    return (
        _STRATEGY_ORDER.index(strategy) if strategy in _STRATEGY_ORDER else len(_STRATEGY_ORDER)
    ), strategy


def format_shift(originals: RunValues, variants: RunValues) -> str:
    """Format both means and the change, with a star where the runs agree that there is one.

    >>> format_shift({(1, 1): 84.0, (1, 2): 86.0}, {(1, 1): 60.0, (1, 2): 63.0})
    '85.0 → 61.5 (−23.50*)'
    >>> format_shift({(1, 1): 84.0}, {(1, 1): 60.0})
    '84.0 → 60.0 (−24.00)'
    """
    change = measure_shift(originals, variants)
    low, high = change.interval or (0.0, 0.0)  # a single run tells nothing of others
    star = "*" if low * high > 0 else ""
    before, after = (format_number(mean(side.values()), 1) for side in (originals, variants))
    return f"{before} → {after} ({format_signed(change.mean)}{star})"


def measure_shift(originals: RunValues, variants: RunValues) -> MeanChange:
    """Return the mean change of the runs from originals to variants."""
    found = compare_runs(variants, originals, paired=True)
    return MeanChange(found.difference, found.interval(), [sorted(variants.keys() & originals.keys())])


def find_originals(metric: str) -> str | None:
    """Return the metric on originals that one on variants is compared with; None for any other.

    >>> find_originals("revtgt_new"), find_originals("accuracy")
    ('revtgt_ori', None)
    """
    strategy = metric.removesuffix(_VARIANTS_SUFFIX)
    return None if strategy == metric else strategy + _ORIGINALS_SUFFIX
