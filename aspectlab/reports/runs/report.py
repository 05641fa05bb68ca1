"""The files of a report: tables as text in four formats, pictures as SVG and PNG."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

from aspectlab.reports.html import write_file
from aspectlab.reports.runs.cross_figures import list_joint_figures, list_section_figures
from aspectlab.reports.runs.render_csv import render_csv
from aspectlab.reports.runs.render_html import render_runs
from aspectlab.reports.runs.render_latex import render_latex
from aspectlab.reports.runs.render_markdown import render_markdown
from aspectlab.reports.runs.summary import Section
from aspectlab.reports.runs.table import ReportTable
from aspectlab.reports.runs.tables import build_tables
from aspectlab.reports.svg.picture import Picture, render_png, unique_names

ENDINGS = {"md": "md", "latex": "tex", "csv": "csv", "html": "html"}
"""The formats of text, and how the names of their files end."""

_PICTURE_FOLDER = "plots"


def render_report(form: str, title: str, sections: Sequence[Section], command: str) -> str:
    """Give a whole report as one text; the same sections give the same bytes."""
    if form == "csv":
        return render_csv(sections, command)
    if form == "html":
        return render_runs(title, sections, command)
    render = render_latex if form == "latex" else render_markdown
    return render(title, _list_tables(sections, command))


def write_report(
    folder: Path, title: str, sections: Sequence[Section], commands: Mapping[str, str]
) -> list[Path]:
    """Write a file per format of text and one per picture; `commands` maps formats to what made them."""
    pictures: dict[str, Callable[[Picture], bytes]] = {
        "svg": lambda picture: picture.as_file().encode(),
        "png": lambda picture: render_png(picture.as_file()),
    }
    written = []
    for form, command in commands.items():
        if form in pictures:
            for name, picture in name_pictures(sections):
                content = pictures[form](picture)
                written.append(write_file(folder / _PICTURE_FOLDER / f"{name}.{form}", content))
        else:
            text = render_report(form, title, sections, command)
            written.append(write_file(folder / f"report.{ENDINGS[form]}", text.encode("utf-8", "replace")))
    return written


def _list_tables(sections: Sequence[Section], command: str) -> Iterator[ReportTable]:
    tables = (table for section in sections for table in build_tables(section, command))
    # a label in LaTeX has an underscore for every odd letter, so that two corpora may share one
    return (replace(table, name=name) for name, table in unique_names(tables))


def name_pictures(sections: Sequence[Section]) -> Iterator[tuple[str, Picture]]:
    """Give every picture that the runs allow, with a name of its own."""
    own = chain.from_iterable(map(list_section_figures, sections))
    return unique_names(chain(list_joint_figures(sections), own))
