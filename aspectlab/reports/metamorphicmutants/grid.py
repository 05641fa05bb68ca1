"""Grid: the verdict on every relation for every kind of mutant, as tested and corrected beside it."""

from __future__ import annotations

from collections.abc import Iterator

from aspectlab.metamorphic.mutantruns import MutantRun
from aspectlab.metamorphic.mutants import Comparison, Standing
from aspectlab.reports.metamorphicmutants.signs import draw_key, draw_sign, draw_title
from aspectlab.reports.runs.plots.axes import box, fit_label, line, write
from aspectlab.reports.runs.plots.picture import WIDTH, Picture
from aspectlab.reports.runs.table import make_slug

_LEFT, _RIGHT, _TOP, _ROW = 52, WIDTH - 2, 74, 24


def draw_grid(run: MutantRun) -> Picture:
    """Draw a row per relation and two columns per operator: the verdict of p, and that of Holm's p."""
    relations, operators = list_names(run)
    width = (_RIGHT - _LEFT) / len(operators)
    bottom = _TOP + _ROW * len(relations)
    title = f"{run.name}: relations against gold labels"
    elements = [*draw_title(run.name, "verdicts on relations against gold labels")]
    for number, operator in enumerate(operators):
        elements += _draw_head(operator, _LEFT + width * number, width)
    for number, relation in enumerate(relations):
        elements.append(write(0, _TOP + _ROW * (number + 0.5) + 4, relation))
    for each in run.comparisons:
        place = _LEFT + width * operators.index(each.operator), _TOP + _ROW * relations.index(each.relation)
        elements += _draw_cell(each, *place, width)
    elements += [
        line((x, _TOP - 34), (x, bottom), "axis") for x in (_LEFT + width * n for n in range(len(operators)))
    ]
    return Picture(
        name=make_slug("verdicts", run.model, run.corpus),
        title=title,
        words=_say(run),
        height=bottom + 26,
        elements=(*elements, *draw_key(bottom + 16)),
    )


def list_names(run: MutantRun) -> tuple[list[str], list[str]]:
    """Give the relations and the operators of a run, each once, in their order."""
    relations = dict.fromkeys(sorted(each.relation for each in run.comparisons))
    return [*relations], [*dict.fromkeys(each.operator for each in run.comparisons)]


def _draw_head(operator: str, x: float, width: float) -> Iterator[str]:
    yield write(x + width / 2, _TOP - 22, fit_label(operator, width), "middle")
    for number, name in enumerate(("p", "Holm")):
        yield write(x + width * (0.25 + number / 2), _TOP - 8, name, "quiet middle")


def _draw_cell(each: Comparison, x: float, y: float, width: float) -> Iterator[str]:
    half = width / 2
    for number, standing in enumerate((each.standing, each.standing_holm)):
        left = x + half * number
        yield box(left + 2, y + 2, half - 4, _ROW - 4, standing.value)
        yield draw_sign(standing, left + half / 2, y + _ROW / 2)


def _say(run: MutantRun) -> str:
    """Give the verdicts in words, by relation."""
    relations, _ = list_names(run)
    parts = []
    for relation in relations:
        rows = [each for each in run.comparisons if each.relation == relation]
        said = (f"{each.operator} {each.standing} (Holm {each.standing_holm})" for each in rows)
        parts.append(f"{relation}: {', '.join(said)}")
    return "; ".join(parts) + "."


def count_standings(comparisons: list[Comparison], *, is_corrected: bool) -> dict[Standing, int]:
    """Count the verdicts of each kind."""
    found = [each.standing_holm if is_corrected else each.standing for each in comparisons]
    return {standing: found.count(standing) for standing in Standing}
