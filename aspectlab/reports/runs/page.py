"""The report on runs: one page of tables and pictures; it needs nothing beside it and no script."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from aspectlab.reports.page import render_page, show
from aspectlab.reports.runs.figures import list_joint_figures, list_section_figures
from aspectlab.reports.runs.htmltables import render_table, shorten_title
from aspectlab.reports.runs.look import STYLE
from aspectlab.reports.runs.plots.picture import Picture
from aspectlab.reports.runs.summary import Section
from aspectlab.reports.runs.tables import build_tables
from aspectlab.reports.shares import say_number

_JOINT = "across"
_FIRST = 3
"""So many pictures of a section stand open; the others unfold."""


def render_runs(title: str, sections: Sequence[Section], command: str) -> str:
    """Give the page; the same sections give the same bytes."""
    joint = list_joint_figures(sections)
    names = [(f"part{number}", str(section.target)) for number, section in enumerate(sections)]
    links = [(_JOINT, "Across corpora"), *names] if joint else names
    parts = [_render_joint(joint)] if joint else []
    parts += [
        _render_section(name, section, command) for (name, _), section in zip(names, sections, strict=True)
    ]
    nav = " ".join(f'<a href="#{name}">{show(heading)}</a>' for name, heading in links)
    body = (
        '<a class="skip" href="#main">To the report</a>\n'
        f'<header>\n<h1>{show(title)}</h1>\n<p class="facts">{_say_size(sections)}</p>\n'
        f'<nav aria-label="Parts of the report">{nav}</nav>\n</header>\n'
        f'<main id="main">\n{"".join(parts)}</main>'
    )
    return render_page(title, body, style=STYLE, script="")


def _render_joint(pictures: Iterable[Picture]) -> str:
    return f'<section id="{_JOINT}">\n<h2>Across corpora</h2>\n{_render_figures(pictures)}\n</section>\n'


def _render_section(name: str, section: Section, command: str) -> str:
    """Give the scores and the first pictures; what explains them unfolds."""
    scores, *others = build_tables(section, command)
    pictures = list_section_figures(section)
    parts = [render_table(scores), _render_figures(pictures[:_FIRST])]
    if pictures[_FIRST:]:
        count = say_number(len(pictures) - _FIRST, "more picture")
        parts.append(_fold(count, _render_figures(pictures[_FIRST:])))
    parts += [_fold(shorten_title(table), render_table(table)) for table in others]
    return f'<section id="{name}">\n<h2>{show(str(section.target))}</h2>\n{"".join(parts)}\n</section>\n'


def _render_figures(pictures: Iterable[Picture]) -> str:
    figures = "\n".join(f"<figure>{picture.inline()}</figure>" for picture in pictures)
    return f'<div class="figures">\n{figures}\n</div>\n'


def _fold(heading: str, body: str) -> str:
    return f"<details><summary>{show(heading)}</summary>\n{body}</details>\n"


def _say_size(sections: Sequence[Section]) -> str:
    systems = {system.name for section in sections for system in section.systems}
    corpora = {section.target.corpus for section in sections}
    counts = [
        say_number(len(systems), "system"),
        f"{len(corpora)} {'corpus' if len(corpora) == 1 else 'corpora'}",
        say_number(len(sections), "test set"),
    ]
    return " · ".join(counts)
