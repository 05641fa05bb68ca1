"""The report of the mutant protocol: a page, its pictures after Figures 4 and 6 of the MATO paper, and the
numbers.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from aspectlab.errors import DataError
from aspectlab.metamorphic.mutants import (
    MutantComparison,
    MutantRun,
    MutantStanding,
    run_to_dict,
    warn_of_weakness,
)
from aspectlab.outputs import atomic_write
from aspectlab.reports import (
    TABLE_STYLES,
    WIDTH,
    Picture,
    Scale,
    draw_box,
    draw_diamond,
    draw_dot,
    draw_line,
    draw_scale,
    draw_text,
    escape_html,
    fit_label,
    fit_scale,
    load_assets,
    render_page,
    render_png,
    unique_names,
)
from aspectlab.reports.runs import Entry, ReportTable, format_number, make_slug, render_html_table


def write_mutants(folder: Path, runs: Sequence[MutantRun], *, with_png: bool = False) -> list[Path]:
    """Write mutants.html, mutants.json and the pictures; files of an earlier time are replaced."""
    records = [run_to_dict(run) for run in runs]
    numbers = json.dumps(records[0] if len(records) == 1 else records, ensure_ascii=False, indent=1) + "\n"
    contents = {
        "mutants.html": render_mutants(runs).encode("utf-8", "xmlcharrefreplace"),
        "mutants.json": numbers.encode("utf-8", "backslashreplace"),
    }
    for name, picture in name_pictures(runs).items():
        drawing = picture.as_file()
        contents[f"{name}.svg"] = drawing.encode("utf-8", "xmlcharrefreplace")
        if with_png:
            contents[f"{name}.png"] = render_png(drawing)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in contents.items():
            with atomic_write(folder / name) as draft:
                draft.write_bytes(content)
    except OSError as error:
        raise DataError(f"{folder}: cannot be written to: {error.strerror}; check the folder") from None
    return [folder / name for name in contents]


def name_pictures(runs: Sequence[MutantRun]) -> dict[str, Picture]:
    """Return all pictures, each with a name of its own."""
    own = (draw(run) for run in runs for draw in (draw_verdict_grid, draw_rates))
    return dict(unique_names([*list_verdict_counts(runs), *own]))


_TABLE_COLUMNS = ("relation", "mutants", "VR %", "gold %", "p", "verdict", "p Holm", "verdict Holm")

_TABLE_NOTES = (
    "Of the sentences that the whole model had right, gold is the share that a mutant gets wrong. Of the "
    "cases that the whole model satisfied, VR is the share that a mutant violates. Both are means over the "
    "mutants.",
    "A relation is better if its rate is the higher one by Wilcoxon's signed ranks over the mutants at 5 %, "
    "worse if it is the lower one, else similar. Holm's method corrects p for all tests on this page.",
    "Better says that follow-ups notice damage more often than gold labels do, not that a relation is valid: "
    "the two rates are about different cases.",
)


def render_mutants(runs: Sequence[MutantRun]) -> str:
    """Return one HTML page that needs nothing beside it and no script."""
    title = f"Mutants: {runs[0].name}" if len(runs) == 1 else f"Mutants: {len(runs)} results"
    warning = warn_of_weakness(runs)
    said = f'<p class="facts">Mind: {escape_html(warning)}.</p>\n' if warning else ""
    parts = [
        '<section id="all">\n<h2>All '
        f"verdicts</h2>\n{_render_figures(list_verdict_counts(runs))}\n</section>\n"
    ]
    parts += [_render_run(number, run) for number, run in enumerate(runs)]
    body = (
        f'<header>\n<h1>{escape_html(title)}</h1>\n{said}</header>\n<main id="main">\n{"".join(parts)}</main>'
    )
    return render_page(title, body, style=load_assets(*TABLE_STYLES), script="")


def build_table(run: MutantRun) -> ReportTable:
    """Return the table of a run: a row per relation and operator."""
    return ReportTable(
        name=make_slug("mutants", run.model, run.corpus),
        title=f"{run.name}: relations against gold labels",
        columns=_TABLE_COLUMNS,
        rows=tuple(tuple(map(Entry, _build_row(each))) for each in run.comparisons),
        notes=_TABLE_NOTES,
        signature=run.signature,
        command="",
        names=2,
    )


def _build_row(each: MutantComparison) -> list[str]:
    rates = [format_number(100 * each.vr), format_number(100 * each.reference)]
    plain, corrected = (
        [format_number(each.p, 4), each.standing.value],
        [format_number(each.p_holm, 4), each.standing_holm.value],
    )
    return [each.relation, each.operator, *rates, *plain, *corrected]


def _render_run(number: int, run: MutantRun) -> str:
    figures = _render_figures([draw_verdict_grid(run), draw_rates(run)])
    table = render_html_table(build_table(run))
    return f'<section id="run{number}">\n<h2>{escape_html(run.name)}</h2>\n{figures}{table}\n</section>\n'


def _render_figures(pictures: Iterable[Picture]) -> str:
    figures = "\n".join(f"<figure>{picture.inline()}</figure>" for picture in pictures)
    return f'<div class="figures">\n{figures}\n</div>\n'


_GRID_LEFT, _GRID_RIGHT, _GRID_TOP, _GRID_ROW = 52, WIDTH - 2, 74, 24


def draw_verdict_grid(run: MutantRun) -> Picture:
    """Draw a row per relation and two columns per operator: the verdict of p, and that of Holm's p."""
    relations, operators = list_names(run)
    width = (_GRID_RIGHT - _GRID_LEFT) / len(operators)
    bottom = _GRID_TOP + _GRID_ROW * len(relations)
    title = f"{run.name}: relations against gold labels"
    elements = [*draw_title(run.name, "verdicts on relations against gold labels")]
    for number, operator in enumerate(operators):
        elements += _draw_grid_head(operator, _GRID_LEFT + width * number, width)
    for number, relation in enumerate(relations):
        elements.append(draw_text(0, _GRID_TOP + _GRID_ROW * (number + 0.5) + 4, relation))
    for each in run.comparisons:
        corner = (
            _GRID_LEFT + width * operators.index(each.operator),
            _GRID_TOP + _GRID_ROW * relations.index(each.relation),
        )
        elements += _draw_grid_cell(each, *corner, width)
    elements += [
        draw_line((x, _GRID_TOP - 34), (x, bottom), "axis")
        for x in (_GRID_LEFT + width * n for n in range(len(operators)))
    ]
    return Picture(
        name=make_slug("verdicts", run.model, run.corpus),
        title=title,
        words=_describe_grid(run),
        height=bottom + 26,
        elements=(*elements, *draw_verdict_legend(bottom + 16)),
    )


