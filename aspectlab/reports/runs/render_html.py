"""The report on runs as HTML: one page of tables and pictures; it needs nothing beside it and no script."""

from collections.abc import Iterable, Sequence

from aspectlab.reports import TABLE_STYLES, escape_html, format_count, load_assets, render_page
from aspectlab.reports.runs import (
    Entry,
    ReportTable,
    RunReport,
    Section,
    Significance,
    build_cross_tables,
    build_tables,
    list_joint_figures,
    list_section_figures,
)
from aspectlab.reports.svg import Picture

_JOINT = "across"
_OPEN_PICTURES = 3
"""So many pictures of a section stand open; the others unfold."""


def render_html(report: RunReport, command: str) -> str:
    """Return the page; the same runs give the same bytes."""
    sections = report.sections
    joint = _render_joint(build_cross_tables(report, command), list_joint_figures(sections))
    names = [(f"part{number}", str(section.target)) for number, section in enumerate(sections)]
    links = [(_JOINT, "Across corpora"), *names] if joint else names
    parts = [joint]
    parts += [
        _render_section(name, section, command) for (name, _), section in zip(names, sections, strict=True)
    ]
    nav = " ".join(f'<a href="#{name}">{escape_html(heading)}</a>' for name, heading in links)
    body = (
        '<a class="skip" href="#main">To the report</a>\n'
        f'<header>\n<h1>{escape_html(report.title)}</h1>\n<p class="facts">{_describe_size(sections)}</p>\n'
        f'<nav aria-label="Parts of the report">{nav}</nav>\n</header>\n'
        f'<main id="main">\n{"".join(parts)}</main>'
    )
    return render_page(report.title, body, style=load_assets(*TABLE_STYLES), script="")


def _render_joint(tables: Sequence[ReportTable], pictures: Sequence[Picture]) -> str:
    """Return the first table and the pictures; other tables unfold. Nothing where there are none."""
    parts = [render_html_table(table, table.title) for table in tables[:1]]
    parts += [_fold(table.title, render_html_table(table, table.title)) for table in tables[1:]]
    parts += [f"{_render_figures(pictures)}\n"] if pictures else []
    body = "".join(parts)
    return f'<section id="{_JOINT}">\n<h2>Across corpora</h2>\n{body}</section>\n' if body else ""


def _render_section(name: str, section: Section, command: str) -> str:
    """Return the scores and the first pictures; what explains them unfolds."""
    scores, *others = build_tables(section, command)
    pictures = list_section_figures(section)
    parts = [render_html_table(scores), _render_figures(pictures[:_OPEN_PICTURES])]
    if pictures[_OPEN_PICTURES:]:
        count = format_count(len(pictures) - _OPEN_PICTURES, "more picture")
        parts.append(_fold(count, _render_figures(pictures[_OPEN_PICTURES:])))
    parts += [_fold(shorten_title(table), render_html_table(table)) for table in others]
    return (
        f'<section id="{name}">\n<h2>{escape_html(str(section.target))}</h2>\n{"".join(parts)}\n</section>\n'
    )


def _render_figures(pictures: Iterable[Picture]) -> str:
    figures = "\n".join(f"<figure>{picture.inline()}</figure>" for picture in pictures)
    return f'<div class="figures">\n{figures}\n</div>\n'


def _fold(heading: str, body: str) -> str:
    return f"<details><summary>{escape_html(heading)}</summary>\n{body}</details>\n"


def _describe_size(sections: Sequence[Section]) -> str:
    systems = {system.name for section in sections for system in section.systems}
    corpora = {section.target.corpus for section in sections}
    counts = [
        format_count(len(systems), "system"),
        f"{len(corpora)} {'corpus' if len(corpora) == 1 else 'corpora'}",
        format_count(len(sections), "test set"),
    ]
    return " · ".join(counts)


_TEXT_COLUMNS = {"source", "note"}
"""Columns of words, which may wrap."""

_MARKS = {
    Significance.BEST: "",
    Significance.NOT_WORSE: "≈",
    Significance.WORSE: "",
    Significance.UNTESTED: "?",
}


def render_html_table(table: ReportTable, caption: str | None = None) -> str:
    """Return a table that scrolls by itself where the window is narrow, its signature and its command."""
    head = "".join(
        f'<th scope="col"{_column_class(table, number)}>{escape_html(name)}</th>'
        for number, name in enumerate(table.columns)
    )
    body = "\n".join(f"<tr>{_render_row(table, row)}</tr>" for row in table.rows)
    return (
        f'<div class="scroll" role="region" aria-label="{escape_html(table.title)}" tabindex="0"><table>'
        f"<caption>{escape_html(caption or shorten_title(table))}</caption>\n<thead><tr>{head}</tr></thead>\n"
        f"<tbody>\n{body}\n</tbody></table></div>\n{_render_notes(table.notes)}\n"
        f'<p class="end"><code>{escape_html(table.signature)}</code>'
        f"<code>{escape_html(table.command)}</code></p>"
    )


def shorten_title(table: ReportTable) -> str:
    """Return the title without what was measured on, which the heading of the section says."""
    return table.title.rpartition(": ")[2].capitalize()


def _render_row(table: ReportTable, row: Iterable[Entry]) -> str:
    cells = []
    for number, entry in enumerate(row):
        tag = 'th scope="row"' if number < table.names else "td"
        cells.append(f"<{tag}{_column_class(table, number)}>{_render_entry(entry)}</{tag[:2]}>")
    return "".join(cells)


def _column_class(table: ReportTable, number: int) -> str:
    if number < table.names:
        return ' class="named"'
    return ' class="wide"' if table.columns[number] in _TEXT_COLUMNS else ""


def _render_entry(entry: Entry) -> str:
    text = escape_html(entry.text)
    if entry.mark is None:
        # a long name may wrap where it has a joint
        return text.replace("/", "/<wbr>")
    strong = f"<strong>{text}</strong>" if entry.mark is Significance.BEST else text
    # an empty sign takes its room as well, so that numbers stay one under another
    return f'{strong}<span class="sign" title="{entry.mark.value}">{_MARKS[entry.mark]}</span>'


def _render_notes(notes: Iterable[str]) -> str:
    said = "".join(f"<p>{escape_html(note)}</p>" for note in notes)
    return f'<details class="note"><summary>How to read this table</summary>{said}</details>'
