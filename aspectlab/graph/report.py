"""The page of a knowledge graph: one file that needs no network, to look around in."""

from collections.abc import Iterable, Iterator, Sequence

from aspectlab.data import PolarityCounts
from aspectlab.graph.comparison import (
    AspectComparison,
    AspectPair,
    ComparisonVerdict,
    compare_joined,
    join_aspects,
    join_counts,
)
from aspectlab.graph.model import IMPLICIT, CountedOpinion, Entity, EntityAspect, KnowledgeGraph, balance
from aspectlab.graph.pictures import choose_opinions, draw_butterfly
from aspectlab.graph.shapes import ASSETS, PICTURE_STYLES, format_signs
from aspectlab.reports import (
    BASE_STYLE,
    POLARITY_SIGNS,
    embed_json,
    escape_html,
    format_count,
    load_assets,
    render_page,
    truncate_text,
)

_POLARITIES = ("positive", "negative", "neutral")
_TREE = (
    '<div id="view" hidden><svg id="picture" class="kg" role="tree" aria-label="Entity, topics, aspects and '
    'opinions"></svg></div>\n<p id="none" hidden>Nothing fits: choose less.</p>\n'
    '<output id="detail" aria-live="polite"></output>\n'
    "<noscript><p>The tree needs JavaScript; the table below holds all of it.</p></noscript>"
)
_BUTTONS = (
    '<button id="farther" type="button" aria-label="zoom out">−</button>'
    '<button id="nearer" type="button" aria-label="zoom in">+</button>'
    '<button id="fit" type="button">Fit</button>'
    '<button id="all" type="button" aria-pressed="false">Unfold all</button>'
    '<button id="reset" type="button">Reset</button><output id="shown" aria-live="polite"></output>'
)
_KEYS = (
    "Drag or scroll to move, Ctrl and wheel to zoom. With the keyboard: arrows go from node to node, Enter "
    "folds and unfolds, + − 0 zoom. An aspect of several topics stands under the one in which most is said."
)
_METHOD = (
    "Blame is the share of negative among positive and negative statements; the difference is the second "
    "less the first, with Newcombe's 95 % confidence interval. Fisher's exact test decides, corrected by "
    "Holm's method for all rows that were tested; where even the most extreme counts could not show a "
    "difference, there are too few to tell. Statements are taken as independent; those of one review are not "
    "quite."
)


def render_graph_page(graph: KnowledgeGraph, most: int) -> str:
    """Render the graph as one HTML page; of two entities with their comparison."""
    title = f"Knowledge graph of {truncate_text(graph.title, MAX_LABEL)}"
    sections = "\n".join(
        f"<section>\n<h2>{heading}</h2>\n{body}\n</section>" for heading, body in _parts(graph, most)
    )
    lines = "".join(
        f"<p><bdi>{escape_html(e.name, MAX_LABEL)}</bdi>: {_format_size(e)}</p>" for e in graph.entities
    )
    body = (
        f"<header>\n<h1><bdi>{escape_html(title)}</bdi></h1>\n{lines}\n</header>\n<main>\n{sections}\n</main>\n"
        f"{embed_json('graph', _pack(graph))}"
    )
    style = load_assets(BASE_STYLE, *PICTURE_STYLES, ASSETS / "page.css")
    return render_page(title, body, style=style, script=load_assets(ASSETS / "tree.js", ASSETS / "page.js"))


def _parts(graph: KnowledgeGraph, most: int) -> Iterator[tuple[str, str]]:
    """Return the heading and body of each part."""
    if graph.is_pair:
        first, second = graph.entities
        names = truncate_text(first.name, MAX_LABEL), truncate_text(second.name, MAX_LABEL)
        tables = (
            render_comparison(compare_joined(join_counts(first, second, by_topic=by_topic)), what, names)
            for what, by_topic in (("topic", True), ("aspect", False))
        )
        yield "Compared", "\n".join(tables) + f'\n<p class="note">{_METHOD}</p>'
        drawn = draw_butterfly(first, second, most, inline=True)
        narrow = render_pair_table(join_aspects(first, second)[:most], names)
        yield "Side by side", f'<div class="wide">{drawn}</div>\n<div class="narrow">{narrow}</div>'
    yield "Graph", f'{_render_tools(graph)}\n{_TREE}\n<p class="note">{_KEYS}</p>'
    for number, entity in enumerate(graph.entities):
        table = render_aspect_table(entity, number)
        summary = f"All aspects of <bdi>{escape_html(entity.name, MAX_LABEL)}</bdi>"
        yield "Table", f"<details><summary>{summary}</summary>\n{table}</details>"


