"""Tables as Markdown."""

import re
from collections.abc import Iterable

from aspectlab.reports.runs import Entry, ReportTable, RunReport, Significance, list_tables

# what Markdown or HTML within it would take for its own
_SPECIAL = re.compile(r"([\\`*_<>|\[\]])")


def render_markdown(report: RunReport, command: str) -> str:
    """Return a page of all tables of a report."""
    return "\n".join([f"# {report.title}", "", *map(_render, list_tables(report, command))])


def _render(table: ReportTable) -> str:
    return "\n".join([f"## {_escape(table.title)}", "", render_markdown_table(table)])


def render_markdown_table(table: ReportTable) -> str:
    """Return a table without its title, its notes and what made it behind it."""
    head = _row(map(_escape, table.columns))
    rule = _row(":--" if k < table.names else "--:" for k in range(len(table.columns)))
    rows = [_row(map(_show, row)) for row in table.rows]
    notes = [line for note in table.notes for line in (_escape(note), "")]
    end = [f"`{table.signature}`  ", f"`{table.command}`", ""]
    return "\n".join([head, rule, *rows, "", *notes, *end])


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _show(entry: Entry) -> str:
    text = _escape(entry.text)
    if entry.mark is Significance.BEST:
        return f"**{text}**"
    return text + {Significance.NOT_WORSE: " ≈", Significance.UNTESTED: " ?"}.get(
        entry.mark or Significance.WORSE, ""
    )


def _escape(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text.replace("\n", " "))
