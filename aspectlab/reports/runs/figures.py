"""Figures: every picture that the values of a report allow, by where it stands on the page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from aspectlab.reports.runs.measures import order_metric
from aspectlab.reports.runs.plots.additions import additions_of, draw_additions
from aspectlab.reports.runs.plots.bars import draw_bars
from aspectlab.reports.runs.plots.picture import Picture
from aspectlab.reports.runs.plots.ranks import draw_ranks, rank_systems
from aspectlab.reports.runs.plots.strips import draw_strips
from aspectlab.reports.runs.plots.violations import draw_violations
from aspectlab.reports.runs.summary import Section


def list_section_figures(section: Section) -> list[Picture]:
    """Give the pictures of one test set: runs of every metric, and bars where papers say something."""
    return [
        picture
        for metric in section.columns
        for picture in (draw_strips(section, metric), draw_bars(section, metric))
        if picture is not None
    ]


def list_joint_figures(sections: Sequence[Section]) -> list[Picture]:
    """Give the pictures that several test sets make together: ranks, violations and additions."""
    return [*_list_ranks(sections), *_list_corpus_figures(sections)]


def _list_ranks(sections: Sequence[Section]) -> Iterator[Picture]:
    """Give a ranking over corpora per task, kind of test set and metric."""
    kinds = sorted({(section.target.task, section.target.test) for section in sections})
    for task, test in kinds:
        if additions_of(test) is not None:
            continue
        members = [section for section in sections if section.target[::2] == (task, test)]
        for metric in sorted({metric for section in members for metric in section.columns}, key=order_metric):
            ranking = rank_systems(metric, members)
            if ranking:
                yield draw_ranks(task, test, metric, ranking)


def _list_corpus_figures(sections: Sequence[Section]) -> Iterator[Picture]:
    for (task, corpus), group in groupby(sections, key=lambda section: section.target[:2]):
        members = list(group)
        for draw in (draw_violations, draw_additions):
            picture = draw(task, corpus, members)
            if picture is not None:
                yield picture
