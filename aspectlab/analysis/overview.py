"""The first screen of the report on opinions, the tables of cells, and what the script needs to know."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import hypot

from aspectlab.analysis.aggregate import Aggregate, RatingDriver, Standing, TurningPoint
from aspectlab.analysis.tables import (
    MAX_CATEGORIES,
    MAX_GROUPS,
    MAX_NAME,
    MAX_RATINGS,
    MAX_WORD,
    format_audit,
)
from aspectlab.analysis.trends import is_month, time_axis_of
from aspectlab.data import PolarityCounts
from aspectlab.readers import REST
from aspectlab.reports import (
    POLARITY_SIGNS,
    escape_html,
    estimate_positive,
    estimate_share,
    format_count,
    format_percent,
    format_share,
    order_by_polarity,
    replace_unprintable,
    truncate_text,
)

_POLARITIES = tuple(POLARITY_SIGNS)
_NAMED_DRIVERS, _DRAWN_DRIVERS, _LABEL = 3, 16, 30
_CELL_ROWS, _WORDS, _LONGEST_NAME = 25, 5, 200
_WIDTH, _LEFT, _RIGHT, _ROW, _TOP = 640, 250, 600, 24, 14
_CHANGES = 6

DRIVER_METHOD = (
    "Each figure compares reviews that praise, or blame, an aspect with reviews of the same group that do "
    "not, all else that they praise and blame held equal (linear regression with robust standard errors, "
    "HC3, and 95 % confidence intervals). It is what goes along with the rating in these reviews, not what "
    "would "
    "happen if the aspect changed: writers mention what struck them, and opinions that the model misses are "
    "not in it."
)


def render_glance(aggregate: Aggregate) -> str:
    """Return what a manager reads first: strengths, weaknesses, changes, and what goes with the rating."""
    insights, numbers = aggregate.insights, _Numbers(aggregate)
    clear = [each for each in insights.drivers if each.is_clear]
    cards = (
        ("Strengths", [_say_standing(each, numbers) for each in insights.strengths], "No aspect stands out."),
        (
            "Weaknesses",
            [_say_standing(each, numbers) for each in insights.weaknesses],
            "No aspect stands out.",
        ),
        ("What changed", list(_say_changes(aggregate, numbers)), "There are no dates to compare."),
        (
            "What goes with the rating",
            [_say_driver(each, numbers, _unit(aggregate)) for each in _choose_drivers(clear)],
            _say_no_driver(aggregate),
        ),
    )
    return '<div class="glance">' + "".join(_render_card(*card) for card in cards) + "</div>"


def _render_card(heading: str, items: Sequence[str], otherwise: str) -> str:
    listed = "".join(f"<li>{item}</li>" for item in items)
    body = f"<ul>{listed}</ul>" if items else f"<p>{escape_html(otherwise, 200)}</p>"
    return f"<div><h3>{heading}</h3>{body}</div>\n"


class _Numbers:
    """The numbers by which the script knows aspects, groups and periods."""

    def __init__(self, aggregate: Aggregate) -> None:
        self._categories = {each.name: k for k, each in enumerate(aggregate.categories)}
        self._groups = {each.name: k for k, each in enumerate(aggregate.groups[:MAX_GROUPS])}
        self.periods = {name: k for k, name in enumerate(aggregate.insights.periods)}

    def link(self, text: str, category: str, group: str = "", **keys: int) -> str:
        """Return a text, escaped already, that opens its quotes; without script it leads to the aspect."""
        number = self._categories.get(category, 0)
        wanted = {
            "category": number,
            **({"group": self._groups[group]} if group in self._groups else {}),
            **keys,
        }
        drill = "&amp;".join(f"{key}={value}" for key, value in wanted.items())
        return f'<a href="#c{number}" data-drill="{drill}">{text}</a>'


def _name(text: str) -> str:
    return f"<bdi>{escape_html(text, MAX_NAME)}</bdi>"


def _say_standing(standing: Standing, numbers: _Numbers) -> str:
    count, total = getattr(standing.counts, standing.polarity), standing.counts.total
    kind = _POLARITIES.index(standing.polarity)
    named = numbers.link(f"<strong>{_name(standing.category)}</strong>", standing.category, polarity=kind)
    said = f"{named} {format_share(estimate_share(count, total))} {standing.polarity} of {total:,}"
    if not standing.group:
        return said
    part = numbers.link(f"{standing.group_count:,}", standing.category, standing.group, polarity=kind)
    return f"{said}; {part} of {count:,} from {_name(standing.group)}"


def _say_changes(aggregate: Aggregate, numbers: _Numbers) -> Iterator[str]:
    """Return the changes, the clearest first, and how the last period stands beside those before."""
    insights = aggregate.insights
    for change in insights.changes[:_CHANGES]:
        yield _say_change(change, aggregate, numbers)
    if len(insights.changes) > _CHANGES:
        yield f"and {len(insights.changes) - _CHANGES:,} more"
    if len(insights.periods) < 2:
        return
    if not insights.changes:
        yield "No change of an aspect is clear, in all reviews or in a group."
    yield from _say_last_period(aggregate)


def _say_change(change: TurningPoint, aggregate: Aggregate, numbers: _Numbers) -> str:
    """Return the opinions before and since and, where that is what changed, the share of reviews."""
    split = numbers.periods[change.since]
    history = next(
        (
            each.counts
            for each in aggregate.insights.history
            if (each.group, each.category) == (change.group, change.category)
        ),
        (),
    )
    sides = [
        numbers.link(_say_counts(part), change.category, change.group, **keys)
        for part, keys in ((history[:split], {"to": split - 1}), (history[split:], {"from": split}))
    ]
    where = f", {_name(change.group)}" if change.group else ""
    named = f"<strong>{_name(change.category)}</strong>{where}"
    said = f"{named}: from {sides[0]} to {sides[1]} since {change.since}"
    if change.kind == "turn":
        return said
    before, after = (format_percent(h / max(n, 1)) for h, n in zip(change.hits, change.trials, strict=True))
    done = "blamed" if change.kind == "blame" else "praised"
    return f"{said}: {done} in {after} of reviews, in {before} before"


def _say_counts(counts: Sequence[PolarityCounts]) -> str:
    return f"+{sum(each.positive for each in counts):,} −{sum(each.negative for each in counts):,}"


def _say_last_period(aggregate: Aggregate) -> Iterator[str]:
    """Compare the share of positive opinions in the last period with those before, by Newcombe's interval."""
    months = {part.name: part.counts for part in aggregate.months if is_month(part.name)}
    *earlier, last = time_axis_of(aggregate).join(months)
    joined = PolarityCounts(
        *(sum(getattr(each.counts, kind) for each in earlier) for kind in ("positive", "negative", "neutral"))
    )
    if not joined.total or not last.counts.total:
        return
    a, b = estimate_positive(joined), estimate_positive(last.counts)
    gap = b.value - a.value
    low = gap - hypot(b.value - b.low, a.high - a.value)
    high = gap + hypot(b.high - b.value, a.value - a.low)
    verdict = (
        "more than before" if low > 0 else "less than before" if high < 0 else "the difference may be chance"
    )
    yield (
        f"{last.name}: {format_share(b)} positive of {format_count(last.counts.total, 'opinion')}, "
        f"{format_percent(a.value)} before: {verdict}"
    )