def list_names(run: MutantRun) -> tuple[list[str], list[str]]:
    """Return the relations and the operators of a run, each once, in their order."""
    relations = dict.fromkeys(sorted(each.relation for each in run.comparisons))
    return [*relations], [*dict.fromkeys(each.operator for each in run.comparisons)]


def _draw_grid_head(operator: str, x: float, width: float) -> Iterator[str]:
    yield draw_text(x + width / 2, _GRID_TOP - 22, fit_label(operator, width), "middle")
    for number, name in enumerate(("p", "Holm")):
        yield draw_text(x + width * (0.25 + number / 2), _GRID_TOP - 8, name, "quiet middle")


def _draw_grid_cell(each: MutantComparison, x: float, y: float, width: float) -> Iterator[str]:
    half = width / 2
    for number, standing in enumerate((each.standing, each.standing_holm)):
        left = x + half * number
        yield draw_box(left + 2, y + 2, half - 4, _GRID_ROW - 4, standing.value)
        yield draw_sign(standing, left + half / 2, y + _GRID_ROW / 2)


def _describe_grid(run: MutantRun) -> str:
    """Return the verdicts in words, by relation."""
    relations, _ = list_names(run)
    parts = []
    for relation in relations:
        rows = [each for each in run.comparisons if each.relation == relation]
        said = (f"{each.operator} {each.standing} (Holm {each.standing_holm})" for each in rows)
        parts.append(f"{relation}: {', '.join(said)}")
    return "; ".join(parts) + "."


def count_standings(comparisons: list[MutantComparison], *, is_corrected: bool) -> dict[MutantStanding, int]:
    """Count the verdicts of each kind."""
    found = [each.standing_holm if is_corrected else each.standing for each in comparisons]
    return {standing: found.count(standing) for standing in MutantStanding}


_RATES_LEFT, _RATES_RIGHT, _RATES_TOP = 46, WIDTH - 10, 42
_RATES_LABEL, _RATES_LANE, _RATES_GAP = 15, 12, 5
_GOLD = "gold labels"


