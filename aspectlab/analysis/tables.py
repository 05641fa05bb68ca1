"""The tables of the report on opinions: aspects, groups and ratings, each with bars and shares."""

import base64
import csv
import io
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from aspectlab.analysis.aggregate import Aggregate, Category, Slice
from aspectlab.data import PolarityCounts
from aspectlab.readers import NOT_NAMED, OTHER, REST
from aspectlab.readers.tables import escape_formula
from aspectlab.reports import (
    POLARITY_SIGNS,
    ShareEstimate,
    escape_html,
    estimate_positive,
    format_count,
    format_share,
    order_by_polarity,
    truncate_text,
)

MAX_NAME = 60
"""A longer name of an aspect or group is cut."""

MAX_WORD = 40
MAX_CATEGORIES, MAX_GROUPS, MAX_RATINGS = 60, 50, 12
_BYTES_TO_SAVE, _NAME_TO_SAVE = 240_000, 200
_FIRST_ROWS = 15
_WORDS = 5


class _Row(NamedTuple):
    """One row of a table; `name`, `note` and `more` are HTML."""

    name: str
    note: str
    counts: PolarityCounts
    more: str = ""


def render_aspects(categories: Sequence[Category]) -> str:
    """Return the table of aspects; rows after the first ones fold away."""
    rows = [
        _Row(
            f'<a href="#c{number}" data-category="{number}">'
            f"<bdi>{escape_html(category.name, MAX_NAME)}</bdi></a>",
            _format_opinions(category),
            category.counts,
            _format_words(category),
        )
        for number, category in enumerate(categories)
    ]
    first, rest = rows[:_FIRST_ROWS], rows[_FIRST_ROWS:]
    # what fits nowhere comes last and is often the most: folded away, it must not make these bars short
    table = _render_table("Aspect", first, first, "aspects", "Often said")
    if rest:
        folded = _render_table("Aspect", rest, rows, "more-aspects", "Often said")
        summary = f"<summary>{_format_rest(categories[_FIRST_ROWS:])}</summary>"
        table += f'<details id="rarer">{summary}{folded}</details>'
    return table


def _format_opinions(category: Category) -> str:
    """Report how many opinions there are, and how many of them name no aspect."""
    said = format_count(category.counts.total, "opinion")
    if category.name != NOT_NAMED and category.without_aspect:
        said += f", {category.without_aspect:,} {NOT_NAMED}"
    return f"{said}; {format_audit(category)}" if category.audit else said


def format_audit(category: Category) -> str:
    """Report the share that an audit corrected; "" where there was none."""
    if category.audit is None:
        return ""
    share = ShareEstimate(category.audit.value, category.audit.low, category.audit.high)
    return f"audited: {format_share(share)} positive"


def _format_rest(categories: Sequence[Category]) -> str:
    names = {category.name for category in categories}
    named = len(names - REST)
    parts = {
        format_count(named, "rarer aspect"): named > 0,
        "other terms": OTHER in names,
        "what is not named": NOT_NAMED in names,
    }
    return " and ".join(part for part, is_there in parts.items() if is_there)


def render_chip(category: str) -> str:
    """Return the mark of an opinion whose aspect is not named: what stands in its place.

    >>> render_chip("food: quality"), render_chip("not named")
    ('<span class="chip"><bdi>food: quality</bdi> not named</span>', '<span class="chip">not named</span>')
    """
    name = "" if category == NOT_NAMED else f"<bdi>{escape_html(category, MAX_NAME)}</bdi> "
    return f'<span class="chip">{name}{NOT_NAMED}</span>'


def render_slices(slices: Sequence[Slice], heading: str, name: str) -> str:
    """Return the table of groups or ratings."""
    rows = [
        _Row(
            f"<bdi>{escape_html(part.name, MAX_NAME)}</bdi>",
            format_count(part.reviews, "review"),
            part.counts,
        )
        for part in slices
    ]
    return _render_table(heading, rows, rows, name)


def render_legend() -> str:
    """Explain signs and lines."""
    signs = " ".join(
        f'<span class="{polarity}">{sign} {polarity}</span>' for polarity, sign in POLARITY_SIGNS.items()
    )
    return (
        f'<p class="legend">{signs} <span>The dot is the share of positive opinions, the line its 95 % '
        "confidence interval: a long line means few opinions.</span></p>"
    )


def render_download(aggregate: Aggregate) -> str:
    """Return a link that holds the table of aspects, in all and by group, as CSV; it works without script."""
    head: list[str | int | float] = [
        "group",
        "aspect",
        "opinions",
        *POLARITY_SIGNS,
        "positive_share",
        "low",
        "high",
    ]
    lines = [_as_line(row) for row in (head, *_rows_to_save(aggregate))]
    ends = accumulate(map(len, lines))
    kept = [line for line, end in zip(lines, ends, strict=True) if end <= _BYTES_TO_SAVE]
    # spreadsheets take a file for UTF-8 only if it begins with this mark
    packed = base64.b64encode(BOM_UTF8 + b"".join(kept)).decode()
    missing = len(lines) - len(kept)
    said = f" <small>without the last {format_count(missing, 'row')}, which made the page too large</small>"
    return (
        '<a class="button" download="aspects.csv" '
        f'href="data:text/csv;charset=utf-8;base64,{packed}">Download the table (CSV)</a>'
        f"{said if missing else ''}"
    )