def _format_size(entity: Entity) -> str:
    return (
        f"{format_count(len(entity.aspects), 'aspect')}, "
        f"{format_count(entity.opinions, 'distinct opinion')}, "
        f"said {format_count(entity.counts.total, 'time')}: {format_signs(entity.counts)}"
    )


def _render_tools(graph: KnowledgeGraph) -> str:
    kinds = [kind for kind in _POLARITIES if any(getattr(e.counts, kind) for e in graph.entities)]
    topics = [(str(number), name) for number, name in enumerate(_list_topics(graph)) if name]
    choices = [
        ("entity", "Entity", [(str(k), each.name) for k, each in enumerate(graph.entities)]),
        ("topic", "Topic", topics),
        ("polarity", "Sentiment", [(kind, f"{POLARITY_SIGNS[kind]} {kind}") for kind in kinds]),
    ]
    selects = "".join(_render_select(*choice) for choice in choices if len(choice[2]) > 1)
    search = '<label>Search <input id="search" type="search"></label>'
    return f'<div id="tools" class="tools" hidden>{search}{selects}{_BUTTONS}</div>'


def _render_select(name: str, label: str, choices: Sequence[tuple[str, str]]) -> str:
    options = "".join(
        f'<option value="{value}">{escape_html(text, MAX_LABEL)}</option>' for value, text in choices
    )
    return f'<label>{label} <select id="{name}"><option value="">all</option>{options}</select></label>'


def _list_topics(graph: KnowledgeGraph) -> list[str]:
    return list(dict.fromkeys(topic for entity in graph.entities for topic in entity.topics))


def _pack(graph: KnowledgeGraph) -> dict[str, object]:
    """Return what the script draws, as short as it may be."""
    topics = {name: number for number, name in enumerate(_list_topics(graph))}
    return {
        "topics": [_plain(name) for name in topics],
        "entities": [_pack_entity(entity, topics) for entity in graph.entities],
    }


def _pack_entity(entity: Entity, topics: dict[str, int]) -> dict[str, object]:
    return {
        "name": _plain(entity.name),
        "counts": _list_counts(entity.counts),
        "topics": {topics[name]: _list_counts(counts) for name, counts in entity.topics.items()},
        "aspects": [
            {
                "name": _plain(aspect.name or IMPLICIT),
                "counts": _list_counts(aspect.counts),
                "topics": [[topics[name], *_list_counts(found)] for name, found in aspect.topics.items()],
                "opinions": [
                    [_plain(said.text or IMPLICIT), _POLARITIES.index(said.polarity), said.count]
                    for said in aspect.opinions
                ],
            }
            for aspect in entity.aspects
        ],
    }


def _list_counts(counts: PolarityCounts) -> list[int]:
    return [getattr(counts, kind) for kind in _POLARITIES]


def _plain(text: str) -> str:
    """Return a text for the script, without halves of surrogate pairs: browsers fail on them."""
    return truncate_text(text, MAX_LABEL).encode("utf-8", "replace").decode()


MAX_LABEL = 300
"""A longer text is cut: it is no label but a mistake."""

_MARKS = {ComparisonVerdict.WORSE: "▼ ", ComparisonVerdict.BETTER: "▲ "}


def render_aspect_table(entity: Entity, number: int) -> str:
    """Return all aspects of an entity with all that is said of them; the script hides rows by their ids."""
    heads = ("Aspect", "Topics", "Praise and blame", "Balance", "Opinions")
    rows = (
        _aspect_row(heads, aspect, f"row-{number}-{index}") for index, aspect in enumerate(entity.aspects)
    )
    return _render_table(heads, rows)