def _unit(aggregate: Aggregate) -> str:
    return "stars" if aggregate.insights.rating <= 5 else "points"


def _choose_drivers(clear: Sequence[RatingDriver]) -> list[RatingDriver]:
    """Return what costs most and what brings most."""
    return [
        each
        for side in ("blame", "praise")
        for each in [driver for driver in clear if driver.side == side][:_NAMED_DRIVERS]
    ]


def _say_driver(driver: RatingDriver, numbers: _Numbers, unit: str) -> str:
    kind = _POLARITIES.index("positive" if driver.side == "praise" else "negative")
    named = numbers.link(f"<strong>{_name(driver.category)}</strong>", driver.category, polarity=kind)
    low, high = sorted((abs(driver.low), abs(driver.high)))
    more = "more" if driver.stars > 0 else "fewer"
    return (
        f"{driver.side} of {named}: {abs(driver.stars):.1f} {unit} {more} ({low:.1f}–{high:.1f}); "
        f"{format_percent(driver.share)} of reviews, {_signed(driver.stars * driver.share, 2)} on the mean"
    )


def _say_no_driver(aggregate: Aggregate) -> str:
    if aggregate.insights.notes:
        return f"Not known: {aggregate.insights.notes[0]}."
    return "Nothing that is praised or blamed clearly goes along with the rating."


def _signed(value: float, digits: int) -> str:
    return f"{value:+.{digits}f}".replace("-", "−")


