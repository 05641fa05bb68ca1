"""The numbers of a report for programs: one record per test set, metric and system; as CSV and for JSON."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence

from aspectlab.readers.tables import escape_formula
from aspectlab.reports.runs.published import Gap
from aspectlab.reports.runs.summary import Cell, Section
from aspectlab.reports.runs.tables import sign_section

FlatRecord = dict[str, str | int | float | None]

_VALUE_KINDS = ("published", "reproduced")
_VALUE_FIELDS = ("value", "printed", "std", "gap", "low", "high", "source", "note")
"""What a record says of a printed value; low and high bound the gap."""


def list_records(sections: Iterable[Section], command: str) -> list[dict[str, object]]:
    """Give every cell of a report, in percent, with all printed values; what is not known is None."""
    return [
        {**_flatten_cell(section, metric, cell), **_group_facts(cell.gaps), **_end(section, command)}
        for section, metric, cell in _walk(sections)
    ]


def render_csv(sections: Sequence[Section], command: str) -> str:
    """Give a row per cell with the first value of each kind; it ends with the signature and the command."""
    stream = io.StringIO()
    rows = [
        {**_flatten_cell(section, metric, cell), **_first_facts(cell.gaps), **_end(section, command)}
        for section, metric, cell in _walk(sections)
    ]
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(rows[0])
    writer.writerows([_format_csv_cell(*item) for item in row.items()] for row in rows)
    return stream.getvalue()


def _format_csv_cell(column: str, cell: str | int | float | None) -> str | int:
    # four decimals would make 0 of a small p
    if column == "p" and isinstance(cell, float):
        return f"{cell:.6g}"
    return escape_formula(cell)


def _walk(sections: Iterable[Section]) -> Iterator[tuple[Section, str, Cell]]:
    for section in sections:
        for metric, cells in section.columns.items():
            yield from ((section, metric, cell) for cell in cells)


def _flatten_cell(section: Section, metric: str, cell: Cell) -> FlatRecord:
    spread, target, system = cell.spread, section.target, cell.system
    return {
        "task": target.task,
        "corpus": target.corpus,
        "test": target.test,
        "metric": metric,
        "system": system.name,
        "model": system.model,
        "encoder": system.encoder,
        "mean": spread.mean,
        "std": spread.std,
        "within": spread.within,
        "between": spread.between,
        "min": spread.minimum,
        "max": spread.maximum,
        "splits": spread.splits,
        "n": spread.n,
        "mark": cell.place.mark.value,
        "p": cell.place.p,
    }


def _group_facts(gaps: Sequence[Gap]) -> dict[str, object]:
    return {kind: [_flatten_gap(gap) for gap in gaps if gap.fact.kind == kind] for kind in _VALUE_KINDS}


def _first_facts(gaps: Sequence[Gap]) -> FlatRecord:
    row: FlatRecord = {}
    for kind in _VALUE_KINDS:
        found = next((_flatten_gap(gap) for gap in gaps if gap.fact.kind == kind), {})
        row.update({f"{kind}_{name}": found.get(name) for name in _VALUE_FIELDS})
    return row


def _flatten_gap(gap: Gap) -> FlatRecord:
    fact = gap.fact
    low, high = gap.interval or (None, None)
    values = (fact.value, fact.printed, fact.std, gap.difference, low, high, fact.cited, fact.flag or None)
    return dict(zip(_VALUE_FIELDS, values, strict=True))


def _end(section: Section, command: str) -> FlatRecord:
    return {"signature": sign_section(section), "command": command}
