"""Tables as Markdown."""

from collections.abc import Iterable

from aspectlab.reports.runs import Entry, ReportTable, RunReport, Significance, list_tables
from aspectlab.untrusted import escape_markdown, format_code_span


def render_markdown(report: RunReport, command: str) -> str:
    """Return a page of all tables of a report."""
    return "\n".join([f"# {report.title}", "", *map(_render, list_tables(report, command))])


def _render(table: ReportTable) -> str:
    return "\n".join([f"## {escape_markdown(table.title)}", "", render_markdown_table(table)])


def render_markdown_table(table: ReportTable) -> str:
    """Return a table without its title, its notes and what made it behind it."""
    head = _row(map(escape_markdown, table.columns))
    rule = _row(":--" if k < table.names else "--:" for k in range(len(table.columns)))
    rows = [_row(map(_show, row)) for row in table.rows]
    notes = [line for note in table.notes for line in (escape_markdown(note), "")]
    end = [f"{format_code_span(table.signature)}  ", format_code_span(table.command), ""]
    return "\n".join([head, rule, *rows, "", *notes, *end])


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _show(entry: Entry) -> str:
    text = escape_markdown(entry.text)
    if entry.mark is Significance.BEST:
        return f"**{text}**"
    return text + {Significance.NOT_WORSE: " ≈", Significance.UNTESTED: " ?"}.get(
        entry.mark or Significance.WORSE, ""
    )
