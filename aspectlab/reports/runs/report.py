"""The files of a report; and pages written by hand, in which tables and pictures of runs are kept up to date.

A report is text in four formats, with pictures as SVG and PNG.

A page marks a table by `<!-- table NAME -->`; what stands between that and `<!-- end -->` is replaced.
Behind NAME, columns may be named: then the table has these only; whitespace in their names is written as
underscores. `least=2` keeps the rows that have something in at least two of them. Pictures are those that the
page shows as `plots/NAME.svg`. `<!-- commands STUDY -->` is for scripts outside the package.
"""

import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TypeVar

from aspectlab.errors import ConfigError, DataError
from aspectlab.registry import Registry, suggest
from aspectlab.reports import write_file
from aspectlab.reports.runs.changes import list_paired, list_shifts
from aspectlab.reports.runs.cross_figures import list_joint_figures
from aspectlab.reports.runs.figures import list_section_figures
from aspectlab.reports.runs.render_markdown import render_markdown_table
from aspectlab.reports.runs.summary import RunReport
from aspectlab.reports.runs.table import NOTHING, ReportTable
from aspectlab.reports.runs.tables import build_tables, list_overviews
from aspectlab.reports.svg import Picture, render_png, unique_names
from aspectlab.untrusted import parse_count

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


_END = "<!-- end -->"
_MARK = r"<!-- (?P<kind>table|commands) (?P<name>\S+)(?P<only>(?: \S+)*?) -->"
_OPEN = re.compile(rf"(?m)^{_MARK}$")
_BLOCK = re.compile(rf"(?ms)^(?P<open>{_MARK})\n.*?^(?P<end>{_END})$")
_LEAST = "least="
_ABOVE = "To be read like the first table of its kind on this page."
_LIKE_A_MARK = re.compile(r"(?mi)^[ \t]*<!--[ \t]*(?:tables?|commands?|end)\b.*$")
_PICTURE = re.compile(r"\]\((?:\./)?plots/(?P<name>[^)\s]+)\.svg(?:\s[^)]*)?\)")

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PageMaterial:
    """All that pages may ask for, by name; marks of commands stay as they are where none are given."""

    tables: Mapping[str, ReportTable]
    pictures: Mapping[str, Picture]
    commands: Mapping[str, Sequence[str]] | None = None


def gather(report: RunReport, command: str) -> PageMaterial:
    """Return every table and picture that the runs allow, by name."""
    own = (table for section in report.sections for table in build_tables(section, command))
    made = (
        *list_overviews(report.sections, command),
        *list_paired(report.results, command),
        *list_shifts(report.sections, command),
        *own,
    )
    return PageMaterial(dict(unique_names(made)), dict(name_pictures(report)))


def fill_pages(folder: Path, material: PageMaterial) -> list[Path]:
    """Bring all pages of a folder up to date; nothing is written if one asks for what is not there."""
    pages = sorted(folder.glob("*.md"))
    if not pages:
        raise DataError(f"{folder}: found no Markdown page: expected *.md with <!-- table NAME --> in it")
    texts = {path: _read(path) for path in pages}
    filled = {path: fill(text, material, path.name) for path, text in texts.items()}
    shown = sorted({name for text in texts.values() for name in _PICTURE.findall(text)})
    drawn = {name: _find(name, material.pictures, "picture", folder.name) for name in shown}
    written = [write_file(path, _end_lines(path, text).encode()) for path, text in filled.items()]
    return written + [
        write_file(folder / "plots" / f"{name}.svg", picture.as_file().encode())
        for name, picture in drawn.items()
    ]


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: {error}: expected Markdown in UTF-8; save it as such") from None


def _end_lines(path: Path, text: str) -> str:
    """End lines as the page does that is replaced: one of another system keeps its own way."""
    return text.replace("\n", "\r\n") if b"\r\n" in path.read_bytes() else text


def fill(text: str, material: PageMaterial, where: str) -> str:
    """Replace what stands between the marks of a page; how to read tables of a kind is said once."""
    _refuse_misspelt(text, where)
    _refuse_open(text, where)
    said: set[str] = set()

    def renew(found: re.Match[str]) -> str:
        name, only = found["name"], found["only"].split()
        if found["kind"] == "commands":
            if material.commands is None:
                return found[0]
            commands = _find(name, material.commands, "script", where)
            content = "\n".join(["```text", *commands, "```", ""])
        else:
            table = _choose(_find(name, material.tables, "table", where), only, where)
            content = render_markdown_table(_shorten(table, said))
            said.update(table.notes)
        return f"{found['open']}\n\n{content}\n{found['end']}"

    return _BLOCK.sub(renew, text)


def _refuse_misspelt(text: str, where: str) -> None:
    """Refuse what is nearly a mark, or ends none: its table would stay as it is, and look up to date."""
    is_open = False
    for line in _LIKE_A_MARK.finditer(text):
        is_mark, is_end = _OPEN.fullmatch(line[0]) is not None, line[0] == _END
        if not is_mark and not (is_end and is_open):
            number = text.count("\n", 0, line.start()) + 1
            raise ConfigError(
                f"{where}: line {number}: found {line[0].strip()!r:.80}: expected <!-- table NAME --> or "
                f"<!-- commands SCRIPT -->, and {_END} below it, each with these spaces and alone on its line"
            )
        is_open = is_mark


def _refuse_open(text: str, where: str) -> None:
    """Refuse a mark without an end: what is written by hand below it would be taken for its table."""
    for mark in _OPEN.finditer(text):
        following = _OPEN.search(text, mark.end())
        if f"\n{_END}\n" not in text[mark.end() : following.start() if following else None] + "\n":
            line = text.count("\n", 0, mark.start()) + 1
            raise ConfigError(f"{where}: line {line}: {mark[0]}: found no {_END} after it: expected one")


def _shorten(table: ReportTable, said: Container[str]) -> ReportTable:
    """Leave out the notes that stand under a table further up."""
    notes = tuple(note for note in table.notes if note not in said)
    return table if notes == table.notes else replace(table, notes=(*notes, _ABOVE))


def _choose(table: ReportTable, only: Sequence[str], where: str) -> ReportTable:
    """Keep the columns that name the row and those asked for, and the rows that have enough in them."""
    if not only:
        return table
    least = next((count for word in only if (count := _read_least(word)) is not None), 1)
    only = [word for word in only if _read_least(word) is None]
    # a mark is split at spaces, so those of a column's name are written as underscores
    indices = {column.replace(" ", "_"): index for index, column in enumerate(table.columns)}
    wanted = [_find(column, indices, f"column of {table.name}", where) for column in only]
    wanted = wanted or [*range(table.names, len(table.columns))]
    rows = [row for row in table.rows if sum(row[index].text != NOTHING for index in wanted) >= least]
    kept = [*range(table.names), *wanted]
    return replace(
        table,
        columns=tuple(table.columns[index] for index in kept),
        rows=tuple(tuple(row[index] for index in kept) for row in rows),
    )


def _read_least(word: str) -> int | None:
    return parse_count(word.removeprefix(_LEAST)) if word.startswith(_LEAST) else None


def _find(name: str, known: Mapping[str, T], kind: str, where: str) -> T:
    if name not in known:
        raise ConfigError(f"{where}: the {kind} {name!r} is unknown: {suggest(name, sorted(known))}")
    return known[name]