def render_drivers(aggregate: Aggregate) -> str:
    """Return the picture and the table of what goes along with the rating, and what they mean."""
    drivers, unit = aggregate.insights.drivers, _unit(aggregate)
    if not drivers:
        return f"<p>{escape_html(_say_no_driver(aggregate), 200)}</p>"
    rows = "".join(
        f'<tr><th scope="row">{each.side} of {_name(each.category)}</th>'
        f"<td>{_signed(each.stars, 2)}</td><td>{_signed(each.low, 2)} to {_signed(each.high, 2)}</td>"
        f"<td>{each.reviews:,}</td><td>{_signed(each.stars * each.share, 3)}</td>"
        f"<td>{_verdict(each)}</td></tr>"
        for each in drivers
    )
    heads = ("Reviews that hold", unit.capitalize(), "95 % interval", "Reviews", "On the mean", "Verdict")
    head = "".join(f'<th scope="col">{text}</th>' for text in heads)
    return (
        f"<p>{format_count(aggregate.insights.rated, 'review')} with a rating, on average "
        f"{aggregate.insights.rating:.2f}. {DRIVER_METHOD}</p>\n"
        f"<figure><figcaption>{unit.capitalize()} that go along with praise and blame</figcaption>"
        f"{_draw_drivers(drivers[:_DRAWN_DRIVERS])}</figure>\n"
        f"<details><summary>In figures</summary><table>{head and f'<tr>{head}</tr>'}{rows}</table></details>"
    )


def _verdict(driver: RatingDriver) -> str:
    if driver.is_clear:
        return "clear"
    if driver.twin:
        return f"not told apart from {escape_html(driver.twin, MAX_NAME)}"
    return "may be chance"


def _draw_drivers(drivers: Sequence[RatingDriver]) -> str:
    reach = max(0.5, *(max(abs(each.low), abs(each.high)) for each in drivers))
    middle, half = (_LEFT + _RIGHT) / 2, (_RIGHT - _LEFT) / 2

    def x(value: float) -> str:
        return f"{middle + half * value / reach:.1f}"

    height = _TOP + _ROW * len(drivers) + 22
    bottom = height - 22
    parts = [f'<line class="axis" x1="{x(0)}" x2="{x(0)}" y1="{_TOP - 8}" y2="{bottom}"/>']
    for k, each in enumerate(drivers):
        y = _TOP + _ROW * k + 8
        kind = ("positive" if each.stars > 0 else "negative") if each.is_clear else "neutral"
        label = escape_html(f"{each.side} of {each.category}", _LABEL)
        parts.append(
            f'<text class="end" x="{_LEFT - 10}" y="{y + 4}">{label}</text>'
            f'<line class="range {kind}" x1="{x(each.low)}" x2="{x(each.high)}" y1="{y}" y2="{y}"/>'
            f'<circle class="spot {kind}" cx="{x(each.stars)}" cy="{y}" r="5"/>'
            f'<text x="{_RIGHT + 4}" y="{y + 4}">{_signed(each.stars, 1)}</text>'
        )
    for value in (-reach, 0, reach):
        parts.append(f'<text class="mid" x="{x(value)}" y="{height - 4}">{_signed(value, 1)}</text>')
    return (
        f'<svg class="drivers" viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="By how much ratings '
        'differ with praise and blame of each aspect; the table below has the figures">'
        + "".join(parts)
        + "</svg>"
    )


def render_matrix(aggregate: Aggregate) -> str:
    """Return the table of aspects by group."""
    categories = [each.name for each in aggregate.categories if each.name not in REST][:_CELL_ROWS]
    groups = aggregate.groups[:MAX_GROUPS]
    counts = {(name, g.name): g.categories.get(name, PolarityCounts()) for name in categories for g in groups}
    cells = _render_cells(categories, [group.name for group in groups], counts)
    return f'<div id="matrix-table" class="wide">{cells}</div>'


def render_timeline(aggregate: Aggregate) -> str:
    """Return the table of aspects by period, of all reviews; the script shows that of a group."""
    periods = aggregate.insights.periods
    if len(periods) < 2:
        return ""
    history = {each.category: each.counts for each in aggregate.insights.history if not each.group}
    names = [each.name for each in aggregate.categories if each.name in history][:_CELL_ROWS]
    counts = {(n, p): c for n in names for p, c in zip(periods, history[n], strict=True)}
    return (
        '<h3>Aspects by period: <span id="timeline-of">all groups</span></h3>\n'
        f'<div id="timeline" class="wide">{_render_cells(names, periods, counts)}</div>\n'
    )