def _as_line(row: Sequence[str | int | float]) -> bytes:
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\r\n").writerow([escape_formula(cell) for cell in row])
    return stream.getvalue().encode("utf-8", "replace")


def _rows_to_save(aggregate: Aggregate) -> Iterator[list[str | int | float]]:
    categories = aggregate.categories[:MAX_CATEGORIES]
    overall = [("", category.name, category.counts) for category in categories]
    by_group = [
        (group.name, category.name, group.categories[category.name])
        for group in aggregate.groups
        for category in categories
        if category.name in group.categories
    ]
    for group_name, name, counts in (*overall, *by_group):
        # not cut as short as in the page: the names of two products often begin alike
        names = (truncate_text(group_name, _NAME_TO_SAVE), truncate_text(name, _NAME_TO_SAVE))
        yield [*names, counts.total, *order_by_polarity(counts).values(), *estimate_positive(counts)]


def _render_table(
    heading: str, rows: Sequence[_Row], scale: Iterable[_Row], name: str, more: str = ""
) -> str:
    """Return one table; bars are on the scale of the largest row of `scale`."""
    largest = max((row.counts.total for row in scale), default=1)
    last = f'<th scope="col" class="more">{more}</th>' if more else ""
    head = (
        f'<tr><th scope="col">{heading}</th><th scope="col">Opinions</th>'
        f'<th scope="col">Positive share</th>{last}</tr>'
    )
    body = "\n".join(_render_row(row, largest, bool(more)) for row in rows)
    return f'<table class="rows" id="{name}">\n<thead>{head}</thead>\n<tbody>\n{body}\n</tbody></table>'


def _render_row(row: _Row, largest: int, has_more: bool) -> str:
    share = estimate_positive(row.counts)
    said = format_share(share) if row.counts.total else "none"
    picture = draw_share(share) if row.counts.total else ""
    last = f'<td class="more">{row.more}</td>' if has_more else ""
    blame = estimate_positive(
        PolarityCounts(positive=row.counts.negative, neutral=row.counts.total - row.counts.negative)
    )
    keys = f'data-mentions="{row.counts.total}" data-praise="{share.low:.4f}" data-blame="{blame.low:.4f}"'
    return (
        f'<tr {keys}><th scope="row">{row.name}<small>{row.note}</small></th>'
        f"<td>{draw_bar(row.counts, largest)}{format_counts(row.counts)}</td>"
        f'<td>{picture}<small><span class="heard">positive share </span>{said}</small></td>{last}</tr>'
    )


def _format_words(category: Category) -> str:
    """Name the opinions that are used most, with their usual polarity."""
    words = []
    for word in category.opinions[:_WORDS]:
        counts = order_by_polarity(word.counts)
        polarity = max(counts, key=lambda kind: counts[kind])
        words.append(
            f'<span class="{polarity}">{POLARITY_SIGNS[polarity]}'
            f"<bdi>{escape_html(word.name, MAX_WORD)}</bdi></span>"
            f" {word.counts.total:,}"
        )
    # a word stays beside its figure, and the comma beside both
    listed = [*(f"{word}," for word in words[:-1]), *words[-1:]]
    return " ".join(f'<span class="said">{word}</span>' for word in listed)


HATCH = (
    '<svg class="defs" aria-hidden="true" width="0" height="0"><defs>'
    '<pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    '<rect class="ground" width="6" height="6"/><rect class="stripe" width="2" height="6"/>'
    "</pattern></defs></svg>"
)
"""The stripes of negative parts; a page carries them once."""


def draw_bar(counts: PolarityCounts, largest: int) -> str:
    """Draw the counts of one row side by side, on a scale on which the largest row fills the width.

    >>> draw_bar(PolarityCounts(positive=3), 8)
    '<svg class="bar" aria-hidden="true"><rect class="positive" x="0%" width="37.5%" height="100%"/></svg>'
    """
    parts, start = [], 0
    for polarity, count in order_by_polarity(counts).items():
        if count:
            x, width = _percent(start, largest), _percent(count, largest)
            parts.append(f'<rect class="{polarity}" x="{x}" width="{width}" height="100%"/>')
            start += count
    return f'<svg class="bar" aria-hidden="true">{"".join(parts)}</svg>'


def draw_share(share: ShareEstimate) -> str:
    """Draw a share as a dot and its confidence interval as a line, on a scale from 0 to 100 %."""
    low, high, value = (_percent(part, 1) for part in (share.low, share.high, share.value))
    return (
        '<svg class="share" aria-hidden="true"><line class="axis" x1="0" x2="100%" y1="50%" y2="50%"/>'
        '<line class="axis" x1="50%" x2="50%" y1="10%" y2="90%"/>'
        f'<line class="reach" x1="{low}" x2="{high}" y1="50%" y2="50%"/>'
        f'<circle class="dot" cx="{value}" cy="50%" r="4"/></svg>'
    )


def format_counts(counts: PolarityCounts) -> str:
    """Format the counts of one row with their signs, and with words for screen readers."""
    parts = (
        f'<span class="{polarity}"><span aria-hidden="true">{POLARITY_SIGNS[polarity]}</span>'
        f'<span class="heard">{polarity} </span>{count:,}</span>'
        for polarity, count in order_by_polarity(counts).items()
    )
    return f'<span class="counts">{" ".join(parts)}</span>'


def _percent(part: float, whole: float) -> str:
    return f"{round(100 * part / max(whole, 1), 2):g}%"
