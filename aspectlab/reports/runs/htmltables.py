"""The tables of the report on runs as HTML."""

from __future__ import annotations

from collections.abc import Iterable

from aspectlab.reports.page import show
from aspectlab.reports.runs.standing import Mark
from aspectlab.reports.runs.table import Entry, Table

_NOTES = {"source", "note"}
"""Columns of words, which may wrap."""

_SIGNS = {Mark.BEST: "", Mark.LEVEL: "≈", Mark.WORSE: "", Mark.UNTESTED: "?"}


def render_table(table: Table) -> str:
    """Give a table that scrolls by itself where the window is narrow, its signature and its command."""
    head = "".join(
        f'<th scope="col"{_kind(table, number)}>{show(name)}</th>'
        for number, name in enumerate(table.columns)
    )
    body = "\n".join(f"<tr>{_render_row(table, row)}</tr>" for row in table.rows)
    return (
        f'<div class="scroll" role="region" aria-label="{show(table.title)}" tabindex="0"><table>'
        f"<caption>{show(shorten_title(table))}</caption>\n<thead><tr>{head}</tr></thead>\n"
        f"<tbody>\n{body}\n</tbody></table></div>\n{_render_notes(table.notes)}\n"
        f'<p class="end"><code>{show(table.signature)}</code><code>{show(table.command)}</code></p>'
    )


def shorten_title(table: Table) -> str:
    """Give the title without what was measured on, which the heading of the section says."""
    return table.title.rpartition(": ")[2].capitalize()


def _render_row(table: Table, row: Iterable[Entry]) -> str:
    cells = []
    for number, entry in enumerate(row):
        tag = 'th scope="row"' if number < table.names else "td"
        cells.append(f"<{tag}{_kind(table, number)}>{_render_entry(entry)}</{tag[:2]}>")
    return "".join(cells)


def _kind(table: Table, number: int) -> str:
    if number < table.names:
        return ' class="named"'
    return ' class="wide"' if table.columns[number] in _NOTES else ""


def _render_entry(entry: Entry) -> str:
    text = show(entry.text)
    if entry.mark is None:
        # a long name may wrap where it has a joint
        return text.replace("/", "/<wbr>")
    strong = f"<strong>{text}</strong>" if entry.mark is Mark.BEST else text
    # an empty sign takes its room as well, so that numbers stay one under another
    return f'{strong}<span class="sign" title="{entry.mark.value}">{_SIGNS[entry.mark]}</span>'


def _render_notes(notes: Iterable[str]) -> str:
    said = "".join(f"<p>{show(note)}</p>" for note in notes)
    return f'<details class="note"><summary>How to read this table</summary>{said}</details>'
