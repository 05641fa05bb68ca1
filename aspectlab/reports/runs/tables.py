"""The tables of a report: scores, where their spread comes from, the papers; and corpora side by side."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

from aspectlab.reports.runs.changes import list_paired, list_shifts
from aspectlab.reports.runs.published import SOURCES, Gap
from aspectlab.reports.runs.significance import MARKS_NOTE, name_metric, order_metric
from aspectlab.reports.runs.summary import Cell, DevScore, RunReport, Section, System
from aspectlab.reports.runs.table import (
    NOTHING,
    Entry,
    ReportTable,
    format_difference,
    format_number,
    format_spread,
    join_title,
    make_digest,
    make_slug,
)
from aspectlab.reports.svg import unique_names
from aspectlab.stats import Decomposition, decompose
from aspectlab.version import VERSION

_SCORES_NOTE = "Percent: mean of all runs ± sample standard deviation (ddof 1)."
_DEV_NOTE = (
    "dev: the score on the dev part that chose the epoch of each run. It alone may choose settings; as a "
    "result it is too high, since it was chosen by."
)
_SPREAD_NOTE = (
    "Percent. std is the sample standard deviation of all runs; within is the pooled deviation inside the "
    "splits (the seed's share), between the deviation of the split means (the split's share)."
)
_PAPERS_NOTE = (
    "The gap is the mean here less the printed value, with its 95 % interval (Student's t over split means, "
    "over runs where there is one split; a printed value without a deviation counts as exact). Papers "
    "have encoders of their own; the one here stands after the slash. !: a misprint, explained in the note; "
    "the gap is to the value that holds."
)


_OVERVIEW_NOTE = (
    "Percent: mean ± sample standard deviation (number of runs) · what the paper of the model printed / what "
    "others reproduced, where they did. Papers have encoders of their own; the one here stands after the "
    "slash of the name."
)


def build_cross_tables(report: RunReport, command: str) -> list[ReportTable]:
    """Return the tables that compare corpora, variants of a training, and originals with their variants."""
    overviews = (table for table in list_overviews(report.sections, command) if len(table.columns) > 2)
    return [*overviews, *list_paired(report.results, command), *list_shifts(report.sections, command)]


def list_tables(report: RunReport, command: str) -> Iterator[ReportTable]:
    """Return every table of a report: those of each test set, then those across test sets."""
    own = (table for section in report.sections for table in build_tables(section, command))
    # a label in LaTeX has an underscore for every odd letter, so that two corpora may share one
    named = unique_names(chain(own, build_cross_tables(report, command)))
    return (replace(table, name=name) for name, table in named)


def build_tables(section: Section, command: str) -> list[ReportTable]:
    """Return the tables of a section; that of the papers only where they say something."""
    tables = [build_scores(section, command), build_spreads(section, command)]
    papers = build_papers(section, command)
    return [*tables, papers] if papers.rows else tables


def build_scores(section: Section, command: str) -> ReportTable:
    """Return a row per system and a column per metric, the best marked."""
    cells = {(cell.system, metric): cell for metric, column in section.columns.items() for cell in column}
    dev = [_name_dev(section)] if section.dev else []
    rows = []
    for system in section.systems:
        own = [cells.get((system, metric)) for metric in section.columns]
        found = max((cell.spread for cell in own if cell), key=lambda spread: spread.n)
        known = [Entry(_format_dev(section.dev.get(system))) for _ in dev]
        rows.append((Entry(system.name), Entry(_format_runs(found)), *known, *map(_format_score, own)))
    return ReportTable(
        name=make_slug(*section.target, "scores"),
        title=f"{section.target}: scores",
        columns=("system", "runs", *dev, *map(name_metric, section.columns)),
        rows=tuple(rows),
        notes=(_SCORES_NOTE, *([_DEV_NOTE] if dev else []), MARKS_NOTE, *_list_signatures(section)),
        signature=sign_section(section),
        command=command,
        names=2,
    )


def _name_dev(section: Section) -> str:
    metrics = {score.metric for score in section.dev.values()}
    return f"dev {name_metric(metrics.pop())}" if len(metrics) == 1 else "dev"


def _format_dev(score: DevScore | None) -> str:
    if score is None:
        return NOTHING
    return format_spread(score.mean, decompose([[*score.values.values()]]).std)


def build_spreads(section: Section, command: str) -> ReportTable:
    """Return a row per system and metric: the mean, its spread, and where that comes from."""
    rows = tuple(
        (Entry(cell.system.name), Entry(name_metric(metric)), *map(Entry, _format_parts(cell.spread)))
        for metric, cells in section.columns.items()
        for cell in cells
    )
    return ReportTable(
        name=make_slug(*section.target, "spread"),
        title=f"{section.target}: where the spread comes from",
        columns=("system", "metric", "mean", "std", "within", "between", "min", "max", "splits", "n"),
        rows=rows,
        notes=(_SPREAD_NOTE,),
        signature=sign_section(section),
        command=command,
        names=2,
    )


def build_papers(section: Section, command: str) -> ReportTable:
    """Return a row per cell that papers say something of; a second published value has a row of its own."""
    cells = [(metric, cell) for metric, column in section.columns.items() for cell in column]
    sources = sorted({gap.fact.source for _, cell in cells for gap in cell.gaps})
    rows = (row for metric, cell in cells for row in _paper_rows(metric, cell))
    return ReportTable(
        name=make_slug(*section.target, "papers"),
        title=f"{section.target}: against the papers",
        columns=("system", "metric", "here", "published", "gap", "reproduced", "gap", "source", "note"),
        rows=tuple(rows),
        notes=(_PAPERS_NOTE, *(f"{name}: {SOURCES[name]}." for name in sources)),
        signature=sign_section(section),
        command=command,
        names=2,
    )


def sign_section(section: Section) -> str:
    """Return the signature of a table: what was measured, how many runs, which values, and how."""
    target = section.target
    return "|".join(
        [
            f"report-{target.task or 'any'}",
            f"corpus:{target.corpus}",
            f"test:{target.test}",
            f"runs:{section.runs}@{section.digest}",
            "std:ddof1",
            "best:holm",
            "level:0.95",
            f"v:{VERSION}",
        ]
    )


def _format_score(cell: Cell | None) -> Entry:
    if cell is None:
        return Entry(NOTHING)
    return Entry(format_spread(cell.spread.mean, cell.spread.std), cell.rank.mark)


def _format_runs(spread: Decomposition) -> str:
    return str(spread.n) if spread.splits == 1 else f"{spread.n} on {spread.splits} splits"


def _format_parts(spread: Decomposition) -> list[str]:
    numbers = (spread.mean, spread.std, spread.within, spread.between, spread.minimum, spread.maximum)
    return [*map(format_number, numbers), str(spread.splits), str(spread.n)]


def _list_signatures(section: Section) -> Iterator[str]:
    """List how the runs were measured, with a warning where that was not the same for all."""
    if len(section.signatures) > 1:
        yield f"Beware: the runs were measured in {len(section.signatures)} different ways."
    yield from (f"Measured: {signature}" for signature in section.signatures)


def _paper_rows(metric: str, cell: Cell) -> Iterator[tuple[Entry, ...]]:
    published = [gap for gap in cell.gaps if gap.fact.kind == "published"]
    reproduced = [gap for gap in cell.gaps if gap.fact.kind == "reproduced"]
    here = format_spread(cell.spread.mean, cell.spread.std)
    for k in range(max(len(published), len(reproduced))):
        pair = [gaps[k] if k < len(gaps) else None for gaps in (published, reproduced)]
        known = [gap.fact for gap in pair if gap]
        texts = [
            *(cell.system.name, name_metric(metric), here),
            *(text for gap in pair for text in _format_published(gap)),
            "; ".join(dict.fromkeys(fact.cited for fact in known)),
            "; ".join(fact.flag for fact in known if fact.flag),
        ]
        yield tuple(map(Entry, texts))


def _format_published(gap: Gap | None) -> tuple[str, str]:
    if gap is None:
        return NOTHING, NOTHING
    fact = gap.fact
    printed = format_spread(fact.printed, fact.std) + ("!" if fact.is_misprint else "")
    return printed, format_difference(gap.difference, gap.interval)


def list_overviews(sections: Sequence[Section], command: str) -> Iterator[ReportTable]:
    """Return a table per task, kind of test set and metric, a column per corpus."""
    kinds = {(section.target.task, section.target.test) for section in sections}
    for task, test in sorted(kinds, key=lambda kind: (kind[0], kind[1] != "test", kind[1])):
        members = [section for section in sections if section.target[::2] == (task, test)]
        for metric in sorted({metric for section in members for metric in section.columns}, key=order_metric):
            yield _build_overview(task, test, metric, members, command)


def _build_overview(
    task: str, test: str, metric: str, sections: Sequence[Section], command: str
) -> ReportTable:
    columns = {
        section.target.corpus: {cell.system: cell for cell in section.columns[metric]}
        for section in sections
        if metric in section.columns
    }
    systems = sorted({system for cells in columns.values() for system in cells})
    rows = (
        (Entry(system.name), *(_format_cell(cells.get(system)) for cells in columns.values()))
        for system in systems
    )
    return ReportTable(
        name=make_slug(task, test, metric, "overview"),
        title=f"{join_title(task.upper(), test)}{name_metric(metric)} by corpus",
        columns=("system", *columns),
        rows=tuple(rows),
        notes=(_OVERVIEW_NOTE, MARKS_NOTE),
        signature=_sign_overview(task, test, metric, columns),
        command=command,
    )


def _format_cell(cell: Cell | None) -> Entry:
    if cell is None:
        return Entry(NOTHING)
    text = f"{format_spread(cell.spread.mean, cell.spread.std)} ({cell.spread.n})"
    published, reproduced = (_find_printed(cell, kind) for kind in ("published", "reproduced"))
    if reproduced is not None:
        text += f" · {format_number(published)} / {format_number(reproduced)}"
    elif published is not None:
        text += f" · {format_number(published)}"
    return Entry(text, cell.rank.mark)


def _find_printed(cell: Cell, kind: str) -> float | None:
    """Return the first value of a kind; where it is a misprint, the one that holds."""
    return next((gap.fact.value for gap in cell.gaps if gap.fact.kind == kind), None)


def _sign_overview(task: str, test: str, metric: str, columns: dict[str, dict[System, Cell]]) -> str:
    values = [
        f"{corpus} {system.name} {sorted(cell.values.items())!r}\n"
        for corpus, cells in columns.items()
        for system, cell in sorted(cells.items())
    ]
    digest = make_digest("".join(values))
    runs = sum(len(cell.values) for cells in columns.values() for cell in cells.values())
    return f"overview-{task or 'any'}|test:{test}|metric:{metric}|runs:{runs}@{digest}|std:ddof1|v:{VERSION}"
