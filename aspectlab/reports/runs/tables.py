"""The tables of a report: scores by system and metric, where their spread comes from, and the papers."""

from __future__ import annotations

from collections.abc import Iterator

from aspectlab.reports.runs.metric_names import name_metric
from aspectlab.reports.runs.published import SOURCES, Gap
from aspectlab.reports.runs.significance import MARKS_NOTE
from aspectlab.reports.runs.summary import Cell, Section
from aspectlab.reports.runs.table import (
    NOTHING,
    Entry,
    ReportTable,
    format_difference,
    format_number,
    format_spread,
    make_slug,
)
from aspectlab.stats import Decomposition
from aspectlab.version import VERSION

_SCORES_NOTE = "Percent: mean of all runs ± sample standard deviation (ddof 1)."
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


def build_tables(section: Section, command: str) -> list[ReportTable]:
    """Give the tables of a section; that of the papers only where they say something."""
    tables = [build_scores(section, command), build_spreads(section, command)]
    papers = build_papers(section, command)
    return [*tables, papers] if papers.rows else tables


def build_scores(section: Section, command: str) -> ReportTable:
    """Give a row per system and a column per metric, the best marked."""
    cells = {(cell.system, metric): cell for metric, column in section.columns.items() for cell in column}
    rows = []
    for system in section.systems:
        own = [cells.get((system, metric)) for metric in section.columns]
        found = max((cell.spread for cell in own if cell), key=lambda spread: spread.n)
        rows.append((Entry(system.name), Entry(_format_runs(found)), *map(_format_score, own)))
    return ReportTable(
        name=make_slug(*section.target, "scores"),
        title=f"{section.target}: scores",
        columns=("system", "runs", *map(name_metric, section.columns)),
        rows=tuple(rows),
        notes=(_SCORES_NOTE, MARKS_NOTE, *_list_signatures(section)),
        signature=sign_section(section),
        command=command,
        names=2,
    )


def build_spreads(section: Section, command: str) -> ReportTable:
    """Give a row per system and metric: the mean, its spread, and where that comes from."""
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
    """Give a row per cell that papers say something of; a second published value has a row of its own."""
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
    """Give the signature of a table: what was measured, how many runs, which values, and how."""
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
    return Entry(format_spread(cell.spread.mean, cell.spread.std), cell.place.mark)


def _format_runs(spread: Decomposition) -> str:
    return str(spread.n) if spread.splits == 1 else f"{spread.n} on {spread.splits} splits"


def _format_parts(spread: Decomposition) -> list[str]:
    numbers = (spread.mean, spread.std, spread.within, spread.between, spread.minimum, spread.maximum)
    return [*map(format_number, numbers), str(spread.splits), str(spread.n)]


def _list_signatures(section: Section) -> Iterator[str]:
    """Name how the runs were measured; say so where that was not the same for all."""
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
