"""The page on mutants: pictures over all runs, then the pictures and the table of each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from aspectlab.metamorphic.mutantruns import MutantRun, warn_of_weakness
from aspectlab.metamorphic.mutants import Comparison
from aspectlab.reports.metamorphicmutants.grid import draw_grid
from aspectlab.reports.metamorphicmutants.rates import draw_rates
from aspectlab.reports.metamorphicmutants.stacks import list_stacks
from aspectlab.reports.page import render_page, show
from aspectlab.reports.runs.htmltables import render_table
from aspectlab.reports.runs.look import STYLE
from aspectlab.reports.runs.plots.picture import Picture
from aspectlab.reports.runs.table import Entry, Table, make_slug, say

_COLUMNS = ("relation", "mutants", "VR %", "gold %", "p", "verdict", "p Holm", "verdict Holm")

_NOTES = (
    "Of the sentences that the whole model had right, gold is the share that a mutant gets wrong. Of the "
    "cases that the whole model satisfied, VR is the share that a mutant violates. Both are means over the "
    "mutants.",
    "A relation is better if its rate is the higher one by Wilcoxon's signed ranks over the mutants at 5 %, "
    "worse if it is the lower one, else similar. Holm's method corrects p for all tests on this page.",
    "Better says that follow-ups notice damage more often than gold labels do, not that a relation is valid: "
    "the two rates are about different cases.",
)


def render_mutants(runs: Sequence[MutantRun]) -> str:
    """Give one HTML page that needs nothing beside it and no script."""
    title = f"Mutants: {runs[0].name}" if len(runs) == 1 else f"Mutants: {len(runs)} results"
    warning = warn_of_weakness(runs)
    said = f'<p class="facts">Mind: {show(warning)}.</p>\n' if warning else ""
    parts = [f'<section id="all">\n<h2>All verdicts</h2>\n{_render_figures(list_stacks(runs))}\n</section>\n']
    parts += [_render_run(number, run) for number, run in enumerate(runs)]
    body = f'<header>\n<h1>{show(title)}</h1>\n{said}</header>\n<main id="main">\n{"".join(parts)}</main>'
    return render_page(title, body, style=STYLE, script="")


def build_table(run: MutantRun) -> Table:
    """Give the table of a run: a row per relation and operator."""
    return Table(
        name=make_slug("mutants", run.model, run.corpus),
        title=f"{run.name}: relations against gold labels",
        columns=_COLUMNS,
        rows=tuple(tuple(map(Entry, _build_row(each))) for each in run.comparisons),
        notes=_NOTES,
        signature=run.signature,
        command="",
        names=2,
    )


def _build_row(each: Comparison) -> list[str]:
    rates = [say(100 * each.vr), say(100 * each.reference)]
    plain, corrected = (
        [say(each.p, 4), each.standing.value],
        [say(each.p_holm, 4), each.standing_holm.value],
    )
    return [each.relation, each.operator, *rates, *plain, *corrected]


def _render_run(number: int, run: MutantRun) -> str:
    figures = _render_figures([draw_grid(run), draw_rates(run)])
    table = render_table(build_table(run))
    return f'<section id="run{number}">\n<h2>{show(run.name)}</h2>\n{figures}{table}\n</section>\n'


def _render_figures(pictures: Iterable[Picture]) -> str:
    figures = "\n".join(f"<figure>{picture.inline()}</figure>" for picture in pictures)
    return f'<div class="figures">\n{figures}\n</div>\n'
