"""The tables of the page of a knowledge graph: all aspects, and the comparison of two entities."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from aspectlab.insight.aggregate import Counts
from aspectlab.insight.knowledge import IMPLICIT, Aspect, Entity, Said, balance
from aspectlab.insight.knowledgejoin import Pair
from aspectlab.reports.graph.choosing import choose_opinions
from aspectlab.reports.graph.contrast import Contrast, Verdict
from aspectlab.reports.graph.labels import say_signs
from aspectlab.reports.page import show
from aspectlab.reports.shares import SIGNS, say_number

MAX_LABEL = 300
"""A longer text is cut: it is no label but a mistake."""

_MARKS = {Verdict.WORSE: "▼ ", Verdict.BETTER: "▲ "}


def render_aspects(entity: Entity, number: int) -> str:
    """Give all aspects of an entity with all that is said of them; the script hides rows by their ids."""
    heads = ("Aspect", "Topics", "Praise and blame", "Balance", "Opinions")
    rows = (
        _aspect_row(heads, aspect, f"row-{number}-{place}") for place, aspect in enumerate(entity.aspects)
    )
    return _render_table(heads, rows)


def render_contrast(rows: Sequence[Contrast], what: str, names: tuple[str, str]) -> str:
    """Give the comparison by aspect or topic; what is too rare to compare is folded away."""
    heads = (what.capitalize(), *names, "Blame, second less first", "Conclusion")
    tested, few = (
        [_contrast_row(heads, row) for row in rows if (row.verdict is Verdict.FEW) is is_few]
        for is_few in (False, True)
    )
    shown = _render_table(heads, tested) if tested else f"<p>No {what} is spoken of enough to compare.</p>"
    if not few:
        return shown
    summary = f"{say_number(len(few), what)} of both with too few statements to tell"
    return f"{shown}\n<details><summary>{summary}</summary>\n{_render_table(heads, few)}</details>"


def render_pairs(pairs: Iterable[Pair], names: tuple[str, str]) -> str:
    """Give what is said of two entities aspect by aspect, for screens that are too narrow for a picture."""
    heads = ("Aspect", *names)
    rows = (
        _render_row(heads, show(pair.name, MAX_LABEL), [_say_some(pair.first), _say_some(pair.second)])
        for pair in pairs
    )
    return _render_table(heads, rows)


def say_points(value: float) -> str:
    """Write a difference of shares in points, with its sign.

    >>> say_points(0.3), say_points(-0.049), say_points(0.001)
    ('+30', '−5', '0')
    """
    rounded = int(abs(100 * value) + 0.5)
    return f"{'+' if value > 0 else '−'}{rounded}" if rounded else "0"


def say_balance(counts: Counts) -> str:
    """Write praise less blame with its sign.

    >>> say_balance(Counts(1, 3)), say_balance(Counts(3, 1))
    ('−2', '+2')
    """
    return f"{balance(counts):+d}".replace("-", "−").replace("+0", "0")


def _aspect_row(heads: Sequence[str], aspect: Aspect, name: str) -> str:
    topics = ", ".join(f"<bdi>{show(name, MAX_LABEL)}</bdi>" for name in aspect.topics if name)
    cells = (topics, say_signs(aspect.counts), say_balance(aspect.counts), _say_opinions(aspect.opinions))
    return _render_row(heads, show(aspect.name or IMPLICIT, MAX_LABEL), cells, f' id="{name}"')


def _say_some(aspect: Aspect | None) -> str:
    if aspect is None:
        return "–"
    branch = choose_opinions(aspect)
    return _say_opinions(branch.shown) + (f" and {branch.hidden:,} more" if branch.hidden else "")


def _say_opinions(opinions: Iterable[Said]) -> str:
    return ", ".join(
        f'<span class="{said.polarity.value}">{SIGNS[said.polarity.value]}</span> '
        f"<bdi>{show(said.text or IMPLICIT, MAX_LABEL)}</bdi>"
        + (f" ×{said.count:,}" if said.count > 1 else "")
        for said in opinions
    )


def _contrast_row(heads: Sequence[str], row: Contrast) -> str:
    gap = f"{say_points(row.difference)} points ({say_points(row.low)} to {say_points(row.high)})"
    verdict = f"{_MARKS.get(row.verdict, '')}{row.verdict.value}"
    said = f'<span class="clear">{verdict}</span>' if row.verdict in _MARKS else verdict
    p = "" if row.p_holm is None else f" (p {row.p_holm:.2g})"
    cells = (say_signs(row.first), say_signs(row.second), gap, f"{said}{p}")
    return _render_row(heads, show(row.name, MAX_LABEL), cells)


def _render_row(heads: Sequence[str], name: str, cells: Sequence[str], mark: str = "") -> str:
    filled = "".join(
        f'<td data-head="{show(head, MAX_LABEL)}">{cell}</td>'
        for head, cell in zip(heads[1:], cells, strict=True)
    )
    return f'<tr{mark}><th scope="row"><bdi>{name}</bdi></th>{filled}</tr>'


def _render_table(heads: Sequence[str], rows: Iterable[str]) -> str:
    head = "".join(f'<th scope="col"><bdi>{show(name, MAX_LABEL)}</bdi></th>' for name in heads)
    body = "\n".join(rows)
    return f'<table class="plain"><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table>'
