"""The report on opinions: one page of what reviews praise and blame, with the evidence."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path

from aspectlab.analysis.aggregate import Aggregate, Category, Evidence, Slice, Totals
from aspectlab.analysis.evidence import (
    MAX_CHARS as MAX_CHARS,
    JoinedReview,
    mark_quote,
    pack_blocks,
    polarity_class,
)
from aspectlab.analysis.network import render_network
from aspectlab.analysis.overview import (
    FILES,
    describe_page,
    render_drivers,
    render_glance,
    render_matrix,
    render_page_filter,
    render_timeline,
)
from aspectlab.analysis.tables import (
    HATCH,
    MAX_CATEGORIES,
    MAX_GROUPS,
    MAX_NAME,
    MAX_RATINGS,
    MAX_WORD,
    render_aspects,
    render_chip,
    render_download,
    render_legend,
    render_slices,
)
from aspectlab.analysis.trends import render_trends
from aspectlab.data import PolarityCounts
from aspectlab.outputs import atomic_write
from aspectlab.readers import NOT_NAMED, REST
from aspectlab.reports import (
    BASE_STYLE,
    POLARITY_SIGNS,
    embed_json,
    escape_html,
    estimate_positive,
    format_count,
    format_interval,
    format_percent,
    load_assets,
    render_page,
    render_sections,
    truncate_text,
)

_ASSETS = Path(__file__).with_name("assets")
REPORT_STYLES = (BASE_STYLE, _ASSETS / "report.css")
REPORT_SCRIPTS = tuple(
    _ASSETS / name for name in ("data.js", "figures.js", "quotes.js", "export.js", "report.js")
)
"""What the page carries; the scripts unpack, search, filter, sort, compare, and make files."""

_MAX_NOTICES, _MAX_NOTICE = 30, 400

_METHOD = (
    "Reviews are split into sentences. A model looks for opinions in each: the words for the aspect, the "
    "words that judge it, and whether that is positive, neutral or negative. Aspects of similar meaning are "
    "grouped under the name that reviews use most.",
    "Shares are of all opinions on an aspect, neutral ones included. Their 95 % confidence intervals "
    "(Wilson) take opinions as independent; those of one review are not quite, so the truth is a little less "
    "certain.",
    "The model makes mistakes: it misses opinions, above all those without a word for the aspect, and it "
    "takes irony at its word. Read the quotes before you act on a figure. Beside each stands how sure the "
    "model is. Quotes that are shown first are chosen to cover groups, reviews and wordings.",
    "A change is the clearest split of the time in two: reviews before and since, each counted once, "
    "compared by a permutation test and corrected for all aspects and groups (Bonferroni, weighted; Tarone): "
    "about one report in forty shows a change where there is none. Errors of the model are not covered.",
)


_BLOCKS = "\0"
"""Stands where the reviews come: escaped texts hold no such character."""


def write_opinion_report(
    aggregate: Aggregate, path: Path, evidence: Iterable[JoinedReview] | None = None
) -> None:
    """Write the report to a file, with all reviews for search, filters and quotes, or without."""
    before, _, after = _render(aggregate, has_evidence=evidence is not None).rpartition(_BLOCKS)
    with atomic_write(path) as draft, draft.open("wb") as stream:
        stream.write(_encode(before))
        for block in pack_blocks(evidence or (), [each.name for each in aggregate.categories]):
            stream.write(f'<script type="text/plain" class="block">{block}</script>\n'.encode())
        stream.write(_encode(after))


def render_opinion_report(aggregate: Aggregate) -> str:
    """Render the report as one HTML page that needs nothing else, without the reviews."""
    return _render(aggregate, has_evidence=False).replace(_BLOCKS, "")


def _encode(text: str) -> bytes:
    # half a surrogate pair has no UTF-8 form; as a reference it shows as the replacement character
    return text.encode("utf-8", "xmlcharrefreplace")


def _render(aggregate: Aggregate, *, has_evidence: bool) -> str:
    title = f"Opinions in {truncate_text(aggregate.title, 2 * MAX_NAME)}"
    parts = list(_parts(aggregate))
    links, _ = render_sections(parts)
    # what is first read must not stand below the filters, which on a phone fill the screen
    first, rest = (render_sections(some)[1] for some in (parts[:1], parts[1:]))
    page = describe_page(aggregate) | ({} if has_evidence else {"opinions": 0})
    body = (
        f'<a class="skip" href="#main">To the report</a>\n{HATCH}\n<header>\n'
        f"<h1><bdi>{escape_html(title)}</bdi></h1>\n"
        f"{_render_headline(aggregate)}\n{_render_notices(aggregate)}\n"
        f'<nav aria-label="Parts of the report">{links}</nav>\n{FILES}</header>\n'
        f'<main id="main">\n{first}\n{render_page_filter(aggregate)}\n{rest}\n</main>\n'
        f"{embed_json('figures', _figures(aggregate))}\n{embed_json('page', page)}\n{_BLOCKS}"
    )
    style, script = load_assets(*REPORT_STYLES), load_assets(*REPORT_SCRIPTS)
    return render_page(title, body, style=style, script=script, images="data:")


def _parts(aggregate: Aggregate) -> Iterator[tuple[str, str, str]]:
    """Return the name, heading and body of each part that has something to show."""
    categories, groups = aggregate.categories[:MAX_CATEGORIES], aggregate.groups[:MAX_GROUPS]
    levels = _LEVELS if any(each.parent not in ("", each.name) for each in categories) else ""
    table = f"{render_aspects(categories)}\n{render_download(aggregate)}"
    aspects = f"{render_legend()}\n{_SORTING}{levels}</p>\n{table}"
    if categories:
        yield "glance", "At a glance", render_glance(aggregate)
    yield "by-aspect", "Aspects", aspects if categories else "<p>No opinions were found.</p>"
    if len(groups) > 1 and categories:
        yield "matrix", "Aspects by group", render_matrix(aggregate)
    trends = f'<div id="trends">{render_trends(aggregate)}</div><div id="selected-trend"></div>'
    yield "by-time", "Over time", render_timeline(aggregate) + trends
    if groups:
        yield "by-group", "Groups", render_slices(groups, "Group", "groups")
    if len(groups) > 1:
        yield "comparison", "Two groups compared", _COMPARISON
    if aggregate.ratings:
        yield "by-rating", "Ratings", render_slices(aggregate.ratings[:MAX_RATINGS], "Rating", "ratings")
        yield "drivers", "What goes with the rating", render_drivers(aggregate)
    chosen = f'<div id="representative">{_render_legend(aggregate)}{render_quotes(categories, groups)}</div>'
    yield "sentences", "Quotes", _FINDER + chosen
    yield "words", "Aspects and opinion words", render_network(aggregate)
    yield "method", "Method and limits", _render_method(aggregate)


_FINDER = (
    '<div id="finder" class="tools" hidden><label>Search all sentences <input type="search" id="search" '
    'autocomplete="off" maxlength="200"></label>'
    '<span><strong id="opened"></strong> <button type="button" id="close" hidden>Close</button></span> '
    '<output id="said" aria-live="polite" tabindex="-1"></output></div>\n'
    '<div id="results" hidden><div id="found" class="found"></div>'
    '<button type="button" id="more-found">More quotes</button></div>\n'
)
_SORTING = (
    '<p class="tools" id="sorting" hidden><label>Sort by <select id="sort">'
    '<option value="mentions">number of opinions</option><option value="praise">praise</option>'
    '<option value="blame">blame</option></select></label>'
)
_LEVELS = ' <label><input type="checkbox" id="levels"> In two levels</label>'
_COMPARISON = (
    '<div id="compare" hidden><p class="tools"><label>First <select id="first"></select></label> '
    '<label>Second <select id="second"></select></label></p>'
    '<div id="compared" aria-live="polite"></div></div>\n'
    "<noscript><p>The comparison needs JavaScript; the table above and the download hold the figures.</p>"
    "</noscript>"
)
_QUOTE_LEGEND = (
    '<p class="legend"><mark class="aspect">aspect</mark> <mark class="opinion positive">praise</mark> '
    '<mark class="opinion neutral">neutral</mark> <mark class="opinion negative">blame</mark>'
)


def _render_legend(aggregate: Aggregate) -> str:
    """Explain the marks of quotes, those that there are."""
    meant = f" <span>{render_chip(NOT_NAMED)} no word for the aspect</span>"
    told = ' <span><mark class="clause">told</mark> no word of praise or blame</span>'
    totals = aggregate.totals
    shown = (meant if totals.without_aspect else "") + (told if totals.without_opinion else "")
    return f"{_QUOTE_LEGEND}{shown}</p>\n"


def _render_headline(aggregate: Aggregate) -> str:
    totals, counts = aggregate.totals, aggregate.counts
    share = totals.reviews_with_opinions / max(totals.reviews, 1)
    figures = [
        ("Reviews", f"{totals.reviews:,}", f"{format_percent(share)} hold an opinion"),
        (
            "Opinions",
            f"{totals.opinions:,}",
            f"in {totals.sentences:,} sentences{_format_left_out(totals)}",
        ),
    ]
    if counts.total:
        positive = estimate_positive(counts)
        figures.append(
            (
                "Positive",
                format_percent(positive.value),
                f"95 % confidence interval {format_interval(positive)}",
            )
        )
    if aggregate.insights.rated:
        rated = format_count(aggregate.insights.rated, "review")
        figures.append(("Mean rating", f"{aggregate.insights.rating:.2f}", f"of {rated}"))
    items = "".join(
        f'<div><dt>{name}</dt><dd id="figure-{name.lower().replace(" ", "-")}">{value}<small>{note}</small>'
        "</dd></div>"
        for name, value, note in figures
    )
    return f'<dl class="headline">{items}</dl>'


def _format_left_out(totals: Totals) -> str:
    return f", {format_count(totals.left_out, 'less probable one')} left out" if totals.left_out else ""


def _render_notices(aggregate: Aggregate) -> str:
    notices = list(aggregate.notices[:_MAX_NOTICES])
    if len(aggregate.notices) > _MAX_NOTICES:
        notices.append(f"{len(aggregate.notices) - _MAX_NOTICES:,} more notices are not shown")
    if not notices:
        return ""
    items = "".join(f"<li><bdi>{escape_html(notice, _MAX_NOTICE)}</bdi></li>" for notice in notices)
    return f'<aside class="notices" aria-label="Notices"><strong>Notices</strong><ul>{items}</ul></aside>'


def _render_method(aggregate: Aggregate) -> str:
    said = "\n".join(f"<p>{paragraph}</p>" for paragraph in (*_METHOD, *_describe_unnamed(aggregate)))
    settings = "".join(
        f"<dt>{escape_html(name, MAX_NAME)}</dt><dd><bdi>{escape_html(value, _MAX_NOTICE)}</bdi></dd>"
        for name, value in list(aggregate.settings.items())[:_MAX_NOTICES]
    )
    return f'{said}\n<dl class="settings">{settings}</dl>'


def _describe_unnamed(aggregate: Aggregate) -> Iterator[str]:
    """Explain how opinions are shown that lack a word for the aspect, or words that judge."""
    totals = aggregate.totals
    if totals.without_aspect:
        yield (
            f"{format_count(totals.without_aspect, 'opinion')} without a word for the aspect, as in “Way too "
            f"expensive”: what is meant stands in its place, as the model takes it, marked “{NOT_NAMED}”."
        )
    if totals.without_opinion:
        yield (
            f"{format_count(totals.without_opinion, 'opinion')} without words that judge, as in “The gearbox "
            "failed”: the clause around the aspect is marked, or the sentence tells it."
        )


def _figures(aggregate: Aggregate) -> dict[str, object]:
    """Return what the script compares: the counts of each group by aspect, positive and all."""
    # what fits nowhere is not the same thing in two groups
    names = [each.name for each in aggregate.categories[:MAX_CATEGORIES] if each.name not in REST]
    return {
        "aspects": [truncate_text(name, MAX_NAME) for name in names],
        "groups": [
            {
                "name": truncate_text(group.name, MAX_NAME),
                "counts": [_pair(group.counts), *(_pair(group.categories.get(name)) for name in names)],
            }
            for group in aggregate.groups[:MAX_GROUPS]
        ],
    }


def _pair(counts: PolarityCounts | None) -> tuple[int, int]:
    return (counts.positive, counts.total) if counts else (0, 0)


MAX_QUOTES = 300
"""So many sentences in all, if there are at most 60 aspects; each polarity keeps its best ones."""

_SHORT = 16
_NEARLY = 0.995
_TERMS, _OPEN, _MOST, _MAIN = 8, 4, 5, 10


def render_quotes(categories: Sequence[Category], groups: Sequence[Slice]) -> str:
    """Return the sentences by aspect."""
    numbers = {group.name: number for number, group in enumerate(groups)}
    chosen = _choose_quotes(categories)
    return "\n".join(
        _render_category(number, category, chosen[number], numbers)
        for number, category in enumerate(categories)
    )


def _choose_quotes(categories: Sequence[Category]) -> list[list[Evidence]]:
    """Return the sentences of each aspect: the main ones may show most, the others what room is left."""
    for rest in range(_MOST, 0, -1):
        limits = [_MOST if number < _MAIN else rest for number in range(len(categories))]
        pairs = zip(categories, limits, strict=True)
        chosen = [list(_best(category.evidence, limit)) for category, limit in pairs]
        if sum(map(len, chosen)) <= MAX_QUOTES:
            break
    return chosen


def _best(evidence: Sequence[Evidence], limit: int) -> Iterator[Evidence]:
    """Return the first sentences of each polarity; they come sorted."""
    for polarity in POLARITY_SIGNS:
        yield from [found for found in evidence if polarity_class(found) == polarity][:limit]


def _render_category(
    number: int, category: Category, chosen: Sequence[Evidence], groups: dict[str, int]
) -> str:
    named = [f"<bdi>{escape_html(term.name, MAX_WORD)}</bdi>" for term in category.terms[:_TERMS]]
    unnamed = f"{category.without_aspect:,} {NOT_NAMED}"
    terms = ", ".join([*named, unnamed] if category.without_aspect else named)
    columns = "\n".join(
        "<div>" + "\n".join(_render_quote(quote, groups.get(quote.group, -1)) for quote in found) + "</div>"
        for _, found in groupby(chosen, key=polarity_class)
    )
    # a link to what stands within opens what is folded, so the target is the list of terms
    return (
        f'<details class="aspect" data-category="{number}"{" open" if number < _OPEN else ""}>\n'
        f"<summary><h3><bdi>{escape_html(category.name, MAX_NAME)}</bdi> "
        f"<small>{format_count(category.counts.total, 'opinion')}</small></h3></summary>\n"
        f'<p class="terms" id="c{number}">{terms}</p>\n<div class="quotes">\n{columns}\n</div></details>'
    )


def _render_quote(evidence: Evidence, group: int) -> str:
    kind = polarity_class(evidence)
    origin = [
        f"<bdi>{escape_html(part, limit)}</bdi>"
        for part, limit in (
            (evidence.group, MAX_NAME),
            (evidence.date, _SHORT),
            (f"rated {evidence.rating}" if evidence.rating else "", _SHORT),
            (f"review {evidence.review}" if evidence.review else "", MAX_WORD),
        )
        if part
    ]
    return (
        f'<article class="quote {kind}" data-polarity="{kind}" data-group="{group}">'
        f'<p class="verdict {kind}">{POLARITY_SIGNS[kind]} {kind} '
        f"<small>{_format_confidence(evidence.probability)}</small>"
        f"{f' {render_chip(evidence.category)}' if evidence.category else ''}</p>"
        f'<blockquote class="text" dir="auto">{mark_quote(evidence)}</blockquote>'
        f'<p class="origin">{" · ".join(origin)}</p></article>'
    )


def _format_confidence(probability: float) -> str:
    """Format the confidence of the model; nothing is quite certain, and a model need not state it."""
    if not probability:
        return ""
    return f"{format_percent(probability)} sure" if probability < _NEARLY else "over 99 % sure"