def render_comparison(rows: Sequence[AspectComparison], what: str, names: tuple[str, str]) -> str:
    """Return the comparison by aspect or topic; what is too rare to compare is folded away."""
    heads = (what.capitalize(), *names, "Blame, second less first", "Conclusion")
    tested, few = (
        [_comparison_row(heads, row) for row in rows if (row.verdict is ComparisonVerdict.FEW) is is_few]
        for is_few in (False, True)
    )
    shown = _render_table(heads, tested) if tested else f"<p>No {what} is spoken of enough to compare.</p>"
    if not few:
        return shown
    summary = f"{format_count(len(few), what)} of both with too few statements to tell"
    return f"{shown}\n<details><summary>{summary}</summary>\n{_render_table(heads, few)}</details>"


def render_pair_table(pairs: Iterable[AspectPair], names: tuple[str, str]) -> str:
    """Return what is said of two entities aspect by aspect, for screens that are too narrow for a picture."""
    heads = ("Aspect", *names)
    rows = (
        _render_row(
            heads, escape_html(pair.name, MAX_LABEL), [_format_shown(pair.first), _format_shown(pair.second)]
        )
        for pair in pairs
    )
    return _render_table(heads, rows)


def format_points(value: float) -> str:
    """Format a difference of shares in points, with its sign.

    >>> format_points(0.3), format_points(-0.049), format_points(0.001)
    ('+30', '−5', '0')
    """
    rounded = int(abs(100 * value) + 0.5)
    return f"{'+' if value > 0 else '−'}{rounded}" if rounded else "0"


def format_balance(counts: PolarityCounts) -> str:
    """Format praise less blame with its sign.

    >>> format_balance(PolarityCounts(1, 3)), format_balance(PolarityCounts(3, 1))
    ('−2', '+2')
    """
    return f"{balance(counts):+d}".replace("-", "−").replace("+0", "0")


def _aspect_row(heads: Sequence[str], aspect: EntityAspect, name: str) -> str:
    topics = ", ".join(f"<bdi>{escape_html(name, MAX_LABEL)}</bdi>" for name in aspect.topics if name)
    cells = (
        topics,
        format_signs(aspect.counts),
        format_balance(aspect.counts),
        _format_opinions(aspect.opinions),
    )
    return _render_row(heads, escape_html(aspect.name or IMPLICIT, MAX_LABEL), cells, f' id="{name}"')


def _format_shown(aspect: EntityAspect | None) -> str:
    if aspect is None:
        return "–"
    branch = choose_opinions(aspect)
    return _format_opinions(branch.shown) + (f" and {branch.hidden:,} more" if branch.hidden else "")


def _format_opinions(opinions: Iterable[CountedOpinion]) -> str:
    return ", ".join(
        f'<span class="{said.polarity.value}">{POLARITY_SIGNS[said.polarity.value]}</span> '
        f"<bdi>{escape_html(said.text or IMPLICIT, MAX_LABEL)}</bdi>"
        + (f" ×{said.count:,}" if said.count > 1 else "")
        for said in opinions
    )


def _comparison_row(heads: Sequence[str], row: AspectComparison) -> str:
    gap = f"{format_points(row.difference)} points ({format_points(row.low)} to {format_points(row.high)})"
    verdict = f"{_MARKS.get(row.verdict, '')}{row.verdict.value}"
    said = f'<span class="clear">{verdict}</span>' if row.verdict in _MARKS else verdict
    p = "" if row.p_holm is None else f" (p {row.p_holm:.2g})"
    cells = (format_signs(row.first), format_signs(row.second), gap, f"{said}{p}")
    return _render_row(heads, escape_html(row.name, MAX_LABEL), cells)


def _render_row(heads: Sequence[str], name: str, cells: Sequence[str], mark: str = "") -> str:
    filled = "".join(
        f'<td data-head="{escape_html(head, MAX_LABEL)}">{cell}</td>'
        for head, cell in zip(heads[1:], cells, strict=True)
    )
    return f'<tr{mark}><th scope="row"><bdi>{name}</bdi></th>{filled}</tr>'


def _render_table(heads: Sequence[str], rows: Iterable[str]) -> str:
    head = "".join(f'<th scope="col"><bdi>{escape_html(name, MAX_LABEL)}</bdi></th>' for name in heads)
    body = "\n".join(rows)
    return f'<table class="plain"><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table>'
