r"""Tables as LaTeX; the document that takes them in needs \usepackage{booktabs}.

First come those for a paper, systems by corpora, then \endinput and those with all details, to be copied.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from math import ceil

from aspectlab.metrics import METRICS, default_metric
from aspectlab.reports.runs import (
    NOTHING,
    Cell,
    Entry,
    ReportTable,
    RunReport,
    Section,
    Significance,
    System,
    format_number,
    list_tables,
    make_slug,
    name_metric,
    sign_section,
)
from aspectlab.tasks import TASKS

_SPECIAL = {
    **{character: f"\\{character}" for character in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar\allowbreak{}",  # a signature may break after a field
    "±": r"$\pm$",
    "×": r"$\times$",
    "≈": r"$\approx$",
    "−": "$-$",
    "–": r"\textendash{}",
    "→": r"$\rightarrow$",
    "·": r"$\cdot$",
    "\n": " ",
}
_HYPHEN = re.compile("-(?=-)")


_COLUMN_PT, _PAGE_PT = 219, 455
"""How wide a column and a page are in the narrowest style that is common here (ACL), in points."""

_LETTER_PT, _SCORE_PT = 4.8, 64
"""How wide a letter of a name and a score with its deviation are in small type, with the space between."""

_SIZES = {"small": 1.0, "footnotesize": 0.88, "scriptsize": 0.78}
"""Sizes of type, and how wide each is beside small."""

_DETAILS = r"""% Below are the tables with all details: more metrics, the parts of the spread, printed values.
% \input stops here; copy those that you need, or move the next line to the end.
\endinput
"""


def render_latex(report: RunReport, command: str) -> str:
    """Return the tables for a paper, and behind them all tables of a report, as floats."""
    head = [
        f"% {report.title}".replace("\n", " "),
        r"% needs \usepackage{booktabs}",
        f"% made by: {command}",
        "",
    ]
    groups: dict[tuple[str, str], list[Section]] = {}
    # what a paper shows first is the plain test set
    for section in sorted(report.sections, key=lambda section: section.target.test != "test"):
        groups.setdefault((section.target.task, section.target.test), []).append(section)
    papers = (
        _render_paper_table(part, number)
        for sections in groups.values()
        for number, part in enumerate(_split_columns(sections), start=1)
    )
    return "\n".join([*head, *papers, _DETAILS, *map(_render, list_tables(report, command))])


def _split_columns(sections: Sequence[Section]) -> Iterator[Sequence[Section]]:
    """Yield as many corpora at a time as a page is wide, in parts of nearly one size."""
    names = {system.name for section in sections for system in section.systems}
    room = _PAGE_PT / min(_SIZES.values()) - _LETTER_PT * max(map(len, names))
    most = max(int(room / _SCORE_PT) // len(_choose_metrics(sections)), 1)
    parts = ceil(len(sections) / most)
    for number in range(parts):
        yield sections[number * len(sections) // parts : (number + 1) * len(sections) // parts]


def _render_paper_table(sections: Sequence[Section], number: int) -> str:
    """Return a table with a row per system and, for each corpus, a column per main metric."""
    task, _, test = sections[0].target
    metrics = _choose_metrics(sections)
    columns = [(section, metric) for section in sections for metric in metrics]
    cells = {
        (section.target.corpus, metric, cell.system): cell
        for section, metric in columns
        for cell in section.columns.get(metric, ())
    }
    systems = sorted({system for *_, system in cells})
    encoders = {system.encoder for system in systems}
    names = _name_rows(systems, is_shared=len(encoders) == 1)
    width = _LETTER_PT * max(map(len, names)) + _SCORE_PT * len(columns)
    float_name, room = ("table", _COLUMN_PT) if width <= _COLUMN_PT else ("table*", _PAGE_PT)
    size = next((name for name, share in _SIZES.items() if share * width <= room), "scriptsize")
    caption = _write_caption(sections, metrics, [*cells.values()], encoders)
    rows = (
        _row(
            [escape_latex(name), *(_show_score(cells.get((s.target.corpus, m, system))) for s, m in columns)]
        )
        for system, name in zip(systems, names, strict=True)
    )
    lines = [
        *(f"% signature: {sign_section(section)}" for section in sections),
        *(rf"\begin{{{float_name}}}[t]", r"\centering", rf"\{size}", r"\setlength{\tabcolsep}{4pt}"),
        rf"\caption{{{caption}}}",
        rf"\label{{tab:{make_slug(task, test, *metrics, str(number) if number > 1 else '')}}}",
        *(rf"\begin{{tabular}}{{l{'r' * len(columns)}}}", r"\toprule"),
        *_write_heads(sections, metrics),
        r"\midrule",
        *rows,
        *(r"\bottomrule", r"\end{tabular}", rf"\end{{{float_name}}}", ""),
    ]
    return "\n".join(lines)


def _choose_metrics(sections: Sequence[Section]) -> list[str]:
    """Return what papers show of a task: its headline, and macro F1 beside accuracy."""
    task = sections[0].target.task
    present = list(dict.fromkeys(metric for section in sections for metric in section.columns))
    headline = METRICS[default_metric(task)].headline if task in TASKS else ""
    wanted = [headline, *(["macro_f1"] if headline == "accuracy" else [])]
    return [metric for metric in wanted if metric in present] or present[:1]


def _name_rows(systems: Sequence[System], *, is_shared: bool) -> list[str]:
    """Name the systems; one encoder of all stands in the caption."""
    if not is_shared:
        return [system.name for system in systems]
    return [
        system.name.replace(f"/{system.encoder}", "", 1) if system.encoder else system.name
        for system in systems
    ]


def _write_heads(sections: Sequence[Section], metrics: Sequence[str]) -> Iterator[str]:
    corpora = [escape_latex(section.target.corpus) for section in sections]
    if len(metrics) == 1:
        yield _row(["System", *corpora])
        return
    width = len(metrics)
    yield _row(["", *(rf"\multicolumn{{{width}}}{{c}}{{{corpus}}}" for corpus in corpora)])
    starts = range(2, 2 + width * len(corpora), width)
    yield " ".join(rf"\cmidrule(lr){{{start}-{start + width - 1}}}" for start in starts)
    yield _row(["System", *(escape_latex(name_metric(metric)) for _ in corpora for metric in metrics)])


def _write_caption(
    sections: Sequence[Section], metrics: Sequence[str], cells: Sequence[Cell], encoders: Iterable[str]
) -> str:
    """Describe the numbers in two lines at most."""
    task, _, test = sections[0].target
    named = " and ".join(name_metric(metric) for metric in metrics)
    measured = f"{named[:1].upper()}{named[1:]} (%)"
    where = " on the test sets" if test == "test" else f" on {test}" if test else ""
    shapes = {(cell.spread.n, cell.spread.splits) for cell in cells}
    ns = sorted({n for n, _ in shapes})
    runs = f"{ns[0]}" if len(ns) == 1 else f"{ns[0]} to {ns[-1]}"
    splits = {count for _, count in shapes}
    over = f" on {splits.pop()} splits" if len(splits) == 1 and splits != {1} else ""
    title = f"{TASKS[task].title[:1].upper()}{TASKS[task].title[1:]}: " if task in TASKS else ""
    parts = [f"{title}{measured}{where}, mean ± standard deviation of {runs} runs{over}."]
    shared = [*encoders]
    parts += [f"Encoder: {shared[0]}."] if len(shared) == 1 and shared[0] else []
    text = escape_latex(" ".join(parts))
    marks = {cell.rank.mark for cell in cells}
    text += r" Bold: best." if Significance.BEST in marks else ""
    text += r" $^{\approx}$: not significantly worse ($p > 0.05$)." if Significance.NOT_WORSE in marks else ""
    return text + (r" $^{?}$: not tested." if Significance.UNTESTED in marks else "")


def _show_score(cell: Cell | None) -> str:
    if cell is None:
        return escape_latex(NOTHING)
    mean = _show(Entry(format_number(cell.spread.mean), cell.rank.mark))
    std = cell.spread.std
    return mean if std is None else rf"{mean}{{\scriptsize\,$\pm$\,{format_number(std)}}}"


def escape_latex(text: str) -> str:
    r"""Escape a text for LaTeX.

    >>> escape_latex("a_b ± 5 %")
    'a\\_b $\\pm$ 5 \\%'
    """
    # hyphens side by side would be drawn as a dash
    return _HYPHEN.sub("-{}", "".join(_SPECIAL.get(character, character) for character in text))


def _render(table: ReportTable) -> str:
    columns = "l" * table.names + "r" * (len(table.columns) - table.names)
    notes = r" \par ".join(map(escape_latex, table.notes))
    lines = [
        *(f"% signature: {table.signature}".split("\n")),
        *(r"\begin{table}[t]", r"\centering", r"\footnotesize"),
        rf"\caption{{{escape_latex(table.title)}}}",
        rf"\label{{tab:{table.name}}}",
        *(rf"\begin{{tabular}}{{{columns}}}", r"\toprule"),
        _row(map(escape_latex, table.columns)),
        r"\midrule",
        *(_row(map(_show, row)) for row in table.rows),
        *(r"\bottomrule", r"\end{tabular}"),
        rf"\par\smallskip {notes}",
        *(r"\end{table}", ""),
    ]
    return "\n".join(lines)


def _row(cells: Iterable[str]) -> str:
    first, *others = cells
    # after the end of a row, LaTeX takes a bracket or a star for an option of that end
    return "{}" * first.startswith(("[", "*")) + " & ".join((first, *others)) + r" \\"


def _show(entry: Entry) -> str:
    text = escape_latex(entry.text)
    if entry.mark is Significance.BEST:
        return rf"\textbf{{{text}}}"
    return text + {Significance.NOT_WORSE: r"$^{\approx}$", Significance.UNTESTED: r"$^{?}$"}.get(
        entry.mark or Significance.WORSE, ""
    )
