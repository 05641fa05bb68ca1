"""Overview: one metric over all corpora of a task, a row per system, beside what papers printed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aspectlab.reports.runs.measures import name_metric, order_metric
from aspectlab.reports.runs.standing import RULE
from aspectlab.reports.runs.summary import Cell, Section
from aspectlab.reports.runs.systems import System
from aspectlab.reports.runs.table import NOTHING, Entry, Table, make_digest, make_slug, say, say_spread
from aspectlab.version import VERSION

_CELLS = (
    "Percent: mean ± sample standard deviation (number of runs) · what the paper of the model printed / what "
    "others reproduced, where they did. Papers have encoders of their own; the one here stands after the "
    "slash of the name."
)


def list_overviews(sections: Sequence[Section], command: str) -> Iterator[Table]:
    """Give a table per task, kind of test set and metric, a column per corpus."""
    for task, test in sorted({(section.target.task, section.target.test) for section in sections}):
        members = [section for section in sections if section.target[::2] == (task, test)]
        for metric in sorted({metric for section in members for metric in section.columns}, key=order_metric):
            yield _build(task, test, metric, members, command)


def _build(task: str, test: str, metric: str, sections: Sequence[Section], command: str) -> Table:
    columns = {
        section.target.corpus: {cell.system: cell for cell in section.columns[metric]}
        for section in sections
        if metric in section.columns
    }
    systems = sorted({system for cells in columns.values() for system in cells})
    rows = (
        (Entry(system.name), *(_show(cells.get(system)) for cells in columns.values())) for system in systems
    )
    return Table(
        name=make_slug(task, test, metric, "overview"),
        title=" · ".join(part for part in (task.upper(), test, name_metric(metric)) if part),
        columns=("system", *columns),
        rows=tuple(rows),
        notes=(_CELLS, RULE),
        signature=_sign(task, test, metric, columns),
        command=command,
    )


def _show(cell: Cell | None) -> Entry:
    if cell is None:
        return Entry(NOTHING)
    text = f"{say_spread(cell.spread.mean, cell.spread.std)} ({cell.spread.n})"
    published, reproduced = (_find_printed(cell, kind) for kind in ("published", "reproduced"))
    if reproduced is not None:
        text += f" · {say(published)} / {say(reproduced)}"
    elif published is not None:
        text += f" · {say(published)}"
    return Entry(text, cell.place.mark)


def _find_printed(cell: Cell, kind: str) -> float | None:
    """Give the first value of a kind; where it is a misprint, the one that holds."""
    return next((gap.fact.value for gap in cell.gaps if gap.fact.kind == kind), None)


def _sign(task: str, test: str, metric: str, columns: dict[str, dict[System, Cell]]) -> str:
    values = [
        f"{corpus} {system.name} {sorted(cell.values.items())!r}\n"
        for corpus, cells in columns.items()
        for system, cell in sorted(cells.items())
    ]
    digest = make_digest("".join(values))
    runs = sum(len(cell.values) for cells in columns.values() for cell in cells.values())
    return f"overview-{task or 'any'}|test:{test}|metric:{metric}|runs:{runs}@{digest}|std:ddof1|v:{VERSION}"
