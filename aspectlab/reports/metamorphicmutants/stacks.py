"""Stacks: how many verdicts are better, similar and worse, by relation, by operator or by model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from aspectlab.metamorphic.mutantruns import MutantRun
from aspectlab.metamorphic.mutants import Comparison, Standing
from aspectlab.reports.metamorphicmutants.grid import count_standings
from aspectlab.reports.metamorphicmutants.signs import draw_key
from aspectlab.reports.runs.plots.axes import Scale, box, fit_label, write
from aspectlab.reports.runs.plots.picture import WIDTH, Picture
from aspectlab.reports.runs.table import make_slug

_LEFT, _RIGHT, _TOP = 40, WIDTH - 38, 22
_LABEL, _BAR, _GAP = 15, 14, 8
_LEAST = 12.0  # a narrower piece has no room for its number

Groups = dict[str, list[Comparison]]


def list_stacks(runs: Sequence[MutantRun]) -> list[Picture]:
    """Draw the counts over all runs: by relation, by operator, and by run where there are several."""
    pictures = [
        draw_stacks("by relation", _group(runs, lambda run, each: each.relation)),
        draw_stacks("by operator", _group(runs, lambda run, each: each.operator)),
    ]
    if len(runs) > 1:
        pictures.append(draw_stacks("by model", _group(runs, lambda run, each: run.name)))
    return pictures


def draw_stacks(what: str, groups: Groups) -> Picture:
    """Draw two bars a group: the verdicts of p, and below them those of Holm's p."""
    most = max(len(members) for members in groups.values())
    scale = Scale(0, most, _LEFT, _RIGHT)
    title = f"Relations against gold labels: verdicts {what}"
    elements: list[str] = []
    y = float(_TOP)
    for name, members in groups.items():
        elements.append(write(_LEFT, y + 10, fit_label(name, WIDTH - _LEFT)))
        for number, is_corrected in enumerate((False, True)):
            top = y + _LABEL + _BAR * number
            elements += _draw_bar(members, scale, top, is_corrected=is_corrected)
        y += _LABEL + 2 * _BAR + _GAP
    return Picture(
        name=make_slug("statistics", *what.split()),
        title=title,
        words="; ".join(f"{name}: {_say(members)}" for name, members in groups.items()) + ".",
        height=y + 24,
        elements=(write(0, 12, title, "strong"), *elements, *draw_key(y + 12)),
    )


def _draw_bar(members: list[Comparison], scale: Scale, top: float, *, is_corrected: bool) -> Iterator[str]:
    yield write(_LEFT - 5, top + 10, "Holm" if is_corrected else "p", "quiet end")
    done = 0
    for standing, count in count_standings(members, is_corrected=is_corrected).items():
        start, end = scale(done), scale(done + count)
        done += count
        if count:
            yield box(start, top, end - start - 1, _BAR - 2, standing.value)
        if end - start >= _LEAST:
            kind = "middle" if standing is Standing.SIMILAR else "sign middle"
            yield write((start + end) / 2, top + 10, str(count), kind)
    yield write(scale(done) + 5, top + 10, f"of {done}", "quiet")


def _group(runs: Sequence[MutantRun], name: Callable[[MutantRun, Comparison], str]) -> Groups:
    groups: Groups = {}
    for run in runs:
        for each in run.comparisons:
            groups.setdefault(name(run, each), []).append(each)
    return groups


def _say(members: list[Comparison]) -> str:
    plain, corrected = (count_standings(members, is_corrected=each) for each in (False, True))
    said = (f"{standing} {plain[standing]} (Holm {corrected[standing]})" for standing in Standing)
    return ", ".join(said)
