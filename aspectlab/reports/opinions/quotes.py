"""The telling sentences of the report on opinions, with their aspect and opinion marked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from aspectlab.data import Span
from aspectlab.insight.aggregate import Category, Evidence, Slice
from aspectlab.reports.opinions.tables import MAX_NAME, MAX_WORD
from aspectlab.reports.page import show
from aspectlab.reports.shares import SIGNS, say_number, say_percent

MAX_QUOTES = 300
"""So many sentences in all, if there are at most 60 aspects; each polarity keeps its best ones."""

MAX_CHARS = 300
_BEFORE = 80
_SHORT = 16
_NEARLY = 0.995
_TERMS, _OPEN, _MOST, _MAIN = 8, 4, 5, 10


def render_quotes(categories: Sequence[Category], groups: Sequence[Slice]) -> str:
    """Give the sentences by aspect, with the filter above them."""
    numbers = {group.name: number for number, group in enumerate(groups)}
    chosen = _choose(categories)
    parts = [
        _render_category(number, category, chosen[number], numbers)
        for number, category in enumerate(categories)
    ]
    used = {evidence.group for best in chosen for evidence in best}
    names = [(numbers[group.name], group.name) for group in groups if group.name in used]
    return "\n".join([_render_filter(categories, names), *parts])


def mark_quote(evidence: Evidence) -> str:
    """Give a sentence as HTML with its aspect and opinion marked; of a long one, the part around them.

    >>> mark_quote(Evidence("1", "", "", "", "Bad <tea>", (5, 8), (0, 3), "negative", 0.9))
    '<mark class="opinion negative">Bad</mark> &lt;<mark class="aspect">tea</mark>&gt;'
    """
    text = evidence.text
    aspect, opinion = _within(evidence.aspect, text), _within(evidence.opinion, text)
    first = min((span.start for span in (aspect, opinion) if span), default=0)
    start = max(0, first - _BEFORE) if len(text) > MAX_CHARS else 0
    end = min(len(text), start + MAX_CHARS)
    cuts = {start, end, *(place for span in (aspect, opinion) if span for place in span)}
    pieces = ["…" if start else ""]
    for left, right in pairwise(sorted(place for place in cuts if start <= place <= end)):
        piece = show(text[left:right])
        if opinion and opinion.start <= left < opinion.end:
            piece = f'<mark class="opinion {_kind(evidence)}">{piece}</mark>'
        if aspect and aspect.start <= left < aspect.end:
            piece = f'<mark class="aspect">{piece}</mark>'
        pieces.append(piece)
    return "".join(pieces) + ("…" if end < len(text) else "")


def _choose(categories: Sequence[Category]) -> list[list[Evidence]]:
    """Give the sentences of each aspect: the main ones may show most, the others what room is left."""
    for rest in range(_MOST, 0, -1):
        limits = [_MOST if number < _MAIN else rest for number in range(len(categories))]
        pairs = zip(categories, limits, strict=True)
        chosen = [list(_best(category.evidence, limit)) for category, limit in pairs]
        if sum(map(len, chosen)) <= MAX_QUOTES:
            break
    return chosen


def _best(evidence: Sequence[Evidence], limit: int) -> Iterator[Evidence]:
    """Give the first sentences of each polarity; they come sorted."""
    for polarity in SIGNS:
        yield from [found for found in evidence if _kind(found) == polarity][:limit]


def _render_category(
    number: int, category: Category, chosen: Sequence[Evidence], groups: dict[str, int]
) -> str:
    terms = ", ".join(f"<bdi>{show(term.name, MAX_WORD)}</bdi>" for term in category.terms[:_TERMS])
    columns = "\n".join(
        "<div>" + "\n".join(_render_quote(quote, groups.get(quote.group, -1)) for quote in found) + "</div>"
        for _, found in groupby(chosen, key=_kind)
    )
    # a link to what stands within opens what is folded, so the place to go to is the list of terms
    return (
        f'<details class="aspect" data-category="{number}"{" open" if number < _OPEN else ""}>\n'
        f"<summary><h3><bdi>{show(category.name, MAX_NAME)}</bdi> "
        f"<small>{say_number(category.counts.total, 'opinion')}</small></h3></summary>\n"
        f'<p class="terms" id="c{number}">{terms}</p>\n<div class="quotes">\n{columns}\n</div></details>'
    )


def _render_quote(evidence: Evidence, group: int) -> str:
    kind = _kind(evidence)
    origin = [
        f"<bdi>{show(part, limit)}</bdi>"
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
        f'<p class="verdict {kind}">{SIGNS[kind]} {kind} '
        f"<small>{_say_sure(evidence.probability)}</small></p>"
        f'<blockquote class="text" dir="auto">{mark_quote(evidence)}</blockquote>'
        f'<p class="origin">{" · ".join(origin)}</p></article>'
    )


def _render_filter(categories: Sequence[Category], groups: Sequence[tuple[int, str]]) -> str:
    """Give search and choices; they are hidden until the script shows that it runs."""
    aspects = [(str(number), category.name) for number, category in enumerate(categories)]
    choices = [
        _render_choice("aspect", "Aspect", aspects),
        _render_choice("polarity", "Polarity", [(kind, f"{sign} {kind}") for kind, sign in SIGNS.items()]),
        _render_choice("group", "Group", [(str(number), name) for number, name in groups]) if groups else "",
    ]
    return (
        '<div id="filter" role="search" hidden><label>Search <input type="search" id="search" '
        f'autocomplete="off" maxlength="200"></label>{"".join(choices)}'
        '<button type="button" id="reset">Show all</button> '
        '<output id="shown" aria-live="polite"></output></div>'
    )


def _render_choice(name: str, label: str, values: Sequence[tuple[str, str]]) -> str:
    offered = "".join(f'<option value="{value}">{show(text, MAX_NAME)}</option>' for value, text in values)
    return f'<label>{label} <select id="{name}"><option value="">any</option>{offered}</select></label>'


def _say_sure(probability: float) -> str:
    """Say how sure the model is; nothing is quite certain, and a model need not say."""
    if not probability:
        return ""
    return f"{say_percent(probability)} sure" if probability < _NEARLY else "over 99 % sure"


def _kind(evidence: Evidence) -> str:
    # a model of one's own may know more polarities; they are counted as neutral too
    return evidence.polarity if evidence.polarity in SIGNS else "neutral"


def _within(place: tuple[int, int] | None, text: str) -> Span | None:
    return Span(*place) if place and 0 <= place[0] < place[1] <= len(text) else None