class _Lane(NamedTuple):
    """One kind of mutants: what each loses, the mean, and what gold labels have for the mean."""

    operator: str
    values: tuple[float, ...]
    mean: float
    gold: float | None = None


def draw_rates(run: MutantRun) -> Picture:
    """Draw a lane per relation and operator: every mutant, their mean, and the mean of gold labels."""
    lanes = _list_lanes(run)
    shares = [100 * rate for rows in lanes.values() for lane in rows for rate in (*lane.values, lane.mean)]
    scale = fit_scale([0.0, *shares], _RATES_LEFT, _RATES_RIGHT)
    elements: list[str] = []
    y = float(_RATES_TOP)
    for name, rows in lanes.items():
        elements.append(draw_text(0, y + 10, name, "strong"))
        for number, lane in enumerate(rows):
            elements += _draw_lane(lane, scale, y + _RATES_LABEL + _RATES_LANE * (number + 0.5))
        y += _RATES_LABEL + _RATES_LANE * len(rows) + _RATES_GAP
    what = "what each mutant loses, percent"
    return Picture(
        name=make_slug("rates", run.model, run.corpus),
        title=f"{run.name}: {what}",
        words=_describe_rates(run),
        height=y + 36,
        elements=(
            *draw_title(run.name, what),
            *draw_scale(scale, _RATES_TOP - 6, y),
            *elements,
            *_draw_rates_legend(y + 30),
        ),
    )


def _list_lanes(run: MutantRun) -> dict[str, list[_Lane]]:
    """Return the lanes of gold labels, which are the same for all relations, and those of every relation."""
    relations, _ = list_names(run)
    gold = {each.operator: _Lane(each.operator, each.references, each.reference) for each in run.comparisons}
    lanes = {_GOLD: [*gold.values()]}
    for relation in relations:
        rows = [each for each in run.comparisons if each.relation == relation]
        lanes[relation] = [_Lane(each.operator, each.values, each.vr, each.reference) for each in rows]
    return lanes


def _draw_lane(lane: _Lane, scale: Scale, y: float) -> Iterator[str]:
    yield draw_text(_RATES_LEFT - 6, y + 3, fit_label(lane.operator, _RATES_LEFT), "quiet end")
    mean = scale(100 * lane.mean)
    if lane.gold is not None:
        yield draw_line((scale(100 * lane.gold), y), (mean, y), "mean")
    yield from (draw_dot(scale(100 * value), y, "run", 2.2) for value in lane.values)
    yield draw_line((mean, y - 5), (mean, y + 5), "mean")
    if lane.gold is not None:
        yield draw_diamond(scale(100 * lane.gold), y, "print", 4.0)


def _draw_rates_legend(y: float) -> Iterator[str]:
    """Draw the legend."""
    yield draw_dot(6, y - 3.5, "run", 2.2)
    yield draw_text(14, y, "a mutant", "quiet")
    yield draw_line((80, y - 8.5), (80, y + 1.5), "mean")
    yield draw_text(86, y, "mean of the mutants", "quiet")
    yield draw_diamond(206, y - 3.5, "print", 4.0)
    yield draw_text(215, y, "their mean by gold labels", "quiet")


def _describe_rates(run: MutantRun) -> str:
    """Return the means in words."""
    said = (
        f"{each.relation} {each.operator} {100 * each.vr:.1f} %, gold {100 * each.reference:.1f} %"
        for each in run.comparisons
    )
    return "; ".join(said) + "."


_COUNTS_LEFT, _COUNTS_RIGHT, _COUNTS_TOP = 40, WIDTH - 38, 22
_COUNTS_LABEL, _COUNTS_BAR, _COUNTS_GAP = 15, 14, 8
_MIN_LABELLED_WIDTH = 12.0  # a narrower piece has no room for its number

VerdictGroups = dict[str, list[MutantComparison]]


def list_verdict_counts(runs: Sequence[MutantRun]) -> list[Picture]:
    """Draw the counts over all runs: by relation, by operator, and by run where there are several."""
    pictures = [
        draw_verdict_counts("by relation", _group_verdicts(runs, lambda run, each: each.relation)),
        draw_verdict_counts("by operator", _group_verdicts(runs, lambda run, each: each.operator)),
    ]
    if len(runs) > 1:
        pictures.append(draw_verdict_counts("by model", _group_verdicts(runs, lambda run, each: run.name)))
    return pictures


