"""The report on opinions: one page of what reviews praise and blame, with the evidence.

It is made from the aggregate only, so its size does not grow with the reviews, and the same aggregate gives
the same bytes. Everything but search, filter and comparison works without script.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from aspectlab.insight.aggregate import Aggregate, Category, Counts
from aspectlab.insight.grouping import OTHER
from aspectlab.reports.opinions.bars import HATCH
from aspectlab.reports.opinions.graph import render_graph
from aspectlab.reports.opinions.look import STYLE
from aspectlab.reports.opinions.quotes import render_quotes
from aspectlab.reports.opinions.script import SCRIPT
from aspectlab.reports.opinions.tables import (
    MAX_CATEGORIES,
    MAX_GROUPS,
    MAX_NAME,
    MAX_RATINGS,
    render_aspects,
    render_legend,
    render_slices,
    save_table,
)
from aspectlab.reports.opinions.trends import render_trends
from aspectlab.reports.page import embed_json, render_page, render_parts, shorten, show, write_page
from aspectlab.reports.shares import measure_share, say_interval, say_percent, share_positive

_MAX_NOTICES, _MAX_NOTICE = 30, 400

_METHOD = (
    "Reviews are split into sentences. A model looks for opinions in each: the words for the aspect, the "
    "words that say something of it, and whether that is positive, neutral or negative. Aspects with a like "
    "meaning are put together under the name that reviews use most.",
    "Shares are of all opinions on an aspect, neutral ones included. Their 95 % intervals (Wilson) take "
    "opinions as independent; those of one review are not quite, so the truth is a little less certain.",
    "The model errs: it misses opinions, above all those without a word for the aspect, and it takes irony "
    "at its word. Read the sentences before you act on a figure. How sure the model is of a polarity stands "
    "beside each sentence; the sentences shown are those it is most sure of, so they are not a fair sample.",
)


def write_opinion_report(aggregate: Aggregate, path: Path) -> None:
    """Write the report to a file."""
    write_page(path, render_opinion_report(aggregate))


def render_opinion_report(aggregate: Aggregate) -> str:
    """Give the report as one HTML page that needs nothing else."""
    title = f"Opinions in {shorten(aggregate.title, 2 * MAX_NAME)}"
    links, sections = render_parts(list(_parts(aggregate)))
    body = (
        f'<a class="skip" href="#main">To the report</a>\n{HATCH}\n<header>\n'
        f"<h1><bdi>{show(title)}</bdi></h1>\n"
        f"{_render_headline(aggregate)}\n{_render_notices(aggregate)}\n"
        f'<nav aria-label="Parts of the report">{links}</nav>\n</header>\n'
        f'<main id="main">\n{sections}\n</main>\n{embed_json("figures", _figures(aggregate))}'
    )
    return render_page(title, body, style=STYLE, script=SCRIPT)


def _parts(aggregate: Aggregate) -> Iterator[tuple[str, str, str]]:
    """Give the name, heading and body of each part that has something to show."""
    categories, groups = aggregate.categories[:MAX_CATEGORIES], aggregate.groups[:MAX_GROUPS]
    aspects = f"{render_legend()}\n{_SORTING}\n{render_aspects(categories)}\n{save_table(aggregate)}"
    yield "by-aspect", "Aspects", aspects if categories else "<p>No opinions were found.</p>"
    yield "by-time", "Over time", render_trends(aggregate)
    if groups:
        yield "by-group", "Groups", render_slices(groups, "Group", "groups")
    if len(groups) > 1:
        yield "comparison", "Two groups compared", _COMPARISON
    if aggregate.ratings:
        yield "by-rating", "Ratings", render_slices(aggregate.ratings[:MAX_RATINGS], "Rating", "ratings")
    yield "sentences", "Telling sentences", _QUOTE_LEGEND + render_quotes(categories, groups)
    yield "words", "What is said of what", render_graph(aggregate)
    yield "method", "Method and limits", _render_method(aggregate)


_SORTING = (
    '<p class="tools" id="sorting" hidden><label>Sort by <select id="sort">'
    '<option value="mentions">number of opinions</option><option value="praise">praise</option>'
    '<option value="blame">blame</option></select></label></p>'
)
_COMPARISON = (
    '<div id="compare" hidden><p class="tools"><label>First <select id="first"></select></label> '
    '<label>Second <select id="second"></select></label></p>'
    '<div id="compared" aria-live="polite"></div></div>\n'
    "<noscript><p>The comparison needs JavaScript; the table above and the download hold the figures.</p>"
    "</noscript>"
)
_QUOTE_LEGEND = (
    '<p class="legend"><mark class="aspect">aspect</mark> <mark class="opinion positive">praise</mark> '
    '<mark class="opinion neutral">neither</mark> <mark class="opinion negative">blame</mark></p>\n'
)


def _render_headline(aggregate: Aggregate) -> str:
    totals, counts = aggregate.totals, aggregate.counts
    share = totals.reviews_with_opinions / max(totals.reviews, 1)
    figures = [
        ("Reviews", f"{totals.reviews:,}", f"{say_percent(share)} hold an opinion"),
        ("Opinions", f"{totals.opinions:,}", f"in {totals.sentences:,} sentences"),
    ]
    if counts.total:
        positive = share_positive(counts)
        figures.append(("Positive", say_percent(positive.value), f"95 % interval {say_interval(positive)}"))
    items = "".join(
        f"<div><dt>{name}</dt><dd>{value}<small>{note}</small></dd></div>"
        for name, value, note in (*figures, *_extremes(aggregate.categories[:MAX_CATEGORIES]))
    )
    return f'<dl class="headline">{items}</dl>'


def _extremes(categories: tuple[Category, ...]) -> Iterator[tuple[str, str, str]]:
    """Give the aspects that are praised and blamed most surely: few opinions do not make a winner."""
    named = [category for category in categories if category.name != OTHER]
    if len(named) < 2:
        return
    for heading, polarity in (("Most praised", "positive"), ("Most blamed", "negative")):
        shares = [measure_share(getattr(each.counts, polarity), each.counts.total) for each in named]
        best = max(range(len(named)), key=lambda number: shares[number].low)
        if getattr(named[best].counts, polarity):
            name = f"<bdi>{show(named[best].name, MAX_NAME)}</bdi>"
            note = f"{say_percent(shares[best].value)} {polarity} of {named[best].counts.total:,}"
            yield heading, name, note


def _render_notices(aggregate: Aggregate) -> str:
    notices = list(aggregate.notices[:_MAX_NOTICES])
    if len(aggregate.notices) > _MAX_NOTICES:
        notices.append(f"{len(aggregate.notices) - _MAX_NOTICES:,} more notices are not shown")
    if not notices:
        return ""
    items = "".join(f"<li><bdi>{show(notice, _MAX_NOTICE)}</bdi></li>" for notice in notices)
    return f'<aside class="notices" aria-label="Notices"><strong>Notices</strong><ul>{items}</ul></aside>'


def _render_method(aggregate: Aggregate) -> str:
    said = "\n".join(f"<p>{paragraph}</p>" for paragraph in _METHOD)
    settings = "".join(
        f"<dt>{show(name, MAX_NAME)}</dt><dd><bdi>{show(value, _MAX_NOTICE)}</bdi></dd>"
        for name, value in list(aggregate.settings.items())[:_MAX_NOTICES]
    )
    return f'{said}\n<dl class="settings">{settings}</dl>'


def _figures(aggregate: Aggregate) -> dict[str, object]:
    """Give what the script compares: the counts of each group by aspect, positive and all."""
    # what fits nowhere is not the same thing in two groups
    names = [each.name for each in aggregate.categories[:MAX_CATEGORIES] if each.name != OTHER]
    return {
        "aspects": [shorten(name, MAX_NAME) for name in names],
        "groups": [
            {
                "name": shorten(group.name, MAX_NAME),
                "counts": [_pair(group.counts), *(_pair(group.categories.get(name)) for name in names)],
            }
            for group in aggregate.groups[:MAX_GROUPS]
        ],
    }


def _pair(counts: Counts | None) -> tuple[int, int]:
    return (counts.positive, counts.total) if counts else (0, 0)
