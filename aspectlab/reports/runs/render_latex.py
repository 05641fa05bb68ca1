r"""Tables as LaTeX; the document that takes them in needs \usepackage{booktabs}."""

import re
from collections.abc import Iterable

from aspectlab.reports.runs import Entry, ReportTable, RunReport, Significance, list_tables

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


def render_latex(report: RunReport, command: str) -> str:
    """Return all tables of a report as floats, one after another."""
    head = [f"% {report.title}", r"% needs \usepackage{booktabs}", ""]
    return "\n".join([*head, *map(_render, list_tables(report, command))])


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
        *(r"\begin{table}", r"\centering", r"\footnotesize"),
        rf"\caption{{{escape_latex(table.title)}}}",
        rf"\label{{tab:{table.name}}}",
        *(rf"\begin{{tabular}}{{{columns}}}", r"\toprule"),
        _row(map(escape_latex, table.columns)),
        r"\midrule",
        *(_row(map(_show, row)) for row in table.rows),
        *(r"\bottomrule", r"\end{tabular}"),
        rf"\par\smallskip {notes}",
        rf"\par \texttt{{{escape_latex(table.signature)}}}",
        rf"\par \texttt{{{escape_latex(table.command)}}}",
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