def draw_verdict_counts(what: str, groups: VerdictGroups) -> Picture:
    """Draw two bars a group: the verdicts of p, and below them those of Holm's p."""
    most = max(len(members) for members in groups.values())
    scale = Scale(0, most, _COUNTS_LEFT, _COUNTS_RIGHT)
    title = f"Relations against gold labels: verdicts {what}"
    elements: list[str] = []
    y = float(_COUNTS_TOP)
    for name, members in groups.items():
        elements.append(draw_text(_COUNTS_LEFT, y + 10, fit_label(name, WIDTH - _COUNTS_LEFT)))
        for number, is_corrected in enumerate((False, True)):
            top = y + _COUNTS_LABEL + _COUNTS_BAR * number
            elements += _draw_bar(members, scale, top, is_corrected=is_corrected)
        y += _COUNTS_LABEL + 2 * _COUNTS_BAR + _COUNTS_GAP
    return Picture(
        name=make_slug("statistics", *what.split()),
        title=title,
        words="; ".join(f"{name}: {_describe_counts(members)}" for name, members in groups.items()) + ".",
        height=y + 24,
        elements=(draw_text(0, 12, title, "strong"), *elements, *draw_verdict_legend(y + 12)),
    )


def _draw_bar(
    members: list[MutantComparison], scale: Scale, top: float, *, is_corrected: bool
) -> Iterator[str]:
    yield draw_text(_COUNTS_LEFT - 5, top + 10, "Holm" if is_corrected else "p", "quiet end")
    done = 0
    for standing, count in count_standings(members, is_corrected=is_corrected).items():
        start, end = scale(done), scale(done + count)
        done += count
        if count:
            yield draw_box(start, top, end - start - 1, _COUNTS_BAR - 2, standing.value)
        if end - start >= _MIN_LABELLED_WIDTH:
            kind = "middle" if standing is MutantStanding.SIMILAR else "sign middle"
            yield draw_text((start + end) / 2, top + 10, str(count), kind)
    yield draw_text(scale(done) + 5, top + 10, f"of {done}", "quiet")


def _group_verdicts(
    runs: Sequence[MutantRun], name: Callable[[MutantRun, MutantComparison], str]
) -> VerdictGroups:
    groups: VerdictGroups = {}
    for run in runs:
        for each in run.comparisons:
            groups.setdefault(name(run, each), []).append(each)
    return groups


def _describe_counts(members: list[MutantComparison]) -> str:
    plain, corrected = (count_standings(members, is_corrected=each) for each in (False, True))
    said = (f"{standing} {plain[standing]} (Holm {corrected[standing]})" for standing in MutantStanding)
    return ", ".join(said)


_BOLD = 40  # bold letters are wider than others: so many pixels a line
_SHAPES = {
    MutantStanding.BETTER: ((0.0, -5.0), (5.0, 4.0), (-5.0, 4.0)),
    MutantStanding.SIMILAR: ((-5.0, -1.5), (5.0, -1.5), (5.0, 1.5), (-5.0, 1.5)),
    MutantStanding.WORSE: ((0.0, 5.0), (5.0, -4.0), (-5.0, -4.0)),
}
"""The corners, in pixels from the middle: a tip upwards, a bar, a tip downwards."""


def draw_sign(standing: MutantStanding, x: float, y: float) -> str:
    """Draw the sign of a verdict around a point."""
    points = " ".join(f"{x + right:.1f},{y + down:.1f}" for right, down in _SHAPES[standing])
    kind = "dim" if standing is MutantStanding.SIMILAR else "sign"
    return f'<polygon class="{kind}" points="{points}"/>'


def draw_title(name: str, what: str) -> Iterator[str]:
    """Draw whose picture it is, and below that what it shows."""
    yield draw_text(0, 12, fit_label(name, WIDTH - _BOLD), "strong")
    yield draw_text(0, 27, what, "quiet")


def draw_verdict_legend(y: float) -> Iterator[str]:
    """Draw the legend."""
    x = 2.0
    for standing in MutantStanding:
        yield draw_box(x, y - 8, 20, 16, standing.value)
        yield draw_sign(standing, x + 10, y)
        yield draw_text(x + 25, y + 4, f"{standing.value}", "quiet")
        x += 82
    yield draw_text(x, y + 4, "than gold labels", "quiet")
