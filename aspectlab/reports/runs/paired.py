"""Paired: what a variant of a model's training changes, run by run against the base with the same seed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from statistics import mean

from aspectlab.reports.runs.measures import name_metric, order_metric
from aspectlab.reports.runs.result import BASE, Result
from aspectlab.reports.runs.systems import name_systems
from aspectlab.reports.runs.table import NOTHING, Entry, Table, make_digest, make_slug, say, say_gap
from aspectlab.stats import StandardError, decompose, gap_interval, standard_error
from aspectlab.version import VERSION

ALL = "all"
_USUAL = "test"

_NOTE = (
    "Percent. A variant has its mean difference to the base, run by run at the same split and seed, with its "
    "95 % interval (Student's t over the pairs; none for a single pair), and the change in percent of the "
    "base; in brackets how many pairs there are, where they are fewer than the runs of the base. In the row "
    "of all corpora each corpus counts the same, and the corpora are taken as given."
)

Key = tuple[int, int]
Runs = Mapping[Key, float]
Kind = tuple[str, str, str]
"""Task, test set and metric."""
Corpora = dict[str, dict[str, dict[Key, float]]]
"""Scores by corpus, variant, and split with seed."""


def list_paired(results: Sequence[Result], command: str) -> Iterator[Table]:
    """Give a table per task, test set and metric of the runs that are variants of others."""
    kinds: dict[Kind, dict[str, Corpora]] = defaultdict(dict)
    for name, variant, result in _name_variants(results):
        for test, scores in result.scores.items():
            for metric, value in scores.items():
                corpora = kinds[result.task, test, metric].setdefault(name, {})
                runs = corpora.setdefault(result.corpus, {}).setdefault(variant, {})
                runs[result.split, result.seed] = value
    for kind in sorted(kinds, key=lambda kind: (kind[0], order_metric(kind[2]), kind[1])):
        models = {name: corpora for name, corpora in kinds[kind].items() if _is_varied(corpora)}
        if models:
            yield _build(_name_parts(kind, kinds), models, command)


def _is_varied(corpora: Corpora) -> bool:
    """Tell whether there is anything beside the base to compare with it."""
    return any(variant != BASE for found in corpora.values() for variant in found)


def _name_variants(results: Sequence[Result]) -> Iterator[tuple[str, str, Result]]:
    """Name the base and the variant of every run, with the settings that tell it from others.

    Settings that a base has as well name the row; those of the variant alone name its column.
    """
    named = [(system, result) for system, result in name_systems(results) if result.variant]
    bases = {(result.task, system.name) for system, result in named if result.variant == BASE}
    for system, result in named:
        encoder = f"/{result.encoder}" if result.encoder else ""
        plain, told = result.model + encoder, system.name.removeprefix(result.label + encoder)
        if (result.task, plain + told) in bases:
            yield plain + told, result.variant, result
        else:
            yield plain, result.variant + told, result


def _name_parts(kind: Kind, kinds: Iterable[Kind]) -> Kind:
    """Leave out the test set where it is the usual one, or where no other has the metric."""
    task, test, metric = kind
    sharing = sum(other[::2] == kind[::2] for other in kinds)
    return (task, "", metric) if test == _USUAL or sharing == 1 else kind


def _build(kind: Kind, models: Mapping[str, Corpora], command: str) -> Table:
    task, test, metric = kind
    variants = sorted({name for corpora in models.values() for found in corpora.values() for name in found})
    others = [name for name in variants if name != BASE]
    rows = [
        (Entry(name), *map(Entry, line))
        for name, corpora in models.items()
        for line in _lines({corpus: found for corpus, found in corpora.items() if BASE in found}, others)
    ]
    values = repr(sorted((name, sorted(corpora.items())) for name, corpora in models.items()))
    digest = make_digest(values)
    measured = f"test:{test}|metric:{metric}" if test else f"metric:{metric}"
    return Table(
        name=make_slug(*kind, "paired"),
        title=" · ".join(filter(None, (task.upper(), test, name_metric(metric), "by the same seeds"))),
        columns=("system", "corpus", "runs", BASE, *others),
        rows=tuple(rows),
        notes=(_NOTE,),
        signature=f"paired-{task or 'any'}|{measured}|values:@{digest}|level:0.95|v:{VERSION}",
        command=command,
        names=2,
    )


def _lines(corpora: Corpora, variants: Sequence[str]) -> Iterator[list[str]]:
    for corpus in corpora:
        yield _line(corpus, [corpora[corpus]], variants)
    complete = [found for found in corpora.values() if all(name in found for name in variants)]
    if len(complete) > 1:
        yield _line(ALL, complete, variants)


def _line(name: str, corpora: Sequence[Mapping[str, Runs]], variants: Sequence[str]) -> list[str]:
    base = [found[BASE] for found in corpora]
    cells = [compare(base, [found.get(variant, {}) for found in corpora]) for variant in variants]
    return [name, _count(base), say(_average(base)), *cells]


def compare(base: Sequence[Runs], other: Sequence[Runs]) -> str:
    """Say by how much a variant differs from its base, corpus by corpus.

    >>> compare([{(1, 1): 40.0, (1, 2): 42.0}], [{(1, 1): 30.0, (1, 2): 31.0}])
    '−10.50 [−16.85, −4.15], −25.6 %'
    >>> compare([{(1, 1): 40.0}], [{(1, 1): 30.0}])
    '−10.00, −25.0 %'
    >>> compare([{(1, 1): 40.0, (1, 2): 42.0}], [{(1, 1): 30.0}])
    '−10.00, −25.0 % (1)'
    """
    both = [sorted({*mine} & {*its}) for its, mine in zip(base, other, strict=True)]
    if not all(both):
        return NOTHING
    pairs = [
        [mine[key] - its[key] for key in keys] for its, mine, keys in zip(base, other, both, strict=True)
    ]
    gap = mean(map(mean, pairs))
    errors = [standard_error(decompose([each])) for each in pairs]
    known = [StandardError(each.size / len(pairs), each.freedom) for each in errors if each]
    interval = gap_interval(gap, *known) if len(known) == len(pairs) else None
    level = _average([{key: its[key] for key in keys} for its, keys in zip(base, both, strict=True)])
    share = f", {100 * gap / level:+.1f} %".replace("-", "−") if level else ""
    fewer = "" if _count(pairs) == _count(base) else f" ({_count(pairs)})"
    return say_gap(gap, interval) + share + fewer


def _count(corpora: Sequence[Sized]) -> str:
    return "+".join(str(len(runs)) for runs in corpora)


def _average(corpora: Sequence[Runs]) -> float:
    return mean(mean(runs.values()) for runs in corpora)