def _render_cells(
    rows: Iterable[str], columns: Sequence[str], counts: Mapping[tuple[str, str], PolarityCounts]
) -> str:
    heads = "".join(f'<th scope="col">{_name(column)}</th>' for column in columns)
    body = "".join(
        f'<tr><th scope="row">{_name(row)}</th>'
        + "".join(_render_cell(counts[row, column]) for column in columns)
        + "</tr>"
        for row in rows
    )
    head = f'<thead><tr><th scope="col">Aspect</th>{heads}</tr></thead>'
    return f'<table class="cells">{head}<tbody>{body}</tbody></table>'


def _render_cell(counts: PolarityCounts) -> str:
    if not counts.total:
        return '<td class="cell"><span class="none">·</span></td>'
    return (
        f'<td class="cell"><span class="positive">+{counts.positive:,}</span> '
        f'<span class="negative">−{counts.negative:,}</span></td>'
    )


def render_page_filter(aggregate: Aggregate) -> str:
    """Return the filters of the page; they are hidden until the script has its data."""
    periods = [(str(k), name) for k, name in enumerate(aggregate.insights.periods)]
    choices = (
        ("group", "Group", _numbered(g.name for g in aggregate.groups[:MAX_GROUPS])),
        ("from", "From", periods if len(periods) > 1 else []),
        ("to", "To", periods if len(periods) > 1 else []),
        ("rating", "Rating", _numbered(r.name for r in aggregate.ratings[:MAX_RATINGS])),
        ("aspect", "Aspect", _numbered(c.name for c in aggregate.categories)),
        (
            "polarity",
            "Polarity",
            [(str(k), f"{POLARITY_SIGNS[name]} {name}") for k, name in enumerate(_POLARITIES)],
        ),
        ("sure", "Model at least", [(f"{p / 100:g}", f"{p} % sure") for p in (50, 60, 70, 80, 90, 95)]),
    )
    shown = "".join(render_choice(*choice) for choice in choices if choice[2])
    return (
        '<p id="loading" role="status" hidden>Loading the quotes</p>\n'
        f'<div id="filter" role="search" aria-label="Filters of the page" hidden>{shown}'
        '<button type="button" id="reset" hidden>Show all</button> '
        '<output id="shown" aria-live="polite"></output></div>'
    )


def _numbered(names: Iterable[str]) -> list[tuple[str, str]]:
    return [(str(k), name) for k, name in enumerate(names)]


def render_choice(name: str, label: str, values: Sequence[tuple[str, str]]) -> str:
    """Return a choice among values, or any."""
    offered = "".join(
        f'<option value="{value}">{escape_html(text, MAX_NAME)}</option>' for value, text in values
    )
    return f'<label>{label} <select id="{name}"><option value="">any</option>{offered}</select></label>'


FILES = (
    '<p class="tools" id="files" hidden><button type="button" id="save-xlsx">'
    "Workbook of what is shown (XLSX)</button> "
    '<button type="button" id="save-csv">Opinions shown (CSV)</button> '
    '<button type="button" id="print">Print or save as PDF</button></p>'
)
"""The buttons that make files in the page; each picture has its own."""


def describe_page(aggregate: Aggregate) -> dict[str, object]:
    """Return what the script must know of the data: the names behind all numbers."""
    axis = time_axis_of(aggregate)
    return {
        "categories": [
            {
                "name": replace_unprintable(truncate_text(each.name, MAX_NAME)),
                "rest": each.name in REST,
                "audit": format_audit(each),
                "parent": replace_unprintable(truncate_text(each.parent or each.name, MAX_NAME)),
                "words": [_describe_word(word.name, word.counts) for word in each.opinions[:_WORDS]]
                if number < MAX_CATEGORIES
                else [],
            }
            for number, each in enumerate(aggregate.categories)
        ],
        "groups": [_shorten(each.name) for each in aggregate.groups[:MAX_GROUPS]],
        "ratings": [_shorten(each.name) for each in aggregate.ratings[:MAX_RATINGS]],
        "periods": [period.name for period in axis.join({})],
        "numbers": list(axis.numbers),
        "size": axis.size,
        "opinions": aggregate.totals.opinions,
    }


def _describe_word(word: str, counts: PolarityCounts) -> tuple[str, str, int]:
    by_polarity = order_by_polarity(counts)
    usual = max(by_polarity, key=lambda kind: by_polarity[kind])
    return replace_unprintable(truncate_text(word, MAX_WORD)), usual, counts.total


def _shorten(name: str) -> str:
    # as the blocks of reviews have it, so that the script finds the one by the other
    return replace_unprintable(name[:_LONGEST_NAME])
