"""The numbers of a report for programs: one record per test set, metric and system; as CSV and for JSON."""

import csv
import io
from collections.abc import Iterator, Sequence

from aspectlab.readers.tables import escape_formula
from aspectlab.reports.runs import (
    Cell,
    Gap,
    MeanChange,
    RunReport,
    RunValues,
    Section,
    System,
    find_bases,
    find_originals,
    measure_shift,
    measure_variant,
    sign_section,
)

FlatRecord = dict[str, str | int | float | None]

_VALUE_KINDS = ("published", "reproduced")
_VALUE_FIELDS = ("value", "printed", "std", "gap", "low", "high", "source", "note")
"""What a record says of a printed value; low and high bound the gap."""


def list_records(report: RunReport, command: str) -> list[dict[str, object]]:
    """Return every cell of a report, in percent, with all printed values; what is not known is None."""
    return [
        {**record, **_group_facts(cell.gaps), **changes, **_end(section, command)}
        for section, cell, record, changes in _walk(report)
    ]


def render_csv(report: RunReport, command: str) -> str:
    """Return a row per cell with the first value of each kind; it ends with the signature and the command."""
    stream = io.StringIO()
    rows = [
        {**record, **_first_facts(cell.gaps), **changes, **_end(section, command)}
        for section, cell, record, changes in _walk(report)
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


def _walk(report: RunReport) -> Iterator[tuple[Section, Cell, FlatRecord, FlatRecord]]:
    """Return every cell with its section, its numbers, and its changes."""
    bases = find_bases(report.results)
    for section in report.sections:
        for metric, cells in section.columns.items():
            for cell in cells:
                base = bases.get((section.target.task, cell.system))
                changes = {
                    **_compare_base(section, metric, cell, base),
                    **_compare_originals(section, metric, cell),
                }
                yield section, cell, _flatten_cell(section, metric, cell), changes


def _compare_base(section: Section, metric: str, cell: Cell, base: System | None) -> FlatRecord:
    """Return the change of a variant against its base, over the runs that both have."""
    values = _find_values(section, metric, base)
    change = measure_variant([values], [cell.values])
    return {
        "base": base.name if base and change else None,
        **_flatten_change("base", change),
        "base_pairs": len(change.runs[0]) if change else None,
    }


def _compare_originals(section: Section, metric: str, cell: Cell) -> FlatRecord:
    """Return the change of accuracy from originals to their variants, over the runs that have both."""
    originals = _find_values(section, find_originals(metric), cell.system)
    both = originals.keys() & cell.values.keys()
    one, other = ({key: side[key] for key in sorted(both)} for side in (originals, cell.values))
    return _flatten_change("originals", measure_shift(one, other) if both else None)


def _find_values(section: Section, metric: str | None, system: System | None) -> RunValues:
    column = section.columns.get(metric, ()) if metric else ()
    return next((cell.values for cell in column if cell.system == system), {})


def _flatten_change(name: str, change: MeanChange | None) -> FlatRecord:
    low, high = (change.interval if change else None) or (None, None)
    return {f"{name}_gap": change.mean if change else None, f"{name}_low": low, f"{name}_high": high}


def _flatten_cell(section: Section, metric: str, cell: Cell) -> FlatRecord:
    spread, target, system = cell.spread, section.target, cell.system
    dev = section.dev.get(system)
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
        "dev": dev.mean if dev else None,
        "dev_metric": dev.metric if dev else None,
        "mark": cell.rank.mark.value,
        "p": cell.rank.p,
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
