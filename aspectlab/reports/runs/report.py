"""The files of a report: tables as text in four formats, pictures as SVG and PNG."""

from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from pathlib import Path

from aspectlab.registry import Registry
from aspectlab.reports import write_file
from aspectlab.reports.runs.cross_figures import list_joint_figures
from aspectlab.reports.runs.figures import list_section_figures
from aspectlab.reports.runs.summary import RunReport
from aspectlab.reports.svg import Picture, render_png, unique_names

FORMATS = Registry[Callable[[RunReport, str], str]](
    "format",
    {
        "md": "aspectlab.reports.runs.render_markdown:render_markdown",
        "latex": "aspectlab.reports.runs.render_latex:render_latex",
        "csv": "aspectlab.reports.runs.render_csv:render_csv",
        "html": "aspectlab.reports.runs.render_html:render_html",
    },
)
"""How a report becomes one text; each renderer takes the command that makes the report again."""

_EXTENSIONS = {"latex": "tex"}
_PICTURE_FOLDER = "plots"


def render_report(form: str, report: RunReport, command: str) -> str:
    """Return a whole report as one text; the same runs give the same bytes."""
    return FORMATS[form](report, command)


def write_report(folder: Path, report: RunReport, commands: Mapping[str, str]) -> list[Path]:
    """Write a file per format of text and one per picture; `commands` maps formats to what made them."""
    pictures: dict[str, Callable[[Picture], bytes]] = {
        "svg": lambda picture: picture.as_file().encode(),
        "png": lambda picture: render_png(picture.as_file()),
    }
    written = []
    for form, command in commands.items():
        if form in pictures:
            for name, picture in name_pictures(report):
                content = pictures[form](picture)
                written.append(write_file(folder / _PICTURE_FOLDER / f"{name}.{form}", content))
        else:
            text = render_report(form, report, command).encode("utf-8", "replace")
            written.append(write_file(folder / f"report.{_EXTENSIONS.get(form, form)}", text))
    return written


def name_pictures(report: RunReport) -> Iterator[tuple[str, Picture]]:
    """Return every picture that the runs allow, with a name of its own."""
    own = chain.from_iterable(map(list_section_figures, report.sections))
    return unique_names(chain(list_joint_figures(report.sections), own))
